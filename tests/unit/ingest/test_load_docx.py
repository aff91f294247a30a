"""Word documents."""

import io
from typing import Any

import docx
import pytest
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.oxml.ns import nsmap, qn

from core.domain.policy import LoadedDocument
from core.ingest.load import load
from core.ingest.load.word.numbering import format_counter
from core.language.sentences import split_sentences


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
    document = read(source)
    assert document.text == "Limit EUR 75"
    (note,) = document.notes
    assert note.startswith("holds 2 tracked changes that nobody accepted")


def test_struck_text_is_left_out_and_counted() -> None:
    """By the run itself or its style, once or twice struck; not where that is undone."""
    source = docx.Document()
    style: Any = source.styles.add_style("Old", WD_STYLE_TYPE.CHARACTER)
    style.font.strike = True
    paragraph = source.add_paragraph("Within ")
    paragraph.add_run("60 days ").font.strike = True
    paragraph.add_run("90 days ").font.double_strike = True
    paragraph.add_run("9 days ", style=style)
    paragraph.add_run("30 days.").font.strike = False
    source.add_paragraph().add_run("Taxis are free.").font.strike = True
    document = read(source)
    assert document.text == "Within 30 days."
    (note,) = document.notes
    assert note.startswith("left out 2 struck passages")


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


def test_merged_cell_is_read_once_and_the_next_one_stays_in_its_column() -> None:
    source = docx.Document()
    table = source.add_table(rows=1, cols=3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Wide"
    table.cell(0, 2).text = "x"
    assert read(source).text == "Wide | | x"


def test_cell_over_rows_stands_in_each() -> None:
    source = docx.Document()
    table = source.add_table(rows=2, cols=2)
    table.cell(0, 0).merge(table.cell(1, 0)).text = "Staff"
    table.cell(0, 1).text, table.cell(1, 1).text = "EUR 50", "EUR 100"
    assert read(source).text == "Staff | EUR 50\nStaff | EUR 100"


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
    assert read(source).text == "Text.\n\nBoxed."


def test_text_box_does_not_cut_the_sentence_around_it() -> None:
    source: Any = docx.Document()
    paragraph: Any = source.add_paragraph("Staff must ")
    words = OxmlElement("w:t")
    words.text = "Boxed."
    box = wrapped("w:txbxContent", wrapped("w:p", wrapped("w:r", words)))
    paragraph.add_run()._r.append(wrapped("w:pict", box))
    paragraph.add_run("not accept cash.")
    assert read(source).text == "Staff must not accept cash.\n\nBoxed."


def test_paragraph_after_a_list_is_not_part_of_its_last_item() -> None:
    """Neither where the list ends nor where an item has no label to tell it by."""
    source: Any = docx.Document()
    source.add_paragraph("One may give:")
    source.add_paragraph("flowers,", style="List Bullet")
    source.add_paragraph("books", style="List Bullet 2")
    source.add_paragraph("Managers must not approve their own claims.")
    loaded = read(source)
    assert loaded.text == (
        "One may give:\n\n- flowers,\n- books\n\nManagers must not approve their own claims."
    )
    sentences = [span.of(loaded.text) for span in split_sentences(loaded.text)]
    assert sentences[-2:] == ["- books", "Managers must not approve their own claims."]


def test_item_without_a_label_is_a_paragraph_of_its_own() -> None:
    source: Any = docx.Document()
    source.add_paragraph("flowers", style="List Bullet")
    paragraph: Any = source.add_paragraph("Cash is never given", style="List Bullet")
    number = wrapped("w:numPr", OxmlElement("w:ilvl"), OxmlElement("w:numId"))
    number[1].set(qn("w:val"), "999")
    paragraph._p.get_or_add_pPr().append(number)
    assert read(source).text == "- flowers\n\nCash is never given"


def with_notes(source: Any, kind: str, texts: dict[int, str]) -> None:
    """Give a document footnotes or endnotes, as Word stores them."""
    written = "".join(
        f'<w:{kind} w:id="{number}"><w:p><w:r><w:{kind}Ref/></w:r><w:r><w:t>{text}</w:t></w:r>'
        f"</w:p></w:{kind}>"
        for number, text in texts.items()
    )
    blob = f'<w:{kind}s xmlns:w="{nsmap["w"]}">{written}</w:{kind}s>'.encode()
    name = PackURI(f"/word/{kind}s.xml")
    content_type = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml"
    part = Part(name, content_type, blob, source.part.package)
    relation = f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}s"
    source.part.relate_to(part, relation)


