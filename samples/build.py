"""Build the sample policies that are not written by hand.

Before `citebound ingest samples/policies`: turns `sources/*.md` into the PDF, Word, HTML and plain
text files that are committed beside the hand-written Markdown policies. Rules:

- Output depends on the sources alone, and a file is written only if its content differs: a rebuild
  changes nothing.
- `sources/` holds a small Markdown: headings, paragraphs, tables, lists with `-`, and bold.

Usage: `python samples/build.py`, with the development dependencies (fpdf2, python-docx).
"""

from __future__ import annotations

import html
import io
import re
import sys
import textwrap
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from fpdf import FPDF
from fpdf.fonts import FontFace

SAMPLES = Path(__file__).resolve().parent
SOURCES = SAMPLES / "sources"
POLICIES = SAMPLES / "policies"
COMPANY = "Meridian Harbour Group"
# Written into document properties, so that they do not follow the clock.
BUILT_AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

TITLE = 1
SECTION = 2
# A heading moves to the next page unless this much room is left below it.
KEEP_MM = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A numbered or lettered heading."""

    level: int
    """1 is the title of the policy, 2 a section or annex, 3 a sub-section."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph, which may begin with its number."""

    text: str
    """One line; bold is marked with two asterisks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; the first line is its head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block: TypeAlias = Heading | Paragraph | Items | Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A policy, ready to be set in any format."""

    title: str
    version: str
    blocks: tuple[Block, ...]


def parse(source: str) -> Document:
    """Read the small Markdown of `sources/`."""
    blocks: list[Block] = []
    for lines in (block.splitlines() for block in re.split(r"\n\s*\n", source.strip())):
        first = lines[0]
        if heading := re.match(r"(#+) (.+)", first):
            blocks.append(Heading(level=len(heading[1]), text=heading[2]))
        elif first.startswith("|"):
            rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
            blocks.append(Table(head=rows[0], rows=tuple(rows[2:])))
        elif first.startswith("- "):
            blocks.append(Items(texts=tuple(line.removeprefix("- ") for line in lines)))
        else:
            blocks.append(Paragraph(text=" ".join(lines)))
    title, control = blocks[0], blocks[1]
    if not (isinstance(title, Heading) and isinstance(control, Table)):
        raise ValueError(  # noqa: TRY004 - the text is wrong, not the type of an argument
            "a policy starts with its title and the document control table"
        )
    return Document(title=title.text, version=dict(control.rows)["Version"], blocks=tuple(blocks))


def plain(text: str) -> str:
    """Drop the marks of bold."""
    return text.replace("**", "")


# PDF


class PolicyPdf(FPDF):
    """A4 page with a running header, and a footer that counts pages."""

    def __init__(self, document: Document) -> None:
        super().__init__(format="A4")
        self.document: Document = document
        self.set_compression(False)
        self.set_creation_date(BUILT_AT)
        self.set_title(document.title)
        self.set_author(COMPANY)
        self.set_lang("en-GB")
        self.set_margins(25, 22, 25)
        self.set_auto_page_break(auto=True, margin=24)

    def header(self) -> None:
        """Set company and title above the text."""
        self.set_font("Helvetica", size=8)
        self.cell(80, 5, COMPANY)
        self.cell(0, 5, self.document.title, align="R", new_x="LMARGIN", new_y="NEXT")
        self.ln(6)

    def footer(self) -> None:
        """Set version and page number below the text."""
        self.set_y(-16)
        self.set_font("Helvetica", size=8)
        self.cell(80, 5, f"Version {self.document.version} - Internal")
        self.cell(0, 5, f"Page {self.page_no()} of {{nb}}", align="R")

    def write_lines(self, text: str, *, height: float = 5.2) -> None:
        """Write a block of text, flush left, and go to the next line."""
        self.multi_cell(0, height, text, align="L", markdown=True, new_x="LMARGIN", new_y="NEXT")


def build_pdf(document: Document, *, has_outline: bool) -> bytes:
    """Set a policy as PDF, with or without bookmarks."""
    pdf = PolicyPdf(document)
    pdf.add_page()
    deepest = -1
    for block in document.blocks:
        if isinstance(block, Heading) and has_outline and block.level > TITLE:
            if pdf.will_page_break(KEEP_MM):
                pdf.add_page()
            # A bookmark may be one level below the one before it, never two.
            deepest = min(block.level - SECTION, deepest + 1)
            pdf.start_section(block.text, level=deepest)
        set_block(pdf, block)
    return bytes(pdf.output())


def set_block(pdf: PolicyPdf, block: Block) -> None:
    """Set one block at the current position."""
    match block:
        case Heading():
            if pdf.will_page_break(KEEP_MM):
                pdf.add_page()
            pdf.set_font("Helvetica", "B", {TITLE: 18, SECTION: 13}.get(block.level, 11))
            pdf.ln(2)
            pdf.write_lines(block.text, height=7)
            pdf.ln(1)
        case Paragraph():
            pdf.set_font("Helvetica", size=10)
            pdf.write_lines(block.text)
            pdf.ln(2)
        case Items():
            pdf.set_font("Helvetica", size=10)
            for text in block.texts:
                pdf.set_x(pdf.l_margin + 5)
                pdf.write_lines(text if text.startswith("(") else f"- {text}")
            pdf.ln(2)
        case Table():
            pdf.set_font("Helvetica", size=9)
            bold = FontFace(emphasis="BOLD")
            widths = column_widths(block)
            with pdf.table(col_widths=widths, line_height=6, headings_style=bold) as table:
                for cells in (block.head, *block.rows):
                    table.row(cells)
            pdf.ln(3)


