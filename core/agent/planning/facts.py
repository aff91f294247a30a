"""Stated facts of the ontology, ranked against a question."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.agent.planning.terms import Vocabulary, asked_words, cover, is_telling
from core.domain.evidence import Finding
from core.domain.knowledge import Sought, StatedFact
from core.domain.ontology import EntityKey, RelationType, Snapshot
from core.domain.run import Term
from core.language.spans import Span
from core.ontology.fact_words import NAMING, beginning
from core.ports import Knowledge

ALIKE = 0.5
"""Share of common words from which two sentences give the same rule."""
CANDIDATES = 200
"""Facts that are scored in full."""
_FINE = 1_000_000
"""Steps in which weights are added up, so that no order of adding changes a rank."""


def are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two sentences share so many words that they give the same rule."""
    return len(one & other) >= ALIKE * len(one | other)


async def vocabulary_for(text: str, knowledge: Knowledge) -> Vocabulary:
    """Return how often the words of a question are used."""
    counts = await knowledge.usage(asked_words(text))
    return Vocabulary(counts=counts, size=knowledge.extent.sections)


async def find_facts(
    terms: Sequence[Term], knowledge: Knowledge, *, limit: int
) -> tuple[Finding, ...]:
    """Return the facts that cover the terms best, each sentence once."""
    sought = [
        Sought(
            words=term.alternatives | {term.word},
            beginning=beginning(term.word),
            weight=max(1, round(term.weight * _FINE)),
        )
        for term in terms
        if is_telling(term)
    ]
    near = await knowledge.facts(sought, limit=CANDIDATES) if sought else ()
    shares = [cover(terms, _layers(fact)).share for fact in near]
    found: dict[Span, EntityKey] = {}
    for number in sorted(range(len(near)), key=lambda number: (-shares[number], number)):
        if len(found) < limit:
            found.setdefault(near[number].span, near[number].entity)
    if not found:
        return ()
    part = await knowledge.entities(set(found.values()), at=found, ends=NAMING)
    return findings_of(found, part)


def findings_of(stated: Mapping[Span, EntityKey], part: Snapshot) -> tuple[Finding, ...]:
    """Return spans of entities as findings, with the roles and countries joined to them."""
    names = names_by_entity(part)
    return tuple(
        Finding(
            entity=key,
            span=span,
            text=part.quotes[span],
            place=part.places[span],
            roles=names.get(key, ()),
            lead_in=part.lead_ins.get(span),
        )
        for span, key in stated.items()
    )


def names_by_entity(part: Snapshot) -> Mapping[EntityKey, tuple[str, ...]]:
    """Return, for each entity, the names of the roles and countries that a relation joins to it."""
    names = {entity.key: entity.name for entity in part.entities if entity.type in NAMING}
    joined: dict[EntityKey, set[str]] = defaultdict(set)
    for relation in part.relations:
        if relation.type is RelationType.REFERENCES:
            continue
        if relation.target in names:
            joined[relation.source].add(names[relation.target])
        if relation.source in names:
            joined[relation.target].add(names[relation.source])
    return {key: tuple(sorted(found)) for key, found in joined.items()}


def _layers(fact: StatedFact) -> list[tuple[frozenset[str], float]]:
    return [(fact.sentence, 1.0), (fact.heading, 0.9), (fact.title, 0.7)]
