"""What tools return: entities and relations as JSON, each with evidence, bounded."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.domain.knowledge import Listed
from core.domain.ontology import Entity, EntityKey, Relation, RelationType, SectionRef, Snapshot
from core.domain.run import Json
from core.language.content_words import words
from core.language.sentences import says_something, split_sentences
from core.language.spans import Span
from core.ontology.fact_words import stated_at

MOST_ITEMS = 25
"""Items of a list in a tool's answer; the rest is counted."""

_HEADING = re.compile(r"#{1,6}\s")
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


def relation_json(
    part: Snapshot, source: EntityKey, type_: RelationType, target: EntityKey
) -> dict[str, Json]:
    """Return a relation as JSON, its ends by name."""
    names = {entity.key: entity.name for entity in part.entities}
    return {
        "source": source,
        "source_name": names.get(source, source),
        "relation": type_.value,
        "target": target,
        "target_name": names.get(target, target),
    }


def is_statement(text: str, place: SectionRef) -> bool:
    """Say whether a text of a place could state something: headings and bare numbers can't.

    A heading is known by being the section's own, word for word, and not by its looks: list items
    look alike, and "Smoking is prohibited." below "Smoking" is a rule.
    """
    said, title = words(text), words(place.title)
    is_heading = said in (title, [*words(place.number or ""), *title])
    return any(word.isalpha() for word in said) and not is_heading


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a tool shows of what it found."""

    part: Snapshot
    """Where quotes, places and names come from."""
    entities: Sequence[Entity] = ()
    """The first facts found, most relevant first."""
    relations: Sequence[Relation] = ()
    """The first relations found."""
    entities_in_all: int = 0
    """Facts found, if more than these."""
    relations_in_all: int = 0
    """Relations found, if more than these."""


def answer(found: Shown | None = None, items: Mapping[str, Json] | None = None) -> dict[str, Json]:
    """Return a tool's answer: its items, the evidence of its facts, and the counts.

    Args:
        found: Facts and relations; the first `MOST_ITEMS` of each are shown.
        items: What the tool says beside them.
    """
    result: dict[str, Json] = dict(items or {})
    if found is None:
        result["evidence"] = []
        result["stats"] = _stats()
        return result
    shown, joined = found.entities[:MOST_ITEMS], found.relations[:MOST_ITEMS]
    evidence = _evidence(
        found.part,
        [
            *((entity.key, span) for entity in shown for span in _stated(found.part, entity.spans)),
            *((one.source, span) for one in joined for span in _stated(found.part, one.spans)),
        ],
    )[:MOST_ITEMS]
    if shown:
        result["entities"] = [entity_json(entity) for entity in shown]
    if joined:
        result["relations"] = [
            relation_json(found.part, one.source, one.type, one.target) for one in joined
        ]
    entities = max(found.entities_in_all, len(found.entities))
    relations = max(found.relations_in_all, len(found.relations))
    result["evidence"] = evidence
    result["stats"] = _stats(
        entities=entities,
        relations=relations,
        evidence=len(evidence),
        truncated=entities - len(shown) + relations - len(joined),
    )
    return result


def listed(found: Listed, items: Mapping[str, Json] | None = None) -> dict[str, Json]:
    """Return a tool's answer that is a list."""
    return answer(
        Shown(part=found.part, entities=found.part.entities, entities_in_all=found.count), items
    )


def _stats(
    *, entities: int = 0, relations: int = 0, evidence: int = 0, truncated: int = 0
) -> dict[str, Json]:
    return {
        "entities": entities,
        "relations": relations,
        "evidence": evidence,
        "truncated": truncated,
    }


def _stated(part: Snapshot, spans: Sequence[Span]) -> Sequence[Span]:
    return stated_at(spans, part.quotes, part.lead_ins)[:_MOST_SPANS]


def _evidence(part: Snapshot, found: Iterable[tuple[str, Span]]) -> list[Json]:
    """Return each span that can be cited once, with its text, what introduces it, and its place.

    Headings, numbers and labels state nothing.
    """
    evidence: dict[Span, Json] = {}
    for key, span in found:
        place, text = part.places.get(span), part.quotes.get(span)
        lead_in = part.lead_ins.get(span)
        if span in evidence or place is None or not text:
            continue
        if not _is_citable(text, is_introduced=lead_in is not None):
            continue
        introduced: dict[str, Json] = {}
        if lead_in is not None:
            introduced = {"introduced_by": [one.text for one in lead_in.chain]}
        evidence[span] = {
            "entity": key,
            "version_id": span.version_id,
            "char_start": span.char_start,
            "char_end": span.char_end,
            **introduced,
            "text": text,
            "policy": place.policy_title,
            "section": " ".join(filter(None, (place.number, place.title))),
        }
    return list(evidence.values())


def _is_citable(text: str, *, is_introduced: bool) -> bool:
    """Say whether a text holds a sentence, a table row, or an item that something introduces."""
    units = [span.of(text) for span in split_sentences(text)]
    return any(
        says_something(unit, is_item="|" in unit or (is_introduced and number == 0))
        for number, unit in enumerate(units)
        if not _HEADING.match(unit)
    )
