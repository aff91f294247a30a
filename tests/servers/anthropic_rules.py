"""What the Messages API refuses with 400: the rules that a program can break by itself.

From the documentation of the API and of the models (`platform.claude.com/docs`, autumn 2026) and
from the types of the SDK. Unknown fields are refused, as there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast, get_type_hints

from anthropic.types import (
    SearchResultBlockParam,
    TextBlockParam,
    ToolParam,
    ToolResultBlockParam,
    ToolUseBlockParam,
)
from anthropic.types.message_create_params import MessageCreateParamsStreaming

CACHE_BREAKPOINTS = 4
_FORCED = ("any", "tool")
_UNFORCED_FAMILIES = ("claude-sonnet-5-5", "claude-opus-5-5")
"""Models that refuse forced tool use and thinking switched off."""
_CHOICES = {
    "auto": {"disable_parallel_tool_use"},
    "any": {"disable_parallel_tool_use"},
    "tool": {"name", "disable_parallel_tool_use"},
    "none": set[str](),
}


class RefusedError(Exception):
    """The request is not valid; the message is what the API says."""


def _fields(kind: Any) -> frozenset[str]:
    return frozenset(get_type_hints(kind))


_TOP = _fields(MessageCreateParamsStreaming) - {"workspace_id", "user_profile_id"}
"""The two left out are headers."""
_BLOCKS = {
    "text": (_fields(TextBlockParam), {"text"}),
    "search_result": (_fields(SearchResultBlockParam), {"source", "title", "content"}),
    "tool_use": (_fields(ToolUseBlockParam), {"id", "name", "input"}),
    "tool_result": (_fields(ToolResultBlockParam), {"tool_use_id"}),
    "thinking": (frozenset({"type", "thinking", "signature"}), {"thinking", "signature"}),
    "redacted_thinking": (frozenset({"type", "data"}), {"data"}),
}
_NESTING = {"search_result": {"text"}, "tool_result": {"text", "search_result"}}
_TOOL = _fields(ToolParam)


def check(body: Any) -> None:
    """Raise `RefusedError` for the first rule that a request breaks."""
    try:
        _check(body)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RefusedError(f"malformed: {error!r}") from error


def _check(body: Any) -> None:
    _need(isinstance(body, dict), "body: Input should be a valid dictionary")
    _known(body, _TOP, "")
    for name, kind in (("model", str), ("max_tokens", int), ("messages", list)):
        _need(name in body, f"{name}: Field required")
        _need(isinstance(body[name], kind), f"{name}: Input should be a valid {kind.__name__}")
    _need(body["max_tokens"] >= 1, "max_tokens: Input should be greater than or equal to 1")
    _system(body.get("system", []))
    _messages(body["messages"])
    tools = body.get("tools", [])
    _tools(tools)
    _choice(body.get("tool_choice"), [tool["name"] for tool in tools])
    _model_rules(body)
    _citations(body)
    marks = sum(1 for _ in _with_cache_control(body))
    _need(
        marks <= CACHE_BREAKPOINTS,
        f"A maximum of 4 blocks with cache_control may be provided. Found {marks}.",
    )


def _need(holds: bool, message: str) -> None:
    if not holds:
        raise RefusedError(message)


def _list(value: Any) -> list[Any]:
    """Return a list as it is, and nothing for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value or {}


