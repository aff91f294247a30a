"""Word documents: paragraphs and tables in order, headings by style, list labels if derivable.

The archive is checked before it is parsed. Deleted tracked changes are not in the text; inserted
ones are; comments are left out, and counted. A footnote or endnote follows the sentence that refers
to it, a text box its paragraph.
"""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml import etree

from core.domain.errors import DocumentError
from core.domain.policy import DOCX, LoadedDocument
from core.ingest.load.builder import DocumentBuilder
from core.ingest.load.docx_numbering import ListLabels, numbering_of
from core.ingest.load.docx_xml import (
    NOTE_MARK,
    Element,
    body_of,
    check_archive,
    text_boxes,
    visible_text,
    xml_of,
)
from core.ingest.metadata import canonical_keys
from core.language.sentences import split_sentences

_REFERENCE = re.compile(rf"{NOTE_MARK}([A-Z][a-z]+) (-?\d*){NOTE_MARK}")
_PARTS = (
    ("Footnote", RELATIONSHIP_TYPE.FOOTNOTES, "w:footnote"),
    ("Endnote", RELATIONSHIP_TYPE.ENDNOTES, "w:endnote"),
)
_HEADING_STYLE = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop)\s*(\d)\b", re.IGNORECASE
)
_TITLE_STYLES = frozenset({"title", "titel"})
_TOC_STYLE = re.compile(r"(?:toc|verzeichnis|inhaltsverzeichnis)\b", re.IGNORECASE)
_MAX_HEADING_LEVEL = 6
_WRAPPERS = frozenset({qn("w:sdt"), qn("w:sdtContent"), qn("w:ins"), qn("w:customXml")})
_PARAGRAPH = qn("w:p")


def load_docx(data: bytes) -> LoadedDocument:
    """Read a Word document.

    Raises:
        DocumentError: corrupt, encrypted or dangerous; the message is for people.
    """
    check_archive(data)
    try:
        document = docx.Document(io.BytesIO(data))
        builder = DocumentBuilder()
        missing = _write(document, builder)
        notes = [f"left out {missing} footnotes: the file lacks them"] if missing else []
        comments = len(_elements(document, RELATIONSHIP_TYPE.COMMENTS, "w:comment"))
        if comments:
            notes.append(f"left out {comments} comment{'s' if comments > 1 else ''}")
        loaded = builder.build(DOCX, metadata={}, notes=notes)
        return replace(loaded, metadata=_properties(document, has_title=bool(loaded.headings)))
    except (OpcError, KeyError, ValueError, etree.XMLSyntaxError, zipfile.BadZipFile) as exc:
        raise DocumentError("the DOCX is corrupt: open it in Word and save it again") from exc


def _write(document: Document, builder: DocumentBuilder) -> int:
    """Write the whole document; return the number of references to missing notes."""
    writer = _Writer(document, builder)
    for block in _blocks(body_of(document), document):
        writer.write(block)
    return writer.notes.missing


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


class _Writer:
    """Writes one document block by block."""

    def __init__(self, document: Document, builder: DocumentBuilder) -> None:
        self._document = document
        self._builder = builder
        self._labels = ListLabels(numbering_of(document))
        self.notes = PrintedNotes(document)
        self._shift = 0
        """1 below a paragraph in Word's style "Title", which stands above "Heading 1"."""

    def write(self, block: Paragraph | Table) -> None:
        """Write a paragraph or a table, and the text boxes that are anchored in it."""
        if isinstance(block, Table):
            self._write_table(block)
            return
        self._shift = max(self._shift, int(_style_name(block).lower() in _TITLE_STYLES))
        self._write_paragraph(block)
        for box in text_boxes(xml_of(block)):
            self._builder.blank()
            for inner in _blocks(box, self._document):
                self.write(inner)
            self._builder.blank()

    def _write_paragraph(self, paragraph: Paragraph) -> None:
        label = self._labels.next_for(paragraph)
        text = visible_text(xml_of(paragraph))
        style = _style_name(paragraph)
        if not self.notes.without(text).strip() or _TOC_STYLE.match(style):
            return
        level = _heading_level(paragraph, style, shift=self._shift)
        if level is not None:
            heading = self.notes.without(text).replace("\n", " ")
            self._builder.heading(label + heading, level=level)
            self._write_blocks(self.notes.referred_to(text))
        elif label:
            self._write_lines(label + self.notes.inline(text))
        else:
            self._write_blocks(self.notes.after_sentences(text))

    def _write_blocks(self, texts: Sequence[str]) -> None:
        """Write texts between empty lines: text without a label never continues the line above."""
        for text in texts:
            self._builder.blank()
            self._write_lines(text)
            self._builder.blank()

    def _write_lines(self, text: str) -> None:
        for line in text.split("\n"):
            self._builder.line(line)

    def _write_table(self, table: Table) -> None:
        self._builder.begin_table()
        for row in table.rows:
            cells: list[str] = []
            seen: set[int] = set()
            for cell in row.cells:
                if id(xml_of(cell)) in seen:  # a merged cell is listed once a column
                    cells.append("")
                else:
                    seen.add(id(xml_of(cell)))
                    texts = (visible_text(inner) for inner in xml_of(cell).iter(_PARAGRAPH))
                    inline = (self.notes.inline(text) for text in texts)
                    cells.append(" ".join(text for text in inline if text.strip()))
            self._builder.row(cells)
        self._builder.end_table()


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


