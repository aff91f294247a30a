"""Headings of PDFs by how they are set: italics, capitals, letters apart, beside their text."""

from collections.abc import Callable

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.unit.ingest.test_layouts import CHAPTERS, prose, put, read, titles

SHORT = ("Gifts", "Partners", "Our records")
Drawing = Callable[[Canvas], None]


def set_in(canvas: Canvas, face: str, x: float, y: float, text: str) -> None:
    canvas.setFont(face, 10)
    canvas.drawString(x, y, text)


def page_of(place: int, *, chapter: str, rule: str) -> Drawing:
    """A chapter and a rule in it, each set in a face of the same size as the text."""

    def draw(canvas: Canvas) -> None:
        set_in(canvas, chapter, 150, 740, CHAPTERS[place])
        prose(canvas, 715)
        set_in(canvas, rule, 150, 620, f"What to do about {CHAPTERS[place].lower()}")
        prose(canvas, 595)

    return draw


def test_headings_of_one_size_nest_by_weight_and_slope() -> None:
    found = read(
        *(page_of(at, chapter="Helvetica-Bold", rule="Helvetica-BoldOblique") for at in range(3))
    )
    assert [section.path for section in found.sections[:2]] == [
        ("Gifts and meals",),
        ("Gifts and meals", "What to do about gifts and meals"),
    ]
    assert len(found.sections) == 6


def test_plain_italics_are_headings_only_where_they_stand_above_a_text() -> None:
    found = read(
        *(page_of(at, chapter="Helvetica-Bold", rule="Helvetica-Oblique") for at in range(3))
    )
    assert len(found.sections) == 6

    def remarks(canvas: Canvas) -> None:
        put(canvas, 150, 740, "Gifts", 18, bold=True)
        prose(canvas, 700)
        for place, title in enumerate(("The Daily Record", "The Ledger", "Our Own Paper")):
            set_in(canvas, "Helvetica-Oblique", 150, 600 - 40 * place, title)

    assert titles(read(remarks)) == ["Gifts"]


def test_capitals_in_the_size_of_the_text_are_above_bold_words() -> None:
    def draw(canvas: Canvas) -> None:
        for place, name in enumerate(("GIFTS AND MEALS", "RECORDS")):
            set_in(canvas, "Helvetica", 260, 740 - 300 * place, name)
            prose(canvas, 710 - 300 * place)
            set_in(canvas, "Helvetica-Oblique", 150, 620 - 300 * place, "What this means")
            prose(canvas, 595 - 300 * place)

    found = read(draw)
    assert [section.path[0] for section in found.sections] == [
        *("GIFTS AND MEALS", "GIFTS AND MEALS"),
        *("RECORDS", "RECORDS"),
    ]


def test_letters_set_apart_are_words() -> None:
    def draw(canvas: Canvas) -> None:
        x = 100.0
        for letter in "GIFTS AND MEALS":
            put(canvas, x, 740, letter, 16, bold=True)
            x += canvas.stringWidth(letter, "Helvetica-Bold", 16) + 7
        prose(canvas, 700)

    assert titles(read(draw)) == ["GIFTS AND MEALS"]


def test_titles_beside_their_text_come_before_it() -> None:
    def draw(canvas: Canvas) -> None:
        put(canvas, 150, 780, "Rules for all of us", 20, bold=True)
        for place, name in enumerate(SHORT):
            put(canvas, 20, 720 - 120 * place, name, 13, bold=True)
            prose(canvas, 720 - 120 * place)

    found = read(draw)
    assert titles(found) == ["Rules for all of us", *SHORT]
    for section in found.sections[1:]:
        assert found.document.text[section.body_start :].startswith("Everybody who works")


def test_pull_quotes_are_no_headings() -> None:
    def draw(canvas: Canvas) -> None:
        put(canvas, 150, 760, "Gifts", 18, bold=True)
        prose(canvas, 720)
        put(canvas, 150, 600, "\u201cAsk before you take anything from a supplier\u201d", 14)
        prose(canvas, 560)

    assert titles(read(draw)) == ["Gifts"]


