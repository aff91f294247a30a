"""PDF."""

import io
import time
from collections.abc import Sequence

from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Table, TableStyle

from core.domain.policy import LoadedDocument
from core.ingest.load import load
from core.ingest.sections import split_sections

DUTY = "Keeps the register and answers all questions about it. "
TOPICS = ("", "Gifts", "Travel", "Records")
LINES = (
    "Staff must enter every gift in the register within five working days of receiving",
    "it, whether it was accepted or declined, so that the Local Compliance Officer can",
    "see the whole picture.",
)


def drawn(
    pages: Sequence[Sequence[tuple[float, float, str]]], *, size: float = 11
) -> LoadedDocument:
    """A PDF with the given texts at the given places."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for page in pages:
        canvas.setFont("Helvetica", size)
        for x, y, text in page:
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return load(buffer.getvalue(), source_name="a.pdf")


def paragraph(*lines: str, x: float = 72, top: float = 700) -> list[tuple[float, float, str]]:
    return [(x, top - 14 * place, line) for place, line in enumerate(lines)]


def test_lines_flow_into_paragraphs() -> None:
    document = drawn([[*paragraph(*LINES), *paragraph(*LINES, top=620)]])
    assert document.text == f"{' '.join(LINES)}\n\n{' '.join(LINES)}"


def test_hyphenated_line_end_is_joined() -> None:
    document = drawn([paragraph("A gift that is not de-", "clared must be returned.")])
    assert document.text == "A gift that is not declared must be returned."
    assert "joined 1 hyphenated line ends" in document.notes


def test_hyphen_of_a_compound_stays() -> None:
    """The document itself writes the word with a hyphen elsewhere."""
    document = drawn([paragraph("Use a follow-up form for each case of a follow-", "up call.")])
    assert document.text == "Use a follow-up form for each case of a follow-up call."


def test_list_items_stay_on_their_own_lines() -> None:
    document = drawn([paragraph("Do not:", "(a) pay;", "(b) accept;", "• offer.", "1. Ask first.")])
    assert document.text == "Do not:\n(a) pay;\n(b) accept;\n• offer.\n1. Ask first."


def test_paragraph_goes_on_over_the_page() -> None:
    document = drawn([paragraph(*LINES[:2]), paragraph(LINES[2])])
    assert document.text == " ".join(LINES)
    assert document.page_starts == (0, document.text.index(LINES[2]))


def test_running_header_footer_and_page_number_are_left_out() -> None:
    pages = [
        [
            (72, 800, "Gifts Policy 2.0"),
            *paragraph(
                f"Rule {word} is about something else.",
                f"So {word} is kept.",
                f"End of {word}.",
                f"{word.title()}.",
            ),
            (300, 30, f"Page {number} of 4"),
        ]
        for number, word in enumerate(("one", "two", "three", "four"), start=1)
    ]
    document = drawn(pages)
    assert "Gifts Policy" not in document.text
    assert "Page" not in document.text
    assert document.text.count("Rule") == 4
    assert "left out 8 header, footer and page number lines" in document.notes


def test_columns_are_read_one_after_the_other() -> None:
    left = paragraph("First column begins", "and goes on here", "to its end.")
    right = paragraph("Second column begins", "and goes on there", "to the end.", x=320)
    document = drawn([[*left, *right]])
    assert document.text.index("First") < document.text.index("to its end")
    assert document.text.index("to its end") < document.text.index("to the end")


def test_title_drawn_last_is_read_first() -> None:
    document = drawn([[*paragraph(*LINES), (72, 760, "1. Register")]])
    assert document.text.startswith("1. Register")


def test_watermark_is_left_out() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.drawString(72, 700, "Staff must not pay.")
    canvas.rotate(45)
    canvas.drawString(300, 100, "DRAFT")
    canvas.save()
    assert load(buffer.getvalue(), source_name="a.pdf").text == "Staff must not pay."


def styled(*, pages: int = 1) -> bytes:
    """A policy with headings in larger letters, paragraphs and a table with wrapped cells."""
    styles = getSampleStyleSheet()
    buffer = io.BytesIO()
    styles["Title"].fontSize = 28
    story: list[Flowable] = [Paragraph("Gifts Policy", styles["Title"])]
    cell = styles["BodyText"]
    for number in range(1, 3 * pages + 1):
        story += [
            Paragraph(f"{number}. Rule on subject {number}", styles["Heading1"]),
            Paragraph(f"{number}.1 First detail", styles["Heading2"]),
            *(Paragraph(" ".join(LINES), cell) for _ in range(3)),
        ]
    rows = [
        ["Role", "Duty"],
        ["Owner", Paragraph(DUTY * 2, cell)],
        ["Auditor", "Samples"],
    ]
    grid = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
    story.append(Table(rows, colWidths=[100, 200], style=grid))
    SimpleDocTemplate(buffer, title="x").build(story)
    return buffer.getvalue()


def test_larger_lines_are_headings_and_tables_are_rows() -> None:
    document = load(styled(), source_name="a.pdf")
    titles = [(h.level, h.span.of(document.text)) for h in document.headings]
    assert titles[:3] == [
        (1, "Gifts Policy"),
        (2, "1. Rule on subject 1"),
        (3, "1.1 First detail"),
    ]
    assert [span.of(document.text) for span in document.tables] == [
        f"Role | Duty\nOwner | {DUTY}{DUTY.strip()}\nAuditor | Samples"
    ]


def test_outline_gives_levels() -> None:
    """Bookmarks name headings that look like the text."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for number in range(1, 4):
        canvas.bookmarkPage(f"b{number}")
        canvas.addOutlineEntry(TOPICS[number], f"b{number}", level=0)
        canvas.drawString(72, 760, TOPICS[number])
        for x, y, text in paragraph(f"Rule {number * 7} is here.", top=700 - 20 * number):
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    document = load(buffer.getvalue(), source_name="a.pdf")
    assert [section.title for section in split_sections(document)] == list(TOPICS[1:])


def test_a_hundred_pages_take_seconds() -> None:
    data = styled(pages=170)
    started = time.monotonic()
    document = load(data, source_name="a.pdf")
    assert len(document.page_starts) >= 100
    assert len(split_sections(document)) == 1021
    assert time.monotonic() - started < 20
