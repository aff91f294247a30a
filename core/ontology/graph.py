"""The ontology of one snapshot as a graph: lookups by type and name, neighbours, bounded paths.

A view for one run: built from a snapshot that a scope may read, never changed.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Literal, TypeAlias

import networkx as nx

from core.domain.content_words import content_words, words
from core.domain.ontology import (
    Entity,
    EntityKey,
    EntityType,
    Relation,
    RelationType,
    SectionRef,
    Snapshot,
)
from core.domain.policy import Span

Direction: TypeAlias = Literal["out", "in", "both"]
"""Which ends of relations to follow."""

_SHORTEST_PLURAL = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An entity joined to another."""

    entity: Entity
    """The other end."""
    relation: Relation
    """What joins them."""
    is_outgoing: bool
    """True if the relation starts at the entity that was asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An entity found by words."""

    entity: Entity
    """What was found."""
    score: float
    """Share of the words looked for that it has, in (0, 1], names weighing more than text."""


class OntologyGraph:
    """A snapshot with its indexes. Build it with `build_graph`."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        self._entities: dict[str, Entity] = {entity.key: entity for entity in snapshot.entities}
        self._by_type: defaultdict[EntityType, list[Entity]] = defaultdict(list)
        self._by_name: defaultdict[str, list[Entity]] = defaultdict(list)
        self._by_word: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self._relations: dict[tuple[str, str, str], Relation] = {}
        for entity in snapshot.entities:
            self._add_entity(entity)
        for relation in snapshot.relations:
            self.graph.add_edge(relation.source, relation.target, key=relation.type.value)
            self._relations[relation.source, relation.target, relation.type.value] = relation

    def _add_entity(self, entity: Entity) -> None:
        self.graph.add_node(entity.key, type=entity.type.value, name=entity.name)
        self._by_type[entity.type].append(entity)
        for name in {normal_name(name) for name in (entity.name, *entity.aliases)}:
            self._by_name[name].append(entity)
        said = " ".join((entity.description, *entity.attributes.values()))
        places = [self.snapshot.places.get(span) for span in entity.spans[:_MOST_PLACES]]
        titles = " ".join(f"{place.title} {place.policy_title}" for place in places if place)
        weights = dict.fromkeys(content_words(titles), _PLACE_WEIGHT)
        weights |= dict.fromkeys(content_words(said), _TEXT_WEIGHT)
        weights |= dict.fromkeys(content_words(" ".join((entity.name, *entity.aliases))), 1.0)
        for word, weight in weights.items():
            self._by_word[word][entity.key] = weight

    @property
    def entities(self) -> Mapping[str, Entity]:
        """All entities by key."""
        return self._entities

    @property
    def counts(self) -> Mapping[EntityType, int]:
        """Number of entities of each type present."""
        return {type_: len(found) for type_, found in self._by_type.items()}

    def get(self, key: str) -> Entity | None:
        """Return an entity by its key."""
        return self._entities.get(key)

    def of_type(self, type_: EntityType) -> tuple[Entity, ...]:
        """Return the entities of a type, in the snapshot's order."""
        return tuple(self._by_type.get(type_, ()))

    def named(self, name: str, type_: EntityType | None = None) -> tuple[Entity, ...]:
        """Return the entities of this name or alias; case, articles and plurals aside."""
        found = self._by_name.get(normal_name(name), [])
        return tuple(entity for entity in found if type_ is None or entity.type is type_)

    def search(
        self, query: str, types: Iterable[EntityType] = (), *, limit: int = 25
    ) -> tuple[Scored, ...]:
        """Return the entities that share most of the query's content words, best first."""
        wanted = content_words(query)
        wanted_types = frozenset(types)
        scores: defaultdict[str, float] = defaultdict(float)
        for word in wanted:
            found = self._by_word.get(word, {})
            rarity = self._rarity(word)
            for key, weight in found.items():
                scores[key] += weight * rarity
        best = sum(map(self._rarity, wanted))
        ranked = sorted(
            (
                Scored(entity=self._entities[key], score=min(1.0, score / best))
                for key, score in scores.items()
                if not wanted_types or self._entities[key].type in wanted_types
            ),
            key=lambda scored: (-scored.score, scored.entity.key),
        )
        return tuple(ranked[:limit])

    def _rarity(self, word: str) -> float:
        """Return the inverse document frequency of a word, smoothed, above 0."""
        return log(1.0 + len(self._entities) / (1.0 + len(self._by_word.get(word, {}))))

    def neighbours(
        self,
        key: str,
        direction: Direction = "both",
        relations: Iterable[RelationType] = (),
    ) -> tuple[Neighbour, ...]:
        """Return what is joined to an entity, outgoing relations first, in a stable order."""
        wanted = {relation.value for relation in relations}
        found: list[Neighbour] = []
        if key not in self.graph:
            return ()
        if direction != "in":
            for _, target, name in self.graph.out_edges(key, keys=True):
                found.append(self._neighbour(key, target, name, is_outgoing=True))
        if direction != "out":
            for source, _, name in self.graph.in_edges(key, keys=True):
                found.append(self._neighbour(source, key, name, is_outgoing=False))
        return tuple(
            neighbour
            for neighbour in found
            if not wanted or neighbour.relation.type.value in wanted
        )

    def paths(
        self, source: str, target: str, *, max_hops: int, limit: int = 10
    ) -> tuple[tuple[Relation, ...], ...]:
        """Return the shortest simple paths between two entities, directions ignored, few and short.

        Args:
            source: Key of the first entity.
            target: Key of the last.
            max_hops: Longest path, in relations.
            limit: Paths wanted at most.
        """
        if source not in self.graph or target not in self.graph or source == target:
            return ()
        plain: nx.Graph[str] = nx.Graph(self.graph)
        found: list[tuple[Relation, ...]] = []
        try:
            for nodes in nx.shortest_simple_paths(plain, source, target):
                if len(nodes) - 1 > max_hops or len(found) >= limit:
                    break
                steps = pairwise(nodes)
                found.append(tuple(self._joining(first, second) for first, second in steps))
        except nx.NetworkXNoPath:
            return ()
        return tuple(found)

    def quote(self, span: Span) -> str:
        """Return the stored text of a span of this snapshot; empty if it has none."""
        return self.snapshot.quotes.get(span, "")

    def place(self, span: Span) -> SectionRef | None:
        """Return where a span of this snapshot lies."""
        return self.snapshot.places.get(span)

    def _neighbour(self, source: str, target: str, name: str, *, is_outgoing: bool) -> Neighbour:
        other = self._entities[target if is_outgoing else source]
        relation = self._relations[source, target, name]
        return Neighbour(entity=other, relation=relation, is_outgoing=is_outgoing)

    def _joining(self, first: str, second: str) -> Relation:
        """Return one relation between two neighbours, in either direction."""
        for source, target in ((first, second), (second, first)):
            for name in self.graph.get_edge_data(source, target) or {}:
                return self._relations[source, target, str(name)]
        raise KeyError(EntityKey(first), EntityKey(second))


_TEXT_WEIGHT = 0.6
_PLACE_WEIGHT = 0.3
_MOST_PLACES = 3


def build_graph(snapshot: Snapshot) -> OntologyGraph:
    """Return the graph of a snapshot."""
    return OntologyGraph(snapshot)


def normal_name(name: str) -> str:
    """Return a name as names are compared: case-folded, without articles, nouns in the singular."""
    parts = words(
        re.sub(r"^(?:the|an?|any|all|your|our|my)\s+", "", name.strip(), flags=re.IGNORECASE)
    )
    return " ".join(_singular(part) for part in parts)


def _singular(word: str) -> str:
    """Return the singular of a noun, roughly; a possessive ending goes too."""
    word = re.sub("['\u2019]s?$", "", word)
    if len(word) < _SHORTEST_PLURAL or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word.removesuffix("s")