def column_widths(table: Table) -> tuple[int, ...]:
    """Share the width of the page by the longest cell of each column."""
    columns = zip(table.head, *table.rows, strict=True)
    return tuple(max(len(cell) for cell in column) + 4 for column in columns)


# Word


def build_docx(document: Document) -> bytes:
    """Write a policy as a Word document with real heading styles and tables."""
    word = docx.Document()
    properties = word.core_properties
    properties.title = document.title
    properties.author = properties.last_modified_by = COMPANY
    properties.created = properties.modified = BUILT_AT.replace(tzinfo=None)
    properties.comments = ""
    properties.revision = 1
    word.styles["Normal"].font.size = Pt(10.5)  # pyright: ignore[reportAttributeAccessIssue]
    section = word.sections[0]
    section.header.paragraphs[0].text = f"{COMPANY}\t\t{document.title}"
    footer = section.footer.paragraphs[0]
    footer.text = f"Version {document.version} - Internal\t\tPage "
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    footer._p.append(field)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    for block in document.blocks:
        match block:
            case Heading():
                word.add_heading(block.text, level=block.level - 1)
            case Paragraph():
                paragraph = word.add_paragraph()
                for index, part in enumerate(block.text.split("**")):
                    paragraph.add_run(part).bold = True if index % 2 else None
            case Items():
                for text in block.texts:
                    word.add_paragraph(text, style="List Bullet")
            case Table():
                table = word.add_table(rows=0, cols=len(block.head), style="Table Grid")
                for cells in (block.head, *block.rows):
                    for cell, text in zip(table.add_row().cells, cells, strict=True):
                        cell.text = text
                word.add_paragraph()
    buffer = io.BytesIO()
    word.save(buffer)
    return restamp(buffer.getvalue())


def restamp(archive: bytes) -> bytes:
    """Pack a zip file again, with one fixed time for all members."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            member = zipfile.ZipInfo(name, BUILT_AT.timetuple()[:6])
            new.writestr(member, old.read(name), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


# HTML


def build_html(document: Document) -> bytes:
    """Write a policy as a page of an intranet, with the furniture such pages have."""
    body = "\n".join(html_block(block) for block in document.blocks)
    title = html.escape(document.title)
    page = f"""<!DOCTYPE html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<title>{title} | {COMPANY}</title>
<style>
body {{ font-family: sans-serif; max-width: 48rem; margin: auto }}
td, th {{ border: 1px solid #999 }}
</style>
</head>
<body>
<header><nav><a href="/">Intranet</a> / <a href="/policies">Policies</a> / {title}</nav></header>
<main>
{body}
</main>
<footer><p>{COMPANY}. Internal. Printed copies are not controlled.</p></footer>
<script>console.log("policy viewed");</script>
</body>
</html>
"""
    return page.encode()


def html_block(block: Block) -> str:
    """Write one block as HTML."""
    match block:
        case Heading():
            anchor = re.sub(r"[^a-z0-9]+", "-", block.text.lower()).strip("-")
            return f'<h{block.level} id="{anchor}">{html.escape(block.text)}</h{block.level}>'
        case Paragraph():
            text = html.escape(block.text, quote=False)
            return "<p>" + re.sub(r"[*]{2}(.+?)[*]{2}", r"<strong>\1</strong>", text) + "</p>"
        case Items():
            items = (f"<li>{html.escape(text, quote=False)}</li>" for text in block.texts)
            return "\n".join(("<ul>", *items, "</ul>"))
        case Table():
            rows = (html_row(row, tag="td") for row in block.rows)
            head = html_row(block.head, tag="th")
            body = ("<tbody>", *rows, "</tbody>")
            return "\n".join(("<table>", f"<thead>{head}</thead>", *body, "</table>"))


def html_row(cells: tuple[str, ...], *, tag: str) -> str:
    """Write one row of a table."""
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


# Plain text


def build_txt(document: Document) -> bytes:
    """Write a policy as plain text: headings in capitals, short lines, tables as columns."""
    return ("\n\n".join(txt_block(block) for block in document.blocks) + "\n").encode()


def txt_block(block: Block) -> str:
    """Write one block as plain text."""
    match block:
        case Heading():
            return block.text.upper()
        case Paragraph():
            # Words with a hyphen stay whole: a reader of the file joins lines with a space.
            return textwrap.fill(plain(block.text), 78, break_on_hyphens=False)
        case Items():
            return "\n".join(f"- {text}" for text in block.texts)
        case Table():
            rows = (block.head, *block.rows) if any(block.head[1:]) else block.rows
            widths = column_widths(block)
            lines = (
                "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
                for row in rows
            )
            return "\n".join(line.rstrip() for line in lines)


BUILDERS: dict[str, Callable[[Document], bytes]] = {
    "gifts-de.html": build_html,
    "gifts-gb.html": build_html,
    "remote.html": build_html,
    "travel.pdf": lambda document: build_pdf(document, has_outline=True),
    "data-protection.pdf": lambda document: build_pdf(document, has_outline=True),
    "aml.pdf": lambda document: build_pdf(document, has_outline=False),
    "infosec.docx": build_docx,
    "records.docx": build_docx,
    "third-party.txt": build_txt,
}


def build(file: str) -> bytes:
    """Build one policy from its source."""
    source = SOURCES / Path(file).with_suffix(".md").name
    return BUILDERS[file](parse(source.read_text(encoding="utf-8")))


def content(data: bytes) -> bytes | dict[str, bytes]:
    """Unpack a zip file, since its bytes depend on the compression library; else return the data."""
    if not data.startswith(b"PK"):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def main() -> int:
    """Write every built policy."""
    for file in BUILDERS:
        built, path = build(file), POLICIES / file
        if not path.exists() or content(path.read_bytes()) != content(built):
            path.write_bytes(built)
            print(f"{POLICIES.name}/{file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
