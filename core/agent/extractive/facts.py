"""Stated facts of the ontology, ranked against a question: an inverted index over one snapshot."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.agent.extractive.terms import Vocabulary, cover, is_telling
from core.domain.content_words import content_words, stem, words
from core.domain.evidence import Finding
from core.domain.ontology import (
    NORMS,
    Entity,
    EntityKey,
    EntityType,
    RelationType,
    Snapshot,
)
from core.domain.policy import Span
from core.domain.run import Term

_ANSWERING = NORMS | {EntityType.DEFINITION, EntityType.THRESHOLD, EntityType.DEADLINE}
_NAMING = frozenset({EntityType.ROLE, EntityType.JURISDICTION})
_PREFIX = 6
ALIKE = 0.5
"""Share of common words from which two sentences give the same rule."""
CANDIDATES = 200
"""Facts that are scored in full."""


@dataclass(frozen=True, slots=True)
class _Fact:
    entity: Entity
    span: Span
    words: frozenset[str]
    heading: frozenset[str]
    title: frozenset[str]


def are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two sentences share so many words that they give the same rule."""
    return len(one & other) >= ALIKE * len(one | other)


class FactIndex:
    """The facts of one snapshot by the stems of their sentence and heading."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Read the snapshot once."""
        self.snapshot = snapshot
        self.vocabulary = Vocabulary.of(snapshot)
        self._facts: list[_Fact] = []
        self._postings: dict[str, list[int]] = defaultdict(list)
        self._prefixes: dict[str, set[str]] = defaultdict(set)
        for entity in snapshot.entities:
            if entity.type in _ANSWERING:
                for span in entity.spans:
                    self._add(entity, span)
        self.jurisdictions = frozenset(
            place.jurisdiction for place in snapshot.places.values() if place.jurisdiction
        )
        """Countries that have policies of their own in scope."""
        self._names = _names_by_entity(snapshot)
        self._definitions = [
            (
                content_words(entity.attributes.get("term", entity.name)),
                {frozenset(pair) for pair in pairwise(stem(word) for word in words(quote))},
            )
            for entity in snapshot.entities
            if entity.type is EntityType.DEFINITION
            for quote in [" ".join(snapshot.quotes[span] for span in entity.spans)]
        ]

    def _add(self, entity: Entity, span: Span) -> None:
        place = self.snapshot.places[span]
        fact = _Fact(
            entity=entity,
            span=span,
            words=content_words(self.snapshot.quotes[span]),
            heading=content_words(" ".join(place.path[-2:]) or place.title),
            title=content_words(place.policy_title),
        )
        self._facts.append(fact)
        for word in fact.words | fact.heading | fact.title:
            self._postings[word].append(len(self._facts) - 1)
            if len(word) >= _PREFIX:
                self._prefixes[word[:_PREFIX]].add(word)

    def find(self, terms: Sequence[Term], *, limit: int) -> list[tuple[Finding, float]]:
        """Return the facts that cover the terms best, each sentence once.

        With the share they cover.
        """
        hits: dict[int, float] = defaultdict(float)
        for term in terms:
            if not is_telling(term):
                continue
            words = {term.word} | term.alternatives
            if len(term.word) >= _PREFIX:
                words |= self._prefixes.get(term.word[:_PREFIX], set())
            for number in {number for word in words for number in self._postings.get(word, ())}:
                hits[number] += term.weight
        nearest = sorted(hits, key=lambda number: (-hits[number], number))[:CANDIDATES]
        scored = [
            (number, cover(terms, self._layers(self._facts[number])).share) for number in nearest
        ]
        scored.sort(key=lambda pair: (-pair[1], pair[0]))
        found: dict[Span, tuple[Finding, float]] = {}
        for number, share in scored:
            fact = self._facts[number]
            if fact.span not in found and len(found) < limit:
                found[fact.span] = (self.finding(fact.entity, fact.span), share)
        return list(found.values())

    def with_definitions(self, text: str, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """Let two words that a definition explains stand for the defined term.

        A "gift card" is a "cash equivalent".
        """
        asked = [stem(word) for word in words(text)]
        pairs = {frozenset(pair) for pair in pairwise(asked) if len(set(pair)) == 2}  # noqa: PLR2004  # a pair
        meant: dict[str, frozenset[str]] = {}
        for defined, meaning in self._definitions:
            for pair in pairs & meaning:
                for word in pair:
                    meant[word] = meant.get(word, frozenset()) | defined
        return tuple(
            replace(term, alternatives=term.alternatives | meant[term.word])
            if term.word in meant
            else term
            for term in terms
        )

    def finding(self, entity: Entity, span: Span) -> Finding:
        """Return an entity's span as a finding."""
        return Finding(
            entity=entity.key,
            span=span,
            text=self.snapshot.quotes[span],
            place=self.snapshot.places[span],
            roles=self._names.get(entity.key, ()),
        )

    @staticmethod
    def _layers(fact: _Fact) -> list[tuple[frozenset[str], float]]:
        return [(fact.words, 1.0), (fact.heading, 0.9), (fact.title, 0.7)]


def _names_by_entity(snapshot: Snapshot) -> dict[EntityKey, tuple[str, ...]]:
    """Return, for each entity.

    The names of the roles and jurisdictions that a relation joins to it.
    """
    names = {entity.key: entity.name for entity in snapshot.entities if entity.type in _NAMING}
    joined: dict[EntityKey, set[str]] = defaultdict(set)
    for relation in snapshot.relations:
        if relation.type is RelationType.REFERENCES:
            continue
        if relation.target in names:
            joined[relation.source].add(names[relation.target])
        if relation.source in names:
            joined[relation.target].add(names[relation.source])
    return {key: tuple(sorted(found)) for key, found in joined.items()}
