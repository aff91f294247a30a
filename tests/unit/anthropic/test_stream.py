"""A streamed message is put together whole, or not at all."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from core.adapters.anthropic.api.api_types import TextPart, ToolUse
from core.adapters.anthropic.api.failures import RetryableModelError
from core.adapters.anthropic.api.stream import MAX_BYTES, BoundedResponse, assemble, reply_from
from core.domain.errors import ContractError
from core.domain.run import TokenUse
from tests.servers.anthropic_steps import (
    Block,
    events,
    message_of,
    reply,
    text,
    thinking,
    tool_use,
    usage,
)

ASKED = {"model": "m", "messages": [{"role": "user", "content": "q"}]}
words = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
blocks = st.lists(
    st.builds(text, words)
    | st.builds(thinking, words)
    | st.builds(tool_use, words, st.dictionaries(words, json_values, max_size=3)),
    max_size=6,
)


@dataclass(frozen=True)
class Event:
    """As the SDK hands it over."""

    event: str | None
    data: str


def whole(*given_blocks: str | Block, **options: Any) -> dict[str, Any]:
    return message_of(reply(*given_blocks, **options), ASKED, 1)


def sent(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(events(message))


async def put_together(given_events: Iterable[Mapping[str, Any] | Event]) -> dict[str, Any]:
    async def stream() -> AsyncIterator[Event]:
        for one in given_events:
            yield one if isinstance(one, Event) else Event(str(one["type"]), json.dumps(one))

    return await assemble(stream())


@given(given_blocks=blocks)
async def test_what_is_streamed_is_what_was_sent(given_blocks: list[Block]) -> None:
    """Text, thinking and tool input come out as they went in, however they were cut."""
    message = whole(*given_blocks)
    assert await put_together(sent(message)) == message


@given(given_blocks=blocks, data=st.data())
async def test_a_stream_that_ends_early_is_no_message(
    given_blocks: list[Block], data: st.DataObject
) -> None:
    """Wherever it breaks off, nothing is taken for the whole."""
    all_events = sent(whole(*given_blocks))
    cut = data.draw(st.integers(1, len(all_events) - 1))
    with pytest.raises(RetryableModelError):
        await put_together(all_events[:cut])


async def test_totals_replace_and_what_is_left_out_stays() -> None:
    """Tokens of the end are totals; those of the cache may be said at the start alone."""
    message = whole("Yes.", usage=usage(fresh=5, cache_read=70, cache_write=3, output=9))
    streamed = sent(message)
    streamed[-2]["usage"] = {"output_tokens": 9, "cache_read_input_tokens": None}
    found = reply_from(await put_together(streamed))
    assert found.tokens == TokenUse(fresh=5, cache_read=70, cache_write=3, output=9)


async def test_unknown_events_and_blocks_are_let_be() -> None:
    """What the API may add one day breaks nothing, and goes back as it came."""
    odd = {"type": "container_upload", "file_id": "f"}
    message = whole(odd, "Yes.")
    streamed = [{"type": "weather"}, *sent(message)]
    streamed.insert(3, {"type": "content_block_delta", "index": 0, "delta": {"type": "new"}})
    found = reply_from(await put_together(streamed))
    assert found.content[0] == odd
    assert found.parts == (TextPart(text="Yes."),)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", {}),
        ('{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}),
        ('{"a": "unfin', '{"a": "unfin'),
        ("[1]", [1]),
        ('"text"', "text"),
        ("NaN", "NaN"),
        ('{"a": 1e999}', '{"a": 1e999}'),
        ('{"a": 12345678901234567890}', {"a": 12345678901234567890.0}),
        ("1" * 5_000, "1" * 5_000),
        ("[" * 90_000, "[" * 90_000),
        ("[" * 60 + "]" * 60, "[" * 60 + "]" * 60),
        ('{"a": "\\ud800\\u0000"}', {"a": "\ufffd\ufffd"}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
    ],
)
async def test_tool_input_is_any_json_or_the_text_that_was_written(
    written: str, expected: Any
) -> None:
    """Input that was cut off is never taken for complete; all of it can be kept and hashed."""
    message = await put_together(sent(whole(tool_use("find", written))))
    found = reply_from(message)
    assert [part.arguments for part in found.parts if isinstance(part, ToolUse)] == [expected]
    assert isinstance(found.content[0]["input"], dict)
    rfc8785.dumps(message)


async def test_halves_of_a_character_are_joined() -> None:
    """A pair of surrogates that was cut between two events is one character again."""
    streamed = sent(whole("ab"))
    delta = streamed[3]["delta"]
    streamed[3:4] = [
        {"type": "content_block_delta", "index": 0, "delta": delta | {"text": half}}
        for half in ("\ud83d", "\ude00")
    ]
    assert reply_from(await put_together(streamed)).parts == (TextPart(text="\U0001f600"),)


_START, _BLOCK = sent(whole("Yes."))[:2]
_DELTA = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}}


@pytest.mark.parametrize(
    "streamed",
    [
        [],
        [{"type": "message_stop"}],
        [_BLOCK],
        [_START, _START],
        [{"type": "message_start", "message": None}],
        [_START, _BLOCK | {"index": 1}],
        [_START, _BLOCK | {"content_block": "text"}],
        [_START, _DELTA],
        [_START, _BLOCK, _DELTA | {"index": -1}],
        [_START, _BLOCK, _DELTA | {"index": "0"}],
        [_START, _BLOCK, _DELTA | {"delta": {"type": "text_delta", "text": 4}}],
        [_START, _BLOCK, _DELTA | {"delta": None}],
        [_START, Event("content_block_start", '{"type": ')],
        [_START, Event("content_block_start", "[1]")],
        [_START, Event("content_block_start", "[" * 90_000)],
        [_START, *(_BLOCK | {"index": index} for index in range(10_000))],
    ],
    ids=str,
)
async def test_what_is_no_stream_of_the_api_is_refused(streamed: list[Any]) -> None:
    """Nothing is guessed, and ten thousand blocks are not kept."""
    with pytest.raises(ContractError):
        await put_together(streamed)


async def test_bytes_are_bounded() -> None:
    """A reply without end is left, whatever is in it."""

    class Endless:
        async def aiter_bytes(self) -> AsyncIterator[bytes]:
            while True:
                yield b"x" * 1_000_000

    read: list[int] = []

    async def all_of_it() -> None:
        read.extend([len(chunk) async for chunk in BoundedResponse(Endless()).aiter_bytes()])

    with pytest.raises(ContractError, match="larger"):
        await all_of_it()
    assert sum(read) <= MAX_BYTES
