"""Without each of the escapes something is live: which shows that the tests look."""

import re
from typing import Any

import pytest

from bot.replies import safe_text as door
from bot.teams.cards import elements, markdown
from bot.teams.cards.render import render
from core.domain.answer import Answer
from tests.unit.slack.payloads import answered, stored
from tests.unit.teams.payloads import SETTING, Payload
from tests.unit.teams.reading import live_in
from tests.unit.teams.test_payloads import not_ours


def unsafe(text: str, *_: object) -> str:
    return text


def live(text: str) -> list[str]:
    made = render(stored(answered(text)), 0, context=SETTING).activity
    return not_ours(live_in(Payload(name="x", activity=made)))


@pytest.mark.parametrize(
    ("where", "name", "text"),
    [
        (markdown, "escaped", "a [x](/evil) b"),
        (markdown, "escaped", "a ![x](/p.png) b"),
        (markdown, "escaped", "a <img src=x> b"),
        (markdown, "escaped", "# h"),
        (elements, "run_text", "{{DATE(2020-01-01T00:00:00Z)}}"),
        (door, "defanged", "https://evil.com"),
    ],
)
def test_without_it_something_is_live(
    where: Any, name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing with it."""

    def worded(text: str, _: Answer) -> str:
        return markdown.escaped(text)

    assert live(text) == []
    monkeypatch.setattr(where, name, unsafe)
    monkeypatch.setattr(markdown, "worded", worded)
    if where is markdown:
        monkeypatch.setattr(door, "defanged", unsafe)
    assert live(text) != []


def test_a_list_would_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless its first sign is escaped."""

    def led(found: re.Match[str]) -> str:
        return found[0]

    assert live("- a\n1. b") == []
    monkeypatch.setattr(markdown, "_led", led)
    assert live("- a\n1. b") != []


def test_marks_are_those_of_citations() -> None:
    """A number that cites nothing, or could define an address, stays literal."""
    answer = answered("x", many=2)
    assert markdown.worded("said [1][2]. [3]", answer) == "said [1][2]. \\[3\\]"
    assert markdown.worded("[1]: /evil", answer) == "\\[1\\]: /evil"
    assert markdown.worded("a [1]: /evil", answer) == "a \\[1\\]: /evil"
    assert markdown.worded("a [1](/evil)", answer) == "a \\[1\\]\\(/evil\\)"
