"""Facts of the rules and of a model -> one extraction; deterministic, and idempotent.

- What the rules say comes first: of an entity that both know, the rules' name, description and
  attributes are kept, and the spans of both.
- A thing has one type: if the rules, else an earlier section, have a thing of that name, what a
  model calls otherwise is a mention of that thing.
- What the rules know hangs where they hung it; what is new is joined to its section.
- A relation that no longer fits its ends then, or lacks one, is left out.
"""

from collections.abc import Iterable
from dataclasses import replace

from core.domain.ontology import (
    EntityKey,
    EntityType,
    ExtractedEntity,
    Extraction,
)
from core.ontology.extract.collector import Collector
from core.ontology.extract.naming import slug
from core.ontology.model.proposals import CheckedFacts, fits

_THINGS = frozenset(
    {
        EntityType.POLICY,
        EntityType.ROLE,
        EntityType.PROCESS,
        EntityType.JURISDICTION,
        EntityType.RECORD,
        EntityType.SYSTEM,
        EntityType.RISK,
    }
)
"""Types of what has a name of its own. A definition has none: a role may also be defined."""


def merged(rules: Extraction, readings: Iterable[CheckedFacts]) -> Extraction:
    """Return the rules' facts with those of a model, read section by section in text order."""
    collector = Collector()
    names: dict[str, ExtractedEntity] = {}
    types: dict[EntityKey, EntityType] = {}
    for entity in rules.entities:
        _collect(collector, entity)
        types[entity.key] = entity.type
        if entity.type in _THINGS:
            for name in (entity.name, *entity.aliases):
                names.setdefault(slug(name, singular=True), entity)
    known = frozenset(types)
    for relation in rules.relations:
        collector.relation(relation.source, relation.type, relation.target, relation.spans)
    for reading in readings:
        moved: dict[EntityKey, EntityKey] = {}
        for entity in reading.entities:
            same = _same(entity, names, types)
            moved[entity.key] = same.key
            _collect(collector, replace(entity, key=same.key, type=same.type))
            types.setdefault(same.key, same.type)
        new = [entity for entity in reading.entities if moved[entity.key] not in known]
        hung = [relation for entity in new for relation in reading.hung[entity.key]]
        for relation in (*reading.relations, *hung):
            source = moved.get(relation.source, relation.source)
            target = moved.get(relation.target, relation.target)
            if {source, target} <= types.keys() and fits(
                relation.type, types[source], types[target]
            ):
                collector.relation(source, relation.type, target, relation.spans)
    return Extraction(
        entities=collector.entities(),
        relations=collector.relations(),
        references=rules.references,
    )


def _same(
    entity: ExtractedEntity,
    names: dict[str, ExtractedEntity],
    types: dict[EntityKey, EntityType],
) -> ExtractedEntity:
    """Return the entity that is meant: one of that key, else the thing of that name."""
    if entity.type not in _THINGS or entity.key in types:
        return entity
    return names.setdefault(slug(entity.name, singular=True), entity)


def _collect(collector: Collector, entity: ExtractedEntity) -> None:
    collector.entity(
        entity.key,
        entity.type,
        entity.name,
        entity.spans,
        aliases=entity.aliases,
        description=entity.description,
        attributes=entity.attributes,
    )
