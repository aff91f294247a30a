"""Slack's documented limits, each with its page: no message or view of ours passes one.

Text of any length stands in every place at once, in the rich shape and in the simple one.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from bot.slack.blocks.modals import METADATA
from bot.slack.blocks.mrkdwn import LIMIT
from bot.slack.blocks.plainer import plainer, plainer_view
from bot.slack.blocks.progress_blocks import LOADING
from bot.slack.manifest import manifest
from tests.unit.slack.payloads import Payload, defanged_once, every
from tests.unit.teams.payloads import pieces

__all__ = ["defanged_once"]
DOCS = "https://docs.slack.dev/reference"
BLOCKS, METHODS = f"{DOCS}/block-kit/blocks", f"{DOCS}/methods"
ELEMENTS = f"{DOCS}/block-kit/block-elements"
OPTION = f"{DOCS}/block-kit/composition-objects/option-object"
LONG = "Gifts & hospitality <b> \N{GRINNING FACE} of suppliers: " * 200
Measure = Callable[[Payload], Iterator[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One figure of Slack's documentation."""

    name: str
    most: int
    page: str
    measured: Measure


def width(text: Any) -> int:
    """Return characters as Slack counts them at worst: UTF-16 units."""
    return len(str(text).encode("utf-16-le", "surrogatepass")) // 2


def all_of(payload: Payload) -> Iterator[Mapping[str, Any]]:
    """Yield every object in a payload."""
    yield from pieces([payload.view or {}, *payload.blocks])  # pyright: ignore


def text_of(*kinds: str, key: str = "text") -> Measure:
    """Measure the text of some kinds of objects."""

    def measured(payload: Payload) -> Iterator[int]:
        for one in all_of(payload):
            held = one.get(key)
            if one.get("type") in kinds and held is not None:
                yield width(held["text"] if isinstance(held, dict) else held)

    return measured


def count_of(kind: str, key: str = "elements") -> Measure:
    """Measure how many things some kind of block holds."""

    def measured(payload: Payload) -> Iterator[int]:
        yield from (len(one[key]) for one in all_of(payload) if one.get("type") == kind)

    return measured


def value_of(key: str, *kinds: str) -> Measure:
    """Measure a string, of some kinds of objects or of all."""

    def measured(payload: Payload) -> Iterator[int]:
        for one in all_of(payload):
            if isinstance(one.get(key), str) and (not kinds or one.get("type") in kinds):
                yield width(one[key])

    return measured


def of_options(key: str) -> Measure:
    """Measure what the options of a list say, or carry."""

    def measured(payload: Payload) -> Iterator[int]:
        for one in all_of(payload):
            if one.get("type") in {"static_select", "radio_buttons", "checkboxes"}:
                for option in one["options"]:
                    held = option[key]
                    yield width(held["text"] if isinstance(held, dict) else held)

    return measured


def blocks_of(surface: str) -> Measure:
    def measured(payload: Payload) -> Iterator[int]:
        if payload.surface == surface:
            yield len(payload.view["blocks"]) if payload.view else len(payload.blocks)

    return measured


def of_view(key: str) -> Measure:
    def measured(payload: Payload) -> Iterator[int]:
        if payload.view and key in payload.view:
            yield width(payload.view[key]["text"])

    return measured


def message_text(payload: Payload) -> Iterator[int]:
    if payload.surface == "message":
        yield width(payload.text)


def view_bytes(payload: Payload) -> Iterator[int]:
    if payload.view:
        yield len(repr(payload.view).encode("utf-8", "surrogatepass"))


