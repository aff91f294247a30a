"""Headings and titles of Word documents that companies write."""

import io
from typing import Any

import docx
import pytest
from docx.document import Document
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Pt, RGBColor

from core.domain.policy import LoadedDocument
from core.ingest.load import load
from core.ingest.sections import split_sections
from core.ingest.titles import document_title


def read(document: Document) -> LoadedDocument:
    buffer = io.BytesIO()
    document.save(buffer)
    return load(buffer.getvalue(), source_name="a.docx")


def paths(document: Document) -> list[str]:
    return [" > ".join(section.path) for section in split_sections(read(document))]


def levelled(source: Any, name: str, level: int) -> Any:
    """Give a document a style of its own with an outline level."""
    style = source.styles.add_style(name, 1)
    outline = OxmlElement("w:outlineLvl")
    outline.set(qn("w:val"), str(level))
    style.element.get_or_add_pPr().append(outline)
    return style


def test_own_styles_are_headings_by_what_they_are_based_on_or_by_their_outline() -> None:
    source: Any = docx.Document()
    based = source.styles.add_style("ACME Chapter", 1)
    based.base_style = source.styles["Heading 1"]
    levelled(source, "ACME Clause", 1)
    levelled(source, "ACME Text", 9).base_style = source.styles["Heading 1"]
    for text, style in (
        ("Gifts", "ACME Chapter"),
        ("Limits", "ACME Clause"),
        ("Staff may accept gifts up to EUR 50.", "ACME Text"),
        ("Records", "ACME Clause"),
    ):
        source.add_paragraph(text, style=style)
    assert paths(source) == ["Gifts", "Gifts > Limits", "Gifts > Records"]


def test_large_and_bold_lines_are_headings_where_nothing_else_is() -> None:
    source: Any = docx.Document()
    for number, title in enumerate(("Gifts", "Limits", "Records", "Who decides?")):
        run = source.add_paragraph("").add_run(title)
        run.bold = True
        run.font.size = Pt(18 if number == 0 else 13)
        source.add_paragraph("Staff may accept gifts up to EUR 50 from each giver in a year.")
    warning = source.add_paragraph("").add_run("Cash must never be accepted by anybody.")
    warning.bold = True
    assert paths(source) == ["Gifts", "Gifts > Limits", "Gifts > Records", "Gifts > Who decides?"]


def test_bold_lines_are_no_headings_beside_marked_ones_nor_in_a_list_or_form() -> None:
    source: Any = docx.Document()
    for title in ("Gifts", "Travel", "Cash"):
        source.add_heading(title, 1)
        source.add_paragraph("").add_run("Important notice").bold = True
        source.add_paragraph("Staff may accept gifts.")
    assert paths(source) == ["Gifts", "Travel", "Cash"]
    form: Any = docx.Document()
    form.add_paragraph("These bring a form to the desk.")
    for title in ("Name", "Department", "Date", "Signature"):
        form.add_paragraph("").add_run(title).bold = True
    assert len(split_sections(read(form))) == 1


def test_bold_numbers_nest_by_what_is_printed() -> None:
    source: Any = docx.Document()
    for title in ("1. Gifts", "1.1 Limits", "1.2 Records", "2. Travel"):
        source.add_paragraph("").add_run(title).bold = True
        source.add_paragraph("Staff may accept gifts up to EUR 50 from each giver.")
    assert paths(source) == ["1 Gifts", "1 Gifts > 1.1 Limits", "1 Gifts > 1.2 Records", "2 Travel"]


def test_title_set_large_on_a_cover_stands_above_the_headings() -> None:
    source: Any = docx.Document()
    for text, size in (("Confidential", 40), ("Gifts and Hospitality", 28), ("ACME Group", 20)):
        source.add_paragraph("").add_run(text).font.size = Pt(size)
    for title in ("Purpose", "Limits", "Records"):
        source.add_heading(title, 1)
        source.add_paragraph("Staff may accept gifts up to EUR 50 from each giver in a year.")
    assert document_title(read(source)) == "Gifts and Hospitality"


def test_properties_name_a_policy_only_where_its_text_says_so_or_says_nothing() -> None:
    source: Any = docx.Document()
    source.core_properties.title = "Travel Policy Template"
    source.add_heading("Gifts and Hospitality", 1)
    source.add_paragraph("Staff may accept gifts.")
    assert document_title(read(source)) == "Gifts and Hospitality"
    other: Any = docx.Document()
    other.core_properties.title = "Gifts and Hospitality"
    other.add_heading("Purpose", 1)
    other.add_paragraph("Staff may accept gifts.")
    assert document_title(read(other)) == "Gifts and Hospitality"


def test_paragraphs_of_a_contract_are_not_titles() -> None:
    """Contracts number their paragraphs with the styles of headings."""
    source: Any = docx.Document()
    source.add_heading("1. Gifts", 1)
    source.add_heading("1.1 Staff must not accept cash, and nothing that resembles it.", 2)
    source.add_heading("1.2 Register: Each gift is entered in the register within five days.", 2)
    source.add_heading("2. Travel", 1)
    source.add_paragraph("By train.")
    assert paths(source) == ["1 Gifts", "1 Gifts > 1.1", "1 Gifts > 1.2 Register", "2 Travel"]


