"""Workbooks, presentations, e-mails and OpenDocument texts become text with places to cite."""

import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.comments import Comment
from openpyxl.styles import Font

from core.adapters.postgres.engine.scope import section_ref
from core.domain.errors import DocumentError
from core.domain.ontology import page_name
from core.ingest.load import load
from core.ingest.load.office.cell_text import cell_text
from core.ingest.prepare import prepare, read_content
from core.ingest.sandbox import checked_content
from core.ingest.sandbox_process import ParserReply
from tests.properties import examples
from tests.unit.ingest.office_files import (
    compound,
    mail,
    message_file,
    open_document,
    presentation,
    sheet,
    slide,
    slide_table,
    workbook,
)
from tests.unit.ingest.test_refusals import refusal

BOLD = Font(bold=True)
DAY = datetime(2026, 3, 1)  # noqa: DTZ001  # cells have no zone

MUST_SHOW = "what belongs to the policy must be visible in the file"


def place(data: bytes, name: str, words: str) -> str:
    """The section and page that a quote is cited by, as the database is asked for them."""
    content = read_content(data, source_name=name, with_chunks=False)
    at = content.document.text.index(words)
    section = next(one for one in content.sections if one.char_start <= at < one.char_end)
    row = {
        **asdict(section),
        **dict.fromkeys(("key", "label", "jurisdiction")),
        "section_title": section.title,
        "section_page": section.page,
        "page_starts": content.document.page_starts,
        "char_start": at,
    }
    ref = section_ref(row)
    return f"{ref.title}, {page_name(ref.eid, ref.page)}"


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1250, '"EUR" #,##0.00', "EUR 1,250.00"),
        (1250, "[$EUR] #,##0.00", "EUR 1,250.00"),
        (1250.5, '#,##0.00\\ "€"', "1,250.50 €"),
        (1250, "$#,##0", "$1,250"),
        (0.15, "0%", "15%"),
        (0.285, "0%", "29%"),
        (1.5, '0.0 "km"', "1.5 km"),
        (3, "0.##", "3"),
        (7, "0000", "0007"),
        (-5, "0.00", "-5.00"),
        (-5, "#,##0;(#,##0)", "(5)"),
        (0, '0;-0;"none"', "none"),
        (5, ";;;", ""),
        (0.1 + 0.2, "General", "0.3"),
        (12345678901, "General", "12345678901"),
        (1234567, '#,##0,"k"', "1234567"),
        (0.5, "# ?/?", "0.5"),
        (5, '[<=5]0"a";0', "5"),
        (1234567, "000-00-00", "1234567"),
        (True, "General", "TRUE"),
        ("as it is", "0.00", "as it is"),
        (DAY, "dd mmm yyyy", "01 Mar 2026"),
        (DAY, "mm-dd-yy", "1 Mar 2026"),
        (DAY, "[$-407]d. mmmm yyyy", "1. March 2026"),
        (DAY.replace(hour=14, minute=5), "dd/mm/yyyy hh:mm:ss", "01/03/2026 14:05:00"),
        (time(14, 5), "h:mm AM/PM", "2:05 PM"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
        (DAY, "General", "2026-03-01 00:00:00"),
    ],
)
def test_a_cell_reads_as_its_format_shows_it(value: Any, code: str, shown: str) -> None:
    """Currencies, shares, units and dates; a plain number where the format is not understood."""
    assert cell_text(value, code) == shown


@given(
    value=st.one_of(
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.datetimes(min_value=DAY.replace(year=1900)),
        st.times(),
        st.timedeltas(),
    ),
    code=st.text(alphabet='#0?,.;%"\\[]$_*hmsydaAPpM/E+- €x', max_size=40),
)
@examples(300)
def test_any_format_shows_something_or_nothing(value: Any, code: str) -> None:
    """No format that somebody made breaks the reading."""
    assert isinstance(cell_text(value, code), str)


def allowances(book: Any) -> None:
    page = book.active
    page["A1"] = "Lodging allowances"
    page.merge_cells("A1:C1")
    page["A2"] = "Per night, with breakfast."
    for row, cells in enumerate(
        [("City", "Limit", "From"), ("Europe",), ("Lisbon", 145, date(2026, 3, 1))], start=4
    ):
        for column, value in enumerate(cells, start=1):
            page.cell(row, column, value).font = BOLD if row < 6 else Font()
    page["B6"].number_format = '"EUR" #,##0.00'
    page["C6"].number_format = "dd mmm yyyy"
    page["A9"] = "Exceptions need approval."
    other = book.create_sheet("Mileage")
    other.append(["Vehicle", "Rate"])
    other.append(["Car", 0.42])
    other["A3"].comment = Comment("?", "a")