def _known(given: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    for name in given:
        _need(name in known, f"{where}{name}: Extra inputs are not permitted")


def _system(system: Any) -> None:
    if isinstance(system, str):
        return
    for index, block in enumerate(system):
        _need(block.get("type") == "text", f"system.{index}.type: Input should be 'text'")
        _block(block, f"system.{index}.")


def _messages(messages: Sequence[Any]) -> None:
    _need(bool(messages), "messages: at least one message is required")
    for index, message in enumerate(messages):
        where = f"messages.{index}."
        _known(message, frozenset({"role", "content"}), where)
        expected = ("user", "assistant")[index % 2]
        _need(
            message.get("role") == expected,
            f"messages: roles must alternate between 'user' and 'assistant', but message {index}"
            f" has role {message.get('role')!r}",
        )
        content: Any = message.get("content")
        _need(bool(content), f"{where}content: must be non-empty")
        for place, block in enumerate(_list(content)):
            _block(block, f"{where}content.{place}.")
    _need(
        messages[-1]["role"] == "user",
        "This model does not support assistant message prefill. The conversation must end with a"
        " user message.",
    )
    for index in range(len(messages)):
        _pairs(messages, index)


def _block(block: Mapping[str, Any], where: str) -> None:
    _need(isinstance(block, dict), f"{where}: Input should be a valid dictionary")
    kind: str = block.get("type", "none")
    _need(kind in _BLOCKS, f"{where}type: Input tag {kind!r} does not match any of the tags")
    known, required = _BLOCKS[kind]
    _known(block, known, where)
    for name in required:
        _need(name in block, f"{where}{name}: Field required")
    if kind == "text":
        _need(bool(block["text"].strip()), f"{where}text: text content blocks must be non-empty")
    if kind == "tool_use":
        _need(isinstance(block["input"], dict), f"{where}input: should be a valid dictionary")
    if kind == "search_result":
        _need(bool(block["content"]), f"{where}content: must be non-empty")
    if kind in _NESTING:
        for place, inner in enumerate(_list(block.get("content"))):
            allowed = inner.get("type") in _NESTING[kind]
            _need(allowed, f"{where}content.{place}.type: not permitted here")
            _block(inner, f"{where}content.{place}.")


def _pairs(messages: Sequence[Any], index: int) -> None:
    """Each tool_use is answered at the start of the next turn, and nothing else is."""
    blocks = _content(messages[index])
    results = [one["tool_use_id"] for one in blocks if one["type"] == "tool_result"]
    before = _content(messages[index - 1]) if index else []
    asked = [one["id"] for one in before if one["type"] == "tool_use"]
    for one in results:
        _need(
            one in asked,
            f"messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {one}",
        )
    missing = [one for one in asked if one not in results]
    _need(
        not missing,
        f"messages.{index - 1}: `tool_use` ids were found without `tool_result` blocks immediately"
        f" after: {', '.join(missing)}",
    )
    _need(
        len(set(results)) == len(results),
        f"messages.{index}: each tool_use must have a single result",
    )
    first = [one["type"] for one in blocks[: len(results)]]
    _need(
        first == ["tool_result"] * len(results),
        f"messages.{index}: `tool_result` blocks must come first",
    )
    uses = [one["id"] for one in blocks if one["type"] == "tool_use"]
    _need(len(set(uses)) == len(uses), f"messages.{index}: `tool_use` ids must be unique")


def _content(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return _list(message["content"])


def _tools(tools: Sequence[Any]) -> None:
    names = [tool.get("name") for tool in tools]
    _need(len(set(names)) == len(names), "tools: Tool names must be unique.")
    for index, tool in enumerate(tools):
        where = f"tools.{index}."
        _known(tool, _TOOL, where)
        _need("name" in tool, f"{where}name: Field required")
        schema = tool.get("input_schema")
        _need(isinstance(schema, dict), f"{where}input_schema: Field required")
        _need(schema.get("type") == "object", f"{where}input_schema.type: should be 'object'")
        _need(
            not {"oneOf", "allOf", "anyOf"} & set(schema),
            f"{where}input_schema: input_schema does not support oneOf, allOf, or anyOf at the top"
            " level",
        )


def _choice(choice: Any, tools: Sequence[str]) -> None:
    if choice is None:
        return
    kind = choice.get("type")
    _need(kind in _CHOICES, f"tool_choice.type: unexpected {kind!r}")
    _known(choice, frozenset({"type"} | _CHOICES[kind]), "tool_choice.")
    _need(bool(tools), "tool_choice: tool_choice may only be specified while providing tools")
    if kind == "tool":
        _need(
            choice.get("name") in tools, f"Tool '{choice.get('name')}' not found in provided tools"
        )


def _model_rules(body: Mapping[str, Any]) -> None:
    if not body["model"].startswith(_UNFORCED_FAMILIES):
        return
    choice: str | None = _mapping(body.get("tool_choice")).get("type")
    _need(
        choice not in _FORCED,
        f"tool_choice.type: {choice!r} is not supported on this model; use 'auto' or 'none'",
    )
    thinks: str = _mapping(body.get("thinking")).get("type", "adaptive")
    _need(
        thinks in ("adaptive", "between_tools"),
        f"thinking.type: {thinks!r} is not supported on this model; use 'between_tools'",
    )


def _citations(body: Mapping[str, Any]) -> None:
    enabled = {
        bool(_mapping(block.get("citations")).get("enabled"))
        for block in _walk(body["messages"])
        if block.get("type") == "search_result"
    }
    _need(
        len(enabled) < 2,
        "citations: must be enabled on all search results of a request or on none",
    )


def _with_cache_control(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for block in _walk([body.get("system", []), body.get("tools", []), body["messages"]]):
        mark = block.get("cache_control")
        if mark is None:
            continue
        _need(mark.get("type") == "ephemeral", "cache_control.type: Input should be 'ephemeral'")
        _known(mark, frozenset({"type", "ttl"}), "cache_control.")
        empty = block.get("type") == "text" and not block["text"]
        _need(not empty, "cache_control cannot be set for empty text blocks")
        yield block


def _walk(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every object within lists and `content`, from outside in."""
    if isinstance(value, Mapping):
        block = cast("Mapping[str, Any]", value)
        yield block
        yield from _walk(block.get("content"))
    for one in _list(value):
        yield from _walk(one)
