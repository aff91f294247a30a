"""Sections: which lines are headings, how they nest, what they are called."""

import time
import timeit

import pytest

from core.domain.policy import LoadedDocument, Section
from core.ingest.load import load
from core.ingest.sections import document_title, split_sections


def sections(text: str, *, name: str = "a.txt") -> tuple[LoadedDocument, tuple[Section, ...]]:
    document = load(text.encode(), source_name=name)
    return document, split_sections(document)


def shape(text: str, *, name: str = "a.txt") -> list[tuple[int, str | None, str]]:
    return [
        (section.level, section.number, section.title) for section in sections(text, name=name)[1]
    ]


def test_numbered_lines_of_plain_text_are_nested_sections() -> None:
    assert shape("1. Purpose\nWhy.\n1.1 Detail\nMore.\n2. Scope\nWho.") == [
        (1, "1", "Purpose"),
        (2, "1.1", "Detail"),
        (1, "2", "Scope"),
    ]


def test_rulebook_paragraph_is_a_section_whose_heading_is_its_number() -> None:
    text = (
        "4.\tRECORDS\n4.1\tKeeping\n4.1.1\t\n4.1.1.(1)\tA firm must keep records.\n(a)\tall;\n"
        "4.1.1.Guidance\t\n4.1.1.Guidance.1.\tRecords may be kept."
    )
    document, found = sections(text)
    assert [section.number for section in found] == [
        "4",
        "4.1",
        "4.1.1",
        "4.1.1.(1)",
        "4.1.1.Guidance",
        "4.1.1.Guidance.1",
    ]
    body = found[3]
    assert body.title == ""
    assert (
        document.text[body.body_start : body.char_end].strip()
        == "A firm must keep records.\n(a) all;"
    )
    assert found[5].path == (
        "4 RECORDS",
        "4.1 Keeping",
        "4.1.1",
        "4.1.1.Guidance",
        "4.1.1.Guidance.1",
    )
    assert found[3].eid == "sec_4__sec_4.1__sec_4.1.1__sec_4.1.1.-1"


def test_marked_heading_is_split_into_number_and_title() -> None:
    text = (
        "# Expenses\n\n## 5. POLICY STATEMENTS\n\n### 5.1. Submission\n\nx\n\n"
        "### A. Disclosure\n\ny\n\n## Appendix A: Matrix\n\nz"
    )
    assert shape(text, name="a.md") == [
        (1, None, "Expenses"),
        (2, "5", "POLICY STATEMENTS"),
        (3, "5.1", "Submission"),
        (3, "A", "Disclosure"),
        (2, "Appendix A", "Matrix"),
    ]


def test_list_items_below_a_marked_heading_are_no_sections() -> None:
    text = (
        "# P\n\n## 1. Scope\n\n1. All Employees: everyone.\n2. Third Parties\n3. Guests\n\n"
        "## 2. End\n\nx"
    )
    assert [number for _, number, _ in shape(text, name="a.md")] == [None, "1", "2"]


def test_numbered_paragraph_below_a_marked_heading_is_a_section() -> None:
    """It extends the heading's number; the words before its colon name it."""
    text = (
        "# P\n\n## 9. Exceptions\n\n9.1 Request process: Any request must be made.\n\n"
        "9.2 Nobody is exempt.\n\n## 10. End\n\nx"
    )
    assert shape(text, name="a.md") == [
        (1, None, "P"),
        (2, "9", "Exceptions"),
        (3, "9.1", "Request process"),
        (3, "9.2", ""),
        (2, "10", "End"),
    ]


def test_short_list_in_plain_text_is_no_section() -> None:
    text = "1. Scope\nThis applies to:\n1. Employees\n2. Contractors\n3. Guests\n2. Duties\nAsk."
    assert [(number, title) for _, number, title in shape(text)] == [
        ("1", "Scope"),
        ("2", "Duties"),
    ]


