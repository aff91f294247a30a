"""After `verify`: what critic and judge say of a draft, and whether its rules contradict others.

A language model is asked to report contradictions itself, but an answer that states two rules which
cannot both be followed must not depend on its noticing.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from enum import StrEnum

from core.agent.concurrency import run_both
from core.domain.answer import (
    Check,
    Claim,
    Critique,
    Draft,
    Judgement,
    NotJudged,
    Support,
    Verdict,
    Verified,
)
from core.domain.evidence import Evidence
from core.domain.ontology import Entity, EntityType, Snapshot
from core.domain.question import Question
from core.domain.run import Plan
from core.language.content_words import content_words
from core.language.spans import Span, VersionId
from core.ontology.graphs.conflicts import find_conflicts
from core.ontology.graphs.graph import build_graph
from core.ports import Knowledge, Reasoner

RULES = frozenset(
    (
        EntityType.THRESHOLD,
        EntityType.DEADLINE,
        EntityType.OBLIGATION,
        EntityType.PROHIBITION,
        EntityType.PERMISSION,
    )
)
"""What can contradict."""
LIKE = 0.25
"""Share of common words, figures among them, below which rules are about different things; well
below what `find_conflicts` asks for, and measured to spare nine tenths of its time."""


class Contradiction(StrEnum):
    """How a draft stands to a contradiction of the policies."""

    TOLD = "told"
    """It cites both sides."""
    OPEN = "open"
    """It cites one side, and the other is among the evidence."""


async def contradiction_in(
    claims: Sequence[Claim], evidence: Evidence, knowledge: Knowledge
) -> Contradiction | None:
    """Return how claims stand to the contradictions within the evidence; None if to none."""
    cited = _by_version([one.span for claim in claims for one in claim.citations])
    if not cited:
        return None
    near = {item.span for item in evidence.items}
    part = await knowledge.touching(near, RULES, ends={EntityType.JURISDICTION})
    giving_way = await knowledge.giving_way({item.place.policy_key for item in evidence.items})
    graph = build_graph(_limited(part, cited))
    found: set[Contradiction] = set()
    for conflict in find_conflicts(graph, giving_way=giving_way):
        sides = [_touches(one.span, cited) for one in (conflict.first, conflict.second)]
        if any(sides):
            found.add(Contradiction.TOLD if all(sides) else Contradiction.OPEN)
    return min(found, key=list(Contradiction).index, default=None)


def _limited(snapshot: Snapshot, cited: "_Spans") -> Snapshot:
    """Return the rules near the evidence, as far as they could contradict what is cited.

    With all countries, since rules of two never conflict.
    """
    rules = {
        entity.key: (entity, content_words(_sentence(entity, snapshot)))
        for entity in snapshot.entities
        if entity.type in RULES
    }
    quoted = {
        said
        for entity, said in rules.values()
        if any(_touches(span, cited) for span in entity.spans)
    }
    kept = {key for key, (_, said) in rules.items() if any(_is_like(said, one) for one in quoted)}
    kept |= {one.key for one in snapshot.entities if one.type is EntityType.JURISDICTION}
    return replace(
        snapshot,
        entities=tuple(one for one in snapshot.entities if one.key in kept),
        relations=tuple(
            one for one in snapshot.relations if one.source in kept and one.target in kept
        ),
    )


def _sentence(entity: Entity, snapshot: Snapshot) -> str:
    return entity.attributes.get("sentence") or snapshot.quotes.get(max(entity.spans), "")


def _is_like(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two rules may be about the same thing; `find_conflicts` looks closer."""
    return len(one & other) >= LIKE * len(one | other)


_Spans = dict[VersionId, list[Span]]


def _by_version(spans: Collection[Span]) -> _Spans:
    found: _Spans = defaultdict(list)
    for span in set(spans):
        found[span.version_id].append(span)
    return found


def _touches(span: Span, spans: _Spans) -> bool:
    return any(
        span.char_start < one.char_end and one.char_start < span.char_end
        for one in spans.get(span.version_id, ())
    )


NOT_CRITICISED = Critique(refine=False, issues=("the budget was spent before the critic",))
"""Stands for a critic that was not asked, so that the judge could be."""


async def reviewed(
    reasoner: Reasoner,
    question: Question,
    plan: Plan,
    evidence: Evidence,
    draft: Draft,
    *,
    is_short: bool,
) -> tuple[Critique, Judgement | NotJudged]:
    """Ask critic and judge at the same time; the judge alone where calls run short.

    The critic can't approve: what is left belongs to the judge.
    """
    if is_short:
        return NOT_CRITICISED, await judge(reasoner, question, plan, evidence, draft)
    return await run_both(
        critique(reasoner, question, evidence, draft),
        judge(reasoner, question, plan, evidence, draft),
    )


async def critique(
    reasoner: Reasoner, question: Question, evidence: Evidence, draft: Draft
) -> Critique:
    """Ask the critic about a verified draft; it neither scores nor approves."""
    return await reasoner.critique(question, evidence, draft)


async def judge(
    reasoner: Reasoner, question: Question, plan: Plan, evidence: Evidence, draft: Draft
) -> Judgement | NotJudged:
    """Ask the judge about a verified draft.

    Scores out of range are no judgement, and no judgement approves.
    """
    found = await reasoner.judge(question, plan, evidence, draft)
    if isinstance(found, Judgement):
        scores = (found.faithfulness, found.relevance, found.completeness)
        measured = (value for _, value in found.measures)
        if not all(0.0 <= score <= 1.0 for score in (*scores, *measured)):
            return NotJudged(reason=f"a score is outside [0, 1]: {scores}, {found.measures}")
    return found


def without_unsupported(verified: Verified, judged: Judgement | NotJudged) -> Verified:
    """Return what is left once claims are dropped that the judge finds unsupported.

    Its verdict is one more check of each claim that it read: what code has dropped stays dropped,
    and a judge that gave no verdicts drops nothing.
    """
    if isinstance(judged, NotJudged) or not judged.claims:
        return verified
    failed = {verdict.claim for verdict in verified.verdicts if not verdict.passed}
    total = len(verified.claims) + len(verified.dropped)
    read = [index for index in range(total) if index not in failed]
    verdicts = [
        Verdict(
            claim=index,
            check=Check.JUDGED,
            passed=one.support is not Support.NOT,
            reason=f"not in the cited text, by the judge: {one.words}" if one.words else "",
        )
        for index, one in zip(read, judged.claims, strict=True)
    ]
    unsupported = {verdict.claim for verdict in verdicts if not verdict.passed}
    pairs = list(zip(read, verified.claims, strict=True))
    return Verified(
        claims=tuple(claim for index, claim in pairs if index not in unsupported),
        dropped=(
            *verified.dropped,
            *(claim for index, claim in pairs if index in unsupported),
        ),
        verdicts=(*verified.verdicts, *verdicts),
    )
