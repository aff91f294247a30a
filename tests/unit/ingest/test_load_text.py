"""Plain text."""

import pytest

from core.ingest.load import load


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_encodings_are_told_apart(encoding: str) -> None:
    """The same words in each encoding are the same text."""
    text = "Geschenke über 50 € sind unzulässig."
    assert load(text.encode(encoding), source_name="a.txt").text == text


def test_line_ends_become_line_feeds() -> None:
    assert load(b"One.\r\nTwo.\rThree.", source_name="a.txt").text == "One.\nTwo.\nThree."


def test_empty_lines_are_kept_once() -> None:
    assert load(b"\n\nOne.\n\n\n\nTwo.\n\n", source_name="a.txt").text == "One.\n\nTwo."


def test_tab_after_a_number_is_a_space_and_between_words_a_cell() -> None:
    document = load(
        b"1.1\tJurisdiction\n(a) \tfirst\nTerm\tMeaning\nGift\tA benefit\n", source_name="a"
    )
    assert document.text == "1.1 Jurisdiction\n(a) first\n\nTerm | Meaning\nGift | A benefit"
    assert [span.of(document.text) for span in document.tables] == [
        "Term | Meaning\nGift | A benefit"
    ]


def test_columns_aligned_with_spaces_are_a_table() -> None:
    document = load(b"Version       1.4\nPolicy owner  Head of HR\n", source_name="a.txt")
    assert not document.tables
    document = load(b"Version        1.4\nPolicy owner   Head of HR\n", source_name="a.txt")
    assert document.text == "Version | 1.4\nPolicy owner | Head of HR"
    assert document.metadata == {"version": "1.4", "owner": "Head of HR"}


def test_form_feeds_begin_pages() -> None:
    document = load(b"One.\fTwo.\fThree.", source_name="a.txt")
    assert document.page_starts == (0, 5, 10)
    assert document.page_of(document.text.index("Three")) == 3