def test_a_workbook_is_cited_by_sheet_and_row() -> None:
    """The header is found below a title and a note; groups introduce their rows."""
    data = workbook(allowances)
    assert load(data, source_name="a.xlsx").text == (
        "Lodging allowances (Limits)\n\nPer night, with breakfast.\n\nEurope:\n\n"
        "City | Limit | From\nLisbon | EUR 145.00 | 01 Mar 2026\n\nExceptions need approval.\n\n"
        "Mileage\n\nVehicle | Rate\nCar | 0.42"
    )
    assert place(data, "a.xlsx", "Lisbon") == "Lodging allowances (Limits), row 6 of the sheet"
    exceptions = place(data, "a.xlsx", "Exceptions")
    assert exceptions == "Lodging allowances (Limits), row 9 of the sheet"
    assert place(data, "a.xlsx", "Car |") == "Mileage, row 2 of the sheet"


@pytest.mark.parametrize(
    "caption",
    [
        "Hotel limits, valid from 1 March 2026",
        "Hotel limits (valid from 1 March 2026)",
        "Hotel limits – valid from 1 March 2026 (Travel Desk)",  # noqa: RUF001
    ],
)
def test_what_a_caption_states_is_no_part_of_the_title(caption: str) -> None:
    """Nor is it quoted for an answer: "Hotel limits, valid from ..." was, instead of a row."""

    def fill(book: Any) -> None:
        for row in [(caption,), (), ("City", "Limit"), ("Munich", 165)]:
            book.active.append(row)

    document = load(workbook(fill), source_name="a.xlsx")
    assert document.text == "Hotel limits\n\nCity | Limit\nMunich | 165"
    assert document.metadata == {"title": "Hotel limits", "effective_from": "2026-03-01"}


def test_what_is_hidden_in_a_workbook_is_left_out() -> None:
    """Sheets, rows, columns, errors and comments are counted; a formula is its stored value."""

    def fill(book: Any) -> None:
        page = book.active
        for row in [("City", "Limit", "Secret"), ("Oslo", 90, "x"), ("Rome", 80, "y"), ("#N/A", 1)]:
            page.append(row)
        page["A4"].data_type = "e"
        page["B5"], page["A5"] = "=SUM(B2:B3)", "Total"
        page["A1"].comment = Comment("?", "a")
        page.column_dimensions["C"].hidden = page.row_dimensions[3].hidden = True
        book.create_sheet("Draft")["A1"] = "hidden"
        book["Draft"].sheet_state = "veryHidden"

    document = load(workbook(fill), source_name="a.xlsx")
    assert document.text == "Limits\n\nCity | Limit\nOslo | 90\n| 1\n\nTotal"
    assert document.notes == (
        f"left out 1 hidden sheet: {MUST_SHOW}",
        f"left out 1 hidden row: {MUST_SHOW}",
        f"left out 1 hidden column: {MUST_SHOW}",
        "left out 1 cell error: open it in Excel, correct that and save it",
        "left out 1 uncomputed formula: open it in Excel, correct that and save it",
    )
    assert document.left_out == ("left out 1 comment",)


def test_merged_cells_stand_in_all_that_they_span() -> None:
    """A header of two rows becomes one, and a country stands in each of its rows."""

    def fill(book: Any) -> None:
        page = book.active
        for row in [("Country", "Hotel", None), (None, "Low", "High"), ("Spain", 90, 120)]:
            page.append(row)
        page.append([None, 70, 95])
        for cells in ("A1:A2", "B1:C1", "A3:A4"):
            page.merge_cells(cells)

    text = load(workbook(fill), source_name="a.xlsx").text
    assert text.endswith("Country | Hotel Low | Hotel High\nSpain | 90 | 120\nSpain | 70 | 95")


def test_a_second_table_of_a_sheet_has_a_header_of_its_own() -> None:
    """After labels and values, or below an empty row."""
    spaced = (None, "Grade", "Days", "Car", "Bike")
    rows = [("Owner", "Travel Desk"), ("City", "Limit", "Class"), ("Oslo", 90, "B"), ()]
    text = load(sheet([*rows, spaced]), source_name="a.xlsx").text
    assert text.split("\n\n")[1:] == [
        "Owner | Travel Desk",
        "City | Limit | Class\nOslo | 90 | B",
        "Grade | Days | Car | Bike",
    ]


