import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.sentences import split_sentences


def _units(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("Pens, e.g. Bic ones. Done.", ["Pens, e.g. Bic ones.", "Done."]),
        ("See No. 5 and Art. 4. The rest.", ["See No. 5 and Art. 4.", "The rest."]),
        ("Acme Inc. is the seller. Yes.", ["Acme Inc. is the seller.", "Yes."]),
        ("Paid to Acme Inc. The firm pays.", ["Paid to Acme Inc.", "The firm pays."]),
        ("The U.S. Code applies.", ["The U.S. Code applies."]),
        (
            "Up to EUR 50.00 a year. See 4.2.1 below.",
            ["Up to EUR 50.00 a year.", "See 4.2.1 below."],
        ),
        ("We said no. Then we left.", ["We said no.", "Then we left."]),
        ("Report within\n30 Business Days.", ["Report within\n30 Business Days."]),
        ("First\n\nsecond", ["First", "second"]),
        ("You must:\n- do this;\n- do that", ["You must:", "- do this;", "- do that"]),
        (
            "You must: (a) run; (b) stop; and (c) eat.",
            ["You must:", "(a) run;", "(b) stop; and", "(c) eat."],
        ),
        ("# Title\nText follows.", ["# Title", "Text follows."]),
        ("A | B\nC | D", ["A | B", "C | D"]),
        ("| A. B c. | D. Then e. |\nText.", ["| A. B c. | D. Then e. |", "Text."]),
        ("1. First. Second.\n2. Third.", ["1. First.", "Second.", "2. Third."]),
        (
            "Purpose\nThis policy sets the rules of the house.",
            ["Purpose", "This policy sets the rules of the house."],
        ),
        (
            "4.2 Limits\nEmployees may accept small gifts.",
            ["4.2 Limits", "Employees may accept small gifts."],
        ),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_known_texts(text: str, units: list[str]) -> None:
    """Sentences, items, rows and headings are units of their own."""
    assert _units(text) == units


def test_a_stretch_keeps_offsets_of_the_whole_text() -> None:
    """Spans are offsets into the text, not into the stretch."""
    text = "Zero. One. Two. Three."
    spans = split_sentences(text, start=6, end=15)
    assert [span.of(text) for span in spans] == ["One.", "Two."]


@given(st.text(alphabet=st.sampled_from('aB. \n;:()|-1!?\u2026"*#\t,\u00e9'), max_size=120))
def test_units_cover_everything_in_order(text: str) -> None:
    """Units are in range, in order, trimmed, and no character but white space is left out."""
    position = 0
    for span in split_sentences(text):
        assert position <= span.char_start < span.char_end <= len(text)
        assert not text[position : span.char_start].strip()
        assert span.of(text) == span.of(text).strip()
        position = span.char_end
    assert not text[position:].strip()


@given(st.text(max_size=200))
def test_any_text_is_covered(text: str) -> None:
    """The same holds for any Unicode."""
    covered = "".join("".join(unit.split()) for unit in _units(text))
    assert covered == "".join(text.split())


@pytest.mark.parametrize(
    "piece", [".", "a.", "(a) ", "; (a) ", "a | ", "\n", "\t", "1.", "Aa\n", ". A"]
)
def test_time_is_linear(piece: str) -> None:
    """A long text of any pattern is split in about linear time."""
    began = time.process_time()
    split_sentences(piece * 100_000)
    assert time.process_time() - began < 10
