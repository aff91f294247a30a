"""PDF."""

import io
import time
from collections.abc import Sequence

import pytest
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Table, TableStyle

from core.domain.policy import LoadedDocument
from core.ingest.load import load
from core.ingest.sections import split_sections
from core.language.sentences import split_sentences

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
    assert "joined 1 hyphenated line ends" in document.left_out


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
    assert "left out 8 header, footer and page number lines" in document.left_out


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
    started = time.process_time()
    document = load(data, source_name="a.pdf")
    assert len(document.page_starts) >= 100
    assert len(split_sections(document)) == 1021
    assert time.process_time() - started < 20


def rules(page: int, *, top: float = 730) -> list[tuple[float, float, str]]:
    """A page of text that no other page repeats."""
    return paragraph(
        *(
            f"Rule {chr(65 + page)}{line} says that staff keep to limit {line * page + line} of it."
            for line in range(12)
        ),
        top=top,
    )


@pytest.mark.parametrize("name", ["Annex {}", "Annex {} Forms", "Chapter {}", "Module {}"])
def test_headings_that_count_are_no_running_heads(name: str) -> None:
    """Their number rises with the page, and they stay."""
    document = drawn([[(72, 780, name.format(page + 1)), *rules(page)] for page in range(4)])
    for page in range(4):
        assert name.format(page + 1) in document.text.split("\n")
    assert document.notes == ()


def test_larger_lines_that_count_are_no_running_heads() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for page in range(4):
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(72, 780, f"Travel in region {page + 1}")
        canvas.setFont("Helvetica", 11)
        for x, y, text in rules(page):
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    document = load(buffer.getvalue(), source_name="a.pdf")
    assert [heading.span.of(document.text) for heading in document.headings] == [
        f"Travel in region {page + 1}" for page in range(4)
    ]


@pytest.mark.parametrize(
    "name", ["Page {}", "Gifts Policy 2.0 | {}", "Chapter 3 | page {}", "ACME Code of Conduct {}"]
)
def test_heads_that_count_pages_are_left_out(name: str) -> None:
    pages = [[(72, 800, name.format(page + 7)), *rules(page)] for page in range(4)]
    document = drawn(pages)
    assert name.format(7) not in document.text
    assert document.left_out == ("left out 4 header, footer and page number lines",)


def test_rule_with_a_number_that_rises_with_the_page_stays() -> None:
    """It is no page number, however near to the page's end it stands."""
    pages = [
        [*rules(page), (72, 540, f"Staff of grade {page + 1} must ask first.")] for page in range(4)
    ]
    text = drawn(pages).text
    assert all(f"Staff of grade {page + 1} must ask first." in text for page in range(4))


def test_last_line_of_a_paragraph_that_each_page_repeats_stays() -> None:
    """It is set as the next line of its paragraph."""
    pages = [[*rules(page), (72, 562, "Breaches must be reported.")] for page in range(4)]
    assert drawn(pages).text.count("Breaches must be reported.") == 4


def test_rule_that_each_page_repeats_at_its_end_is_kept_once() -> None:
    """It may be a footer, and it may be a rule."""
    foot = ((72, 90, "Breaches must be reported to the"), (72, 76, "Compliance Officer at once."))
    document = drawn([[*rules(page), *foot, (72, 40, "ACME")] for page in range(4)])
    assert document.text.count("Breaches must be reported to the Compliance Officer at once.") == 1
    assert "ACME" not in document.text


@pytest.mark.parametrize(
    "lines",
    [
        (
            "Staff asked to work overtime or perform",
            "Standby Duty must be paid for it within the month in which it was done.",
        ),
        (
            "The consent of Human Resources is needed by staff in all offices who want to",
            "work overtime or perform",
            "Sunday Duty in any of the offices of the company, and the manager asks for it.",
        ),
        (
            "Gifts are accepted by employees in all of the offices of the company up to",
            "EUR 50, and cash never is.",
        ),
        (
            "The laws against unfair competition prohibit 1) agreements on prices and",
            "2) abuse of a position in the market.",
        ),
    ],
)
def test_sentence_is_not_cut_at_a_line_that_looks_like_a_paragraph(lines: tuple[str, ...]) -> None:
    """Wherever the line ends, and however the next one begins."""
    document = drawn([[*paragraph(*LINES), *paragraph(*lines, top=600)]])
    sentences = [span.of(document.text) for span in split_sentences(document.text)]
    assert sentences == [" ".join(LINES), " ".join(lines)]
    assert document.headings == ()


