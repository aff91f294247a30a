"""Word documents."""

import io
from typing import Any

import docx
import pytest
from docx.document import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from core.domain.policy import LoadedDocument
from core.ingest.load import load
from core.ingest.load.docx_numbering import format_counter


def read(document: Document) -> LoadedDocument:
    buffer = io.BytesIO()
    document.save(buffer)
    return load(buffer.getvalue(), source_name="a.docx")


def test_headings_and_tables_stand_in_document_order() -> None:
    source = docx.Document()
    source.add_paragraph("Gifts", style="Title")
    source.add_heading("1 Scope", level=1)
    source.add_paragraph("All staff.")
    table = source.add_table(rows=2, cols=2)
    cells = [cell for row in table.rows for cell in row.cells]
    for cell, text in zip(cells, ["Role", "Duty", "Owner", "Decides\nalone"], strict=True):
        cell.text = text
    source.add_heading("1.1 Detail", level=2)
    document = read(source)
    assert document.text == (
        "Gifts\n\n1 Scope\n\nAll staff.\n\nRole | Duty\nOwner | Decides alone\n\n1.1 Detail"
    )
    assert [(h.level, h.span.of(document.text)) for h in document.headings] == [
        (1, "Gifts"),
        (2, "1 Scope"),
        (3, "1.1 Detail"),
    ]


def test_list_labels_are_derived() -> None:
    source = docx.Document()
    for text in ("one", "two"):
        source.add_paragraph(text, style="List Number")
    source.add_paragraph("dot", style="List Bullet")
    assert read(source).text == "1. one\n2. two\n- dot"


def test_deleted_text_is_left_out_and_inserted_text_kept() -> None:
    source = docx.Document()
    paragraph: Any = source.add_paragraph("Limit EUR ")
    for tag, text in (("w:del", "100"), ("w:ins", "75")):
        change, run = OxmlElement(tag), OxmlElement("w:r")
        words = OxmlElement("w:delText" if tag == "w:del" else "w:t")
        words.text = text
        run.append(words)
        change.append(run)
        paragraph._p.append(change)
    assert read(source).text == "Limit EUR 75"


def test_hidden_text_is_left_out() -> None:
    source = docx.Document()
    paragraph = source.add_paragraph("Visible")
    paragraph.add_run(" secret").font.hidden = True
    assert read(source).text == "Visible"


def test_outline_level_marks_a_heading() -> None:
    source = docx.Document()
    paragraph: Any = source.add_paragraph("Purpose")
    level = OxmlElement("w:outlineLvl")
    level.set(qn("w:val"), "0")
    paragraph._p.get_or_add_pPr().append(level)
    source.add_paragraph("Text.")
    assert [heading.level for heading in read(source).headings] == [1]


def test_merged_cell_is_read_once() -> None:
    source = docx.Document()
    table = source.add_table(rows=1, cols=3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Wide"
    table.cell(0, 2).text = "x"
    assert read(source).text == "Wide | x"


@pytest.mark.parametrize(
    ("value", "form", "label"),
    [
        (4, "decimal", "4"),
        (3, "lowerLetter", "c"),
        (28, "upperLetter", "BB"),
        (9, "lowerRoman", "ix"),
        (44, "upperRoman", "XLIV"),
        (2, "chineseCounting", "2"),
    ],
)
def test_counters_are_written_as_word_does(value: int, form: str, label: str) -> None:
    assert format_counter(value, form) == label


def wrapped(tag: str, *children: Any) -> Any:
    element: Any = OxmlElement(tag)
    element.extend(children)
    return element


def test_content_controls_are_read() -> None:
    """Templates of companies often wrap whole chapters in them."""
    source: Any = docx.Document()
    inner: Any = source.add_paragraph("Inside.")
    source.add_paragraph("After.")
    place = inner._p.getparent()
    control = wrapped("w:sdt", wrapped("w:sdtContent"))
    place.replace(inner._p, control)
    control[0].append(inner._p)
    assert read(source).text == "Inside.\n\nAfter."


def test_table_in_a_cell_is_read_within_the_cell() -> None:
    source = docx.Document()
    cell = source.add_table(rows=1, cols=2).cell(0, 0)
    cell.text = "Outer"
    cell.add_table(rows=1, cols=1).cell(0, 0).text = "inner"
    assert read(source).text == "Outer inner"


def test_text_box_is_read_once() -> None:
    namespace = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    source: Any = docx.Document()
    paragraph: Any = source.add_paragraph("Text.")
    run = paragraph.add_run()._r
    alternate = run.makeelement(f"{{{namespace}}}AlternateContent")
    for name in ("Choice", "Fallback"):
        words = OxmlElement("w:t")
        words.text = "Boxed."
        branch = run.makeelement(f"{{{namespace}}}{name}")
        branch.append(wrapped("w:txbxContent", wrapped("w:p", wrapped("w:r", words))))
        alternate.append(branch)
    run.append(alternate)
    assert read(source).text == "Text.\nBoxed."


def test_footnotes_are_reported_as_left_out() -> None:
    source: Any = docx.Document()
    run = source.add_paragraph("Text.").add_run()._r
    run.append(OxmlElement("w:footnoteReference"))
    assert read(source).notes == ("left out 1 footnotes",)
