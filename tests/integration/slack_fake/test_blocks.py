"""Blocks, views and chunks: what the fake takes, what the published types take, what neither."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tests.servers.slack.blocks import (
    Surface,
    blocks_faults,
    chunk_faults,
    view_faults,
    view_size,
)
from tests.servers.slack.wire import Json, objects


def plain(length: int) -> Json:
    """Return a text object of some length."""
    return {"type": "plain_text", "text": "x" * length}


def button(**more: Any) -> Json:
    """Return a button."""
    return {"type": "button", "action_id": "a", "text": plain(2)} | more


def rich(*elements: Json) -> Json:
    """Return rich text of one section."""
    return {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": list(elements)}],
    }


def actions(*elements: Json) -> Json:
    """Return a row of elements."""
    return {"type": "actions", "elements": list(elements)}


def holder(*children: Json, **more: Any) -> Json:
    """Return a container."""
    return {"type": "container", "title": plain(2), "child_blocks": list(children)} | more


def data_table(rows: int, *, columns: int = 2, length: int = 1, **more: Any) -> Json:
    """Return a data table."""
    row = [{"type": "raw_text", "text": "x" * length}] * columns
    return {"type": "data_table", "caption": "Limits", "rows": [row] * rows} | more


def feedback() -> Json:
    """Return thumbs."""
    side = {"text": plain(2), "value": "v"}
    return {
        "type": "feedback_buttons",
        "action_id": "f",
        "positive_button": side,
        "negative_button": side,
    }


DIVIDER: Json = {"type": "divider"}
TEXT: Json = {"type": "text", "text": "a"}
ALERT: Json = {"type": "alert", "level": "info", "text": plain(2)}
THUMBS: Json = {"type": "context_actions", "elements": [feedback()]}
TASK: Json = {"type": "task_card", "task_id": "t", "title": "T"}
NOTE: Json = {
    "type": "input",
    "label": plain(2),
    "element": {"type": "plain_text_input", "action_id": "v"},
}

GOOD: list[tuple[Surface, list[Json]]] = [
    ("message", [DIVIDER] * 50),
    ("modal", [DIVIDER] * 100),
    ("message", [{"type": "section", "text": plain(3000)}]),
    ("message", [{"type": "header", "text": plain(150)}]),
    ("message", [actions(*(button(action_id=f"a{index}") for index in range(25)))]),
    ("message", [THUMBS]),
    ("modal", [ALERT]),
    ("message", [holder(DIVIDER, {"type": "section", "text": plain(1)})]),
    ("home", [data_table(201, columns=20)]),
    ("message", [rich(TEXT, {"type": "link", "url": "https://example.com"})]),
    ("message", [{"type": "markdown", "text": "x" * 6000}, {"type": "markdown", "text": "y"}]),
    ("modal", [NOTE]),
]

BAD: list[tuple[Surface, list[Json], str]] = [
    ("message", [DIVIDER] * 51, "no more than 50"),
    ("modal", [DIVIDER] * 101, "no more than 100"),
    ("message", [{"type": "section", "text": plain(3001)}], "less than 3001"),
    ("message", [{"type": "section", "text": plain(0)}], "more than 0"),
    ("message", [{"type": "section"}], "needs text or fields"),
    ("message", [{"type": "section", "fields": [plain(1)] * 11}], "no more than 10"),
    ("message", [{"type": "section", "fields": [plain(2001)]}], "less than 2001"),
    ("message", [{"type": "header", "text": plain(151)}], "less than 151"),
    ("message", [{"type": "header", "text": {"type": "mrkdwn", "text": "a"}}], "plain_text"),
    ("message", [actions(button(), button())], "`action_id` already exists"),
    ("message", [actions()], "expected 1 to 25"),
    ("message", [actions(*(button(action_id=f"a{i}") for i in range(26)))], "expected 1 to 25"),
    ("message", [actions(button(text=plain(76)))], "less than 76"),
    ("message", [actions(button(value="x" * 2001))], "less than 2001"),
    ("message", [actions(button(url="x" * 3001))], "less than 3001"),
    ("message", [actions(button(action_id="x" * 256))], "less than 256"),
    ("message", [actions(button(style="loud"))], "invalid style"),
    ("message", [actions(button(colour="red"))], "invalid additional property"),
    ("message", [actions(feedback())], "unsupported element: feedback_buttons"),
    ("message", [ALERT], "unsupported type: alert"),
    ("home", [ALERT], "unsupported type: alert"),
    ("modal", [THUMBS], "unsupported type: context_actions"),
    ("modal", [holder(DIVIDER)], "unsupported type: container"),
    ("modal", [data_table(2)], "unsupported type: data_table"),
    ("modal", [{"type": "markdown", "text": "a"}], "unsupported type: markdown"),
    ("modal", [ALERT | {"text": plain(201)}], "less than 201"),
    ("modal", [ALERT | {"level": "loud"}], "unknown level"),
    ("message", [holder()], "expected 1 to 10"),
    ("message", [holder(*[DIVIDER] * 11)], "expected 1 to 10"),
    ("message", [holder(holder(DIVIDER))], "unsupported type: container"),
    ("message", [holder(THUMBS)], "unsupported type: context_actions"),
    ("message", [holder(rich(TEXT))], "unsupported type: rich_text"),
    ("message", [holder(DIVIDER, title=plain(151))], "less than 151"),
    ("message", [holder(DIVIDER, has_header_divider=True, is_collapsible=True)], "excludes"),
    ("message", [{"type": "rich_text", "elements": []}], "at least 1 element"),
    ("message", [rich({"type": "text", "text": ""})], "more than 0"),
    ("message", [rich({"type": "image", "text": "a"})], "unsupported element: image"),
    ("message", [data_table(1)], "expected 2 to 201 rows"),
    ("message", [data_table(202)], "expected 2 to 201 rows"),
    ("message", [data_table(2, columns=21)], "expected 1 to 20 columns"),
    ("message", [data_table(2, length=5001)], "less than 20001"),
    ("message", [data_table(2, caption="")], "must be a string"),
    ("message", [data_table(2, page_size=101)], "must be 1 to 100"),
    ("message", [{"type": "table", "rows": []}], "expected 1 to 100 rows"),
    ("message", [{"type": "markdown", "text": "x" * 6001}] * 2, "exceed 12,000"),
    ("message", [{"type": "context", "elements": [plain(1)] * 11}], "expected 1 to 10"),
    ("message", [DIVIDER | {"block_id": "a"}] * 2, "`block_id` already exists"),
    (
        "message",
        [{"type": "task_card", "task_id": "t", "title": "T", "status": "pending"}],
        "alone",
    ),
    ("message", [{"type": "image", "image_url": "https://a"}], "missing required field: alt_text"),
]


@pytest.mark.parametrize(("surface", "blocks"), GOOD)
def test_good_blocks(surface: Surface, blocks: list[Json]) -> None:
    """Each limit, just reached."""
    assert blocks_faults(blocks, surface) == []


@pytest.mark.parametrize(("surface", "blocks", "fault"), BAD)
def test_bad_blocks(surface: Surface, blocks: list[Json], fault: str) -> None:
    """Each limit, just passed; each block where it cannot stand."""
    faults = blocks_faults(blocks, surface)
    assert any(fault in one for one in faults), faults


def modal(**more: Any) -> Json:
    """Return a modal."""
    return {"type": "modal", "title": plain(5), "blocks": [DIVIDER]} | more


@pytest.mark.parametrize(
    ("view", "fault"),
    [
        (modal(title=plain(25)), "less than 25"),
        (modal(submit=plain(25)), "less than 25"),
        (modal(private_metadata="x" * 3001), "less than 3001"),
        (modal(callback_id="x" * 256), "less than 256"),
        (modal(blocks=[NOTE]), "`submit` is needed"),
        (modal(blocks=[]), "at least 1 block"),
        (modal(colour="red"), "invalid additional property"),
        ({"type": "home", "blocks": [DIVIDER]}, "must be a modal"),
    ],
)
def test_bad_views(view: Json, fault: str) -> None:
    """Titles of 24, metadata of 3000, a submit where there is an input."""
    faults = view_faults(view, "modal")
    assert any(fault in one for one in faults), faults


def test_a_view_has_a_size() -> None:
    """In bytes, as it is sent."""
    assert view_size(modal(private_metadata="ü")) > view_size(modal(private_metadata="u"))


WITHIN = re.compile(r"^unsupported type: rich_text .*/child_blocks/\d+/type\]$")
"""What the fake refuses and the published types allow: see `IN_CONTAINER`."""
SCHEMAS = {"_blocks": "blocks", "_plain": "blocks", "_modal": "modal", "_home": "home"}


@pytest.mark.shared_data
def test_what_is_planned_passes_the_published_types_and_the_fake(shared: Path) -> None:
    """Every Slack payload of the plan, in full."""
    payloads: Json = json.loads((shared / "payloads.json").read_text())
    checked = 0
    for name, payload in payloads.items():
        schema = next((one for end, one in SCHEMAS.items() if name.endswith(end)), None)
        if not name.startswith("slack_") or schema is None:
            continue
        checked += 1
        assert list(_schema(shared, schema).iter_errors(payload)) == [], name
        surface: Surface = "message" if schema == "blocks" else schema  # pyright: ignore[reportAssignmentType]
        faults = (
            blocks_faults(payload, surface)
            if surface == "message"
            else view_faults(payload, surface)
        )
        assert [one for one in faults if not WITHIN.search(one)] == [], name
    assert checked == 14
    chunks = payloads["slack_progress_chunks"]
    assert list(_schema(shared, "chunks").iter_errors(chunks)) == []
    assert chunk_faults(chunks) == []


@pytest.mark.shared_data
def test_what_the_published_types_refuse_the_fake_refuses(shared: Path) -> None:
    """A key too many or too few, at any place of any planned message."""
    payloads: Json = json.loads((shared / "payloads.json").read_text())
    schema = _schema(shared, "blocks")
    refused = 0
    for name in ("slack_answer_blocks", "slack_case_blocks", "slack_clarification_blocks"):
        for changed in (again for block in payloads[name] for again in _changed([block])):
            if not schema.is_valid(changed):
                refused += 1
                assert blocks_faults(changed, "message"), changed
    assert refused > 100


def _schema(shared: Path, name: str) -> Draft7Validator:
    given = json.loads((shared / "schemas" / f"slack-{name}.schema.json").read_text())
    return Draft7Validator(given)


def _changed(blocks: list[Json]) -> list[list[Json]]:
    changed: list[list[Json]] = []
    for index in range(len(list(_things(blocks)))):
        for key in (None, *list(_things(blocks))[index]):
            again = copy.deepcopy(blocks)
            thing = list(_things(again))[index]
            if key is None:
                thing["unheard_of"] = 1
            elif key != "style":
                del thing[key]
            changed.append(again)
    return changed


def _things(given: Any) -> list[Json]:
    found: list[Json] = []
    for one in objects(given):
        found.append(one)
        for value in one.values():
            found += _things(value if isinstance(value, list) else [value])
    return found
