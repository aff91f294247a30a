"""What officers write: read in its form, written back the same, and never anything else."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cases.written import (
    MOST_MENTIONS,
    WrittenBlock,
    WrittenKind,
    WrittenWords,
    literal,
    named,
    people_in,
    plain,
    read,
    typed,
    write,
)
from core.domain.officers import Account

ANNA = Account(platform="slack", tenant="T1", person="U1")
TEXT = """Yes, **up to EUR 50**, if _your manager_ agrees.
See [the policy](https://policies.example.com/gifts#s3).

- a pen
- **a bottle** of wine

1. ask <@slack/T1/U1|Anna>
2. wait"""


def test_the_form_is_read() -> None:
    """Emphasis, lists, a link and a person."""
    paragraph, bullets, numbers = read(TEXT)
    assert [one.kind for one in (paragraph, bullets, numbers)] == [
        WrittenKind.PARAGRAPH,
        WrittenKind.BULLETS,
        WrittenKind.NUMBERS,
    ]
    assert paragraph.lines[0] == (
        WrittenWords(text="Yes, "),
        WrittenWords(text="up to EUR 50", is_bold=True),
        WrittenWords(text=", if "),
        WrittenWords(text="your manager", is_italic=True),
        WrittenWords(text=" agrees."),
    )
    assert paragraph.lines[1][1].url == "https://policies.example.com/gifts#s3"
    assert numbers.lines[0][1] == WrittenWords(text="@Anna", account=ANNA)
    assert people_in(TEXT) == (ANNA,)
    assert write(read(TEXT)) == TEXT


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_name and 2 * 3 * 4",
        "a ** b ** c",
        "an [unfinished](https://x.example",
        "[x](javascript:alert(1))",
        "[x](http://x.example)",
        "<@U123> <!channel> <@slack/T1>",
        "**open",
    ],
)
def test_what_is_no_form_is_text(text: str) -> None:
    """Whatever it looks like."""
    (block,) = read(text)
    (line,) = block.lines
    assert "".join(one.text for one in line) == text
    assert all(
        (one.url, one.account, one.is_bold, one.is_italic)[:2] == (None, None) for one in line
    )


def test_what_is_typed_names_nobody() -> None:
    """A mention is chosen, not typed."""
    assert people_in(typed("<@slack/T1/U1|Anna>")) == ()
    assert plain(typed("<@slack/T1/U1|Anna>")) == "<@slack/T1/U1|Anna>"


def test_so_many_people_and_no_more_are_named() -> None:
    """The names of others stay."""
    text = " ".join(f"<@slack/T1/U{n}|N{n}>" for n in range(2 * MOST_MENTIONS))
    assert len(people_in(text)) == MOST_MENTIONS
    assert f"@N{2 * MOST_MENTIONS - 1}" in plain(text)


def test_names_are_put_in() -> None:
    """And stay within their mention."""
    text = named("<@slack/T1/U1|>, please", {ANNA: "Anna |<!channel>"})
    assert people_in(text) == (ANNA,)
    assert plain(text) == "@Anna   !channel , please"


@given(st.text(max_size=200))
def test_text_made_literal_is_read_as_itself(text: str) -> None:
    """No sign of it has a meaning, alone or at the beginning of a line."""
    line = " ".join(text.split())
    if not line:
        return
    made = write([WrittenBlock(kind=WrittenKind.PARAGRAPH, lines=((WrittenWords(text=line),),))])
    assert "".join(one.text for block in read(made) for one in block.lines[0]) == line
    assert all(block.kind is WrittenKind.PARAGRAPH for block in read(made))
    assert people_in(literal(text)) == ()


@given(st.text(alphabet="*_[]()<@|\\ ab1.-\n/h:ts", max_size=120))
def test_writing_is_reading_backwards(text: str) -> None:
    """What was read once is read the same again."""
    once = write(read(text))
    assert [_told(one) for one in read(write(read(once)))] == [_told(one) for one in read(once)]


def _told(block: WrittenBlock) -> object:
    return block.kind, ["".join(one.text for one in line) for line in block.lines]


@pytest.mark.parametrize("piece", ["[", "**", "_", "<@a/b/c|", "\\", "- ", "[a](https://", "(*"])
def test_hostile_texts_are_read_in_time(piece: str) -> None:
    """8,000 characters and ten times as many take about ten times as long: none runs away."""
    began = time.process_time()
    for size in (8_000, 80_000):
        plain((piece * size)[:size])
    assert time.process_time() - began < 20
