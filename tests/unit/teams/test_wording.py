"""A person's words, whatever markup they come in."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.teams.inbound.text_input import clean_text, html_text, names_bot
from tests.unit.teams.activities import BOT, Activity, mention, message


def cleaned(text: str, *entities: dict[str, Any]) -> str:
    return clean_text(message(text, entities=list(entities)))


@pytest.mark.parametrize(
    ("text", "entities", "words"),
    [
        ("May I?", [], "May I?"),
        ("<at>Citebound</at> May I?", [mention()], "May I?"),
        ("May I, <at>Citebound</at>, today?", [mention()], "May I, , today?"),
        ("<at>Citebound</at> Is Citebound right?", [mention()], "Is Citebound right?"),
        ('<at id="0">Citebound</at> May I?', [mention(text=None)], "May I?"),
        ("<at>Citebound</at>&nbsp;May I?", [mention()], "May I?"),
        ("<at>Citebound</at>", [mention()], ""),
        (
            "<at>Citebound</at> may <at>Ben Example</at> do it?",
            [mention(), mention("29:ben", "Ben Example")],
            "may Ben Example do it?",
        ),
        (
            "<at>Twin</at> knows <at>Twin</at>",
            [mention(BOT, "Twin"), mention("29:twin", "Twin")],
            "knows Twin",
        ),
        ("<at>Citebound</at> <at>Citebound</at> hi", [mention()], "hi"),
        ("<at>Nobody</at> hi", [], "Nobody hi"),
        ("<at>A &amp; B</at> hi", [mention("29:ab", "A & B", text=None)], "A & B hi"),
        (
            "<at>x</at> hi",
            [mention("29:x", "<b>x</b> &amp;lt;", text="<at>x</at>")],
            "<b>x</b> &amp;lt; hi",
        ),
        ("<at>Citebound hi", [], "Citebound hi"),
        ("a &lt; b &amp;&amp; c", [], "a < b && c"),
        ("a < b and c > d", [], "a < b and c > d"),
        ("&lt;at&gt;Citebound&lt;/at&gt;", [mention()], "<at>Citebound</at>"),
        ("<p>one</p><p>two</p>", [], "one\ntwo"),
        ("one<br/>two<br>three", [], "one\ntwo\nthree"),
        ('<strong>bold</strong> <a href="https://x.test">link</a>', [], "bold link"),
        ("<script>x</script>", [], "<script>x</script>"),
        ("a \u00a0 b", [], "a b"),
        ("line\n\n\n line", [], "line\nline"),
        ('<quoted messageId="17"/> And for contractors?', [], "And for contractors?"),
        ('<quoted messageId="17"/><at>Citebound</at>', [mention()], ""),
        ('one <quoted messageId="1"/>two <quoted messageId="2"/>', [], "one two"),
        ("&lt;quoted messageId=&quot;1&quot;/&gt;", [], '<quoted messageId="1"/>'),
    ],
)
def test_what_was_typed(text: str, entities: list[dict[str, Any]], words: str) -> None:
    """Our mention goes, other people keep their names, markup ends."""
    assert cleaned(text, *entities) == words


@pytest.mark.parametrize("text", [None, 5, {}, ["x"]])
def test_what_is_no_text_is_none(text: Any) -> None:
    """A card that is sent has none."""
    assert clean_text(message() | {"text": text}) == ""


@pytest.mark.parametrize(
    "entities",
    [
        [],
        None,
        "mention",
        [None, 5, "x"],
        [{"type": "mention"}],
        [{"type": "mention", "mentioned": "x", "text": 5}],
        [mention("29:ben", "Citebound")],
        [mention(type="clientInfo")],
    ],
)
def test_a_name_alone_is_no_mention(entities: Any) -> None:
    """Whoever is called like us is not us."""
    activity = message("<at>Citebound</at> hi") | {"entities": entities}
    assert not names_bot(activity)
    clean_text(activity)


def test_a_mention_is_told_by_its_id() -> None:
    """Whatever it is called, and however its type is written."""
    assert names_bot(message(entities=[mention(name="Renamed", type="Mention")]))
    nobody: Activity = message(entities=[mention("")]) | {"recipient": {}}
    assert not names_bot(nobody)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<div><div>May we?</div></div>", "May we?"),
        ("<p>one</p>\n<p>two</p>", "one\ntwo"),
        ("<ul><li>a</li><li>b</li></ul>", "a\nb"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ('see <attachment id="1"></attachment>this', "see this"),
        ('<emoji id="smile" alt="\U0001f600" title="x"></emoji> ok', "\U0001f600 ok"),
        ('<img src="https://evil.test/x.png" alt="a chart"> shows', "a chart shows"),
        ("<style>p{}</style>a<script>alert(1)</script>b", "ab"),
        ("<script>never <b>ends", ""),
        ("<!-- hidden -->seen", "seen"),
        ("1 &lt; 2 &amp;&amp; 3", "1 < 2 && 3"),
        ("1 < 2", "1 < 2"),
        ('<at id="0">Ben</at> said', "Ben said"),
        ("", ""),
    ],
)
def test_the_words_of_a_message(content: str, words: str) -> None:
    """As people saw it, without what nobody saw."""
    assert html_text(content) == words


@pytest.mark.parametrize(
    "text",
    [
        "<at>" * 60_000,
        "<" * 240_000,
        "<at " * 60_000,
        "&" * 240_000,
        "<at>x" * 48_000,
        "<script>" * 30_000,
        "<!--" * 60_000,
        " \n" * 120_000,
        '<img alt="' * 24_000,
    ],
)
def test_hostile_text_costs_no_more_than_other_text(text: str) -> None:
    """A tag never reaches beyond the next one, so nothing is read twice."""
    began = time.process_time()
    cleaned(text, mention())
    html_text(text)
    assert time.process_time() - began < 5.0


@given(st.text(alphabet=st.sampled_from("<>/at &;lgnbsp\"'=x\n\u00a0"), max_size=60))
def test_whatever_was_typed_is_read(text: str) -> None:
    """No text is an error, and no `<at>` of Teams is left."""
    cleaned(text, mention())
    assert html_text(html_text(text)) is not None
