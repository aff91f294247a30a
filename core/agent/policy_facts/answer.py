"""Answer a question about the policies themselves from their metadata, in place of the pipeline.

The question's words say which facts of which policy are wanted. The facts are read from the
database in the question's scope, stated in fixed sentences, and checked by `verify` against a
second reading. No reasoner is asked. Wherever a step finds nothing (no such policy, no owner
stored), the pipeline answers: a policy's text may say what its metadata does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.agent.amendments import amending_claims, is_amendment
from core.agent.conversation.misconduct import is_confidential
from core.agent.policy_facts.excerpt import excerpt_of, fact_claims, list_text
from core.agent.policy_facts.policy_names import policies_meant, policies_named, policies_titled
from core.agent.policy_facts.question_forms import (
    POLICY_SLOT,
    PolicyQuestion,
    policy_question,
    section_asked,
)
from core.agent.reply import compose
from core.agent.request import ABOUT_POLICIES, PipelineParts, Task
from core.agent.stages.verify import verify
from core.agent.trace import StepLog, plan_json
from core.agent.wording import (
    FROM_METADATA,
    LOOKING_UP,
    MAIN_RULES,
    MORE_POLICIES,
    ONE_RULE,
    PARTIAL,
    POLICIES_FOR,
    POLICIES_HERE,
    UNNAMED_APPLY,
    WHICH_POLICY,
    WHOLE,
    WITHOUT_MODEL,
)
from core.domain.answer import (
    QUOTED,
    Answer,
    Badge,
    Citation,
    Claim,
    Confidence,
    Decision,
    Draft,
    Verdict,
    Verified,
)
from core.domain.evidence import Evidence, EvidenceItem
from core.domain.ontology import SectionRef
from core.domain.policy import PolicyVersion
from core.domain.policy_facts import FactKind, PolicyFacts, statements
from core.domain.question import EMPLOYMENT
from core.domain.run import Attempt, BudgetUse, Clarification, Plan, Run
from core.language.languages import Language
from core.language.spans import Span
from core.ports import Progressed
from core.ports.corpus import AboutPolicies

REASONER = "metadata/1"
"""Who answers, for the record: no reasoner did."""
OPTIONS = 8
"""Policies to choose from at most; a name that fits more names none."""
SEARCHED = 50
"""Policies among which the one is looked for that has a section of some number, at most."""
OPENED = 4
"""Passages of a section that is quoted whole, at most."""
LISTED = 20
"""Policies that a list names at most."""
APPLYING = 15
"""Policies that a list of those that apply to somebody names at most."""
CERTAIN = Confidence(
    reported=None,
    calibrated=1.0,
    badge=Badge.HIGH,
    is_calibrated=True,
    features=(("metadata", 1.0),),
)
"""Of what was read from what is stored of a policy: nothing in it is judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statements:
    """The statements of an answer, before they are checked."""

    claims: tuple[Claim, ...]
    evidence: Evidence
    metadata: Mapping[Span, frozenset[str]]
    first: str = ""
    """Above a list; empty: it is no list."""
    labels: Mapping[Claim, str] = field(default_factory=dict[Claim, str])
    """What stands before the items of a list."""
    notes: tuple[str, ...] = ()
    confidence: Confidence = CERTAIN


async def answer_about_policies(parts: PipelineParts, task: Task) -> Run | None:
    """Answer a question about the policies themselves from what is stored of them.

    None: it is no such question, or nothing stored answers it.
    """
    return await _FactsRun(parts, task, parts.about).run() if parts.about is not None else None


