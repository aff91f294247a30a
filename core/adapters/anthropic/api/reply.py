"""A whole message of the Messages API -> `ModelReply`: pure, and strict."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from core.adapters.anthropic.api.api_types import Block, CitedBlocks, ModelReply, TextPart, ToolUse
from core.adapters.anthropic.api.stream import MAX_BLOCKS
from core.domain.errors import ContractError
from core.domain.run import TokenUse

_COUNTS = {
    "fresh": "input_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write": "cache_creation_input_tokens",
    "output": "output_tokens",
}


def reply_from(message: Mapping[str, Any]) -> ModelReply:
    """Return what a message says.

    Blocks that could not be sent back are made so: input that is no object becomes an empty one
    (`ToolUse.arguments` keeps what was written), and blocks of blank text are left out.

    Raises:
        ContractError: It is no message of the Messages API.
    """
    content = _mappings(message.get("content"), "content")
    if message.get("role") != "assistant" or len(content) > MAX_BLOCKS:
        raise ContractError("the reply is no message of an assistant")
    parts = [part for part in map(_part, content) if part is not None]
    uses = [part.use_id for part in parts if isinstance(part, ToolUse)]
    if len(set(uses)) != len(uses):
        raise ContractError("two tool calls of the reply have the same id")
    return ModelReply(
        parts=tuple(parts),
        content=tuple(_echo(block) for block in content if not _is_blank(block)),
        stop_reason=_text(message, "stop_reason"),
        tokens=tokens_from(message),
    )


def tokens_from(message: Mapping[str, Any]) -> TokenUse:
    """Return the tokens of a message.

    Raises:
        ContractError: They are not counted, or not in whole numbers from 0.
    """
    usage = message.get("usage")
    if not isinstance(usage, Mapping):
        raise ContractError("the reply does not say what it used")
    given = cast("Mapping[str, Any]", usage)
    counts = {name: given.get(field) or 0 for name, field in _COUNTS.items()}
    if not all(type(count) is int and count >= 0 for count in counts.values()):
        raise ContractError("the reply counts tokens that are none")
    return TokenUse(**counts)


def _part(block: Mapping[str, Any]) -> TextPart | ToolUse | None:
    kind = _text(block, "type")
    if kind == "text":
        cited = _mappings(block.get("citations") or [], "citations")
        found = (_cited(one) for one in cited if one.get("type") == "search_result_location")
        citations = tuple(one for one in found if one is not None)
        return TextPart(text=_text(block, "text"), citations=citations)
    if kind == "tool_use":
        return ToolUse(
            use_id=_text(block, "id"), name=_text(block, "name"), arguments=block.get("input")
        )
    return None


def _cited(citation: Mapping[str, Any]) -> CitedBlocks | None:
    """Return a citation; None if it names places that cannot be."""
    names = ("search_result_index", "start_block_index", "end_block_index")
    index, start, end = (citation.get(name) for name in names)
    if not (type(index) is int and type(start) is int and type(end) is int):
        raise ContractError("a citation of the reply names no place")
    if index < 0 or not 0 <= start < end:
        return None
    text = citation.get("cited_text")
    return CitedBlocks(
        search_result=index,
        start_block=start,
        end_block=end,
        cited_text=text if isinstance(text, str) else "",
    )


def _is_blank(block: Mapping[str, Any]) -> bool:
    return block["type"] == "text" and not block["text"].strip()


def _echo(block: Mapping[str, Any]) -> Block:
    if block["type"] == "tool_use" and not isinstance(block.get("input"), Mapping):
        return {**block, "input": {}}
    return block


def _text(holder: Mapping[str, Any], name: str) -> str:
    value = holder.get(name)
    if not isinstance(value, str):
        raise ContractError(f"the reply lacks {name}")
    return value


def _mappings(value: object, name: str) -> Sequence[Mapping[str, Any]]:
    if isinstance(value, list) and all(isinstance(one, Mapping) for one in cast("Any", value)):
        return cast("Sequence[Mapping[str, Any]]", value)
    raise ContractError(f"{name} of the reply is no list of objects")
