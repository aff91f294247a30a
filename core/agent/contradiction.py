"""Do the rules that a draft cites contradict each other, or others that were found beside them?

A language model is asked to say so itself, but an answer that states two rules which cannot
both be followed must not depend on its noticing.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from enum import StrEnum

from core.domain.answer import Claim
from core.domain.evidence import Evidence
from core.domain.ontology import Entity, EntityType, Snapshot
from core.language.content_words import content_words
from core.language.spans import Span, VersionId
from core.ontology.graphs.conflicts import find_conflicts
from core.ontology.graphs.graph import build_graph
from core.ports import Knowledge

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
