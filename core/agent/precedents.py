"""Answer a question by a precedent, in place of the pipeline: the words of an officer, verbatim.

A wrong match would be a wrong answer with the name of Compliance on it, so matching is strict. The
question must be worded as the precedent is (see `core.language.question_form`) and stand alone, and
what is known of its asker must agree with whom the precedent is for. Each bound clause is read
again, and must still have its words. Wherever something is missing the pipeline answers.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import date
from operator import mul

from core.agent.conversation.misconduct import is_confidential
from core.agent.conversation.referring import needs_subject
from core.agent.policy_facts.answer import answer_about_policies
from core.agent.reply.compose import NO_CONFIDENCE, with_note
from core.agent.request import PipelineParts, Task
from core.agent.trace import StepLog, plan_json
from core.agent.wording import BY_COMPLIANCE, SIMILAR_QUESTION
from core.domain.answer import (
    Answer,
    Check,
    Decision,
    Outcome,
    RefusalKind,
    ShownCitation,
    ShownClaim,
    ToldPrecedent,
    Verdict,
)
from core.domain.errors import ContractError
from core.domain.evidence import Evidence, EvidenceItem
from core.domain.ontology import SectionRef
from core.domain.policy import PolicyVersion
from core.domain.question import JURISDICTION, Question
from core.domain.run import Attempt, BudgetUse, Plan, Run
from core.language.conditions import conditions_in
from core.language.interface.dates import long_day
from core.language.jurisdictions import country_code, jurisdictions_in
from core.language.languages import Language
from core.language.modality import is_negated
from core.language.people import names_in
from core.language.quantities import comparable, quantities
from core.language.question_form import question_form
from core.language.spans import Span, VersionId
from core.ports import Clock, Embedder
from core.ports.precedents import Precedent, TellsPrecedents
from core.ports.text_models import Vector

logger = logging.getLogger(__name__)

REASONER = "precedent/1"
"""Who answers, for the record: a person did."""
INTENT = "precedent"
REASON = "the question of a precedent, in its words"


SIMILAR_FROM = 0.92
"""Cosine from which another question is offered beside an answer.

