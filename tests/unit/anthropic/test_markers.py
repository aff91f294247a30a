"""Marks in the text become the same citations as native ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.adapters.anthropic.api.api_types import CitedBlocks
from core.adapters.anthropic.dialogue.claims import cited_sentences, unmarked

MARKS = [
    CitedBlocks(search_result=number, start_block=0, end_block=1, cited_text="")
    for number in range(4)
]


def _read(text: str) -> list[tuple[str, list[int]]]:
    return [
        (one.text, [cited.search_result for cited in one.citations])
        for one in cited_sentences(unmarked(text, MARKS))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Cash is out [c1]. Gifts are in [c2][c3].",
        "Cash is out. [c1] Gifts are in. [c2] [c3]",
        "Cash is out [C1]. Gifts are in [c2, c3].",
        "Cash is out[c1]. Gifts are in [ c2; c3 ].",
    ],
)
def test_a_mark_belongs_to_its_sentence(text: str) -> None:
    """Before or behind the full stop, one or several."""
    assert _read(text) == [("Cash is out.", [0]), ("Gifts are in.", [1, 2])]


def test_a_sentence_without_a_mark_gets_none_from_its_neighbours() -> None:
    """It is an uncited claim, which verify drops."""
    assert _read("Cash is out [c1]. You must ask. Gifts are in [c2].") == [
        ("Cash is out.", [0]),
        ("You must ask.", []),
        ("Gifts are in.", [1]),
    ]


@pytest.mark.parametrize("mark", ["c0", "c5", "c99", "c999999999999999999"])
def test_an_unknown_mark_cites_what_does_not_exist(mark: str) -> None:
    """It is not left out: the claim must fail, and say why."""
    assert _read(f"Cash is out [{mark}].") == [("Cash is out.", [-1])]


@pytest.mark.parametrize("text", ["See [1].", "See [cash].", "See [c1](http://x.example)."])
def test_other_brackets_are_text(text: str) -> None:
    """Only marks are marks."""
    assert [part.text for part in unmarked(text, MARKS)] == [text]


@given(st.text(alphabet="ab. [c12],;\n", max_size=60))
def test_only_marks_are_taken_out(text: str) -> None:
    """Nothing else changes, and no text makes it fail."""
    left = "".join(part.text for part in unmarked(text, MARKS))
    letters = [character for character in text if character in "ab"]
    assert [character for character in left if character in "ab"] == letters
