"""A message that Slack refuses stands in simpler blocks, with every button and every word."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bot.slack.blocks.elements import collapsed, paragraph, quotation, rich_text, words
from bot.slack.blocks.plainer import plainer, plainer_view
from core.domain.json_value import Json
from tests.servers.slack.blocks import IN_CONTAINER, blocks_faults, kinds_of
from tests.unit.slack.limits import own_rules
from tests.unit.slack.payloads import defanged_once, every
from tests.unit.teams.payloads import pieces

__all__ = ["defanged_once"]

SIMPLE = {"section", "actions", "context", "header", "divider", "input"}
HOSTILE = "<!channel> <@U1> *b* _i_ https://evil.com ](javascript:alert(1)) | &lt; :tada:"


def pressed(value: Any) -> Iterator[tuple[str, str]]:
    """Yield action and value of everything that can be pressed; thumbs are two."""
    for one in pieces(value):
        name = str(one.get("action_id")).removesuffix(":up").removesuffix(":down")
        if one.get("type") == "feedback_buttons":
            for key in ("positive_button", "negative_button"):
                yield name, str(one[key]["value"])
        elif "action_id" in one:
            yield name, str(one.get("value"))


@pytest.mark.parametrize("text", ["May I take a gift?", HOSTILE, "x" * 8_000, ""])
def test_every_button_stays(text: str) -> None:
    """In each message and view that we make, in the oldest blocks alone, within Slack's limits."""
    seen = 0
    for payload in every(text):
        if payload.surface == "chunks":
            continue
        whole: Any = payload.view["blocks"] if payload.view else list(payload.blocks)
        view: Any = plainer_view(payload.view) if payload.view else {}
        given: Any = view["blocks"] if payload.view else plainer(payload.blocks)
        assert sorted(pressed(given)) == sorted(pressed(whole)), payload.name
        assert kinds_of(given) <= SIMPLE, payload.name
        surface: Any = payload.surface
        assert blocks_faults(json.loads(json.dumps(given)), surface) == [], payload.name
        assert list(own_rules(given, 100 if payload.view else 50)) == [], payload.name
        seen += 1
    assert seen > 100


@pytest.mark.parametrize("text", ["May I take a gift?", HOSTILE])
def test_a_container_holds_what_every_list_of_slacks_names(text: str) -> None:
    """Whatever message: neither list is known to be the one that counts."""
    held = [
        child["type"]
        for payload in every(text)
        for block in payload.blocks
        if block["type"] == "container"
        for child in block["child_blocks"]
    ]
    assert held
    assert set(held) <= IN_CONTAINER


def test_no_word_of_it_is_lost() -> None:
    """Quotes stand in quotation marks, live words alone in mrkdwn, and escaped there."""
    link = [{"type": "link", "url": "https://policies.example.com/a", "text": "Gifts <x>"}]
    block = rich_text(
        paragraph(words("<!here> first")), quotation(words("said", bold=True)), paragraph(link)
    )
    first, last = plainer([block])
    assert first["text"] == {"type": "plain_text", "text": "<!here> first\n“said”"}
    assert last["text"] == {
        "type": "mrkdwn",
        "text": "<https://policies.example.com/a|Gifts &lt;x&gt;>",
        "verbatim": True,
    }
    title, inner = plainer([collapsed("Sources (1)", [{"type": "divider"}])])
    assert "Sources (1)" in str(title)
    assert inner == {"type": "divider"}


def test_buttons_go_last() -> None:
    """Where there is no room, words are left out, not what can be pressed."""
    many = [rich_text(paragraph(words(str(number)))) for number in range(80)]
    row: dict[str, Json] = {"type": "actions", "elements": []}
    made = plainer([*many, row])
    assert len(made) == 50
    assert made[-1] == row