class _FactsRun:
    """The run of one question about policies."""

    def __init__(self, parts: PipelineParts, task: Task, about: AboutPolicies) -> None:
        self._parts = parts
        self._task = task
        self._about = about
        self._question = task.question
        self._scope = task.question.scope
        self._language = task.question.language
        self._log = StepLog(parts.clock)

    async def run(self) -> Run | None:
        """Answer from what is stored; None: it is no such question, or nothing stored answers."""
        asked = policy_question(self._question)
        if is_confidential(self._question):
            return None
        if asked is None:
            opened = await self._opened()
            return await self._checked(opened) if opened is not None else None
        self._task.progress.report(Progressed(stage="plan", words=LOOKING_UP))
        found = await self._found(asked)
        if isinstance(found, Clarification):
            self._log.add("plan", plan_json(found))
            asked_back = compose.clarifying(found, language=self._language)
            return self._ended(found, asked_back, Evidence(items=()), ())
        return await self._checked(found) if found is not None and found.claims else None

    async def _found(self, asked: PolicyQuestion) -> _Statements | Clarification | None:
        if asked.kinds == (FactKind.APPLYING,):
            return await self._applying(asked)
        versions = await self._parts.corpus.versions(self._scope)
        if asked.kinds == (FactKind.LISTING,):
            return await self._listing(versions)
        named = self._named(asked, versions)
        if named is None or isinstance(named, Clarification):
            return named
        if FactKind.SUMMARY not in asked.kinds:
            return await self._facts(asked, named)
        if asked.kinds != (FactKind.SUMMARY,) or len(named) > 1 or self._parts.reasoner.is_model:
            return None
        return await self._summary(named[0])

    def _named(
        self, asked: PolicyQuestion, versions: Sequence[PolicyVersion]
    ) -> list[PolicyVersion] | Clarification | None:
        """Return the policies that are asked about, or which of several to ask for."""
        chosen = policies_titled(asked.chosen, versions) if asked.chosen else []
        found: list[PolicyVersion] = []
        for mention in dict.fromkeys(one.mention for one in asked.wanted):
            if mention is None:
                fitting = self._talked_of(versions)
            else:
                fitting = policies_meant(mention, versions, asked.text)
            fitting = [one for one in fitting if one in chosen] or fitting
            if not fitting or len(fitting) > OPTIONS:
                return None
            may_ask = self._question.asked_back < self._parts.limits.max_clarifications
            if len(fitting) > 1 and asked.chosen is None and may_ask:
                titles = tuple(dict.fromkeys(one.metadata.title for one in fitting))
                if len(titles) > 1:
                    return _which(titles, self._language)
            found += fitting
        return list(dict.fromkeys(found))

    def _talked_of(self, versions: Sequence[PolicyVersion]) -> list[PolicyVersion]:
        """Return the policies that the last answer of the thread was about; an only one anyway."""
        if len(versions) == 1:
            return list(versions)
        last = self._question.history[-1] if self._question.history else None
        keys = last.policies if last else ()
        return [one for one in versions if one.metadata.key in keys]

    async def _facts(
        self, asked: PolicyQuestion, named: Sequence[PolicyVersion]
    ) -> _Statements | None:
        facts = await self._about.facts([one.metadata.key for one in named], self._scope)
        evidence, metadata = await self._headings(facts)
        claims = [
            (kind, claim)
            for item, one in zip(evidence.items, facts, strict=True)
            for kind, claim in fact_claims(asked.kinds, one, item.key, item.text)
        ]
        missing = set(asked.kinds) - {kind for kind, _ in claims}
        return _Statements(
            claims=tuple(claim for _, claim in claims),
            evidence=evidence,
            metadata=metadata,
            notes=(PARTIAL.of(self._language),) if missing else (),
        )

    async def _listing(self, versions: Sequence[PolicyVersion]) -> _Statements | None:
        ordered = sorted(versions, key=lambda one: one.metadata.title.casefold())[:LISTED]
        facts = await self._about.facts([one.metadata.key for one in ordered], self._scope)
        facts = tuple(sorted(facts, key=lambda one: one.metadata.title.casefold()))
        evidence, metadata = await self._headings(facts)
        claims = tuple(
            claim
            for item, one in zip(evidence.items, facts, strict=True)
            for _, claim in fact_claims([FactKind.LISTING], one, item.key, item.text)
        )
        rest = len(versions) - len(claims)
        return _Statements(
            claims=claims,
            evidence=evidence,
            metadata=metadata,
            first=POLICIES_HERE.of(self._language),
            notes=(MORE_POLICIES.format(count=rest).of(self._language),) if rest > 0 else (),
        )

    async def _headings(
        self, facts: Sequence[PolicyFacts]
    ) -> tuple[Evidence, dict[Span, frozenset[str]]]:
        """Return headings as evidence, and what a second reading of each policy bears out."""
        spans = [one.heading for one in facts]
        stored = await self._parts.corpus.read_spans(spans, self._scope)
        again = await self._about.facts([one.metadata.key for one in facts], self._scope)
        metadata = {
            one.heading: frozenset(line for lines in statements(one).values() for line in lines)
            for one in again
        }
        places = await self._parts.corpus.places(spans)
        items = tuple(
            _item(number, span, stored.get(span, ""), places[span], is_metadata=True)
            for number, span in enumerate(spans, start=1)
        )
        return Evidence(items=items), metadata

    async def _applying(self, asked: PolicyQuestion) -> _Statements | None:
        role = asked.role or self._own_role()
        found = await self._about.applying_to(role, self._scope) if role else ()
        if not found:
            return None
        spans = [one.span for one in found[:APPLYING]]
        evidence = await self._quotes(spans)
        claims = _quotations(evidence)
        whole, language = {one.span for one in found if one.is_whole}, self._language
        labels = {
            claim: _labelled(item, is_whole=item.span in whole, language=language)
            for claim, item in zip(claims, evidence.items, strict=True)
        }
        rest = len(found) - len(spans)
        more = [MORE_POLICIES.format(count=rest).of(language)] if rest else []
        return _Statements(
            claims=claims,
            evidence=evidence,
            metadata={},
            first=POLICIES_FOR.format(role=role).of(language),
            labels=labels,
            notes=(*more, UNNAMED_APPLY.of(language)),
            confidence=QUOTED,
        )

    def _own_role(self) -> str:
        return next((one.value for one in self._question.assumptions if one.slot == EMPLOYMENT), "")

    async def _summary(self, version: PolicyVersion) -> _Statements | None:
        sections = await self._about.excerpts(version.metadata.key, self._scope)
        found = excerpt_of(sections)
        if not found.claims:
            return None
        evidence = await self._quotes([span for span, _ in found.claims])
        return _Statements(
            claims=_quotations(evidence),
            evidence=evidence,
            metadata={},
            first=MAIN_RULES.format(
                title=version.metadata.title, quoted=found.quoted, sections=found.sections
            ).of(self._language),
            notes=(WITHOUT_MODEL.of(self._language),),
            confidence=QUOTED,
        )

    async def _opened(self) -> _Statements | None:
        """Quote the section whose number is asked for, of the only policy that has it.

        A model reads it, and says more of it than its words.
        """
        text = " ".join(self._question.search_text.split())
        number = section_asked(text)
        if number is None or self._parts.reasoner.is_model:
            return None
        versions = await self._parts.corpus.versions(self._scope)
        named = policies_named(text, versions) or versions
        policies = [
            version.metadata for version in named if not is_amendment(version.metadata.title)
        ]
        if len(policies) > SEARCHED:
            return None
        read = self._parts.retriever.section
        sections = [await read(policy.key, number, self._scope) for policy in policies]
        sections = [chunks for chunks in sections if chunks]
        if len(sections) != 1 or len(sections[0]) > OPENED:
            return None
        evidence = await self._quotes([chunk.span for chunk in sections[0]])
        return _Statements(
            claims=_quotations(evidence),
            evidence=evidence,
            metadata={},
            notes=(WITHOUT_MODEL.of(self._language),),
            confidence=QUOTED,
        )

    async def _quotes(self, spans: Sequence[Span]) -> Evidence:
        stored = await self._parts.corpus.read_spans(spans, self._scope)
        places = await self._parts.corpus.places(spans)
        return Evidence(
            items=tuple(
                _item(number, span, stored[span], places[span])
                for number, span in enumerate(spans, start=1)
                if span in stored
            )
        )

    async def _checked(self, found: _Statements) -> Run | None:
        """Hold what is to be said against what is stored; None if nothing is left of it."""
        spans = [one.span for claim in found.claims for one in claim.citations]
        verified = verify(
            Draft(claims=found.claims),
            found.evidence,
            stored=await self._parts.corpus.read_spans(spans, self._scope),
            role_names=(),
            metadata=found.metadata,
        )
        plan = Plan(intent=ABOUT_POLICIES)
        self._log.add("plan", plan_json(plan))
        failed = [f"{one.check.value}: {one.reason}" for one in verified.verdicts if not one.passed]
        counts = {"kept": len(verified.claims), "dropped": len(verified.dropped)}
        self._log.add("verify", {**counts, "failed": list(failed)})
        if not verified.claims:
            return None
        amending = await amending_claims(
            verified.claims,
            corpus=self._parts.corpus,
            retriever=self._parts.retriever,
            scope=self._scope,
        )
        verified = replace(verified, claims=tuple(dict.fromkeys((*verified.claims, *amending))))
        answer = await self._answer(found, verified)
        return self._ended(plan, answer, found.evidence, verified.verdicts)

    async def _answer(self, found: _Statements, verified: Verified) -> Answer:
        spans = [one.span for claim in verified.claims for one in claim.citations]
        versions = await self._parts.corpus.versions(self._scope)
        confidence = found.confidence
        if verified.dropped:
            confidence = replace(confidence, badge=Badge.MEDIUM)
        is_quoted = not WITHOUT_MODEL.each.isdisjoint(found.notes)
        origin = () if is_quoted else (FROM_METADATA.of(self._language),)
        answer = compose.answered(
            verified.claims,
            confidence=confidence,
            places=await self._parts.corpus.places(spans),
            versions={one.version_id: one for one in versions},
            assumptions=(),
            notes=(*found.notes, *origin, *self._task.notes),
            language=self._language,
        )
        if not found.first:
            return answer
        labels = [found.labels.get(claim, "") for claim in verified.claims]
        return replace(answer, text=list_text(found.first, answer.claims, labels=labels))

    def _ended(
        self,
        plan: Plan | Clarification,
        answer: Answer,
        evidence: Evidence,
        verdicts: tuple[Verdict, ...],
    ) -> Run:
        decision = Decision.FINAL if answer.claims else Decision.CLARIFY
        reason = "read from what is stored of the policies"
        self._log.add("decide", {"decision": decision.value, "reason": reason})
        attempt = Attempt(decision=decision, reason=reason, verdicts=verdicts)
        return Run(
            question=self._question,
            answer=answer,
            edition=self._task.knowledge.extent.edition,
            reasoner=REASONER,
            plan=plan,
            exploration=None,
            gate=None,
            evidence=evidence,
            used_rag=False,
            chunks_used=(),
            entities=(),
            attempts=(attempt,) if answer.claims else (),
            budget=BudgetUse(),
            steps=self._log.steps,
            retrieval_time_ms=0.0,
            generation_time_ms=0.0,
            total_time_ms=self._log.total_ms,
            versions=tuple(sorted({item.span.version_id for item in evidence.items})),
            model_calls=self._task.model_calls,
            warnings=(*self._task.warnings, ABOUT_POLICIES),
        )


def _labelled(item: EvidenceItem, *, is_whole: bool, language: Language) -> str:
    return f"{item.place.policy_title} ({(WHOLE if is_whole else ONE_RULE).of(language)})"


def _which(titles: tuple[str, ...], language: Language) -> Clarification:
    asked = WHICH_POLICY.of(language)
    return Clarification(intent=ABOUT_POLICIES, question=asked, slot=POLICY_SLOT, options=titles)


def _quotations(evidence: Evidence) -> tuple[Claim, ...]:
    """Return each quote as a claim of its own, word for word."""
    return tuple(
        Claim(
            text=" ".join(item.text.split()),
            citations=(Citation(key=item.key, span=item.span, quote=item.text),),
        )
        for item in evidence.items
    )


def _item(
    number: int, span: Span, text: str, place: SectionRef, *, is_metadata: bool = False
) -> EvidenceItem:
    return EvidenceItem(
        key=f"c{number}",
        kind="metadata" if is_metadata else "context",
        span=span,
        text=text,
        place=place,
        relevance=None,
    )
