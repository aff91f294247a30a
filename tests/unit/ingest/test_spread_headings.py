"""A section's number may be printed over several lines: "CHAPTER", "NINE", "Tools"."""

import pytest

from core.ingest.prepare import prepare


def read(text: str) -> list[tuple[str | None, str]]:
    found = prepare(text.encode(), source_name="x.html")
    return [(section.number, section.title) for section in found.sections]


def page(*headings: str) -> str:
    body = "".join(f"<h1>{one}</h1>" if one else "<p>Staff must wait.</p>" for one in headings)
    return f"<html><body>{body}<p>Staff must not wait.</p></body></html>"


@pytest.mark.parametrize(
    ("word", "number", "printed"),
    [
        ("CHAPTER", "NINE", "Chapter 9"),
        ("Part", "II", "Part II"),
        ("PART", "B", "Part B"),
        ("Chapter", "twenty-one", None),
        ("CHAPTER", "TOOLS", None),
    ],
)
def test_a_number_below_its_word_is_that_of_the_title(
    word: str, number: str, printed: str | None
) -> None:
    found = read(page("Handbook", "", word, number, "What we use"))
    if printed is None:
        assert (None, "What we use") in found
    else:
        assert found == [(None, "Handbook"), (printed, "What we use")]


def test_with_a_text_between_they_are_headings_of_their_own() -> None:
    found = read(page("Handbook", "", "Chapter", "", "Nine", "", "What we use"))
    assert [title for _, title in found] == ["Handbook", "Chapter", "Nine", "What we use"]


def test_every_span_is_still_its_text() -> None:
    found = prepare(page("Handbook", "", "CHAPTER", "NINE", "Tools").encode(), source_name="x.html")
    last = found.sections[-1]
    text = found.document.text
    assert text[last.char_start : last.body_start].split() == ["CHAPTER", "NINE", "Tools"]
    assert "".join(text[one.char_start : one.char_end] for one in found.sections) == text