@pytest.mark.parametrize("pages", [6])
def test_running_head_that_stands_beside_the_text_on_some_pages_is_left_out(pages: int) -> None:
    def draw(canvas: Canvas) -> None:
        put(canvas, 520, 800, "Handbook", 8)
        prose(canvas, 700, x=90 if canvas.getPageNumber() % 2 else 180)

    def opening(canvas: Canvas) -> None:
        put(canvas, 520, 800, "Handbook", 8)
        put(canvas, 100, 500, "Handbook", 40)

    found = read(opening, *([draw] * pages))
    assert found.metadata.title == "Handbook"
    assert found.document.text.count("Handbook") == 1


def test_entry_of_a_list_that_is_set_as_a_heading_later_is_none() -> None:
    def draw(canvas: Canvas) -> None:
        put(canvas, 150, 780, "1 Records", 16, bold=True)
        put(canvas, 150, 750, "Appendix A: Periods")
        prose(canvas, 720)
        put(canvas, 150, 620, "2 Duties", 16, bold=True)
        prose(canvas, 590)
        put(canvas, 150, 480, "Appendix A: Periods", 16, bold=True)
        prose(canvas, 450)

    assert titles(read(draw)) == ["Records", "Duties", "Periods"]


def test_slogan_and_author_beside_the_title_are_no_headings() -> None:
    def opening(canvas: Canvas) -> None:
        put(canvas, 100, 500, "Our Code of Conduct", 36, bold=True)
        put(canvas, 100, 450, "Doing what is right", 18)
        put(canvas, 100, 430, "Office of Ethics", 14)

    pages = [page_of(at, chapter="Helvetica-Bold", rule="Helvetica-BoldOblique") for at in range(2)]
    found = titles(read(opening, *pages))
    assert found[:2] == ["Our Code of Conduct", "Gifts and meals"]


def test_headings_of_one_look_below_each_other_are_two() -> None:
    def draw(canvas: Canvas) -> None:
        for place, name in enumerate(SHORT):
            put(canvas, 150, 780 - 240 * place, name, 10, bold=True)
            put(canvas, 150, 757 - 240 * place, f"Who decides on {name.lower()}", 10, bold=True)
            for item in range(6):
                put(canvas, 150, 730 - 240 * place - 23 * item, "- an item of a list")
                put(canvas, 150, 718 - 240 * place - 23 * item, "that goes on")

    assert len(titles(read(draw))) == 6


def test_items_of_a_list_are_no_headings_where_one_of_them_is_a_sentence() -> None:
    def draw(canvas: Canvas) -> None:
        for place, name in enumerate(SHORT):
            top = 780 - 240 * place
            put(canvas, 150, top, name, 14, bold=True)
            put(canvas, 150, top - 30, "1. Open the register")
            put(canvas, 150, top - 60, "2. Fill in the form and have it signed by your manager.")
            put(canvas, 150, top - 90, "3. Submit")
            prose(canvas, top - 120)

    assert titles(read(draw)) == list(SHORT)


