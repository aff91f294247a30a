"""Plain text."""

import pytest

from core.ingest.load import load
from core.ingest.sections import split_sections


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


def titles(text: str) -> list[str]:
    sections = split_sections(load(text.encode(), source_name="a.txt"))
    return [" > ".join(section.path) for section in sections if section.eid != "preamble"]


TEXT = "\n\nStaff may accept gifts up to EUR 50\nfrom each giver in a year.\n\n"


def test_underlined_lines_are_headings_by_their_underline() -> None:
    source = f"=====\nGifts\n=====\n\nLimits\n------{TEXT}Records\n-------{TEXT}Cash\n~~~~{TEXT}"
    assert titles(source) == [
        "Gifts",
        "Gifts > Limits",
        "Gifts > Records",
        "Gifts > Records > Cash",
    ]


def test_underline_right_below_a_paragraph_fits_its_title() -> None:
    told = "Gifts\n=====\n\nStaff may keep small gifts.\n"
    assert titles(f"{told}Records\n-------{TEXT}")[-1] == "Gifts > Records"
    assert titles(f"{told}We keep all of what is signed\n-------------{TEXT}") == ["Gifts"]


def test_lines_that_stand_alone_are_headings_where_nothing_else_is() -> None:
    source = TEXT.join(("Limits", "Records", "Who decides?", "Staff may give:")) + TEXT
    assert titles(source)[:3] == ["Limits", "Records", "Who decides?"]
    numbered = TEXT.join(("1. Limits", "2. Records", "Important", "3. Cash")) + TEXT
    assert titles(numbered) == ["1 Limits", "2 Records", "3 Cash"]


def test_items_within_a_section_are_not_the_next_sections() -> None:
    items = "1. Fill in the form.\n2. Complete info on screen\n3. Click on Details\n\n"
    source = f"1. Gifts\n\n1.1 Limits\n\n{items}1.2 Records{TEXT}2. Travel{TEXT}"
    assert titles(source) == [
        "1 Gifts",
        "1 Gifts > 1.1 Limits",
        "1 Gifts > 1.2 Records",
        "2 Travel",
    ]


def test_lines_on_each_page_are_left_out_and_said() -> None:
    pages = [f"ACME Policy 7\n\nText {word}.\n\nPage {n}" for n, word in enumerate("abc")]
    document = load("\f".join(pages).encode(), source_name="a.txt")
    assert document.text == "Text a.\n\nText b.\n\nText c."
    assert document.left_out == ("left out 6 lines at the top or bottom of pages",)


def test_bullets_keep_their_depth_and_wrapped_lines_do_not() -> None:
    document = load(b"Never:\n  - accept:\n    - cash\n      in any form\n", source_name="a.txt")
    assert document.text == "Never:\n  - accept:\n    - cash\nin any form"
