"""The ontology of one snapshot as a graph: entities by key and type, and what is joined to them.

A view of a snapshot, of all the ontology or of the part that was read; never changed.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.domain.ontology import (
    Entity,
    EntityType,
    Relation,
    RelationType,
    SectionRef,
    Snapshot,
)
from core.language.spans import Span
from core.ports.knowledge import Direction


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An entity joined to another."""

    entity: Entity
    """The other end."""
    relation: Relation
    """What joins them."""
    is_outgoing: bool
    """True if the relation starts at the entity that was asked about."""


class OntologyGraph:
    """A snapshot with its indexes. Build it with `build_graph`."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._entities: dict[str, Entity] = {entity.key: entity for entity in snapshot.entities}
        self._by_type: defaultdict[EntityType, list[Entity]] = defaultdict(list)
        self._from: defaultdict[str, list[Relation]] = defaultdict(list)
        self._to: defaultdict[str, list[Relation]] = defaultdict(list)
        for entity in snapshot.entities:
            self._by_type[entity.type].append(entity)
        for relation in snapshot.relations:
            self._from[relation.source].append(relation)
            self._to[relation.target].append(relation)

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

    def neighbours(
        self,
        key: str,
        direction: Direction = "both",
        relations: Iterable[RelationType] = (),
    ) -> tuple[Neighbour, ...]:
        """Return what is joined to an entity, outgoing relations first, in the snapshot's order."""
        wanted = frozenset(relations)
        outgoing = self._from.get(key, ()) if direction != "in" else ()
        incoming = self._to.get(key, ()) if direction != "out" else ()
        found = [(one.target, one, True) for one in outgoing]
        found += [(one.source, one, False) for one in incoming]
        return tuple(
            Neighbour(entity=self._entities[end], relation=relation, is_outgoing=is_outgoing)
            for end, relation, is_outgoing in found
            if end in self._entities and (not wanted or relation.type in wanted)
        )

    def quote(self, span: Span) -> str:
        """Return the stored text of a span of this snapshot; empty if it has none."""
        return self.snapshot.quotes.get(span, "")

    def place(self, span: Span) -> SectionRef | None:
        """Return where a span of this snapshot lies."""
        return self.snapshot.places.get(span)


def build_graph(snapshot: Snapshot) -> OntologyGraph:
    """Return the graph of a snapshot."""
    return OntologyGraph(snapshot)