def _properties(document: Document, *, has_title: bool) -> dict[str, str]:
    """Read the file's properties; their title counts only where the text has no heading."""
    properties = document.core_properties
    pairs = [
        ("title", "" if has_title else properties.title or ""),
        ("policy_id", properties.identifier or ""),
        ("version", properties.version or ""),
    ]
    return canonical_keys(pairs)


class PrintedNotes:
    """Numbers the footnotes and endnotes of one document; called once for each text, in order."""

    def __init__(self, document: Document) -> None:
        self._texts = _texts_of(document)
        self._numbers: Counter[str] = Counter()
        self._printed: dict[tuple[str, str], str] = {}
        self.missing = 0
        """References to notes that the document lacks."""

    def without(self, text: str) -> str:
        """Return the text without its references."""
        return _REFERENCE.sub("", text)

    def referred_to(self, text: str) -> list[str]:
        """Return the notes that a text refers to, each with its label."""
        found = (self._note(match) for match in _REFERENCE.finditer(text))
        return [note for note in found if note]

    def inline(self, text: str) -> str:
        """Return the text with its notes at its end, in brackets."""
        notes = (f" [{note}]" for note in self.referred_to(text))
        return "".join((self.without(text), *notes))

    def after_sentences(self, text: str) -> list[str]:
        """Split a text after each sentence that refers to a note, and insert the note there."""
        plain = self.without(text)
        ends = [sentence.char_end for sentence in split_sentences(plain)]
        blocks: list[str] = []
        start = removed = 0
        for match in _REFERENCE.finditer(text):
            at = match.start() - removed
            removed += len(match.group())
            note = self._note(match)
            if not note:
                continue
            end = next((end for end in ends if end >= at), len(plain))
            if end > start:
                blocks.append(plain[start:end])
                start = end
            blocks.append(note)
        return [block for block in (*blocks, plain[start:]) if block.strip()]

    def _note(self, match: re.Match[str]) -> str:
        """Return a note with its label; empty if the document lacks it."""
        key = (match.group(1), match.group(2))
        text = self._texts.get(key, "")
        if text and key not in self._printed:
            self._numbers[key[0]] += 1
            self._printed[key] = f"{key[0]} {self._numbers[key[0]]}: {text}"
        self.missing += not text
        return self._printed.get(key, "")


def _texts_of(document: Document) -> dict[tuple[str, str], str]:
    """Read the notes, by kind and Word's number."""
    found: dict[tuple[str, str], str] = {}
    for kind, relation, tag in _PARTS:
        for note in _elements(document, relation, tag):
            paragraphs = (visible_text(inner) for inner in note.iter(qn("w:p")))
            text = " ".join(" ".join(paragraphs).split())
            found[kind, note.get(qn("w:id")) or ""] = _REFERENCE.sub("", text)
    return found


def _elements(document: Document, relation: str, tag: str) -> "list[Element]":
    try:
        part: Any = document.part.part_related_by(relation)
    except KeyError:
        return []
    root: Any = parse_xml(part.blob)
    return list(root.iter(qn(tag)))