BUTTONS = ("button", "icon_button")
LIMITS = (
    Limit(name="blocks of a message", most=50, page=BLOCKS, measured=blocks_of("message")),
    Limit(name="blocks of a modal", most=100, page=BLOCKS, measured=blocks_of("modal")),
    Limit(name="blocks of Home", most=100, page=BLOCKS, measured=blocks_of("home")),
    Limit(name="bytes of a view", most=250_000, page=f"{METHODS}/views.open", measured=view_bytes),
    Limit(
        name="text of chat.update",
        most=4_000,
        page=f"{METHODS}/chat.update",
        measured=message_text,
    ),
    Limit(
        name="text of a section",
        most=3_000,
        page=f"{BLOCKS}/section-block",
        measured=text_of("section"),
    ),
    Limit(
        name="text of a heading",
        most=150,
        page=f"{BLOCKS}/header-block",
        measured=text_of("header"),
    ),
    Limit(
        name="elements of a row",
        most=25,
        page=f"{BLOCKS}/actions-block",
        measured=count_of("actions"),
    ),
    Limit(
        name="elements of small print",
        most=10,
        page=f"{BLOCKS}/context-block",
        measured=count_of("context"),
    ),
    Limit(
        name="elements of context actions",
        most=5,
        page=f"{BLOCKS}/context-actions-block",
        measured=count_of("context_actions"),
    ),
    Limit(
        name="blocks of a container",
        most=10,
        page=f"{BLOCKS}/container-block",
        measured=count_of("container", "child_blocks"),
    ),
    Limit(
        name="title of a container",
        most=150,
        page=f"{BLOCKS}/container-block",
        measured=text_of("container", key="title"),
    ),
    Limit(
        name="label of an input",
        most=2_000,
        page=f"{BLOCKS}/input-block",
        measured=text_of("input", key="label"),
    ),
    Limit(
        name="text of a button",
        most=75,
        page=f"{ELEMENTS}/button-element",
        measured=text_of(*BUTTONS),
    ),
    Limit(
        name="value of a button",
        most=2_000,
        page=f"{ELEMENTS}/button-element",
        measured=value_of("value", *BUTTONS),
    ),
    Limit(
        name="address of a button",
        most=3_000,
        page=f"{ELEMENTS}/button-element",
        measured=value_of("url", *BUTTONS),
    ),
    Limit(
        name="accessibility label",
        most=75,
        page=f"{ELEMENTS}/button-element",
        measured=value_of("accessibility_label"),
    ),
    Limit(
        name="action_id",
        most=255,
        page=f"{ELEMENTS}/button-element",
        measured=value_of("action_id"),
    ),
    Limit(name="block_id", most=255, page=f"{BLOCKS}/section-block", measured=value_of("block_id")),
    Limit(
        name="placeholder of an input",
        most=150,
        page=f"{ELEMENTS}/plain-text-input-element",
        measured=text_of("plain_text_input", key="placeholder"),
    ),
    Limit(
        name="options of radio buttons",
        most=10,
        page=f"{ELEMENTS}/radio-button-group-element",
        measured=count_of("radio_buttons", "options"),
    ),
    Limit(
        name="options of checkboxes",
        most=10,
        page=f"{ELEMENTS}/checkboxes-element",
        measured=count_of("checkboxes", "options"),
    ),
    Limit(
        name="options of a menu",
        most=100,
        page=f"{ELEMENTS}/select-menu-element",
        measured=count_of("static_select", "options"),
    ),
    Limit(name="text of an option", most=75, page=OPTION, measured=of_options("text")),
    Limit(name="value of an option", most=150, page=OPTION, measured=of_options("value")),
    Limit(
        name="title of a modal",
        most=24,
        page=f"{DOCS}/views/modal-views",
        measured=of_view("title"),
    ),
    Limit(
        name="submit of a modal",
        most=24,
        page=f"{DOCS}/views/modal-views",
        measured=of_view("submit"),
    ),
    Limit(
        name="close of a modal",
        most=24,
        page=f"{DOCS}/views/modal-views",
        measured=of_view("close"),
    ),
    Limit(
        name="callback_id",
        most=255,
        page=f"{DOCS}/views/modal-views",
        measured=value_of("callback_id"),
    ),
    Limit(
        name="private_metadata",
        most=3_000,
        page=f"{DOCS}/views/modal-views",
        measured=value_of("private_metadata"),
    ),
)


@cache
def made() -> tuple[Payload, ...]:
    """Return everything that is sent, in both shapes."""
    found = [one for text in (LONG, "May I?") for one in every(text) if one.surface != "chunks"]
    simple = [
        Payload(
            name=f"{one.name}, simple",
            surface=one.surface,
            blocks=plainer(one.blocks),
            text=one.text,
            view=plainer_view(one.view) if one.view else None,
        )
        for one in found
    ]
    return (*found, *simple)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda one: one.name)
def test_a_limit(limit: Limit) -> None:
    """It is looked at at least once, and never passed."""
    measured = [(size, one.name) for one in made() for size in limit.measured(one)]
    assert measured, limit.name
    assert max(measured)[0] <= limit.most, (max(measured), limit.page)


def test_our_own_figures_are_slacks() -> None:
    """Where the code names one: https://docs.slack.dev/reference/methods/chat.update and others."""
    assert LIMIT == 4_000
    assert METADATA == 3_000
    # https://docs.slack.dev/reference/methods/assistant.threads.setStatus
    assert len(LOADING) <= 10


def test_the_manifest() -> None:
    """https://docs.slack.dev/reference/app-manifest: prompts, shortcuts, descriptions."""
    told: Any = manifest(address=None, uses_sockets=True)
    view = told["features"]["agent_view"]
    assert len(view.get("suggested_prompts", ())) <= 4
    assert width(view["agent_description"]) <= 300
    shortcuts = told["features"]["shortcuts"]
    assert len(shortcuts) <= 10
    assert all(width(one["name"]) <= 24 and width(one["description"]) <= 150 for one in shortcuts)
    for command in told["features"]["slash_commands"]:
        assert width(command["command"]) <= 32