def test_a_sheet_without_a_name_is_called_by_its_title() -> None:
    """ "Sheet1" says nothing; the title also is the workbook's, if there is one sheet."""

    def fill(book: Any) -> None:
        book.active.title = "Sheet1"
        book.active.append(["Parking charges"])
        book.active.append(["Garage", "Charge"])
        book.active.append(["North", 4])

    prepared = prepare(workbook(fill), source_name="x.xlsx")
    assert prepared.metadata.title == "Parking charges"
    assert [one.title for one in prepared.sections] == ["Parking charges (Sheet1)"]


def badges(deck: Any) -> None:
    slide(deck, "Visitors and badges", layout=0)
    made = slide(deck, "Receiving visitors", "Sign in all visitors.", "Exceptions:")
    made.placeholders[1].text_frame.add_paragraph().text = "Deliveries"
    made.placeholders[1].text_frame.paragraphs[2].level = 1
    made.notes_slide.notes_text_frame.text = "Nobody checks this."
    slide(deck, "Old rules", "Never mind.")._element.set("show", "0")
    table = slide_table(slide(deck, "Lost badges", layout=5), [("Badge", "Within")] * 3)
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(1, 0).text, table.cell(1, 1).text, table.cell(2, 1).text = "Staff", "1 h", "2 h"
    box = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_textbox(0, 0, 9, 9)
    box.text_frame.text = "No photographs."


def test_a_presentation_is_cited_by_slide() -> None:
    """Titles are headings, hidden slides count, speaker notes are never quoted."""
    data = presentation(badges)
    document = load(data, source_name="a.pptx")
    assert document.text == (
        "Visitors and badges\n\nReceiving visitors\n\n- Sign in all visitors.\n- Exceptions:\n"
        "  - Deliveries\n\nLost badges\n\nBadge | Within\nStaff | 1 h\nStaff | 2 h\n\n"
        "Slide without a title\n\nNo photographs."
    )
    assert document.notes == (f"left out 1 hidden slide: {MUST_SHOW}",)
    assert document.left_out == ("left out 1 speaker note",)
    assert place(data, "a.pptx", "Deliveries") == "Receiving visitors, slide 2"
    assert place(data, "a.pptx", "Staff | 2") == "Lost badges, slide 4"
    prepared = prepare(data, source_name="a.pptx")
    assert prepared.metadata.title == "Visitors and badges"
    assert prepared.sections[1].path == ("Visitors and badges", "Receiving visitors")


TABLE = "<table><tr><td>Floor</td><td>Desks</td></tr><tr><td>2</td><td>40</td></tr></table>"
CITED = '<div class="gmail_signature">Best, Ann</div><div class="gmail_quote">Desks are free.</div>'


def test_an_e_mail_says_whose_and_when_it_is() -> None:
    """Its subject, sender and date, unless the text says otherwise; what is attached is named."""
    data = mail("x", html=f"<p>Book a desk.</p>{TABLE}{CITED}", files=("plan.pdf",))
    prepared = prepare(data, source_name="a.eml")
    assert prepared.document.text == "Book a desk.\n\nFloor | Desks\n2 | 40"
    known = prepared.metadata
    assert (known.title, known.owner, known.effective_from) == (
        *("Desks", "Facilities"),
        date(2026, 3, 2),
    )
    left_out = ("left out the signature", "left out an earlier message")
    assert prepared.document.left_out == left_out
    assert prepared.document.notes == ("did not read plan.pdf: ingest attached rules as files",)
    stated = prepare(mail("Effective: 1 May 2026\n\nBook a desk."), source_name="a.eml").metadata
    assert stated.effective_from == date(2026, 5, 1)


@pytest.mark.parametrize(
    "earlier",
    [
        "On Mon, 2 Mar 2026 at 10:12, Ann Lee <ann@example.com> wrote:\n> Free.",
        "On Mon, 2 Mar 2026 at 10:12, Ann Lee\n<ann@example.com> wrote:\nFree.",
        "-----Original Message-----\nFree.",
        "From: Ann Lee\nSent: Monday\nFree.",
        "Von: Ann Lee\nGesendet: Montag\nFree.",
        "Am 02.03.2026 um 10:12 schrieb Ann Lee:\nFree.",
        "> Free.",
        "-- \nAnn Lee\nFree.",
    ],
)
def test_earlier_messages_and_signatures_are_no_rule(earlier: str) -> None:
    """What was answered, forwarded or signed is left out, and said to be."""
    for name, data in (
        ("a.eml", mail(f"Book a desk.\n\n{earlier}\n")),
        ("a.msg", message_file({0x37: "AW: Desks", 0x1000: f"Book a desk.\n\n{earlier}\n"})),
    ):
        document = load(data, source_name=name)
        assert document.text == "Book a desk."
        assert document.metadata["title"] == "Desks"
        assert document.left_out


