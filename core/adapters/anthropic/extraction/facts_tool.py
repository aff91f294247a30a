"""The tool by which a model hands over what it read: its schema is the ontology's vocabulary."""

from collections.abc import Mapping

from core.adapters.anthropic.api.api_types import ModelReply, ToolUse
from core.domain.errors import ContractError
from core.domain.ontology import RelationType
from core.domain.proposals import ProposedFacts, facts_from_json
from core.domain.run import Json
from core.ontology.model.proposals import POLICY_END, SECTION_END
from core.ontology.model.proposed_entities import PROPOSED_TYPES

NAME = "record_facts"

_QUOTE: Mapping[str, Json] = {
    "type": "string",
    "description": "the sentence, list item or table row, copied exactly",
}
_ATTRIBUTES = ("actor", "action", "condition", "meaning")


def _strings(description: str) -> Mapping[str, Json]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _text(description: str) -> Mapping[str, Json]:
    return {"type": "string", "description": description}


def _object(properties: Mapping[str, Json], required: tuple[str, ...]) -> Mapping[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_END = f"id of an entity, or {SECTION_END}, or {POLICY_END}"
_ENTITY = _object(
    {
        "id": _text("unique in this call"),
        "type": {"type": "string", "enum": [type_.value for type_ in PROPOSED_TYPES]},
        "name": _text("as the quote has it"),
        "quote": _QUOTE,
        "aliases": _strings("other names that the section introduces beside the name"),
        "description": _text("a sentence of the section, copied exactly"),
        "attributes": _object({name: {"type": "string"} for name in _ATTRIBUTES}, ()),
    },
    ("id", "type", "name", "quote"),
)
_RELATION = _object(
    {
        "source": _text(_END),
        "type": {"type": "string", "enum": [type_.value for type_ in RelationType]},
        "target": _text(_END),
        "quote": _QUOTE,
    },
    ("source", "type", "target", "quote"),
)

TOOL: Mapping[str, Json] = {
    "name": NAME,
    "description": "Records the facts that the section states. Call it exactly once.",
    "input_schema": _object(
        {
            "entities": {"type": "array", "items": _ENTITY},
            "relations": {"type": "array", "items": _RELATION},
        },
        ("entities", "relations"),
    ),
}
"""As the Messages API takes it."""


def facts_of(reply: ModelReply) -> ProposedFacts:
    """Return what a reply hands over.

    Raises:
        ContractError: It does not call the tool exactly once, was cut off, or has another shape;
            the message says which, in words that may go back to the model.
    """
    if reply.stop_reason == "max_tokens":
        raise ContractError("the reply was cut off: record fewer facts")
    if reply.stop_reason == "refusal":
        raise ContractError("the model declined to read the section")
    uses = [part for part in reply.parts if isinstance(part, ToolUse)]
    if len(uses) != 1 or uses[0].name != NAME:
        raise ContractError(f"expected one call of {NAME}, got {len(uses)} calls")
    return facts_from_json(uses[0].arguments)
