"""`ExtractiveReasoner`: deterministic, without a language model.

It quotes the sentences that a reader finds to answer best, and says how likely they do.
"""

import logging
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.agent.applicability import within_policies
from core.agent.concurrency import yield_to_others
from core.agent.conversation.misconduct import is_report
from core.agent.evidence_text import applying, passages_of, section_of
from core.agent.extractive.questions import SubQuestion, is_comparison, subquestions
from core.agent.extractive.quoting import (
    NOWHERE,
    claim_of,
    expand,
    find_branch,
    find_conflict,
    sentences_to_quote,
    stating_something,
    uncovered_words,
)
from core.agent.extractive.ranking import (
    ANSWERS,
    ANSWERS_BY_WORDS,
    READ,
    SURE,
    AnswerFit,
    ScoredSentence,
    by_section,
    measures_of,
    rank,
)
from core.agent.planning.facts import find_facts, vocabulary_for, with_definitions
from core.agent.planning.intent import Intent, intents_of, subjects_of
from core.agent.planning.terms import is_figure, is_noise, is_telling, terms_of
from core.domain.answer import (
    Branch,
    Claim,
    Critique,
    Decision,
    Draft,
    Judgement,
    NotJudged,
)
from core.domain.errors import ContractError
from core.domain.evidence import Evidence, EvidenceItem, Finding
from core.domain.question import ALL, Question, Scope
from core.domain.run import Attempt, Clarification, Exploration, ModelCall, Plan, Term
from core.language.content_words import content_words
from core.language.interface.texts import Text
from core.language.jurisdictions import jurisdictions_in
from core.ports import Knowledge, Reader, RunContext, Toolbox

logger = logging.getLogger(__name__)

FINDINGS = 10
"""Facts handed on."""
WHICH_SUBJECT = Text(
    "What is your question about?"
    " Name the subject, for example the gift, the trip or the data that you mean.",
    "Worum geht es in Ihrer Frage? Nennen Sie den Gegenstand, zum Beispiel das Geschenk, die Reise"
    " oder die Daten, die Sie meinen.",
)
SCOPES = 64
"""Scopes whose countries are remembered."""
RANKED = 16
"""Rankings kept: those of the runs that go on at the same time."""
ALONE = 0.8
"""What the facts alone are held to answer at most: they were compared with ten facts, and not with
all that the policies say."""
LEAST_READ = 24
"""Sentences that are read for each of several questions in one message."""
APPROVED = 0.1
"""Judge's score from which a draft passes."""
_VAGUE = re.compile(r"\b(?:this|that|it|these|those|such|they|them|one)\b", re.IGNORECASE)
_GENERIC = frozenset(
    content_words(
        "handle handled deal proceed work process done act react treat treated go happen manage"
        " case matter deadline approve approval permission sign form limit cost register report"
        " bit something anything ok okay need allowed sign-off"
    )
)
_EXCEPTION = re.compile(r"\b(?:unless|except|exempt|does not apply|no exception)\b", re.IGNORECASE)

_Asked: TypeAlias = tuple[tuple[EvidenceItem, ...], SubQuestion]
"""What a ranking depends on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What answers one question of a message."""

    wanted: SubQuestion
    """The question."""
    ranked: Sequence[ScoredSentence]
    """All sentences, the strongest first; at least one."""
    quoted: Sequence[ScoredSentence]
    """Those to quote, the best first; at least one."""
    likelihood: float
    """Probability that they answer, in [0, 1]."""