def test_an_opendocument_text_reads_as_its_reader_sees_it() -> None:
    """Deleted and hidden words and comments are out; lists, tables and notes keep their place."""
    p = "<text:p>{}</text:p>".format
    cell = "<table:table-cell {}><text:p>{}</text:p></table:table-cell>".format
    over = 'table:number-rows-spanned="2"'
    body = (
        f"<text:tracked-changes><text:changed-region>{p('Deleted.')}</text:changed-region>"
        "</text:tracked-changes>"
        '<text:p text:style-name="P1">Company cars</text:p>'
        '<text:h text:outline-level="1">Who</text:h>'
        "<text:p>Engineers<text:note text:note-class='footnote'><text:note-citation>1"
        f"</text:note-citation><text:note-body>{p('Not contractors.')}</text:note-body></text:note>"
        f" after<text:s/>a year.<office:annotation>{p('?')}</office:annotation>"
        '<text:span text:style-name="T1">hidden</text:span>'
        '<text:span text:style-name="T2">struck</text:span></text:p>'
        f'<text:list text:style-name="L1"><text:list-item>{p("Log trips.")}<text:list>'
        f"<text:list-item>{p('Also short ones.')}</text:list-item></text:list></text:list-item>"
        "</text:list><table:table><table:table-row>"
        f"{cell('', 'Grade')}{cell('', 'Lease')}</table:table-row><table:table-row>"
        f"{cell(over, 'A')}{cell('', '420')}</table:table-row>"
        f"<table:table-row><table:covered-table-cell/>{cell('', '500')}</table:table-row>"
        "</table:table>"
    )
    styles = (
        '<style:style style:name="P1" style:parent-style-name="Title"/>'
        '<style:style style:name="T1"><style:text-properties text:display="none"/></style:style>'
        '<style:style style:name="T2"><style:text-properties'
        ' style:text-line-through-style="solid"/></style:style>'
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1"/>'
        "</text:list-style>"
    )
    prepared = prepare(open_document(body, styles=styles), source_name="a.odt")
    assert prepared.document.text == (
        "Company cars\n\nWho\n\nEngineers after a year.\n\nNot contractors.\n\n1. Log trips.\n\n"
        "  - Also short ones.\n\nGrade | Lease\nA | 420\nA | 500"
    )
    hidden, struck, tracked = prepared.document.notes
    assert hidden == f"left out 1 hidden passage: {MUST_SHOW}"
    assert struck.startswith("left out 1 struck passage:")
    assert tracked.startswith("holds 1 tracked change that nobody accepted")
    assert prepared.document.left_out == ("left out 1 comment",)
    assert prepared.metadata.title == "Company cars"


WORDS = st.text(max_size=30)


@given(
    rows=st.lists(st.lists(st.one_of(st.none(), WORDS, st.integers(), st.booleans()), max_size=4)),
    html=WORDS,
)
@examples(60)
def test_sections_of_any_office_file_are_slices_of_its_text(
    rows: list[list[object]], html: str
) -> None:
    """The law that the sandbox holds every reply to; pages rise from 0."""
    kept = [[_storable(value) for value in row] for row in rows]
    texts = [str(value) for row in kept for value in row if value is not None] or ["x"]

    def fill(deck: Any) -> None:
        for text in texts[:5]:
            slide(deck, text, text, text)

    for name, data in (
        ("a.xlsx", sheet(kept)),
        ("a.pptx", presentation(fill)),
        ("a.eml", mail("\n".join(texts), html=f"<p>{html}</p>")),
        ("a.odt", open_document("".join(f"<text:p>{_escaped(text)}</text:p>" for text in texts))),
    ):
        with suppress(DocumentError):  # nothing is left of it
            content = read_content(data, source_name=name, with_chunks=True)
            assert checked_content(ParserReply(content=content)) == content
            starts = content.document.page_starts
            assert list(starts) == sorted(starts)
            assert starts[:1] in {(), (0,)}


def _storable(value: object) -> object:
    """What XML can hold, and no formula."""
    if not isinstance(value, str):
        return None if isinstance(value, int) and abs(value) > 1 << 60 else value
    return "".join(sign for sign in value if sign.isprintable() and sign != "=") or None


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


HOSTILE = [
    *(
        "a" * 8000,
        "=" * 8000,
        "<" * 8000,
        "\u202e" * 8000,
        " " * 8000,
        "On " * 2700,
        "From: " * 1400,
    ),
    *("Re: " * 2000, "-- \n" * 2000, "> " * 4000, "- " * 4000),
]


