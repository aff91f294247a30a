"""Without each of the escapes something is live: which shows that the tests look."""

import re
from typing import Any

import pytest

from bot.replies import text as door
from bot.teams.cards import elements, escape
from bot.teams.cards.render import render
from core.domain.answer import Answer
from tests.unit.slack.payloads import answered, stored
from tests.unit.teams.payloads import SETTING, Payload
from tests.unit.teams.reading import live_in
from tests.unit.teams.test_payloads import not_ours


def unsafe(text: str, *_: object) -> str:
    return text


def live(text: str) -> list[str]:
    made = render(stored(answered(text)), 0, setting=SETTING).activity
    return not_ours(live_in(Payload(name="x", activity=made)))


@pytest.mark.parametrize(
    ("where", "name", "text"),
    [
        (escape, "markdown", "a [x](/evil) b"),
        (escape, "markdown", "a ![x](/p.png) b"),
        (escape, "markdown", "a <img src=x> b"),
        (escape, "markdown", "# h"),
        (elements, "run_text", "{{DATE(2020-01-01T00:00:00Z)}}"),
        (door, "defanged", "https://evil.com"),
    ],
)
def test_without_it_something_is_live(
    where: Any, name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing with it."""

    def worded(text: str, _: Answer) -> str:
        return escape.markdown(text)

    assert live(text) == []
    monkeypatch.setattr(where, name, unsafe)
    monkeypatch.setattr(escape, "worded", worded)
    if where is escape:
        monkeypatch.setattr(door, "defanged", unsafe)
    assert live(text) != []


def test_a_list_would_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless its first sign is escaped."""

    def led(found: re.Match[str]) -> str:
        return found[0]

    assert live("- a\n1. b") == []
    monkeypatch.setattr(escape, "_led", led)
    assert live("- a\n1. b") != []


def test_marks_are_those_of_citations() -> None:
    """A number that cites nothing, or could define an address, stays literal."""
    answer = answered("x", many=2)
    assert escape.worded("said [1][2]. [3]", answer) == "said [1][2]. \\[3\\]"
    assert escape.worded("[1]: /evil", answer) == "\\[1\\]: /evil"
    assert escape.worded("a [1]: /evil", answer) == "a \\[1\\]: /evil"
    assert escape.worded("a [1](/evil)", answer) == "a \\[1\\]\\(/evil\\)"
