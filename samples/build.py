"""Build the sample policies that are not written by hand.

Before `citebound ingest samples/policies`: turns `sources/*.md` into the PDF, Word, HTML and plain
text files that are committed beside the hand-written Markdown policies. Rules:

- Output depends on the sources alone, and a file is written only if its content differs: a rebuild
  changes nothing.
- `sources/` holds a small Markdown: headings, paragraphs, tables, lists with `-`, and bold.

Usage: `python samples/build.py`, with the development dependencies (reportlab, python-docx).
"""

from __future__ import annotations

import html
import io
import re
import sys
import textwrap
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from policy_pdf import build_pdf
from policy_source import (
    BUILT_AT,
    COMPANY,
    Block,
    Document,
    Heading,
    Items,
    Paragraph,
    Table,
    bold,
    column_widths,
    parse,
    plain,
)

SAMPLES = Path(__file__).resolve().parent
SOURCES = SAMPLES / "sources"
POLICIES = SAMPLES / "policies"
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
            return f"<p>{bold(block.text, tag='strong')}</p>"
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
    """Unpack a zip file, since its bytes depend on the compression library."""
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
