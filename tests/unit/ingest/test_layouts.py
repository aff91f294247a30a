"""Layouts of published codes: covers, menus in margins, lead paragraphs, columns, turned text."""

import io
from collections.abc import Callable

import pytest
from reportlab.pdfgen.canvas import Canvas

from core.ingest.prepare import Prepared, prepare

PROSE = (
    "Everybody who works for us keeps to this code, wherever they are and whatever",
    "they do. Ask your manager before you act if you are not sure what is right, and",
    "write down what you were told. Nobody who asks in good faith has anything to",
    "fear from us, and those who retaliate against them lose their position at once.",
    "The register of questions is kept by the office of ethics and read every month.",
)
CHAPTERS = ("Gifts and meals", "Working with partners", "Keeping records", "Speaking up")
Drawing = Callable[[Canvas], None]


def read(*pages: Drawing, title: str = "", name: str = "scan0815.pdf") -> Prepared:
    """A PDF of pages that are drawn one by one."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    if title:
        canvas.setTitle(title)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return prepare(buffer.getvalue(), source_name=name)


def put(
    canvas: Canvas, x: float, y: float, text: str, size: float = 10, *, bold: bool = False
) -> None:
    canvas.setFont("Helvetica-Bold" if bold else "Helvetica", size)
    canvas.drawString(x, y, text)


def prose(canvas: Canvas, top: float, *, x: float = 150) -> None:
    for place, line in enumerate(PROSE):
        put(canvas, x, top - 13 * place, line)


def cover(canvas: Canvas) -> None:
    put(canvas, 100, 500, "Our Code of", 36)
    put(canvas, 100, 460, "Conduct", 36)
    put(canvas, 100, 300, "Effective January 2026", 12)


def contents(canvas: Canvas) -> None:
    put(canvas, 100, 740, "Table of Contents", 40, bold=True)
    for place, chapter in enumerate(CHAPTERS):
        put(canvas, 100, 660 - 24 * place, chapter, 12, bold=True)
        put(canvas, 480, 660 - 24 * place, str(place + 3), 12)


def chapter(place: int, *, menu: bool = False) -> Drawing:
    def draw(canvas: Canvas) -> None:
        put(canvas, 150, 740, CHAPTERS[place], 22, bold=True)
        prose(canvas, 700)
        put(canvas, 150, 600, f"What to do about {CHAPTERS[place].lower()}", 12, bold=True)
        prose(canvas, 580)
        prose(canvas, 480)
        if menu:
            put(canvas, 30, 700, "Table of Contents", 12, bold=True)
            for other, title in enumerate(CHAPTERS):
                put(canvas, 30, 660 - 24 * other, title[:14], 11, bold=True)

    return draw


def titles(read_file: Prepared) -> list[str]:
    return [section.title for section in read_file.sections]


@pytest.mark.parametrize(
    "stated", ["", "Microsoft Word - code_v7_FINAL.docx", "untitled", "Table of Contents"]
)
def test_title_is_that_of_the_cover_though_contents_are_larger(stated: str) -> None:
    found = read(cover, contents, *map(chapter, range(4)), title=stated)
    assert found.metadata.title == "Our Code of Conduct"


def test_title_is_never_contents_nor_a_message_nor_a_running_head() -> None:
    def message(canvas: Canvas) -> None:
        put(canvas, 150, 740, "A message from our CEO", 30, bold=True)
        prose(canvas, 600)

    found = read(contents, message, *(chapter(place, menu=True) for place in range(4)))
    assert found.metadata.title not in {"Table of Contents", "A message from our CEO"}
    named = read(contents, message, *map(chapter, range(4)), title="Acme Code of Ethics")
    assert named.metadata.title == "Acme Code of Ethics"


def test_file_name_is_the_title_where_nothing_else_is() -> None:
    found = read(lambda canvas: prose(canvas, 700), name="travel-policy_v2.pdf")
    assert found.metadata.title == "Travel policy"


def test_properties_give_the_title_unless_the_cover_differs() -> None:
    plain = read(lambda canvas: prose(canvas, 700), title="Travel and Expenses Policy")
    assert plain.metadata.title == "Travel and Expenses Policy"
    assert (
        read(cover, chapter(0), title="Old Template Guide").metadata.title == "Our Code of Conduct"
    )


def test_contents_and_menus_make_no_sections() -> None:
    found = read(cover, contents, *(chapter(place, menu=True) for place in range(4)))
    for title in CHAPTERS:
        assert titles(found).count(title) == 1
        assert titles(found).count(title[:14]) <= 1
    assert titles(found).count("Table of Contents") == 1
    text = found.document.text
    assert text.count("Table of Contents") == 1


def test_sections_stand_below_their_chapter() -> None:
    found = read(cover, contents, *(chapter(place, menu=True) for place in range(4)))
    for place, title in enumerate(CHAPTERS):
        below = next(s for s in found.sections if s.title == f"What to do about {title.lower()}")
        assert below.path[-2] == title
        assert below.page == place + 3


def test_lead_paragraph_in_bold_is_no_heading() -> None:
    """Larger than the text, with lines further apart, as magazines and codes set it."""

    def lead(canvas: Canvas) -> None:
        put(canvas, 100, 760, "Speaking up", 22, bold=True)
        for place, line in enumerate(
            (
                "We want everybody to speak up when something is",
                "wrong and we protect those who do it whoever",
                "they are and wherever they work for us and for",
                "all our partners",
            )
        ):
            put(canvas, 100, 720 - 19 * place, line, 14, bold=True)
        prose(canvas, 600, x=100)
        prose(canvas, 500, x=100)

    found = read(lead)
    assert titles(found) == ["Speaking up"]
    assert (
        "We want everybody to speak up when something is wrong and we protect"
        in found.document.text
    )


def test_notes_in_the_margin_come_after_the_text_and_are_no_sections() -> None:
    def page(canvas: Canvas) -> None:
        put(canvas, 150, 760, "Gifts", 18, bold=True)
        prose(canvas, 720)
        put(canvas, 20, 705.5, "Ask first", 13, bold=True)
        put(canvas, 20, 640.5, "Think twice", 13, bold=True)
        prose(canvas, 640)

    found = read(page)
    assert titles(found) == ["Gifts"]
    text = found.document.text
    assert text.index("Ask first") > text.rindex("read every month")


def test_box_in_the_margin_keeps_its_heading() -> None:
    def page(canvas: Canvas) -> None:
        put(canvas, 200, 760, "Gifts", 18, bold=True)
        prose(canvas, 720, x=200)
        prose(canvas, 640, x=200)
        put(canvas, 20, 700.5, "Questions to ask", 12, bold=True)
        for place, line in enumerate(
            (
                "Is the gift meant to change",
                "what I decide, and would",
                "I hide it from a colleague?",
            )
        ):
            put(canvas, 20, 682.5 - 13 * place, line)

    found = read(page)
    assert titles(found) == ["Gifts", "Questions to ask"]
    assert found.sections[1].path == ("Gifts", "Questions to ask")


def test_turned_text_is_left_out_and_told_of() -> None:
    def page(canvas: Canvas) -> None:
        put(canvas, 100, 760, "Gifts", 18, bold=True)
        prose(canvas, 720, x=100)
        canvas.saveState()
        canvas.rotate(90)
        put(canvas, 200, -30, "ACME CODE 2026", 14, bold=True)
        canvas.restoreState()

    found = read(page)
    assert titles(found) == ["Gifts"]
    assert "ACME" not in found.document.text
    assert "left out 1 rotated lines and lines in the margin" in found.document.left_out


def test_two_columns_are_read_one_after_the_other() -> None:
    left = (
        "Gifts of small value may be accepted",
        "from anybody. What is worth more is",
        "to be returned to whoever gave it.",
    )
    right = (
        "Meals are entered in the register",
        "within five days. The register is",
        "read by the office of ethics.",
    )

    def page(canvas: Canvas) -> None:
        put(canvas, 60, 760, "Gifts", 18, bold=True)
        for place in range(3):
            put(canvas, 60, 720 - 13 * place, left[place])
        for place in range(3):
            put(canvas, 320, 720 - 13 * place, right[place])

    text = read(page).document.text
    assert " ".join(left) in text
    assert " ".join(right) in text


def test_title_that_runs_on_pages_is_one_section_each_time() -> None:
    """A chapter whose title stands again on its next page keeps what stands below it."""

    def page(section: str) -> Drawing:
        def draw(canvas: Canvas) -> None:
            put(canvas, 100, 700, "Conflicts of interest", 16)
            put(canvas, 100, 660, section, 12, bold=True)
            prose(canvas, 640, x=100)
            prose(canvas, 540, x=100)

        return draw

    def earlier(canvas: Canvas) -> None:
        put(canvas, 100, 690, "Gifts", 16)
        prose(canvas, 640, x=100)

    found = read(cover, earlier, page("Summary"), page("Questions"))
    summary = next(section for section in found.sections if section.title == "Summary")
    assert summary.path[-2] == "Conflicts of interest"


@pytest.mark.parametrize("size", [11, 14])
def test_headings_without_number_do_not_tear_a_count_apart(size: float) -> None:
    """ "3.2" stands beside "3.1", whatever stood between; "Finding" recurs, so it stands below."""

    def finding(number: int) -> Drawing:
        def draw(canvas: Canvas) -> None:
            if number == 1:
                put(canvas, 150, 760, "Findings of the review", 22, bold=True)
            top = 760 - 50 * number
            put(canvas, 150, top, f"3.{number} Subject of part {number}", size, bold=True)
            for place, title in enumerate(("Finding", "Advice")):
                put(canvas, 150, top - 30 - 130 * place, title, 14, bold=True)
                prose(canvas, top - 50 - 130 * place)
            put(canvas, 150, top - 290, "Particulars", 12, bold=True)
            prose(canvas, top - 310)

        return draw

    found = read(finding(1), finding(2), finding(3)).sections
    paths = [section.path for section in found if section.number or section.title == "Finding"]
    above = "Findings of the review"
    assert paths == [
        step
        for number in (1, 2, 3)
        for step in (
            (above, f"3.{number} Subject of part {number}"),
            (above, f"3.{number} Subject of part {number}", "Finding"),
        )
    ]