def test_wrapped_reference_is_no_section() -> None:
    text = (
        "1. Scope\nThe limits of section\n4.2 of this policy apply, as do those of\n"
        "9.9 Million Club.\n2. Duties\nAsk."
    )
    assert "4.2" not in [number for _, number, _ in shape(text)]


def test_first_line_of_a_wrapped_paragraph_is_no_title() -> None:
    text = (
        "1. SCOPE\n\n1.1 The Group depends on hauliers, agents, providers and other third\n"
        "parties. It must know them."
    )
    document, found = sections(text)
    assert (found[1].number, found[1].title) == ("1.1", "")
    assert document.text[found[1].body_start :].startswith("The Group depends")


@pytest.mark.parametrize(
    "contents",
    [
        "CONTENTS\n\n1. Purpose ........ 1\n2. Scope ........ 2\n\n",
        "1. Purpose 1\n2. Scope 2\n\n",
        "1. Purpose\n2. Scope\n\n",
    ],
)
def test_table_of_contents_gives_no_sections(contents: str) -> None:
    found = shape(f"{contents}1. Purpose\nWhy.\n2. Scope\nWho.")
    assert [(number, title) for _, number, title in found if number] == [
        ("1", "Purpose"),
        ("2", "Scope"),
    ]


def test_parts_chapters_articles_and_annexes_nest() -> None:
    text = (
        "PART I\nChapter 1\nArticle 1 - Scope\nX.\nArticle 2 - Terms\nY.\nChapter 2\n"
        "Article 3\nZ.\nPART II\nArticle 4\nW.\nAnnex A: Forms\nV."
    )
    assert [(level, number) for level, number, _ in shape(text)] == [
        (1, "PART I"),
        (2, "Chapter 1"),
        (3, "Article 1"),
        (3, "Article 2"),
        (2, "Chapter 2"),
        (3, "Article 3"),
        (1, "PART II"),
        (2, "Article 4"),
        (1, "Annex A"),
    ]


def test_capitals_are_headings_of_plain_text() -> None:
    text = "REMOTE WORK POLICY\n\nOVERVIEW\n\nText.\n\nTHIS SENTENCE SHOUTS.\n\nSCOPE\n\nMore."
    document, found = sections(text)
    assert [section.title for section in found] == ["REMOTE WORK POLICY", "OVERVIEW", "SCOPE"]
    assert document_title(document) == "REMOTE WORK POLICY"


def test_text_before_the_first_heading_is_a_section_titled_as_the_document() -> None:
    document, found = sections("---\ntitle: Gifts\n---\nForeword.\n\n# One\n\nx", name="a.md")
    assert (found[0].number, found[0].title, found[0].eid) == (None, "Gifts", "preamble")
    assert document.text[: found[0].char_end].strip() == "Foreword."


def test_text_without_headings_is_one_section() -> None:
    _, found = sections("just some words without any structure at all.")
    assert [(section.number, section.title) for section in found] == [(None, "")]


def test_letters_and_roman_numerals_are_told_apart() -> None:
    letters = "".join(f"{letter}. Topic\nText {letter}.\n" for letter in "ABCDEFGHIJ")
    assert [section.number for section in sections(letters)[1]] == list("ABCDEFGHIJ")
    romans = "".join(f"{numeral}. Topic\nText.\n" for numeral in ("I", "II", "III", "IV", "V"))
    assert [section.number for section in sections(romans)[1]] == ["I", "II", "III", "IV", "V"]


def test_equal_names_get_different_eids() -> None:
    text = "# A\n\n## Summary\n\nx\n\n# B\n\n## Summary\n\ny\n\n## Summary\n\nz"
    eids = [section.eid for section in sections(text, name="a.md")[1]]
    assert len(set(eids)) == len(eids)


def test_eid_does_not_change_with_the_title() -> None:
    first = [
        section.eid
        for section in sections("# P\n\n## 4. Gifts\n\n### 4.2 Limit\n\nx", name="a.md")[1]
    ]
    later = [
        section.eid
        for section in sections("# Q\n\n## 4. Presents\n\n### 4.2 Cap\n\nx", name="a.md")[1]
    ]
    assert first[1:] == later[1:] == ["sec_4", "sec_4__sec_4.2"]