def test_frame_around_the_text_and_headings_beside_it_are_read_as_sections() -> None:
    source: Any = docx.Document()
    table = source.add_table(rows=2, cols=2)
    for row, (title, text) in enumerate((("Gifts", "Up to EUR 50."), ("Travel", "By train."))):
        heading = table.cell(row, 0).paragraphs[0]
        heading.text, heading.style = title, source.styles["Heading 1"]
        table.cell(row, 1).text = text
    framed = source.add_table(rows=1, cols=1).cell(0, 0)
    framed.add_paragraph("Cash", style="Heading 1")
    framed.add_paragraph("Never.")
    document = read(source)
    assert [section.title for section in split_sections(document)] == ["Gifts", "Travel", "Cash"]
    assert not document.tables


def test_columns_with_titles_in_a_heading_style_stay_a_table() -> None:
    source: Any = docx.Document()
    table = source.add_table(rows=2, cols=2)
    for column, (title, text) in enumerate((("Role", "Manager"), ("Limit", "EUR 50"))):
        heading = table.cell(0, column).paragraphs[0]
        heading.text, heading.style = title, source.styles["Heading 3"]
        table.cell(1, column).text = text
    assert read(source).text == "Role | Limit\nManager | EUR 50"


def numbered(source: Any, definition: str, instances: str) -> None:
    root = source.part.numbering_part._element
    root.insert(0, parse_xml(f"<w:abstractNum {nsdecls('w')} {definition}</w:abstractNum>"))
    for instance in instances.split("\n"):
        root.append(parse_xml(f"<w:num {nsdecls('w')} {instance}</w:num>"))


def in_list(paragraph: Any, list_id: int, level: int = 0) -> None:
    properties = f'<w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/>'
    paragraph._p.get_or_add_pPr().append(
        parse_xml(f"<w:numPr {nsdecls('w')}>{properties}</w:numPr>")
    )


def test_numbers_go_on_from_list_to_list_and_begin_anew_where_one_says_so() -> None:
    source: Any = docx.Document()
    level = '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:lvlText w:val="%1."/></w:lvl>'
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    numbered(
        source,
        f'w:abstractNumId="90">{level}',
        'w:numId="91"><w:abstractNumId w:val="90"/>\nw:numId="92"><w:abstractNumId w:val="90"/>\n'
        f'w:numId="93"><w:abstractNumId w:val="90"/>{again}',
    )
    for list_id in (91, 92, 93, 93):
        in_list(source.add_paragraph("x"), list_id)
    assert read(source).text == "1. x\n2. x\n1. x\n2. x"


def test_bullets_within_bullets_are_indented() -> None:
    """So that what introduces each can be told; numbers tell their level themselves."""
    source: Any = docx.Document()
    form = '<w:numFmt w:val="bullet"/><w:lvlText w:val="o"/>'
    levels = "".join(f'<w:lvl w:ilvl="{level}">{form}</w:lvl>' for level in range(2))
    numbered(source, f'w:abstractNumId="90">{levels}', 'w:numId="91"><w:abstractNumId w:val="90"/>')
    for text, level in (("accept:", 0), ("cash", 1), ("offer", 0)):
        in_list(source.add_paragraph(text), 91, level)
    assert read(source).text == "- accept:\n  - cash\n- offer"


def test_level_of_a_numbered_style_is_that_which_names_the_style() -> None:
    """A level that is left out counts as begun, as Word shows it: 1.1.1, then 1.2."""
    source: Any = docx.Document()
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:pStyle w:val="Heading{level + 1}"/>'
        f'<w:lvlText w:val="{".".join(f"%{step + 1}" for step in range(level + 1))}"/></w:lvl>'
        for level in range(3)
    )
    numbered(source, f'w:abstractNumId="90">{levels}', 'w:numId="91"><w:abstractNumId w:val="90"/>')
    for level in (1, 2, 3):
        style = source.styles[f"Heading {level}"].element.get_or_add_pPr()
        style.append(parse_xml(f'<w:numPr {nsdecls("w")}><w:numId w:val="91"/></w:numPr>'))
    for title, level in (("Gifts", 1), ("Cash", 3), ("Limits", 2)):
        source.add_heading(title, level)
    assert read(source).text == "1 Gifts\n\n1.1.1 Cash\n\n1.2 Limits"


@pytest.mark.parametrize("how", ["style", "white", "tiny"])
def test_what_nobody_sees_is_left_out_and_said(how: str) -> None:
    source: Any = docx.Document()
    source.add_paragraph("Staff must not accept cash.")
    run = source.add_paragraph("").add_run("Staff may accept cash.")
    if how == "style":
        run.style = source.styles.add_style("Quiet", 2)
        run.style.font.hidden = True
    elif how == "white":
        run.font.color.rgb = RGBColor(255, 255, 255)
    else:
        run.font.size = Pt(1)
    document = read(source)
    assert document.text == "Staff must not accept cash."
    assert document.notes == (
        "left out 1 hidden passage: what belongs to the policy must be visible in the file",
    )


def test_white_words_on_a_dark_ground_are_read() -> None:
    source: Any = docx.Document()
    table = source.add_table(rows=1, cols=2)
    for column, text in enumerate(("Role", "Limit")):
        run = table.cell(0, column).paragraphs[0].add_run(text)
        run.font.color.rgb = RGBColor(255, 255, 255)
    shaded = source.add_paragraph("").add_run("Never cash.")
    shaded.font.color.rgb = RGBColor(255, 255, 255)
    shaded._r.get_or_add_rPr().append(
        parse_xml(f'<w:shd {nsdecls("w")} w:val="clear" w:fill="1F3864"/>')
    )
    assert read(source).text == "Role | Limit\n\nNever cash."