def book(canvas: Canvas) -> None:
    """A page of a book: the name of its chapter on each, on its left and right pages elsewhere."""
    page = canvas.getPageNumber()
    name = CHAPTERS[(page - 1) // 4]
    put(canvas, 90 if page % 2 else 300, 800, f"{name} | {page}" if page % 2 else f"{page} {name}")
    if page % 4 == 1:
        put(canvas, 150, 740, f"Chapter {(page + 3) // 4}", 18, bold=True)
        put(canvas, 150, 700, name, 24, bold=True)
    prose(canvas, 600)


def test_names_of_chapters_above_their_pages_are_left_out_and_their_marks_are_their_numbers() -> (
    None
):
    found = read(*([book] * 12))
    sections = [(section.number, section.title) for section in found.sections]
    assert sections == [(f"Chapter {at + 1}", CHAPTERS[at]) for at in range(3)]
    assert found.document.text.count(CHAPTERS[0]) == 1


def test_first_lines_of_pages_that_differ_stay() -> None:
    def draw(canvas: Canvas) -> None:
        put(canvas, 150, 800, f"Rule {'abcdefgh'[canvas.getPageNumber()]} of the register")
        prose(canvas, 760)

    assert read(*([draw] * 6)).document.text.count("of the register") == 6


@pytest.mark.parametrize("number", ["1 ", ""])
def test_bookmarks_without_numbers_give_levels_also_to_headings_that_have_none(number: str) -> None:
    def draw(canvas: Canvas) -> None:
        for place, name in enumerate(CHAPTERS[:3]):
            top = 780 - 220 * place
            put(canvas, 150, top, f"{number.replace('1', str(place + 1))}{name}", 16, bold=True)
            canvas.bookmarkPage(name)
            canvas.addOutlineEntry(name, name, level=0)
            prose(canvas, top - 25)
            put(canvas, 150, top - 110, f"About {name.lower()}", 12, bold=True)
            prose(canvas, top - 130)

    found = read(draw)
    assert [section.title for section in found.sections[::2]] == list(CHAPTERS[:3])
    assert [section.level for section in found.sections] == [1, 2] * 3


def test_line_in_a_colour_of_its_own_over_a_text_is_its_title() -> None:
    def draw(canvas: Canvas) -> None:
        put(canvas, 150, 780, "Rules for all of us", 20, bold=True)
        for place, name in enumerate(SHORT):
            canvas.setFillColorRGB(0.7, 0.1, 0.1)
            put(canvas, 150, 720 - 120 * place, name)
            canvas.setFillColorRGB(0, 0, 0)
            prose(canvas, 707 - 120 * place)

    assert titles(read(draw)) == ["Rules for all of us", *SHORT]


def test_note_of_several_short_lines_in_the_margin_is_text_and_no_stamp() -> None:
    def draw(canvas: Canvas) -> None:
        put(canvas, 150, 780, "Gifts", 18, bold=True)
        prose(canvas, 740)
        for place, line in enumerate(
            ("Ask the office", "of ethics before", "you take a gift", "home.")
        ):
            put(canvas, 20, 730 - 9 * place, line, 7)
        put(canvas, 20, 600, "FORM 7", 7)
        prose(canvas, 605)

    text = read(draw).document.text
    assert "Ask the office of ethics before you take a gift home." in text
    assert "FORM 7" not in text


def test_questions_of_a_box_are_below_the_headings_of_their_size() -> None:
    def draw(canvas: Canvas) -> None:
        for place, name in enumerate(SHORT):
            put(canvas, 150, 780 - 250 * place, name, 10, bold=True)
            prose(canvas, 760 - 250 * place)
            canvas.setFillColorRGB(0.7, 0.1, 0.1)
            put(canvas, 150, 670 - 250 * place, f"Q: What about {name.lower()}?", 10, bold=True)
            canvas.setFillColorRGB(0, 0, 0)
            prose(canvas, 650 - 250 * place)

    assert [section.level for section in read(draw).sections] == [1, 2] * 3


def test_running_head_of_two_pages_is_left_out_but_no_heading_of_both() -> None:
    def draw(canvas: Canvas) -> None:
        put(canvas, 150, 810, "How we work", 8)
        put(canvas, 150, 770, "Summary", 14, bold=True)
        prose(canvas, 740)

    found = read(draw, draw)
    assert "How we work" not in found.document.text
    assert titles(found) == ["Summary", "Summary"]


def test_of_two_looks_of_one_size_the_one_further_right_is_below() -> None:
    """Bold is above bold italics, unless it is indented: then the indentation is what counts."""

    def draw(canvas: Canvas) -> None:
        for place, name in enumerate(("Gifts and meals", "Our records")):
            top = 740 - 300 * place
            set_in(canvas, "Helvetica-BoldOblique", 150, top, name)
            prose(canvas, top - 30)
            set_in(canvas, "Helvetica-Bold", 186, top - 120, f"Exceptions {place}")
            prose(canvas, top - 145)

    assert [section.path for section in read(draw).sections] == [
        ("Gifts and meals",),
        ("Gifts and meals", "Exceptions 0"),
        ("Our records",),
        ("Our records", "Exceptions 1"),
    ]


def test_one_heading_that_is_a_point_larger_than_those_beside_it_is_a_slip() -> None:
    names = ("Gifts and meals", "Our records", "Working abroad", "Partners and agents")

    def draw(canvas: Canvas) -> None:
        put(canvas, 100, 760, "RULES FOR ALL OF US", 16, bold=True)
        for place, name in enumerate(names):
            top = 730 - 150 * place
            put(canvas, 150, top, name, 13 if place == 3 else 12, bold=True)
            prose(canvas, top - 25)

    found = read(draw).sections
    assert [section.level for section in found] == [1, 2, 2, 2, 2]


def test_heading_that_always_stands_right_above_another_contains_it() -> None:
    """Bold is above bold italics, unless the italics are the titles of groups."""
    names = ("Gifts and meals", "Our records", "Working abroad")

    def draw(canvas: Canvas) -> None:
        for place, name in enumerate(names):
            top = 770 - 250 * place
            set_in(canvas, "Helvetica-BoldOblique", 150, top, name)
            for at, asked in enumerate(("What is it", "Who decides")):
                set_in(canvas, "Helvetica-Bold", 150, top - 20 - 110 * at, f"{asked} {place}?")
                prose(canvas, top - 40 - 110 * at)

    assert [section.path for section in read(draw).sections][:4] == [
        ("Gifts and meals",),
        ("Gifts and meals", "What is it 0?"),
        ("Gifts and meals", "Who decides 0?"),
        ("Our records",),
    ]


def test_titles_that_are_counted_in_brackets_are_below_the_one_before_them() -> None:
    def draw(canvas: Canvas) -> None:
        names = ("Our records", "(i) Before the sale", "(ii) After the sale", "Other papers")
        for place, name in enumerate(names):
            top = 760 - 120 * place
            set_in(canvas, "Helvetica-Bold", 150, top, name)
            prose(canvas, top - 25)

    assert [section.level for section in read(draw).sections] == [1, 2, 2, 1]


def test_words_of_a_justified_heading_are_no_cells_but_even_columns_are() -> None:
    words = ("COMPANY", "RECORDS", "MAINTAINED", "FOR US")

    def line(canvas: Canvas, top: float, gap: float) -> None:
        left = 72.0
        for word in words:
            set_in(canvas, "Helvetica-Bold", left, top, word)
            left += canvas.stringWidth(word, "Helvetica-Bold", 10) + gap

    def draw(canvas: Canvas, *, gap: float) -> None:
        set_in(canvas, "Helvetica-Bold", 72, 760, "INTRODUCTION")
        prose(canvas, 735, x=72)
        line(canvas, 640, gap)
        prose(canvas, 615, x=72)

    justified = read(lambda canvas: draw(canvas, gap=22))
    assert titles(justified)[-1] == " ".join(words)
    columns = read(lambda canvas: draw(canvas, gap=45))
    assert " | ".join(words) in columns.document.text


def test_contents_that_go_on_over_the_page_are_no_headings_and_tell_the_depth() -> None:
    chapters = ("GIFTS", "RECORDS", "TRAVEL")

    def contents(canvas: Canvas) -> None:
        set_in(canvas, "Helvetica-Bold", 250, 760, "CONTENTS")
        set_in(canvas, "Helvetica-Bold", 72, 740, f"{chapters[0]}{'.' * 60}3")
        set_in(canvas, "Helvetica-Bold", 90, 720, f"Small things{'.' * 60}3")

    def more(canvas: Canvas) -> None:
        for place, name in enumerate(chapters[1:]):
            set_in(canvas, "Helvetica-Bold", 72, 760 - 40 * place, f"{name}{'.' * 60}{4 + place}")
            set_in(canvas, "Helvetica-Bold", 90, 740 - 40 * place, f"Part {place}{'.' * 60}4")

    def chapter(place: int) -> Drawing:
        def draw(canvas: Canvas) -> None:
            put(canvas, 72, 700, chapters[place], 14 if place else 18, bold=True)
            for at, what in enumerate(("kept", "read", "signed")):
                put(canvas, 72, 670 - 13 * at, f"All of {chapters[place].lower()} is {what} by us.")

        return draw

    found = read(contents, more, *(chapter(place) for place in range(3)))
    assert [(section.title, section.page, section.level) for section in found.sections[1:]] == [
        ("GIFTS", 3, 1),
        ("RECORDS", 4, 1),
        ("TRAVEL", 5, 1),
    ]


def test_footnotes_are_no_headings_where_headings_are_set_apart() -> None:
    def page(number: int, notes: tuple[str, str]) -> Drawing:
        def draw(canvas: Canvas) -> None:
            for place in range(4):
                top = 760 - 130 * place
                name = f"{CHAPTERS[place % 3]} in case {number}{place}"
                set_in(canvas, "Helvetica-Bold", 72, top, name)
                put(canvas, 72, top - 25, f"All of {name.lower()} is kept by us.")
            for place, note in enumerate(notes):
                put(canvas, 72, 90 - 14 * place, note, 8)

        return draw

    found = read(
        page(1, ("1 Testing for Results and Helping Families", "2 An Urgent Message to Schools")),
        page(2, ("3 Parents Who Are Heard", "4 The Schools They Need")),
    )
    assert [section.title for section in found.sections if section.number] == []