def test_sentence_goes_on_over_the_page_with_a_capital() -> None:
    above = (
        LINES[0],
        "that they accept or decline, and give it to the office of the Chief Compliance",
    )
    document = drawn([paragraph(*above), paragraph("Officer, who keeps it.")])
    assert document.text == " ".join((*above, "Officer, who keeps it."))


def test_lines_of_a_list_without_labels_stay_on_their_own_lines() -> None:
    lines = ("Procurement integrity", "Export and import compliance", "Political contributions")
    assert drawn([[*paragraph(*LINES), *paragraph(*lines, top=600)]]).text.endswith(
        "\n".join(lines)
    )


def test_rotated_text_and_stamps_in_the_margin_are_left_out_and_said() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.setFont("Helvetica", 11)
    for x, y, text in rules(0):
        canvas.drawString(x + 30, y, text)
    canvas.drawString(82, 500, "4.2")
    canvas.drawString(102, 500, "Staff must keep to the number that stands before a paragraph.")
    canvas.saveState()
    canvas.translate(30, 300)
    canvas.rotate(90)
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(0, 0, "INTERNAL USE ONLY")
    canvas.restoreState()
    canvas.setFont("Helvetica", 8)
    canvas.drawString(20, 700, "see form B")
    canvas.setFont("Helvetica", 11)
    canvas.drawString(20, 640, "DRAFT")
    canvas.save()
    document = load(buffer.getvalue(), source_name="a.pdf")
    assert "INTERNAL" not in document.text
    assert "form B" not in document.text
    assert "DRAFT" not in document.text
    assert "4.2" in document.text
    assert document.left_out == ("left out 3 rotated lines and lines in the margin",)
    assert [section.number for section in split_sections(document)] == [None, "4.2"]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_page_that_is_turned_is_read_upright(turn: int) -> None:
    """A landscape page is stored upright and shown turned."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.setPageRotation(turn)
    canvas.translate(*{90: (595, 0), 180: (595, 842), 270: (0, 842)}[turn])
    canvas.rotate(turn if turn != 270 else -90)
    canvas.setFont("Helvetica", 11)
    for x, y, text in [*paragraph(*LINES, top=500), *paragraph(*LINES, top=400)]:
        canvas.drawString(x, y, text)
    canvas.save()
    document = load(buffer.getvalue(), source_name="a.pdf")
    assert document.text == f"{' '.join(LINES)}\n\n{' '.join(LINES)}"


def test_number_at_the_end_of_a_table_is_no_page_number() -> None:
    pages = [
        [*rules(page), (72, 500, f"{(page + 1) * 50}"), (300, 30, f"{page + 1}")]
        for page in range(3)
    ]
    numbers = [line for line in drawn(pages).text.split("\n") if line.isdigit()]
    assert numbers == ["50", "100", "150"]


def mapped(content: str, meanings: dict[str, str]) -> bytes:
    """A PDF whose font says what each letter means; reportlab writes no such fonts."""
    pairs = " ".join(
        f"<{ord(letter):02x}> <{meant.encode('utf-16-be').hex()}>"
        for letter, meant in meanings.items()
    )
    cmap = (
        "begincmap 1 begincodespacerange <00> <ff> endcodespacerange "
        f"{len(meanings)} beginbfchar {pairs} endbfchar endcmap"
    )
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
        "/Resources<</Font<</F 5 0 R>>>>>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
        f"<</Length {len(cmap)}>>stream\n{cmap}\nendstream",
    )
    body = "".join(f"{place} 0 obj\n{one}\nendobj\n" for place, one in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer\n<</Root 1 0 R/Size 7>>\nstartxref\n0\n%%EOF\n".encode()


@pytest.mark.parametrize(
    ("meanings", "shown"),
    [
        pytest.param({"q": "\U0001f600"}, "\U0001f600", id="a surrogate pair"),
        pytest.param({"q": "\ufb01"}, "fi", id="a ligature"),
        pytest.param({"q": "\x00"}, "", id="no character"),
        pytest.param({"q": "\x01"}, "", id="a control character"),
    ],
)
def test_places_are_those_of_the_characters_whatever_letters_mean(
    meanings: dict[str, str], shown: str
) -> None:
    rows = "".join(
        f"1 0 0 1 72 {y} Tm (qAmount) Tj 1 0 0 1 300 {y} Tm (qLimit) Tj " for y in (700, 686)
    )
    document = load(mapped(f"BT /F 12 Tf {rows}ET", meanings), source_name="a.pdf")
    assert document.text.split("\n") == [f"{shown}Amount | {shown}Limit"] * 2