@pytest.mark.parametrize(
    "line", ["1.1.1 Text here.\n", "(a) x\n", "A. B\n", "1. X\n", "x " * 40 + "\n", "SHOUT\n\n"]
)
def test_time_is_linear_in_the_text(line: str) -> None:
    """Four times as many look-alike headings take some four times the work, not sixteen."""
    assert work_for(line, 200_000) < 10 * work_for(line, 50_000)


def work_for(line: str, characters: int) -> float:
    """Return the processor's seconds that a text of such lines takes, whatever else runs.

    The least of three, with no garbage collected: one time alone is often twice another.
    """
    document = LoadedDocument(text=line * (characters // len(line)), media_type="text/plain")
    timer = timeit.Timer(lambda: split_sections(document), timer=time.process_time)
    return min(timer.repeat(repeat=3, number=1))


def test_a_title_that_a_plain_text_prints_is_above_its_sections() -> None:
    text = (
        "Constitution of the Club\n\nAs of May.\n\n1. Members\n\nAll.\n\n1.1. New ones\n\nWait.\n"
    )
    document, found = sections(text)
    assert [section.path for section in found] == [
        ("Constitution of the Club",),
        ("Constitution of the Club", "1 Members"),
        ("Constitution of the Club", "1 Members", "1.1 New ones"),
    ]
    assert text[found[0].char_start : found[0].body_start].strip() == "Constitution of the Club"
    assert "".join(document.text[one.char_start : one.char_end] for one in found) == document.text


def test_what_stands_beside_the_title_is_not_above_the_chapters() -> None:
    """ "Version" below the title, in its size, has none of the chapters."""
    text = "<h1>Handbook</h1><p>Ours.</p><h1>Version</h1><p>Of May.</p>"
    text += "".join(f"<h2>{at} Rule {at}</h2><p>Wait.</p>" for at in range(1, 5))
    found = sections(text, name="a.html")[1]
    assert {section.path[:-1] for section in found[1:]} == {("Handbook",)}
    parts = text.replace("<h1>Version", "<h2>0 Rule</h2><p>A.</p><h1>Part Two")
    assert sections(parts, name="a.html")[1][-1].path[0] == "Part Two"


def test_a_number_of_several_steps_stands_also_before_a_small_letter() -> None:
    text = "# Tools\n\nAll.\n\n## 9.2 Checks\n\nRun them.\n\n### 9.2.5 diffoscope\n\nCompares.\n"
    text += "\n## 3 days\n\nAll.\n"
    found = sections(text, name="a.md")[1]
    assert [(one.number, one.title) for one in found[1:]] == [
        ("9.2", "Checks"),
        ("9.2.5", "diffoscope"),
        (None, "3 days"),
    ]


FAQ = """Questions on the Licence
Version 1.1 - December 2020

CONTENTS OF THIS TEXT
1  USING FONTS
2  USING FONTS FOR WEB PAGES
3  CHANGING FONTS

1  USING FONTS

1.1  Can I use the fonts for a book or other print, to make logos or other graphics, or even toys?
Yes. You are welcome to do so.

1.2  What about friends?
You may share them.

2  USING FONTS FOR WEBPAGES

2.1  Can I?
Yes.

3  CHANGING FONTS

No.
"""


def test_contents_of_a_plain_text_end_where_its_numbers_begin_anew() -> None:
    """Although one entry is worded otherwise than its heading; questions are titles, also long."""
    found = sections(FAQ)[1]
    assert [(one.number, one.path[1:-1]) for one in found if one.number] == [
        ("1", ()),
        ("1.1", ("1 USING FONTS",)),
        ("1.2", ("1 USING FONTS",)),
        ("2", ()),
        ("2.1", ("2 USING FONTS FOR WEBPAGES",)),
        ("3", ()),
    ]
    assert found[0].title == "Questions on the Licence"
    assert found[3].title.startswith("Can I use the fonts for a book")
    assert found[3].title.endswith("toys?")
