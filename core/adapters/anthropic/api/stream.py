"""Assemble a streamed message, and read it; incomplete messages are rejected.

The SDK's own accumulation accepts a stream that ends early, parses tool input that was cut off as
if it were complete, and parses it again with each piece. So the events are processed here: in
order, bounded, and complete only once the message has stopped.
"""

import json
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, NoReturn, cast

from core.adapters.anthropic.api.api_types import Block, CitedBlocks, ModelReply, TextPart, ToolUse
from core.adapters.anthropic.api.failures import RetryableModelError
from core.domain.errors import ContractError
from core.domain.run import TokenUse

MAX_BYTES = 16_000_000
"""Of one reply on the wire; the events of 8,000 tokens take about a tenth."""
MAX_BLOCKS = 1_000
"""Of one reply."""
SAFE_INTEGER = 2**53 - 1
"""Largest integer of canonical JSON (RFC 8785, 3.2.2.3)."""
MAX_DEPTH = 50
"""Of nesting in a message."""
_AROUND_INPUT = 4
"""Levels of a message around a tool's input."""

Message = dict[str, Any]
"""A whole message as the Messages API writes it."""


class ErrorEvent(Exception):  # noqa: N818  # an event of that name
    """An error event in the stream; `body` is its JSON, else its text."""

    def __init__(self, body: object) -> None:
        super().__init__("error event")
        self.body = body


class BoundedResponse:
    """Stands in for the SDK's HTTP response, and limits its size."""

    def __init__(self, response: Any) -> None:
        self._response = response

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        """Yield the response, up to `MAX_BYTES`."""
        read = 0
        async for chunk in self._response.aiter_bytes():
            read += len(chunk)
            if read > MAX_BYTES:
                raise ContractError(f"the model's reply is larger than {MAX_BYTES} bytes")
            yield chunk


async def assemble(events: AsyncIterator[Any]) -> Message:
    """Return the whole message of a stream of server-sent events.

    Raises:
        ErrorEvent: The stream has an error event.
        RetryableModelError: It ended before the message did.
        ContractError: It is not a stream of the Messages API.
    """
    assembly = _Assembly()
    async for event in events:
        if event.event == "error":
            raise ErrorEvent(_error_body(event.data))
        if event.data and assembly.take(_json(event.data)):
            return assembly.message()
    if assembly.has_begun:
        raise RetryableModelError("the model's reply ended early")
    raise ContractError("the reply is no event stream of the Messages API")


