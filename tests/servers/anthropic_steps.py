"""What a scripted model answers: replies, and everything that can go wrong instead of one.

reply("Yes.")                                        one text block
reply(text("So "), cited("EUR 50.", at(0, 2)))       the second rests on block 2 of result 0
reply(tool_use("get_entity", {"id": "7"}), tool_use("find_paths", {}))      parallel calls
reply("No", stop_reason="max_tokens", usage=usage(cache_read=900, output=12), pause_s=0.1)
failure(529, "overloaded_error", retry_after=2)      a status
broken(reply("Yes."), "error", after=3)              an error event after three events
dropped(), stalled(), raw("data: {no json\n\n")
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Block = dict[str, Any]
"""A content block of a reply; citations as `at` writes them."""

PIECE = 40
"""Characters of one delta."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """How a stream ends before its end."""

    how: Literal["drop", "stall", "error", "garbage", "end"]
    """Connection cut; silence; an error event; an event that is no JSON; a clean end too early."""
    after: int
    """Events sent before."""
    error_type: str = "overloaded_error"
    """Of the error event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A message of the model."""

    blocks: tuple[Block, ...]
    """Its content."""
    stop_reason: str
    """Why it ends."""
    usage: Mapping[str, int]
    """Tokens, as the API counts them."""
    delay_s: float = 0.0
    """Silence before the first byte."""
    pause_s: float = 0.0
    """Silence before each event."""
    breaks: Break | None = None
    """What goes wrong on the way; None: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error status."""

    status: int
    """Of HTTP."""
    error_type: str
    """As in the body."""
    message: str
    """As in the body."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    """Besides the usual ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Any body."""

    body: str
    """As sent."""
    status: int
    """Of HTTP."""
    content_type: str
    """Of the body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """No reply at all."""

    drops: bool
    """True: the connection is cut at once; False: it stays open until the caller goes."""


Step = Reply | Failure | Raw | Silence


def usage(
    *, fresh: int = 100, cache_read: int = 0, cache_write: int = 0, output: int = 20
) -> dict[str, int]:
    """Return tokens as the API counts them."""
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": cache_write,
        "cache_read_input_tokens": cache_read,
        "output_tokens": output,
    }


def reply(
    *blocks: str | Block,
    stop_reason: str | None = None,
    usage: Mapping[str, int] | None = None,
    delay_s: float = 0.0,
    pause_s: float = 0.0,
) -> Reply:
    """Return a message; a string is a text block, the stop reason follows from the blocks."""
    content = tuple(text(block) if isinstance(block, str) else block for block in blocks)
    calls_tool = any(block["type"] == "tool_use" for block in content)
    return Reply(
        blocks=content,
        stop_reason=stop_reason or ("tool_use" if calls_tool else "end_turn"),
        usage=usage or _USUAL,
        delay_s=delay_s,
        pause_s=pause_s,
    )


_USUAL = usage()


def text(words: str) -> Block:
    """Return a text block without citations."""
    return {"type": "text", "text": words}


def at(result: int, start: int, end: int | None = None) -> tuple[int, int, int]:
    """Return a citation of one or more blocks of a search result, counted over the request."""
    return result, start, start + 1 if end is None else end


def cited(words: str, *places: tuple[int, int, int], says: str | None = None) -> Block:
    """Return a text block with citations; source, title and text are taken from the request.

    `says` forges the cited text; a place that the request does not have is sent all the same.
    """
    return {"type": "text", "text": words, "citations": list(places), "says": says}


def tool_use(name: str, arguments: Any, *, use_id: str | None = None) -> Block:
    """Return a call of a tool; without an id it gets one that is new in the conversation."""
    return {"type": "tool_use", "id": use_id, "name": name, "input": arguments}


def thinking(words: str, *, signature: str = "c2lnbmVk") -> Block:
    """Return a thinking block."""
    return {"type": "thinking", "thinking": words, "signature": signature}


def broken(
    whole: Reply,
    how: Literal["drop", "stall", "error", "garbage", "end"],
    *,
    after: int = 3,
    error_type: str = "overloaded_error",
) -> Reply:
    """Return a reply whose stream breaks after so many events."""
    return replace(whole, breaks=Break(how=how, after=after, error_type=error_type))