@pytest.mark.parametrize("words", HOSTILE, ids=lambda words: repr(words[:6]))
def test_hostile_characters_take_no_time(words: str) -> None:
    """Eight thousand of them anywhere: each rule is linear in its input."""
    clean = str(_storable(words.replace("\n", " ")) or "x")
    subject = clean[:900].encode("ascii", "replace").decode()
    for name, data in (
        ("a.xlsx", sheet([["a", "b"], [f"'{clean}", clean]])),
        ("a.pptx", presentation(lambda deck: slide(deck, clean, clean))),
        ("a.eml", mail(f"Text. {words}\n{words}", Subject=subject)),
        ("a.msg", message_file({0x37: words, 0x1000: f"Text.\n{words}"})),
    ):
        assert load(data, source_name=name).text


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (lambda: workbook(allowances), "a.xlsx"),
        (lambda: presentation(badges), "a.pptx"),
        (lambda: mail("Book a desk.", html=f"<p>Book.</p>{CITED}", files=("a",)), "a.eml"),
        (lambda: message_file({0x37: "Desks", 0x1000: "Book a desk."}), "a.msg"),
        (lambda: open_document("<text:p>Words.</text:p>"), "a.odt"),
    ],
)
def test_damaged_files_load_or_are_refused(build: Callable[[], bytes], name: str) -> None:
    """A changed byte or a cut anywhere does no more harm than a refusal in one line."""
    sound = build()
    for at in range(0, len(sound), max(1, len(sound) // 60)):
        for data in (sound[:at], sound[:at] + bytes([sound[at] ^ 0x55]) + sound[at + 1 :]):
            assert "\n" not in refusal(data, name)


def zipped_with(entry: str) -> bytes:
    return open_document("", more={entry: "encryption-data"})


@pytest.mark.parametrize(
    ("build", "name", "cause"),
    [
        (lambda: workbook(allowances), "a.docx", "is an Excel workbook: name it .xlsx"),
        (lambda: presentation(badges), "a.odt", "is a PowerPoint presentation: name it .pptx"),
        (lambda: compound({"EncryptedPackage": b"x"}), "a.xlsx", "password: save it without one"),
        (lambda: compound({"Workbook": b"x"}), "a.xls", "an old Excel workbook: save it as XLSX"),
        (
            lambda: compound({"WordDocument": b"x"}),
            "a.doc",
            "an old Word document: save it as DOCX",
        ),
        (
            lambda: compound({"PowerPoint Document": b"x"}),
            "a.ppt",
            "an old PowerPoint presentation: save it as PPTX",
        ),
        (lambda: b"Staff must ask.", "a.eml", "named .eml but not an e-mail"),
        (lambda: b"Staff must ask.", "a.msg", "not an Outlook message"),
        (lambda: zipped_with("META-INF/manifest.xml"), "a.odt", "a password"),
        (lambda: sheet([("a", "b"), *[()] * 20_000, ("c",)]), "a.xlsx", "beyond row 20,000"),
        (lambda: sheet([[None] * 200 + ["x"]]), "a.xlsx", "column 200"),
        (lambda: mail("> Only what was answered.\n"), "a.eml", "save that message itself"),
        (
            lambda: mail("", **{"Content-Type": "x"}).replace(
                b"text/plain", b"application/pkcs7-mime"
            ),
            "a.eml",
            "encrypted",
        ),
    ],
)
def test_a_refusal_says_what_it_is_and_the_cure(
    build: Callable[[], bytes], name: str, cause: str
) -> None:
    """Files that are named wrongly, protected, old, too large or empty."""
    with pytest.raises(DocumentError) as refused:
        load(build(), source_name=name)
    assert cause in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_workbook_of_another_program_reads_the_same() -> None:
    """XlsxWriter's: a formula with its value, a merged group, formats of its own."""
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, {"in_memory": True}) as book:
        page = book.add_worksheet("Fees")
        bold = book.add_format({"bold": True})
        page.write_row("A1", ["Card", "Fee", "Share"], bold)
        page.merge_range("A2:C2", "Business", bold)
        page.write_row("A3", ["Gold"])
        page.write_formula("B3", "=50*2", book.add_format({"num_format": '"EUR" 0.00'}), 100)
        page.write_number("C3", 0.125, book.add_format({"num_format": "0.0%"}))
    document = load(buffer.getvalue(), source_name="a.xlsx")
    assert document.text == "Fees\n\nBusiness:\n\nCard | Fee | Share\nGold | EUR 100.00 | 12.5%"
    assert document.notes == ()
