"""Entities and relations of one document as they are collected: each once, with all its spans."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.domain.ontology import (
    Attributes,
    EntityKey,
    EntityType,
    ExtractedEntity,
    ExtractedRelation,
    RelationType,
)
from core.language.spans import TextSpan
from core.ontology.extract.naming import shortened


@dataclass(slots=True)
class _Entity:
    type: EntityType
    name: str
    description: str
    attributes: dict[str, str]
    aliases: dict[str, None] = field(default_factory=dict[str, None])
    spans: dict[TextSpan, None] = field(default_factory=dict[TextSpan, None])


class Collector:
    """What extraction has read so far."""

    def __init__(self) -> None:
        self._entities: dict[str, _Entity] = {}
        self._relations: dict[tuple[str, RelationType, str], dict[TextSpan, None]] = {}

    def entity(
        self,
        key: str,
        type_: EntityType,
        name: str,
        spans: Iterable[TextSpan],
        *,
        aliases: Iterable[str] = (),
        description: str = "",
        attributes: Mapping[str, str] | None = None,
    ) -> EntityKey:
        """Add an entity, or another mention of it, and return its key."""
        known = self._entities.get(key)
        if known is None:
            known = _Entity(type_, shortened(name), description, dict(attributes or {}))
            self._entities[key] = known
        known.description = known.description or description
        known.aliases.update(dict.fromkeys(alias for alias in aliases if alias != known.name))
        known.spans.update(dict.fromkeys(spans))
        return EntityKey(key)

    def relation(
        self, source: str, type_: RelationType, target: str, spans: Sequence[TextSpan]
    ) -> None:
        """Add a relation between two entities that are, or will be, there."""
        if source != target:
            known = self._relations.setdefault((source, type_, target), {})
            known.update(dict.fromkeys(spans))

    def entities(self) -> tuple[ExtractedEntity, ...]:
        """Return the entities in the order in which they were first met."""
        return tuple(
            ExtractedEntity(
                key=EntityKey(key),
                type=entity.type,
                name=entity.name,
                aliases=tuple(entity.aliases),
                description=entity.description,
                attributes=_filled(entity.attributes),
                spans=tuple(sorted(entity.spans)),
            )
            for key, entity in self._entities.items()
            if entity.spans
        )

    def relations(self) -> tuple[ExtractedRelation, ...]:
        """Return the relations whose ends are both there."""
        return tuple(
            ExtractedRelation(
                source=EntityKey(source), type=type_, target=EntityKey(target), spans=tuple(spans)
            )
            for (source, type_, target), spans in self._relations.items()
            if spans and source in self._entities and target in self._entities
        )


def _filled(attributes: Mapping[str, str]) -> Attributes:
    return {name: value for name, value in attributes.items() if value}
