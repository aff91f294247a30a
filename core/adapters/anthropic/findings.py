"""Facts of the ontology as findings: what was shown to the model and may be cited.

A finding is an entity with one of its spans. A span that only a relation has belongs to an entity
that has it too, if there is one; else it is no finding, and is not shown as citable. Policies and
sections state nothing: what stands there is a heading.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from core.domain.evidence import Finding
from core.domain.ontology import (
    NORMS,
    Entity,
    EntityKey,
    EntityType,
    RelationType,
    Snapshot,
)
from core.domain.policy import Span, VersionId
from core.domain.run import Json

NEAR = 3
"""Findings whose neighbourhood is read ahead."""
JOINED = 6
"""Neighbours read ahead at most."""
_NAMING = frozenset({EntityType.ROLE, EntityType.JURISDICTION})
_STATED = NORMS | {EntityType.DEFINITION, EntityType.THRESHOLD, EntityType.DEADLINE}
_HEADINGS = frozenset({EntityType.POLICY, EntityType.SECTION})
_LOOSE = frozenset({RelationType.PART_OF, RelationType.REFERENCES})


class Findings:
    """Findings of one run, each span once, in the order in which they were established."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Begin with none."""
        self._snapshot = snapshot
        self._entities = {entity.key: entity for entity in snapshot.entities}
        self._found: dict[Span, Finding] = {}
        self._names: Mapping[EntityKey, tuple[str, ...]] | None = None
        self._owners: Mapping[Span, Entity] | None = None

    @property
    def all(self) -> tuple[Finding, ...]:
        """All findings."""
        return tuple(self._found.values())

    def extend(self, found: Iterable[Finding]) -> None:
        """Add what was found elsewhere."""
        for finding in found:
            self._found.setdefault(finding.span, finding)

    def read(self, evidence: Json) -> Finding | None:
        """Add an item of a tool's evidence; None if it is no fact of an entity."""
        if not isinstance(evidence, Mapping):
            return None
        version, start, end = (
            evidence.get(name) for name in ("version_id", "char_start", "char_end")
        )
        if not (isinstance(version, int) and isinstance(start, int) and isinstance(end, int)):
            return None
        span = Span(version_id=VersionId(version), char_start=start, char_end=end)
        named = self._entities.get(EntityKey(str(evidence.get("entity"))))
        is_own = named is not None and span in named.spans and named.type not in _HEADINGS
        return self._add(named if is_own else self._owner(span), span)

    def join(self) -> None:
        """Add what a relation joins to the nearest findings: exceptions, limits, deadlines."""
        near = {finding.entity for finding in self.all[:NEAR]}
        added = 0
        for relation in self._snapshot.relations:
            if relation.type in _LOOSE or not near & {relation.source, relation.target}:
                continue
            other = relation.target if relation.source in near else relation.source
            entity = self._entities.get(other)
            if entity is None or entity.type not in _STATED or entity.spans[0] in self._found:
                continue
            if added < JOINED and self._add(entity, entity.spans[0]):
                added += 1

    def _add(self, entity: Entity | None, span: Span) -> Finding | None:
        text, place = self._snapshot.quotes.get(span), self._snapshot.places.get(span)
        if entity is None or not text or place is None:
            return None
        if span not in self._found:
            self._found[span] = Finding(
                entity=entity.key,
                span=span,
                text=text,
                place=place,
                roles=self._roles(entity.key),
            )
        return self._found[span]

    def _owner(self, span: Span) -> Entity | None:
        if self._owners is None:
            owners: dict[Span, Entity] = {}
            for entity in self._snapshot.entities:
                if entity.type in _HEADINGS:
                    continue
                for own in entity.spans:
                    if own not in owners or entity.type in _STATED:
                        owners[own] = entity
            self._owners = owners
        return self._owners.get(span)

    def _roles(self, key: EntityKey) -> tuple[str, ...]:
        if self._names is None:
            self._names = _names(self._snapshot)
        return self._names.get(key, ())


def _names(snapshot: Snapshot) -> Mapping[EntityKey, tuple[str, ...]]:
    """Return the names of the roles and jurisdictions that a relation joins to each entity."""
    naming = {entity.key: entity.name for entity in snapshot.entities if entity.type in _NAMING}
    joined: defaultdict[EntityKey, set[str]] = defaultdict(set)
    for relation in snapshot.relations:
        if relation.type is RelationType.REFERENCES:
            continue
        for own, other in (
            (relation.source, relation.target),
            (relation.target, relation.source),
        ):
            if other in naming:
                joined[own].add(naming[other])
    return {key: tuple(sorted(names)) for key, names in joined.items()}