def failure(
    status: int,
    error_type: str = "api_error",
    *,
    message: str = "scripted",
    retry_after: float | str | None = None,
    **headers: str,
) -> Failure:
    """Return an error status; `x_should_retry="false"` becomes a header."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if retry_after is not None:
        given["retry-after"] = str(retry_after)
    return Failure(status=status, error_type=error_type, message=message, headers=given)


def dropped() -> Silence:
    """Cut the connection without a byte."""
    return Silence(drops=True)


def stalled() -> Silence:
    """Send nothing until the caller goes away."""
    return Silence(drops=False)


def raw(body: str, *, status: int = 200, content_type: str = "text/event-stream") -> Raw:
    """Send this."""
    return Raw(body=body, status=status, content_type=content_type)


def search_results(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the search results of a request, in the order in which citations count them."""
    found: list[Mapping[str, Any]] = []
    for message in body["messages"]:
        for block in _blocks(message["content"]):
            inner = _blocks(block.get("content")) if block["type"] == "tool_result" else []
            found += [one for one in (block, *inner) if one["type"] == "search_result"]
    return found


def supported(body: Mapping[str, Any], *, but: Sequence[Block] = ()) -> list[Block]:
    """Return a judge's verdicts on the claims of a request: each is supported, those aside."""
    texts = [block.get("text", "") for block in _blocks(body["messages"][0]["content"])]
    (said,) = (text for text in texts if text.startswith("<draft>"))
    claims = json.loads(said.split("\n")[1])["claims"]
    given = {one["claim"]: one for one in but}
    usual = ({"claim": number, "support": "supported"} for number in range(1, len(claims) + 1))
    return [given.get(one["claim"], one) for one in usual]


def _blocks(content: Any) -> list[Mapping[str, Any]]:
    return content if isinstance(content, list) else []  # pyright: ignore[reportUnknownVariableType]


def message_of(step: Reply, body: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return the whole message that answers a request, as the API writes it."""
    turn = len(body["messages"])
    return {
        "id": f"msg_{number:04d}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [
            _as_sent(block, body, f"toolu_{turn:02d}_{index:02d}")
            for index, block in enumerate(step.blocks)
        ],
        "stop_reason": step.stop_reason,
        "stop_sequence": None,
        "usage": dict(step.usage),
    }


def _as_sent(block: Block, body: Mapping[str, Any], use_id: str) -> Block:
    if block["type"] == "tool_use":
        return block | {"id": block["id"] or use_id}
    if not block.get("citations") or "says" not in block:
        return block
    results = search_results(body)
    citations = [_citation(results, place, block["says"]) for place in block["citations"]]
    return {"type": "text", "text": block["text"], "citations": citations}


def _citation(
    results: Sequence[Mapping[str, Any]], place: tuple[int, int, int], says: str | None
) -> dict[str, Any]:
    index, start, end = place
    result: Mapping[str, Any] = results[index] if 0 <= index < len(results) else {}
    blocks = result.get("content", [])[max(0, start) : max(0, end)]
    return {
        "type": "search_result_location",
        "cited_text": "".join(one["text"] for one in blocks) if says is None else says,
        "source": result.get("source", ""),
        "title": result.get("title"),
        "search_result_index": index,
        "start_block_index": start,
        "end_block_index": end,
    }


def events(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of a stream in the order in which the API sends them."""
    counted = message["usage"]
    begun: dict[str, Any] = {
        **message,
        "content": [],
        "stop_reason": None,
        "usage": counted | {"output_tokens": 1},
    }
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(message["content"]):
        empty, deltas = _deltas(block)
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        if index == 0:
            yield {"type": "ping"}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": counted}
    yield {"type": "message_stop"}


def _deltas(block: Block) -> tuple[Block, list[Block]]:
    """Return the block as it starts, and what is added to it."""
    kind = block["type"]
    if kind == "text":
        citations: list[Any] = block.get("citations") or []
        empty: Block = {"type": "text", "text": ""}
        if citations:
            empty["citations"] = []
        return empty, [
            *({"type": "text_delta", "text": piece} for piece in _pieces(block["text"])),
            *({"type": "citations_delta", "citation": one} for one in citations),
        ]
    if kind == "tool_use":
        written = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
        pieces = ("", *_pieces(written))
        return block | {"input": {}}, [
            {"type": "input_json_delta", "partial_json": piece} for piece in pieces
        ]
    if kind == "thinking":
        return block | {"thinking": "", "signature": ""}, [
            *({"type": "thinking_delta", "thinking": piece} for piece in _pieces(block[kind])),
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    return block, []


def _pieces(words: str) -> list[str]:
    size = max(PIECE, len(words) // 200)
    return [words[start : start + size] for start in range(0, len(words), size)]