def refer(paragraph: Any, number: int, kind: str = "footnote") -> None:
    reference = OxmlElement(f"w:{kind}Reference")
    reference.set(qn("w:id"), str(number))
    paragraph.add_run()._r.append(reference)


def test_footnote_follows_the_sentence_that_refers_to_it() -> None:
    """It may hold an exception: it stays in its section, next to its rule."""
    source: Any = docx.Document()
    source.add_heading("Gifts", 1)
    paragraph = source.add_paragraph("Staff")
    refer(paragraph, 7)
    paragraph.add_run(" may accept gifts up to EUR 50.")
    refer(paragraph, 3)
    paragraph.add_run(" Gifts are entered in the register.")
    refer(paragraph, 7)
    source.add_heading("Travel", 1)
    with_notes(source, "footnote", {-1: "", 3: "Except cash. Never.", 7: "Of all companies."})
    assert read(source).text == (
        "Gifts\n\nStaff may accept gifts up to EUR 50.\n\nFootnote 1: Of all companies.\n\n"
        "Footnote 2: Except cash. Never.\n\nGifts are entered in the register.\n\n"
        "Footnote 1: Of all companies.\n\nTravel"
    )


def test_footnote_of_an_item_a_cell_and_a_heading_stands_where_they_do() -> None:
    """An item and its note are quoted together; a heading's note begins its section."""
    source: Any = docx.Document()
    refer(source.add_heading("Gifts", 1), 1)
    refer(source.add_paragraph("flowers", style="List Bullet"), 2)
    source.add_paragraph("books", style="List Bullet")
    table: Any = source.add_table(rows=1, cols=2)
    table.cell(0, 0).text = "Limit"
    refer(table.cell(0, 1).paragraphs[0], 3)
    with_notes(source, "footnote", {1: "New.", 2: "Not lilies.", 3: "EUR 50."})
    loaded = read(source)
    assert loaded.text == (
        "Gifts\n\nFootnote 1: New.\n\n- flowers [Footnote 2: Not lilies.]\n- books\n\n"
        "Limit | [Footnote 3: EUR 50.]"
    )
    assert [heading.span.of(loaded.text) for heading in loaded.headings] == ["Gifts"]


def test_endnotes_are_counted_by_themselves_and_deleted_references_not_at_all() -> None:
    source: Any = docx.Document()
    paragraph = source.add_paragraph("One.")
    refer(paragraph, 1)
    refer(paragraph, 1, "endnote")
    paragraph._p.append(wrapped("w:del", paragraph.runs[0]._r.__copy__()))
    with_notes(source, "footnote", {1: "Below."})
    with_notes(source, "endnote", {1: "Behind."})
    assert read(source).text == "One.\n\nFootnote 1: Below.\n\nEndnote 1: Behind."


def test_footnotes_that_the_file_lacks_are_said() -> None:
    source: Any = docx.Document()
    run = source.add_paragraph("Text.").add_run()._r
    run.append(OxmlElement("w:footnoteReference"))
    (note,) = read(source).notes
    assert note.startswith("left out 1 footnotes that the file lacks: open it in Word")


def test_comments_are_left_out_and_counted() -> None:
    source: Any = docx.Document()
    source.add_paragraph("Staff must not accept cash.")
    with_notes(source, "comment", {0: "Ask Legal about this.", 1: "Why?"})
    document = read(source)
    assert document.text == "Staff must not accept cash."
    assert "left out 2 comments" in document.left_out
