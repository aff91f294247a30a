"""Whatever text is in them, payloads are such as Teams takes, and nothing in them is live."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.teams.cards.render import SHAPES, render
from bot.teams.protocol.action_ids import DO
from tests.properties import examples
from tests.unit.slack.payloads import HOST, defanged_once
from tests.unit.slack.test_payloads import HOSTILE as ANYWHERE
from tests.unit.slack.test_payloads import hidden
from tests.unit.teams.payloads import (
    ASKER,
    PUBLIC,
    SETTING,
    Payload,
    every,
    faults,
    limits,
    pieces,
    replies,
)
from tests.unit.teams.reading import Live, live_in

__all__ = ["defanged_once"]
pytestmark = pytest.mark.slow

HOSTILE = (
    *ANYWHERE,
    "<at>Somebody</at>",
    '<at id="0">Everyone</at> &lt;at&gt;x&lt;/at&gt;',
    "[1]: https://evil.example",
    "[1]: /evil\n\n[1]",
    "[1](/evil) [1] [2][1]",
    "\\[x](/evil)",
    "\\\\[x](/evil)",
    "`` ` [x](/evil)",
    "~~s~~ **b** __u__ ***",
    "# h\n## h",
    "a\n===\nb\n---\n***",
    "- a\n+ b\n* c\n1. d\n2) e",
    "    [x](/evil)",
    "\t<b>x</b>",
    "> q\n> [x](/evil)",
    "| a | b |\n|---|---|\n| [x](/e) | ![y](/p.png) |",
    ":--|--:\n---|---",
    "<!-- x --><script>alert(1)</script><?php ?>",
    "&#60;b&#62; &lt;b&gt; &amp;lt;",
    "&#91;x&#93;&#40;/evil&#41;",
    "{{DATE(2020-01-01T00:00:00Z,SHORT)}} {{ TIME(2020-01-01T00:00:00Z) }}",
    "${evil} {0} %s",
    "</TextBlock>",
    '{"type":"Image","url":"https://evil.example/p.png"}',
    "\u2705 **High confidence (99%)**",
    "[![x](/p.png)](/evil)",
    "<https://evil.example> <a@evil.com>",
    "*",
    "_",
    "\\",
    "[",
    "![",
    "](",
)
OURS = re.compile(
    rf"https://(?:{re.escape(HOST)}/gifts(?:#[^\s@)<>\"']*)?|acme\.slack\.com/archives/\w+/p\d+)"
)
LISTS = ("bullet_list_open", "ordered_list_open")
"""Markup that officers may use in what they write."""
OWN_TITLE = re.compile(r"Case 214 · (?:open|claimed|answered|closed) · this week")
TEXTS = st.lists(st.sampled_from(HOSTILE) | st.text(max_size=12), min_size=1, max_size=8).flatmap(
    lambda parts: st.sampled_from(["", " ", "\n"]).map(lambda by: by.join(parts))
)


def spoken_by_code() -> frozenset[str]:
    """Return every text that stands in a place which parses it, where nothing foreign is given."""
    found = (live_in(payload) for payload in every("May I?"))
    return frozenset(text for one in found for text in one.parsed)


OWN = spoken_by_code()


def check(payload: Payload) -> None:
    """Hold a payload against everything, but for the validators, which take their time."""
    found = live_in(payload)
    if payload.name.startswith("officer"):
        found.markup[:] = [one for one in found.markup if one not in LISTS]
    assert not_ours(found) == [], payload.name
    for piece in pieces(payload.activity or payload.card):
        for key, value in piece.items():
            if isinstance(value, str):
                assert not hidden(value), (payload.name, key, value[:80])
    assert _data_is_ids(payload.activity or payload.card), payload.name


def not_ours(found: Live) -> list[str]:
    """Return what is live and was not made by code."""
    links = [one for one in found.links if not OURS.fullmatch(one)]
    mentions = [one for one in found.mentions if one != ASKER]
    parsed = [one for one in found.parsed if one not in OWN and not OWN_TITLE.fullmatch(one)]
    return links + mentions + found.images + found.html + found.markup + parsed


def _data_is_ids(value: Any) -> bool:
    """Say whether no button carries anything but ids and names of ours."""
    allowed = re.compile(r"[\w.:-]{1,40}")
    for piece in pieces(value):
        data: dict[str, Any] = piece.get("data") or {}
        for key, inner in data.items():
            if key == "msteams":
                assert inner == {"type": "task/fetch"}
            elif not (isinstance(inner, str) and allowed.fullmatch(inner)):
                return False
        assert DO not in data or piece["type"] == "Action.Submit"
    return True


@examples(3, nightly=200)
@given(text=TEXTS)
def test_nothing_is_live(text: str) -> None:
    """No link, mention, image, HTML or markup that code did not make, in any payload."""
    for payload in every(text):
        check(payload)


@examples(300)
@given(text=TEXTS, index=st.integers(0, 10_000), shape=st.integers(0, SHAPES - 1))
def test_no_reply_is_live(text: str, index: int, shape: int) -> None:
    """Of each text one kind of reply, in one shape."""
    kinds = list(replies(text))
    name, reply = kinds[index % len(kinds)]
    shown = render(reply, shape, context=SETTING if index % 2 else PUBLIC)
    check(Payload(name=name, activity=shown.activity))


@pytest.mark.parametrize("text", ["May I take a gift?", " ".join(HOSTILE)])
def test_everything_is_taken(text: str) -> None:
    """By Microsoft's models, the schema of cards, and our own rules."""
    for payload in every(text):
        assert faults(payload) == [], payload.name


@pytest.mark.nightly
@pytest.mark.parametrize("text", HOSTILE)
def test_named_texts(text: str) -> None:
    """Each hostile text alone."""
    for payload in every(text):
        check(payload)
        assert faults(payload) == [], payload.name


LONG = ("a\n", "<at>x</at> https://evil.com\n", '\u05e9\u05dc\u05d5\u05dd \U0001f600&"\\')


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("".join(LONG), 12_000),
        *(pytest.param(one, 100_000, marks=pytest.mark.nightly) for one in ("x", *LONG)),
    ],
)
def test_long_texts(text: str, size: int) -> None:
    """So many bytes in every place at once; Teams' limits hold."""
    for payload in every(text * (size // len(text.encode()))):
        check(payload)
        assert limits(payload) == [], payload.name


def test_what_is_told_of_a_case_names_its_record() -> None:
    """In each shape: people read 8 digits, and a button or the last line holds the hash."""
    named = ("officer", "superseded", "news")
    told = [reply for name, reply in replies("Yes.") if name.startswith(named)]
    assert told
    for reply in told:
        assert reply.record_id is not None
        marked = replace(reply, leaf_hash="9f2c41d07be6a358" * 4)
        for shape in range(SHAPES):
            made = render(marked, shape, context=SETTING).activity
            assert f"Ref {reply.record_id[-8:]}" in str(made["text"])
            held = str(made["text"]).replace("\\", "")
            if made.get("attachments") and reply.officer_reply:
                held = str(made["attachments"])
                assert reply.record_id in held
            assert "9f2c41d07be6a358" in held
            bare = render(replace(reply, leaf_hash=None), shape, context=SETTING).activity
            assert "Ref " not in str(bare["text"]).partition("The earlier answer was")[0]