class ExtractiveReasoner:
    """See `core.ports.Reasoner` and `core.ports.ReasonerFactory`: one serves all runs.

    With a `reader`, questions are read together with texts; without one, their words are compared.

    Safe to share: it keeps nothing of the ontology but the countries of some scopes.
    """

    name = "extractive/2"
    is_model = False
    model_calls: tuple[ModelCall, ...] = ()

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader = reader
        self._countries: OrderedDict[Scope, frozenset[str]] = OrderedDict()
        self._ranked: OrderedDict[_Asked, list[ScoredSentence]] = OrderedDict()

    def begin(self, _context: RunContext, /) -> "ExtractiveReasoner":
        """See `ReasonerFactory.begin`."""
        return self

    async def plan(self, question: Question, knowledge: Knowledge, /) -> Plan | Clarification:
        """See `Reasoner.plan`."""
        if is_report(question.text):
            return Plan(intent="report")
        self._remember(question.scope, knowledge)
        asked = question.search_text
        vocabulary = await vocabulary_for(asked, knowledge)
        terms = await with_definitions(asked, terms_of(asked, vocabulary), knowledge)
        await yield_to_others()
        intents = intents_of(question.search_text)
        telling = [term for term in terms if is_telling(term)]
        if _lacks_subject(asked, terms, telling) or is_noise(asked, terms, vocabulary):
            return Clarification(
                intent=intents[0].value,
                question=WHICH_SUBJECT.of(question.language),
                slot="referent",
            )
        tools = ["search_entities", "get_neighbors"]
        if Intent.DEFINITION in intents:
            tools.insert(0, "resolve_definition")
        if Intent.COMPARISON in intents:
            tools.insert(0, "compare")
        return Plan(
            intent=intents[0].value,
            tools=tuple(tools),
            subjects=subjects_of(question.search_text) if Intent.COMPARISON in intents else (),
            terms=terms,
        )

    async def explore(
        self, question: Question, plan: Plan, knowledge: Knowledge, toolbox: Toolbox, /
    ) -> Exploration:
        """See `Reasoner.explore`."""
        found = within_policies(question, await find_facts(plan.terms, knowledge, limit=FINDINGS))
        # Each of these takes its time with a long question: others run in between.
        await yield_to_others()
        await _ask_tools(question, plan, found, toolbox)
        await yield_to_others()
        share, reasoning = await self._completeness(question, plan, found)
        return Exploration(
            findings=found,
            reported_confidence=round(share, 4),
            reasoning=reasoning,
            calls=toolbox.calls,
        )

    async def draft(
        self,
        question: Question,
        plan: Plan,
        evidence: Evidence,
        /,
        *,
        previous: Attempt | None = None,  # the same evidence gives the same draft
    ) -> Draft:
        """See `Reasoner.draft`.

        Each question of the message is answered from its own best passage; beside a sure answer to
        one of them, what may not answer another is left out. What was said of an earlier draft
        changes nothing: only other evidence gives another one.
        """
        found = await self._found(question, plan, evidence.items)
        if not found:
            return Draft(claims=(), missing="no evidence concerns the question")
        claims: list[Claim] = []
        uncovered: list[str] = []
        branch = None
        kept = _kept(found, plan)
        for one in kept:
            sections = by_section(one.ranked)
            contradiction = find_conflict(sections)
            if contradiction is not None:
                sides = tuple(claim_of(side.unit) for side in contradiction)
                return Draft(claims=sides, is_conflict=True, note="Two policies in force disagree.")
            for quoted in one.quoted:
                claims += [claim_of(unit) for unit in expand(quoted, one.wanted)]
            await yield_to_others()
            branch = branch or self._branch(sections, one.wanted, question, plan)
            uncovered += uncovered_words(one.quoted, one.wanted)
        return Draft(
            claims=stating_something(claims),
            branch=branch,
            missing=", ".join(dict.fromkeys(uncovered)) or None,
            left_open=tuple(one.wanted.text for one in found if one not in kept),
        )

    async def _found(
        self, question: Question, plan: Plan, items: tuple[EvidenceItem, ...]
    ) -> list[_Found]:
        """Return what answers each question of a message; nothing if one has no evidence at all."""
        found: list[_Found] = []
        parts = subquestions(question, plan)
        for wanted in parts:
            ranked = await self._rank(items, wanted, among=len(parts))
            if not ranked:
                return []
            quoted = sentences_to_quote(ranked, wanted, question)
            likelihood = self._fit.probability(measures_of(ranked, quoted))
            found.append(_Found(wanted=wanted, ranked=ranked, quoted=quoted, likelihood=likelihood))
        return found

    def _branch(
        self, ranked: Sequence[ScoredSentence], wanted: SubQuestion, question: Question, plan: Plan
    ) -> Branch | None:
        if is_comparison(plan) or any(item.value == ALL for item in question.assumptions):
            return None
        countries = self._countries.get(question.scope, NOWHERE)
        return find_branch(ranked, wanted, countries=countries, language=question.language)

    async def critique(self, question: Question, evidence: Evidence, draft: Draft, /) -> Critique:
        """See `Reasoner.critique`.

        Name exceptions of the cited sections that the draft leaves out.
        """
        citations = [citation for claim in draft.claims for citation in claim.citations]
        cited, keys = {one.span for one in citations}, {one.key for one in citations}
        places = {section_of(item) for item in evidence.items if item.key in keys}
        left_out = [
            unit.text
            for passage in passages_of([one for one in evidence.items if section_of(one) in places])
            for unit in passage.units
            if unit.span not in cited and _EXCEPTION.search(unit.text)
        ]
        return Critique(
            refine=bool(left_out),
            issues=tuple(
                f"an exception of the cited section is not quoted: {text}" for text in left_out[:3]
            ),
        )

    async def judge(
        self, question: Question, plan: Plan, evidence: Evidence, draft: Draft, /
    ) -> Judgement | NotJudged:
        """See `Reasoner.judge`.

        How much of the question the quoted sentences and their headings cover.
        """
        if not draft.claims:
            return NotJudged(reason="there is nothing to judge")
        measures = await self._measures(question, plan, evidence, draft)
        approved = measures["answers"] >= APPROVED
        reason = f"not covered: {draft.missing}" if draft.missing else "it answers too little"
        return Judgement(
            faithfulness=1.0,
            relevance=measures["answers"],
            completeness=measures["coverage"],
            approved=approved,
            decision=Decision.FINAL if approved else Decision.RETRY,
            reason="" if approved else reason,
            measures=tuple(measures.items()),
        )

    async def translate(self, texts: Sequence[str], /, *, into: str) -> Sequence[str]:
        """See `Reasoner.translate`: rules quote, and translate nothing.

        Raises:
            ContractError: Always.
        """
        raise ContractError(f"rules translate nothing into {into}")

    async def _measures(
        self, question: Question, plan: Plan, evidence: Evidence, draft: Draft
    ) -> dict[str, float]:
        """Measure a draft; of several questions that it answers the worst answered one decides."""
        cited = {citation.span for claim in draft.claims for citation in claim.citations}
        worst: dict[str, float] = {}
        for one in _kept(await self._found(question, plan, evidence.items), plan):
            quoted = [scored for scored in one.ranked if scored.unit.span in cited]
            if not quoted:
                return {"answers": 0.0, "coverage": 0.0}
            measured = measures_of(one.ranked, quoted)
            measured["answers"] = self._fit.probability(measured)
            if not worst or measured["answers"] < worst["answers"]:
                worst = measured
        worst["read"] = float(self._reader is not None)
        return {name: round(value, 4) for name, value in worst.items()}

    @property
    def _fit(self) -> AnswerFit:
        return ANSWERS if self._reader else ANSWERS_BY_WORDS

    def _remember(self, scope: Scope, knowledge: Knowledge) -> None:
        """Remember which countries have policies of their own in a scope."""
        countries = frozenset(country for country in knowledge.extent.countries if country)
        self._countries[scope] = countries
        self._countries.move_to_end(scope)
        while len(self._countries) > SCOPES:
            self._countries.popitem(last=False)

    async def _rank(
        self, items: tuple[EvidenceItem, ...], wanted: SubQuestion, *, among: int = 1
    ) -> list[ScoredSentence]:
        """Rank the sentences of evidence; the judge asks for what the draft asked for."""
        key = items, wanted
        known = self._ranked.get(key)
        if known is None:
            passages = applying(wanted.text, items).passages
            most = max(LEAST_READ, READ // among)
            try:
                known = await rank(passages, wanted, reader=self._reader, most=most)
            except ContractError as error:
                # For good: what was ranked by the reader is not held against ranks by words.
                logger.warning("answers are found without a reader from now on: %s", error)
                self._reader = None
                self._ranked.clear()
                known = await rank(passages, wanted, reader=None, most=most)
            self._ranked[key] = known
        while len(self._ranked) > RANKED:
            self._ranked.popitem(last=False)
        return known

    async def _completeness(
        self, question: Question, plan: Plan, found: Sequence[Finding]
    ) -> tuple[float, str]:
        """Say how completely the findings alone answer.

        How likely the worst answered question is answered.
        """
        items = tuple(_as_item(number, one) for number, one in enumerate(found))
        answered = await self._found(question, plan, items)
        if not answered:
            return 0.0, "no fact of the ontology concerns the question"
        share = min(
            ALONE * one.likelihood * measures_of(one.ranked, one.quoted)["coverage"]
            for one in answered
        )
        return share, f"the nearest facts answer with a likelihood of {share:.0%}"


def _kept(found: Sequence[_Found], plan: Plan) -> list[_Found]:
    """Return those questions of a message that are answered: all of them if none is surely."""
    sure = [one for one in found if one.likelihood >= SURE]
    return list(found) if is_comparison(plan) else sure or list(found)


def _lacks_subject(text: str, terms: Sequence[Term], telling: Sequence[Term]) -> bool:
    """Say whether a question names no subject, so that asking for it helps.

    A sum names none; a country may be one ("Can I work from Spain?").
    """
    if terms and all(is_figure(term.word) for term in terms):
        return False
    if jurisdictions_in(text, with_cities=True):
        return False
    return not telling or (
        _VAGUE.search(text) is not None and all(term.word in _GENERIC for term in telling)
    )


async def _ask_tools(
    question: Question, plan: Plan, found: Sequence[Finding], toolbox: Toolbox
) -> None:
    if "compare" in plan.tools and plan.subjects:
        await toolbox.call("compare", {"topic_a": plan.subjects[0], "topic_b": plan.subjects[1]})
    if "resolve_definition" in plan.tools:
        telling = [term.word for term in plan.terms if is_telling(term)]
        await toolbox.call("resolve_definition", {"term": " ".join(telling)})
    await toolbox.call("search_entities", {"query": question.search_text})
    for finding in found[:2]:
        await toolbox.call("get_neighbors", {"id": finding.entity})


def _as_item(number: int, finding: Finding) -> EvidenceItem:
    return EvidenceItem(
        key=f"f{number}",
        kind="finding",
        span=finding.span,
        text=finding.text,
        place=finding.place,
        relevance=None,
        roles=finding.roles,
    )
