"""What tools return: entities and relations as JSON, each with evidence, bounded."""

from collections.abc import Iterable, Mapping, Sequence

from core.domain.ontology import Entity, Relation
from core.domain.policy import Span
from core.domain.run import Json
from core.ontology.graph import OntologyGraph

MOST_ITEMS = 25
"""Items of a list in a tool's answer; the rest is counted."""

_MOST_SPANS = 3
_MOST_CHARACTERS = 600


def entity_json(entity: Entity) -> dict[str, Json]:
    """Return an entity as JSON."""
    return {
        "id": entity.key,
        "type": entity.type.value,
        "name": entity.name,
        "aliases": list(entity.aliases),
        "attributes": {name: value[:_MOST_CHARACTERS] for name, value in entity.attributes.items()},
        "description": entity.description[:_MOST_CHARACTERS],
    }


def relation_json(graph: OntologyGraph, relation: Relation) -> dict[str, Json]:
    """Return a relation as JSON, its ends by name."""
    source, target = graph.get(relation.source), graph.get(relation.target)
    return {
        "source": relation.source,
        "source_name": source.name if source else relation.source,
        "relation": relation.type.value,
        "target": relation.target,
        "target_name": target.name if target else relation.target,
    }


def answer(
    graph: OntologyGraph,
    *,
    entities: Sequence[Entity] = (),
    relations: Sequence[Relation] = (),
    items: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """Return a tool's answer: its items, the evidence of its facts, and the counts.

    Args:
        graph: Where quotes and places come from.
        entities: Facts found, most relevant first; cut at `MOST_ITEMS`.
        relations: Relations found; cut likewise.
        items: What the tool says beside them.
    """
    shown, joined = entities[:MOST_ITEMS], relations[:MOST_ITEMS]
    evidence = _evidence(
        graph,
        [
            *((entity.key, span) for entity in shown for span in entity.spans[:_MOST_SPANS]),
            *((found.source, span) for found in joined for span in found.spans[:_MOST_SPANS]),
        ],
    )
    result: dict[str, Json] = dict(items or {})
    if entities:
        result["entities"] = [entity_json(entity) for entity in shown]
    if relations:
        result["relations"] = [relation_json(graph, relation) for relation in joined]
    evidence = evidence[:MOST_ITEMS]
    result["evidence"] = evidence
    result["stats"] = {
        "entities": len(entities),
        "relations": len(relations),
        "evidence": len(evidence),
        "truncated": max(0, len(entities) - len(shown)) + max(0, len(relations) - len(joined)),
    }
    return result


def _evidence(graph: OntologyGraph, found: Iterable[tuple[str, Span]]) -> list[Json]:
    """Return each span once, with its text and place."""
    evidence: dict[Span, Json] = {}
    for key, span in found:
        place = graph.place(span)
        text = graph.quote(span)
        if span in evidence or place is None or not text:
            continue
        evidence[span] = {
            "entity": key,
            "version_id": span.version_id,
            "char_start": span.char_start,
            "char_end": span.char_end,
            "text": text,
            "policy": place.policy_title,
            "section": " ".join(filter(None, (place.number, place.title))),
        }
    return list(evidence.values())