Of the pairs among 8,942 questions about 163 real policies and the samples, each with the others of
its company, 38 are as near as this, and in each the same passage answers both. From .90 on that is
so in 48 of 52, from .85 on in 102 of 123 (`evals.similar_questions`): nearness alone never chooses
an answer.
"""
LONGEST_OFFERED = 200
"""Characters of a question that is offered: it is quoted in full."""


def matching(question: Question, precedents: Sequence[Precedent]) -> Precedent | None:
    """Return the precedent whose question this is; None: none, or several with different answers.

    Pure. The precedents may be told in the question's scope.
    """
    if not stands_alone(question):
        return None
    form = question_form(question.text)
    found = [
        one
        for one in precedents
        if any(question_form(wording) == form for wording in one.forms) and is_for(one, question)
    ]
    answers = {one.answer for one in found}
    return found[-1] if form and len(answers) == 1 else None


def stands_alone(question: Question) -> bool:
    """Say whether a question says all that it asks: its thread adds nothing to it.

    A country may come from the thread: `is_for` looks at it.
    """
    return (
        question.standalone == question.text
        and not question.referent
        and not any(one.is_chosen for one in question.context)
        and question.conditions == conditions_in(question.text)
        and not any(
            one.source != "asker" and one.slot != JURISDICTION for one in question.assumptions
        )
        and not needs_subject(question.text)
        and not is_confidential(question)
    )


def is_for(precedent: Precedent, question: Question) -> bool:
    """Say whether a precedent is for whoever asks, by the countries that are known of them."""
    wanted = precedent.scope.jurisdictions
    named = [one.value for one in question.assumptions if one.slot == JURISDICTION]
    scope = [question.scope.jurisdiction] if question.scope.jurisdiction else []
    known = {*scope, *map(country_code, named)}
    return not wanted or (bool(known) and known <= wanted)


class SimilarPrecedents:
    """Offers the question of a precedent that is near to what was asked; never its answer.

    None is offered in the words of who asked it first, nor one that differs in numbers, countries,
    people or negation. Without an embedder none is.
    """

    def __init__(self, precedents: TellsPrecedents | None, embedder: Embedder | None) -> None:
        self._precedents = precedents
        self._embedder = embedder
        self._vectors: Mapping[str, Vector] = {}

    async def beside(self, question: Question, answer: Answer) -> Answer:
        """Return an answer or a refusal with the question that is near; or as it is."""
        offers = answer.outcome in {Outcome.ANSWERED, Outcome.REFUSED} and answer.precedent is None
        if not offers or self._precedents is None or self._embedder is None:
            return answer
        if answer.refusal in _NOTHING_BESIDE or not stands_alone(question):
            return answer
        tellable = await self._precedents.tellable(question.scope)
        near = await self._nearest([one for one in tellable if may_offer(one, question)], question)
        if near is None:
            return answer
        note = SIMILAR_QUESTION.format(question=near)
        return with_note(answer, note.of(question.language))

    async def _nearest(self, found: Sequence[Precedent], question: Question) -> str | None:
        if not found or self._embedder is None:
            return None
        wanted = {wording for one in found for wording in one.forms}
        missing = sorted(wanted - set(self._vectors))
        try:
            asked = await self._embedder.embed_query(question.text)
            new = await self._embedder.embed_documents(missing)
        except ContractError as error:
            logger.warning("no similar question is offered: %s", error)
            return None
        known = {**self._vectors, **dict(zip(missing, new, strict=True))}
        self._vectors = {wording: known[wording] for wording in wanted}
        cosine, near = max(
            (sum(map(mul, asked, self._vectors[wording])), one.question)
            for one in found
            for wording in one.forms
        )
        return near if cosine >= SIMILAR_FROM else None


_NOTHING_BESIDE = frozenset({RefusalKind.OUT_OF_SCOPE, RefusalKind.NOT_PERMITTED})


def may_offer(precedent: Precedent, question: Question) -> bool:
    """Say whether the question of a precedent may be quoted beside the answer to another one."""
    if precedent.is_askers or len(precedent.question) > LONGEST_OFFERED:
        return False
    return is_for(precedent, question) and facts_of(precedent.question) == facts_of(question.text)


def facts_of(text: str) -> tuple[object, ...]:
    """Return what must be the same in two questions, however alike their words are."""
    return (
        sorted(map(comparable, quantities(text))),
        jurisdictions_in(text, with_cities=True),
        names_in(text),
        is_negated(text),
    )


async def answer_without_reasoner(parts: PipelineParts, task: Task) -> Run | None:
    """Answer from what is stored, by a precedent or about the policies; None: the stages do."""
    return await answer_by_precedent(parts, task) or await answer_about_policies(parts, task)


async def answer_by_precedent(parts: PipelineParts, task: Task) -> Run | None:
    """Answer with an officer's words; None: there is no precedent for this question."""
    if parts.precedents is None or not stands_alone(task.question):
        return None
    log = StepLog(parts.clock)
    question = task.question
    found = matching(question, await parts.precedents.tellable(question.scope))
    if found is None:
        return None
    spans = [one.span for one in found.clauses]
    stored = await parts.corpus.read_spans(spans, question.scope)
    if not spans or any(stored.get(one.span) != one.quote for one in found.clauses):
        return None
    plan = Plan(intent=INTENT)
    log.add("plan", plan_json(plan))
    places = await parts.corpus.places(spans)
    live = await parts.corpus.versions(question.scope)
    answer = told(
        found,
        approved_on=_approved_on(found, parts.clock),
        places=places,
        versions={one.version_id: one for one in live},
        language=question.language,
    )
    log.add("verify", {"kept": 1, "dropped": 0, "failed": []})
    log.add("decide", {"decision": Decision.FINAL.value, "reason": REASON})
    return Run(
        question=question,
        answer=answer,
        edition=task.knowledge.extent.edition,
        reasoner=REASONER,
        plan=plan,
        exploration=None,
        gate=None,
        evidence=Evidence(items=tuple(map(_evidence, answer.citations))),
        used_rag=False,
        chunks_used=(),
        entities=(),
        attempts=(Attempt(decision=Decision.FINAL, reason=REASON, verdicts=_VERDICTS),),
        budget=BudgetUse(),
        steps=log.steps,
        retrieval_time_ms=0.0,
        generation_time_ms=0.0,
        total_time_ms=log.total_ms,
        versions=tuple(sorted({one.version_id for one in spans})),
        warnings=task.warnings,
    )


_VERDICTS = tuple(Verdict(claim=0, check=one, passed=True) for one in (Check.CITED, Check.QUOTE))


def told(
    precedent: Precedent,
    *,
    approved_on: date,
    places: Mapping[Span, SectionRef],
    versions: Mapping[VersionId, PolicyVersion],
    language: Language = Language.ENGLISH,
) -> Answer:
    """Return a precedent as it is told: who answered and when, the words, the clauses.

    It has no badge: a person answered, and no confidence was computed.
    """
    citations = tuple(
        ShownCitation(
            number=number,
            key=f"c{number}",
            span=one.span,
            quote=one.quote,
            place=places[one.span],
            effective_from=_first_day(versions[one.span.version_id]),
        )
        for number, one in enumerate(precedent.clauses, start=1)
    )
    heading = BY_COMPLIANCE.format(day=long_day(approved_on)).of(language)
    marks = "".join(f"[{one.number}]" for one in citations)
    return Answer(
        outcome=Outcome.ANSWERED,
        text=f"{heading}\n\n{precedent.answer} {marks}",
        claims=(ShownClaim(text=precedent.answer, numbers=tuple(one.number for one in citations)),),
        citations=citations,
        confidence=NO_CONFIDENCE,
        precedent=ToldPrecedent(
            precedent_id=precedent.precedent_id,
            number=precedent.number,
            approved_on=approved_on,
        ),
        language=language.value,
    )


def _approved_on(precedent: Precedent, clock: Clock) -> date:
    if precedent.approved_at is None:
        raise ValueError(f"expected an approved precedent, got {precedent.state.value!r}")
    return clock.day_of(precedent.approved_at)


def _first_day(version: PolicyVersion) -> str | None:
    begins = version.metadata.effective_from
    return begins.isoformat() if begins else None


def _evidence(citation: ShownCitation) -> EvidenceItem:
    return EvidenceItem(
        key=citation.key,
        kind="context",
        span=citation.span,
        text=citation.quote,
        place=citation.place,
        relevance=None,
    )
