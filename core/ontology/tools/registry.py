"""Tools for a reasoner: their definition and registry, their arguments, and their results as JSON.

A tool is a function of the ontology and its arguments, which are checked against the schema that
the model is shown.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from core.domain.codec import json_of
from core.domain.json_value import Json
from core.domain.ontology import (
    Entity,
    EntityKey,
    EntityList,
    Relation,
    RelationType,
    SectionRef,
    Snapshot,
)
from core.language.content_words import words
from core.language.sentences import says_something, split_sentences
from core.language.spans import Span
from core.ontology.fact_words import stated_at
from core.ports.knowledge import Lookup

MOST_ITEMS = 25
"""Items of a list in a tool's answer; the rest is counted."""
_HEADING = re.compile(r"#{1,6}\s")
_MOST_SPANS = 3
_MOST_CHARACTERS = 600
Capability: TypeAlias = Literal["overview", "lookup", "neighbourhood", "documents", "passages"]
"""What a tool is for: an overview, finding entities, following relations, facts by document, and
passages of the documents."""
Arguments: TypeAlias = Mapping[str, str | int]
"""Checked arguments; optional ones have their defaults."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of a tool."""

    name: str
    """As the model writes it."""
    description: str
    """What it means, for the model."""
    type: Literal["string", "integer"] = "string"
    """JSON type."""
    default: str | int | None = None
    """Value if it is left out; None: it must be given."""
    choices: tuple[str, ...] = ()
    """Allowed values; empty: any."""
    most: int = 500
    """Longest string, or greatest integer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One read-only tool."""

    name: str
    """As the model calls it."""
    capability: Capability
    """What it is for."""
    description: str
    """When to use it and what it returns, for the model."""
    parameters: tuple[Parameter, ...]
    """Its arguments."""
    run: Callable[[Lookup, Arguments], Awaitable[Mapping[str, Json]]]
    """Answers; raises `ArgumentError` for an argument that means nothing here."""

    def schema(self) -> Mapping[str, Json]:
        """Return the JSON schema of its arguments."""
        properties: dict[str, Json] = {}
        for parameter in self.parameters:
            described: dict[str, Json] = {
                "type": parameter.type,
                "description": parameter.description,
            }
            if parameter.choices:
                described["enum"] = list(parameter.choices)
            if parameter.default is not None:
                described["default"] = parameter.default
            properties[parameter.name] = described
        required: list[Json] = [
            parameter.name for parameter in self.parameters if parameter.default is None
        ]
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }


class ArgumentError(Exception):
    """An argument cannot be used; the message tells the model how to correct it."""


class Registry:
    """Tools by name, in the order in which they were registered."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    @property
    def names(self) -> tuple[str, ...]:
        """All tools."""
        return tuple(self._tools)

    def get(self, name: str) -> Tool | None:
        """Return a tool by its name."""
        return self._tools.get(name)

    def joined(self, tools: Sequence[Tool]) -> "Registry":
        """Return a registry with these tools after its own."""
        return Registry([*self._tools.values(), *tools])

    def capable_of(self, *capabilities: Capability) -> "Registry":
        """Return a registry of the tools with one of these capabilities."""
        return Registry([tool for tool in self._tools.values() if tool.capability in capabilities])

    def definitions(self) -> list[Mapping[str, Json]]:
        """Return name, description and schema of each tool, as model providers take them."""
        return [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema()}
            for tool in self._tools.values()
        ]


def checked(tool: Tool, arguments: Mapping[str, Json]) -> Arguments:
    """Return the arguments, checked against the tool's schema.

    Raises:
        ArgumentError: one is missing, unknown, of another type, or too long.
    """
    known = {parameter.name for parameter in tool.parameters}
    unknown = sorted(set(arguments) - known)
    if unknown:
        raise ArgumentError(
            f"unknown argument {', '.join(map(repr, unknown))}; {tool.name} takes"
            f" {', '.join(sorted(known)) or 'no arguments'}"
        )
    return {parameter.name: _value(parameter, arguments) for parameter in tool.parameters}


def _value(parameter: Parameter, arguments: Mapping[str, Json]) -> str | int:
    value = arguments.get(parameter.name)
    if value is None:
        if parameter.default is None:
            raise ArgumentError(f"missing argument {parameter.name!r}: {parameter.description}")
        return parameter.default
    if parameter.type == "integer":
        if isinstance(value, bool) or not isinstance(value, int):
            raise ArgumentError(f"expected an integer for {parameter.name!r}, got {value!r:.60}")
        return max(1, min(value, parameter.most))
    if not isinstance(value, str) or (not value.strip() and parameter.default is None):
        raise ArgumentError(f"expected a non-empty string for {parameter.name!r}")
    if len(value) > parameter.most:
        raise ArgumentError(f"{parameter.name!r} is longer than {parameter.most} characters")
    return _choice(parameter, value.strip())


def _choice(parameter: Parameter, value: str) -> str:
    """Return the allowed value that is meant, ignoring case."""
    if not parameter.choices or not value:
        return value
    for choice in parameter.choices:
        if choice.casefold() == value.casefold():
            return choice
    raise ArgumentError(
        f"{value!r:.60} is no {parameter.name}; use one of {', '.join(parameter.choices)}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool found."""

    part: Snapshot
    """The source of quotes, places and names."""
    entities: Sequence[Entity] = ()
    """The first facts found, most relevant first."""
    relations: Sequence[Relation] = ()
    """The first relations found."""
    entities_in_all: int = 0
    """Facts found, if more than these."""
    relations_in_all: int = 0
    """Relations found, if more than these."""


def answer(
    found: ToolResult | None = None, items: Mapping[str, Json] | None = None
) -> dict[str, Json]:
    """Return a tool's answer: its items, the evidence of its facts, and the counts.

    Args:
        found: Facts and relations; the first `MOST_ITEMS` of each are shown.
        items: What the tool returns beside them.
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


def listed(found: EntityList, items: Mapping[str, Json] | None = None) -> dict[str, Json]:
    """Return a tool's answer: a list of entities."""
    return answer(
        ToolResult(part=found.part, entities=found.part.entities, entities_in_all=found.count),
        items,
    )


def entity_json(entity: Entity) -> dict[str, Json]:
    """Return an entity as JSON."""
    return json_of(
        entity,
        "id=key type name aliases attributes description",
        attributes={name: value[:_MOST_CHARACTERS] for name, value in entity.attributes.items()},
        description=entity.description[:_MOST_CHARACTERS],
    )


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
    """Return whether a text could state something, unlike headings and bare numbers.

    A heading is recognised by being equal to the section's own, not by its looks: list items look
    alike, and "Smoking is prohibited." below "Smoking" is a rule.
    """
    said, title = words(text), words(place.title)
    is_heading = said in (title, [*words(place.number or ""), *title])
    return any(word.isalpha() for word in said) and not is_heading


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
    """Return each citable span once, with its text, lead-in and section.

    Headings, numbers and labels state nothing, so they can't be cited.
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
    """Return whether a text has a sentence, a table row, or an item with a lead-in."""
    units = [span.of(text) for span in split_sentences(text)]
    return any(
        says_something(unit, is_item="|" in unit or (is_introduced and number == 0))
        for number, unit in enumerate(units)
        if not _HEADING.match(unit)
    )
