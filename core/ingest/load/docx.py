"""Word documents: paragraphs and tables in order, headings by style, list labels if derivable.

The archive is checked before it is parsed (`archive`). Deleted tracked changes are not in the text;
inserted ones are.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import docx
from docx.document import Document
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml import etree

from core.domain.errors import DocumentError
from core.domain.policy import LoadedDocument
from core.ingest.load.archive import check_archive
from core.ingest.load.builder import DocumentBuilder
from core.ingest.load.docx_numbering import ListLabels, numbering_of
from core.ingest.load.docx_xml import Element, body_of, xml_of
from core.ingest.load.sniff import DOCX
from core.ingest.metadata import canonical_keys

_HEADING_STYLE = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop)\s*(\d)\b", re.IGNORECASE
)
_TITLE_STYLES = frozenset({"title", "titel"})
_TOC_STYLE = re.compile(r"(?:toc|verzeichnis|inhaltsverzeichnis)\b", re.IGNORECASE)
_MAX_HEADING_LEVEL = 6
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""What older programs show instead of a text box: the same words again."""
_DELETED = frozenset({qn("w:del"), qn("w:moveFrom"), _FALLBACK})
_WRAPPERS = frozenset({qn("w:sdt"), qn("w:sdtContent"), qn("w:ins"), qn("w:customXml")})
_PARAGRAPH = qn("w:p")
_TEXT, _TAB, _BREAKS = qn("w:t"), qn("w:tab"), frozenset({qn("w:br"), qn("w:cr")})
_HYPHEN = qn("w:noBreakHyphen")
_VANISH = f".//{qn('w:vanish')}"


def load_docx(data: bytes) -> LoadedDocument:
    """Read a Word document.

    Raises:
        DocumentError: corrupt, encrypted or dangerous; the message is for people.
    """
    check_archive(data)
    try:
        document = docx.Document(io.BytesIO(data))
        builder = DocumentBuilder()
        _write(document, builder)
        loaded = builder.build(DOCX, metadata={}, notes=_notes(document))
        return replace(loaded, metadata=_properties(document, has_title=bool(loaded.headings)))
    except (OpcError, KeyError, ValueError, etree.XMLSyntaxError, zipfile.BadZipFile) as exc:
        raise DocumentError("the DOCX is corrupt: open it in Word and save it again") from exc


def _write(document: Document, builder: DocumentBuilder) -> None:
    labels = ListLabels(numbering_of(document))
    shift = 0
    for block in _blocks(body_of(document), document):
        if isinstance(block, Table):
            _write_table(block, builder)
        else:
            shift = max(shift, int(_style_name(block).lower() in _TITLE_STYLES))
            _write_paragraph(block, builder, labels, shift=shift)


def _blocks(parent: Element, document: Document) -> Iterator[Paragraph | Table]:
    """Yield paragraphs and tables in order, also of content controls and tracked insertions."""
    holder: Any = document
    for child in parent:
        if child.tag == qn("w:p"):
            yield Paragraph(cast("Any", child), holder)
        elif child.tag == qn("w:tbl"):
            yield Table(cast("Any", child), holder)
        elif child.tag in _WRAPPERS:
            yield from _blocks(child, document)


def _write_paragraph(
    paragraph: Paragraph, builder: DocumentBuilder, labels: ListLabels, *, shift: int
) -> None:
    """Write a paragraph.

    `shift` is 1 below a paragraph in Word's style "Title", which stands above "Heading 1".
    """
    label = labels.next_for(paragraph)
    text = _visible_text(xml_of(paragraph))
    style = _style_name(paragraph)
    if not text.strip() or _TOC_STYLE.match(style):
        return
    level = _heading_level(paragraph, style, shift=shift)
    if level is not None:
        builder.heading(label + text.replace("\n", " "), level=level)
        return
    for line in text.split("\n"):
        builder.line(label + line)
        label = ""
    if not labels.is_item(paragraph):
        builder.blank()


def _style_name(paragraph: Paragraph) -> str:
    return (paragraph.style.name if paragraph.style is not None else None) or ""


def _heading_level(paragraph: Paragraph, style: str, *, shift: int) -> int | None:
    if style.lower() in _TITLE_STYLES:
        return 1
    match = _HEADING_STYLE.match(style)
    if match:
        return min(max(1, int(match.group(1))) + shift, _MAX_HEADING_LEVEL)
    outline = xml_of(paragraph).find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
    if outline is None:
        return None
    value = int(outline.get(qn("w:val")) or 9)
    return min(value + 1 + shift, _MAX_HEADING_LEVEL) if value < _MAX_HEADING_LEVEL else None


def _visible_text(paragraph: Element) -> str:
    """Return the text, tracked insertions included, which python-docx leaves out."""
    return "".join(_pieces(paragraph))


def _pieces(element: Element) -> Iterator[str]:
    for child in element:
        if child.tag in _DELETED or (child.tag == qn("w:r") and child.find(_VANISH) is not None):
            continue
        if child.tag == _TEXT:
            yield child.text or ""
        elif child.tag == _TAB and element.tag == qn("w:r"):
            yield " "
        elif child.tag in _BREAKS:
            yield "\n"
        elif child.tag == _HYPHEN:
            yield "-"
        elif child.tag == _PARAGRAPH:
            yield "\n"
            yield from _pieces(child)
        else:
            yield from _pieces(child)


def _write_table(table: Table, builder: DocumentBuilder) -> None:
    builder.begin_table()
    for row in table.rows:
        cells: list[str] = []
        seen: set[int] = set()
        for cell in row.cells:
            if id(xml_of(cell)) not in seen:  # a merged cell is listed once a column
                seen.add(id(xml_of(cell)))
                texts = (_visible_text(inner) for inner in xml_of(cell).iter(_PARAGRAPH))
                cells.append(" ".join(text for text in texts if text.strip()))
        builder.row(cells)
    builder.end_table()


def _notes(document: Document) -> list[str]:
    count = sum(1 for _ in body_of(document).iter(qn("w:footnoteReference")))
    return [f"left out {count} footnotes"] if count else []


def _properties(document: Document, *, has_title: bool) -> dict[str, str]:
    """Read the file's properties; their title counts only where the text has no heading."""
    properties = document.core_properties
    pairs = [
        ("title", "" if has_title else properties.title or ""),
        ("policy_id", properties.identifier or ""),
        ("version", properties.version or ""),
    ]
    return canonical_keys(pairs)