class _Assembly:
    """The message so far."""

    def __init__(self) -> None:
        self._message: Message = {}
        self._blocks: list[Message] = []
        self._texts: dict[tuple[int, str], list[str]] = {}

    @property
    def has_begun(self) -> bool:
        return bool(self._message)

    def take(self, event: Mapping[str, Any]) -> bool:
        """Add an event; True if it was the last."""
        kind = event.get("type")
        if kind == "message_start":
            self._start(event)
        elif kind == "message_stop":
            if not self.has_begun:
                raise ContractError("the reply stops before it starts")
            return True
        elif kind == "content_block_start":
            self._start_block(event)
        elif kind == "content_block_delta":
            self._add(event)
        elif kind == "message_delta":
            self._end(event)
        return False  # other kinds of events, present or future, do not change the message

    def _start(self, event: Mapping[str, Any]) -> None:
        message = event.get("message")
        if self.has_begun or not isinstance(message, dict):
            raise ContractError("the reply starts twice, or with no message")
        self._message = {**cast("Message", message), "content": self._blocks}

    def _start_block(self, event: Mapping[str, Any]) -> None:
        block = event.get("content_block")
        if not self.has_begun or not isinstance(block, dict):
            raise ContractError("a block of the reply is none")
        if event.get("index") != len(self._blocks):
            raise ContractError("the reply's blocks are out of order")
        if len(self._blocks) == MAX_BLOCKS:
            raise ContractError(f"the reply has more than {MAX_BLOCKS} blocks")
        self._blocks.append(cast("Message", block))

    def _add(self, event: Mapping[str, Any]) -> None:
        index, given = event.get("index"), event.get("delta")
        if not isinstance(index, int) or not isinstance(given, dict):
            raise ContractError("a piece of the reply belongs to no block")
        if not 0 <= index < len(self._blocks):
            raise ContractError("a piece of the reply belongs to a block that has not started")
        delta, block = cast("Message", given), self._blocks[index]
        kind = delta.get("type")
        if kind in _GROWING:
            piece = delta.get(_GROWING[kind])
            if not isinstance(piece, str):
                raise ContractError(f"a {kind} of the reply is no text")
            self._texts.setdefault((index, _GROWING[kind]), []).append(piece)
        elif kind == "signature_delta":
            block["signature"] = delta.get("signature")
        elif kind == "citations_delta":
            if not isinstance(block.get("citations"), list):
                block["citations"] = []
            block["citations"].append(delta.get("citation"))

    def _end(self, event: Mapping[str, Any]) -> None:
        delta, usage = event.get("delta"), event.get("usage")
        if isinstance(delta, dict):
            self._message |= cast("Message", delta)
        if isinstance(usage, dict) and isinstance(self._message.get("usage"), dict):
            given = cast("Message", usage)
            # Totals, not increments; what is left out was in the first event.
            known = {name: value for name, value in given.items() if value is not None}
            self._message["usage"] = {**self._message["usage"], **known}

    def message(self) -> Message:
        for (index, name), pieces in self._texts.items():
            block = self._blocks[index]
            if name == "partial_json":
                block["input"] = _tool_input("".join(pieces))
            else:
                block[name] = f"{block.get(name) or ''}{''.join(pieces)}"
        try:
            return cast("Message", storable(self._message))
        except (ValueError, OverflowError, RecursionError) as error:
            raise ContractError(f"the reply can't be kept: {error}") from error


_GROWING = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "input_json_delta": "partial_json",
}
"""Kinds of deltas, and the field of the block that they extend."""


def _json(data: str) -> Mapping[str, Any]:
    try:
        event = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ContractError("the reply holds an event that is no JSON") from error
    if not isinstance(event, dict):
        raise ContractError("the reply holds an event that is no object")
    return cast("Mapping[str, Any]", event)


def _error_body(data: str) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return data


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _tool_input(written: str) -> Any:
    """Return a tool's input as JSON; as text if it is not JSON that can be stored."""
    if not written.strip():
        return {}
    try:
        value = json.loads(written, parse_constant=_no_number)
        return storable(value, _AROUND_INPUT)
    except (ValueError, OverflowError, RecursionError):
        return written


def storable(value: Any, depth: int = 0) -> Any:
    """Return JSON that can be stored and hashed: no NUL, no lone surrogates, no huge numbers.

    Raises:
        ValueError: It is nested too deeply, or a number has no finite value.
    """
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, dict):
        items = cast("Message", value).items()
        return {_clean(name): storable(one, depth + 1) for name, one in items}
    if isinstance(value, list):
        return [storable(one, depth + 1) for one in cast("list[Any]", value)]
    if isinstance(value, int | float) and not math.isfinite(value):
        raise ValueError("not a finite number")
    if isinstance(value, int) and abs(value) > SAFE_INTEGER:
        return float(value)
    return value


def _clean(text: str) -> str:
    """Join split surrogate pairs, and replace lone surrogates and NUL."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}")


_COUNTS = {
    "fresh": "input_tokens",
    "cache_read": "cache_read_input_tokens",
    "cache_write": "cache_creation_input_tokens",
    "output": "output_tokens",
}


def reply_from(message: Mapping[str, Any]) -> ModelReply:
    """Parse a message.

    Blocks that could not be sent back are corrected: tool input that is not an object becomes an
    empty one (`ToolUse.arguments` keeps the original), and blocks of blank text are left out.

    Raises:
        ContractError: It is not a message of the Messages API.
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
        ContractError: They are missing, or not integers from 0.
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
    """Return a citation; None if its range is impossible."""
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
