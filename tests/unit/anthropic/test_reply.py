"""A whole message becomes a reply, or is refused."""

from typing import Any

import pytest

from core.adapters.anthropic.api.api_types import CitedBlocks, TextPart, ToolUse
from core.adapters.anthropic.api.stream import reply_from
from core.domain.errors import ContractError
from tests.servers.anthropic_steps import at, cited, message_of, reply, text, thinking, tool_use

RESULT = {
    "type": "search_result",
    "source": "s",
    "title": "t",
    "content": [{"type": "text", "text": one} for one in ("One.", "Two.", "Three.")],
}
ASKED = {"model": "m", "messages": [{"role": "user", "content": [RESULT]}]}
GOOD = message_of(reply("Yes."), ASKED, 1)


def test_parts_are_text_and_tools_in_order() -> None:
    """Thinking is no part, but goes back as it came."""
    message = message_of(
        reply(thinking("hm"), text("So "), cited("two.", at(0, 1)), tool_use("find", {"q": "x"})),
        ASKED,
        1,
    )
    found = reply_from(message)
    place = CitedBlocks(search_result=0, start_block=1, end_block=2, cited_text="Two.")
    assert found.parts == (
        TextPart(text="So "),
        TextPart(text="two.", citations=(place,)),
        ToolUse(use_id="toolu_01_03", name="find", arguments={"q": "x"}),
    )
    assert list(found.content) == message["content"]
    assert found.stop_reason == "tool_use"


@pytest.mark.parametrize("place", [(-1, 0, 1), (0, -1, 1), (0, 2, 2), (0, 3, 1)])
def test_places_that_cannot_be_are_left_out(place: tuple[int, int, int]) -> None:
    """A negative place would count from the end; a place beyond the end is for others to find."""
    message = message_of(reply(cited("Two.", place, at(0, 99))), ASKED, 1)
    part = reply_from(message).parts[0]
    assert isinstance(part, TextPart)
    assert [one.start_block for one in part.citations] == [99]


def test_citations_of_other_kinds_are_left_out() -> None:
    """Only blocks of search results are evidence."""
    page = {"type": "page_location", "cited_text": "x", "document_index": 0}
    message = GOOD | {"content": [{"type": "text", "text": "Yes.", "citations": [page]}]}
    assert reply_from(message).parts == (TextPart(text="Yes."),)


def test_blank_text_does_not_go_back() -> None:
    """The API refuses a turn with an empty block, also one that it wrote itself."""
    found = reply_from(message_of(reply("\n", tool_use("find", {})), ASKED, 1))
    assert [block["type"] for block in found.content] == ["tool_use"]


@pytest.mark.parametrize(
    "reason", ["max_tokens", "refusal", "pause_turn", "model_context_window_exceeded", "new"]
)
def test_stop_reasons_are_handed_on(reason: str) -> None:
    """What to do about them is for the reasoner to say."""
    assert reply_from(GOOD | {"stop_reason": reason}).stop_reason == reason


BROKEN: list[dict[str, Any]] = [
    {"role": "user"},
    {"content": "Yes."},
    {"content": None},
    {"content": ["Yes."]},
    {"content": [{"text": "Yes."}]},
    {"content": [{"type": "text"}]},
    {"content": [{"type": "text", "text": 3}]},
    {"content": [{"type": "text", "text": "x", "citations": "y"}]},
    {"content": [{"type": "text", "text": "x", "citations": [{"type": "search_result_location"}]}]},
    {"content": [{"type": "tool_use", "name": "find", "input": {}}]},
    {"content": [{"type": "tool_use", "id": "a", "name": "find", "input": {}}] * 2},
    {"content": [{"type": "text", "text": "x"}] * 1_001},
    {"stop_reason": None},
    {"usage": None},
    {"usage": {"input_tokens": -1, "output_tokens": 1}},
    {"usage": {"input_tokens": "1", "output_tokens": 1}},
    {"usage": {"input_tokens": True, "output_tokens": 1}},
    {"usage": {"input_tokens": 1.5, "output_tokens": 1}},
]


@pytest.mark.parametrize("changed", BROKEN, ids=str)
def test_what_is_no_message_is_refused(changed: dict[str, Any]) -> None:
    """Any other shape is a broken word, never a crash and never a guess."""
    with pytest.raises(ContractError):
        reply_from(GOOD | changed)
