"""Word documents: paragraphs and tables in order, headings by style, list labels if derivable.

The archive is checked before it is parsed. Deleted tracked changes are not in the text; inserted
ones are. These, and what is left out as struck or as a comment, are counted. A footnote or endnote
follows the sentence that refers to it, a text box its paragraph.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, cast

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph

from core.domain.policy import DOCX, LoadedDocument
from core.ingest.heading_candidates import reads_as_heading
from core.ingest.load.builder import DocumentBuilder, describe_left_out, unread_notes
from core.ingest.load.looks import LineLook
from core.ingest.load.office.archive import office_file
from core.ingest.load.word.elements import (
    Element,
    body_of,
    text_boxes,
    visible_text,
    xml_of,
)
from core.ingest.load.word.notes import PrintedNotes, elements_of
from core.ingest.load.word.numbering import BULLET, ListLabels, numbering_of
from core.ingest.load.word.styles import StyleKind, Styles, has_words
from core.ingest.metadata import canonical_keys
from core.ingest.titles import property_title

_WRAPPERS = frozenset({qn("w:sdt"), qn("w:sdtContent"), qn("w:ins"), qn("w:customXml")})
_TRACKED = (qn("w:ins"), qn("w:del"), qn("w:moveTo"))
_PARAGRAPH, _ROW, _CELL = qn("w:p"), qn("w:tr"), qn("w:tc")
_HEADERS = frozenset({RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER})


def load_docx(data: bytes) -> LoadedDocument:
    """Read a Word document.

    Raises:
        DocumentError: corrupt, encrypted or dangerous; the message is for people.
    """
    with office_file(data, raises=OpcError) as file:
        document = docx.Document(file)
        builder = DocumentBuilder()
        notes = _write(document, builder)
        _note_headers(document, builder)
        comments = len(elements_of(document, RELATIONSHIP_TYPE.COMMENTS, "w:comment"))
        usual = describe_left_out([(comments, "comment")])
        loaded = builder.build(DOCX, metadata={}, notes=notes, left_out=usual)
        return replace(loaded, metadata=_properties(document, loaded))


def _note_headers(document: Document, builder: DocumentBuilder) -> None:
    """Note the lines of headers and footers, and the rows of the tables in them."""
    for relation in document.part.rels.values():
        if relation.reltype not in _HEADERS or relation.is_external:
            continue
        part = xml_of(relation.target_part)
        rows = [[_words(cell) for cell in row.iter(_CELL)] for row in part.iter(_ROW)]
        lines = [
            visible_text(paragraph, tab="\t").split("\t") for paragraph in part.iter(_PARAGRAPH)
        ]
        for parts in (*rows, *lines):
            builder.aside(*parts)


def _words(element: Element) -> str:
    return " ".join(visible_text(paragraph) for paragraph in element.iter(_PARAGRAPH))


def _write(document: Document, builder: DocumentBuilder) -> list[str]:
    """Write the whole document; return notes on what may be missed."""
    writer = _Writer(document, builder)
    for block in _blocks(body_of(document), document):
        writer.write(block)
    missing = writer.notes.missing
    embedded = sum(1 for _ in body_of(document).iter(qn("w:altChunk")))
    counts = (
        (missing, "footnotes that the file lacks: open it in Word, check them and save it again"),
        (embedded, "embedded files: copy their text into the document"),
    )
    notes = [f"left out {count} {kind}" for count, kind in counts if count]
    tracked = sum(has_words(change) for tag in _TRACKED for change in body_of(document).iter(tag))
    unread = unread_notes(hidden=writer.hidden, struck=writer.struck, tracked=tracked)
    return [*notes, *unread]


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
        self._styles = Styles(document)
        self._labels = ListLabels(numbering_of(document))
        self._body_size = self._styles.body_size(body_of(document).iter(_PARAGRAPH))
        self.notes = PrintedNotes(document)
        self.hidden = 0
        """Paragraphs with words that a reader does not see."""
        self.struck = 0
        """Paragraphs with words that are struck through."""
        self._depth = 0
        """Of tables and boxes, whose ground may be dark under white words."""
        self._shift = 0
        """1 below a paragraph in Word's style "Title", which stands above "Heading 1"."""

    def write(self, block: Paragraph | Table) -> None:
        """Write a paragraph or a table, and the text boxes that are anchored in it."""
        if isinstance(block, Table):
            self._write_table(block)
            return
        kind = self._styles.kind_of(xml_of(block))
        self._shift = max(self._shift, int(kind.is_title))
        self._write_paragraph(block, kind)
        for box in text_boxes(xml_of(block)):
            self._builder.blank()
            self._write_within(_blocks(box, self._document))
            self._builder.blank()

    def _write_within(self, blocks: Iterable[Paragraph | Table]) -> None:
        self._depth += 1
        for inner in blocks:
            self.write(inner)
        self._depth -= 1

    def _write_paragraph(self, paragraph: Paragraph, kind: StyleKind) -> None:
        element = xml_of(paragraph)
        label = self._labels.next_for(
            self._styles.numbering_of(element), style=self._styles.style_of(element)
        )
        text = self._text_of(element)
        words = self.notes.without(text)
        if not words.strip() or kind.is_contents:
            return
        if kind.level is not None:
            level = kind.level if kind.is_title else kind.level + self._shift
            self._builder.heading(label + words.replace("\n", " "), level=level)
            self._write_blocks(self.notes.referred_to(text))
            return
        look = None if label == BULLET or self._depth else self._look(paragraph)
        if look is not None and "\n" not in words.strip():
            self._builder.candidate(label + words, look)
            self._write_blocks(self.notes.referred_to(text))
        elif label:
            depth = self._labels.depth if label == BULLET else 0
            self._write_lines(label + self.notes.inline(text), depth=depth)
        else:
            self._write_blocks(self.notes.after_sentences(text))

    def _look(self, paragraph: Paragraph) -> LineLook | None:
        look = self._styles.look_of(xml_of(paragraph), body_size=self._body_size)
        return look if look and reads_as_heading(visible_text(xml_of(paragraph)).strip()) else None

    def _text_of(self, paragraph: Element) -> str:
        """Return the text that a reader sees of a paragraph."""
        hidden: list[Element] = []
        struck: list[Element] = []

        def hides(run: Element) -> bool:
            is_hidden = self._styles.is_hidden(run, paragraph) or (
                not self._depth and self._styles.is_invisible(run, paragraph)
            )
            hidden.extend([run] if is_hidden and has_words(run) else [])
            is_struck = self._styles.is_struck(run, paragraph)
            struck.extend([run] if is_struck and has_words(run) else [])
            return is_hidden or is_struck

        text = visible_text(paragraph, hides)
        self.hidden += bool(hidden)
        self.struck += bool(struck)
        return text

    def _write_blocks(self, texts: Sequence[str]) -> None:
        """Write texts between empty lines: text without a label never continues the line above."""
        for text in texts:
            self._builder.blank()
            self._write_lines(text)
            self._builder.blank()

    def _write_lines(self, text: str, *, depth: int = 0) -> None:
        for line in text.split("\n"):
            self._builder.line(line, depth=depth)

    def _write_table(self, table: Table) -> None:
        rows = [_distinct(row.cells) for row in table.rows]
        if self._is_layout(rows):
            for cell in chain.from_iterable(rows):
                self._builder.blank()
                if cell is not None:
                    self._write_within(_blocks(cell, self._document))
                self._builder.blank()
            return
        self._builder.begin_table()
        self._depth += 1
        for row in rows:
            self._builder.row([self._cell(cell) if cell is not None else "" for cell in row])
        self._depth -= 1
        self._builder.end_table()

    def _cell(self, cell: Element) -> str:
        texts = (self._text_of(inner) for inner in cell.iter(_PARAGRAPH))
        inline = (self.notes.inline(text) for text in texts)
        return " ".join(text for text in inline if text.strip())

    def _is_layout(self, rows: "Sequence[Sequence[Element | None]]") -> bool:
        """Return whether a table only lays out the page: a frame, or headings beside their text.

        Headings in all cells of the first row alone are the titles of columns.
        """
        if sum(map(len, rows)) == 1:
            cell = rows[0][0]
            return cell is not None and sum(1 for _ in cell.iter(_PARAGRAPH)) > 1
        headed = [[cell is not None and self._has_heading(cell) for cell in row] for row in rows]
        if not any(map(any, headed)):
            return False
        return any(map(any, headed[1:])) or not all(headed[0]) or len(rows) == 1

    def _has_heading(self, cell: Element) -> bool:
        return any(
            isinstance(block, Paragraph)
            and self._styles.kind_of(xml_of(block)).level is not None
            and block.text.strip()
            for block in _blocks(cell, self._document)
        )


def _distinct(cells: Iterable[object]) -> "list[Element | None]":
    """Return the cells of a row; None where one that is merged over columns goes on."""
    found: list[Element | None] = []
    seen: set[int] = set()
    for cell in cells:
        element = xml_of(cell)
        found.append(None if id(element) in seen else element)
        seen.add(id(element))
    return found


def _properties(document: Document, loaded: LoadedDocument) -> Mapping[str, str]:
    """Read the file's properties."""
    properties = document.core_properties
    pairs = [
        ("title", property_title(properties.title, loaded)),
        ("policy_id", properties.identifier or ""),
        ("version", properties.version or ""),
    ]
    return canonical_keys(pairs)
