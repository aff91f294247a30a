"""Paragraphs and lists of an answer as Teams draws them, from any text."""

from dataclasses import replace
from typing import Any

import pytest

from bot.teams.cards.answer import whole_card
from bot.teams.cards.markdown import worded
from bot.teams.cards.render import FULL, TEXT_ONLY, render
from core.domain.answer import Answer
from tests.unit.slack.payloads import answered, stored
from tests.unit.teams.payloads import SETTING

LISTED = "Not paid: [1]\n\u2022 minibar [2]\n\u2022 # fines [3]\n\nAsk first. [1]"


def _answer(text: str = LISTED) -> Answer:
    return replace(answered("x"), text=text)


def test_a_list_is_drawn_as_one() -> None:
    """In Markdown; the marks of its citations stay live, and nothing in an item becomes markup."""
    text = str(render(stored(_answer()), FULL, context=SETTING).activity["text"])
    assert "Not paid: [1]\n\n- minibar [2]\n- \\# fines [3]\n\nAsk first. [1]" in text


def test_without_markup_it_has_its_bullets() -> None:
    """The last shape parses nothing."""
    text = str(render(stored(_answer()), TEXT_ONLY, context=SETTING).activity["text"])
    assert LISTED in text


def test_a_dialog_has_a_line_for_each_item() -> None:
    """Cards parse nothing of it either."""
    body: Any = whole_card(_answer(), SETTING.library)["body"]
    lines: list[str] = [run["text"] for one in body for run in one.get("inlines", ())]
    assert [line for line in lines if line.startswith("\u2022")] == [
        "\u2022 minibar [2]",
        "\u2022 # fines [3]",
    ]


@pytest.mark.parametrize(
    "item", ["[x](https://evil.example)", "- - -", "1. one", "> quote", "`code`"]
)
def test_an_item_is_literal(item: str) -> None:
    """Whatever a policy writes in an item is its text."""
    told = worded(f"\u2022 {item}", _answer())
    assert told.startswith("- ")
    assert "](" not in told
    assert "\n" not in told
    assert not told.removeprefix("- ").startswith(("- ", "1. ", "> ", "`"))
