"""HTML: what a reader sees of the page, without navigation, scripts and hidden elements.

The parser has no network access and expands no entities; `script`, `style`, `nav` and the like are
dropped with their content.
"""

import re
from dataclasses import KW_ONLY, dataclass, field, replace

from lxml import etree, html

from core.domain.errors import DocumentError
from core.domain.policy import LoadedDocument
from core.ingest.load.builder import DocumentBuilder, unread_notes
from core.ingest.load.html_headings import (
    CONTENTS_CLASS,
    HEADINGS,
    LINES,
    emphasis_of,
    heading_level,
    text_size,
    without_permalink,
)
from core.ingest.load.html_page import (
    BLOCKS,
    DROPPED,
    is_frame,
    is_hidden,
    leave_out_struck,
    main_part,
    tag_of,
    title_above,
    words_of,
)
from core.ingest.load.text import decode_text
from core.ingest.metadata import LabelledValue, SelfDescription, read_labels

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*+=\s*+[\"']?\s*+([\w-]{1,40})", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_PROBE_BYTES = 2048
_MAX_COLUMNS = 100
"""Of a table; more rows or columns are never spanned."""
_BULLET = "- "
MARK = "data-mark"
"""In a list of Markdown, whose parts keep together: what follows an item's number."""


def load_html(data: bytes) -> LoadedDocument:
    """Read an HTML page.

    Raises:
        DocumentError: undecodable, or without any content.
    """
    return read_page(parse_html(data))


def parse_html(data: bytes) -> html.HtmlElement:
    """Parse an HTML page.

    Raises:
        DocumentError: undecodable, or without any content.
    """
    declared = _CHARSET.search(data[:_PROBE_BYTES])
    text = decode_text(data, declared=declared.group(1).decode("ascii") if declared else None)
    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        return html.document_fromstring(_DECLARATION.sub("", text), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as exc:
        raise DocumentError("the page holds no content: save the page itself as HTML") from exc


def read_page(root: html.HtmlElement) -> LoadedDocument:
    """Read a parsed page."""
    struck = leave_out_struck(root)
    page = HtmlWriter(DocumentBuilder(), text_points=text_size(root))
    main = main_part(root)
    if main is not None and (title := title_above(root, main)) is not None:
        page.walk(title)
    page.walk(root if main is None else main)
    page.flush()
    _note_asides(root, page.builder)
    is_framed = page.framing or (main is not None and len(words_of(main)) < len(words_of(root)))
    head = _head(root)
    document = page.builder.build(
        "text/html",
        metadata=head.values,
        notes=unread_notes(hidden=page.hidden, struck=struck),
        left_out=["left out menus, banners and footers"] if is_framed else [],
    )
    return replace(document, unused=head.unused)


def _note_asides(root: html.HtmlElement, builder: DocumentBuilder) -> None:
    """Note lists of terms, and headers and footers that are no menus."""
    for element in root.iter("dt"):
        value = element.getnext()
        if value is not None and tag_of(value) == "dd":
            builder.aside(words_of(element).rstrip(" :"), words_of(value))
    for element in root.iter("header", "footer"):
        if not is_frame(element, tag_of(element)):
            builder.aside(words_of(element))


@dataclass(slots=True, eq=False)
class HtmlWriter:
    """Walks elements and writes their lines; Markdown writes the HTML within it by this, too."""

    builder: DocumentBuilder
    _: KW_ONLY
    text_points: float
    hidden: int = field(default=0, init=False)
    """Elements with words that a reader does not see."""
    framing: int = field(default=0, init=False)
    """Elements around the text, left out."""
    _parts: list[str] = field(default_factory=list, init=False)
    _label: str = field(default="", init=False)
    _items: int = field(default=0, init=False)
    """In how many items of lists the current line stands."""
    level: int = field(default=0, init=False)
    """Of the last heading."""

    def walk(self, element: html.HtmlElement) -> None:
        """Write an element and its content."""
        tag = tag_of(element)
        if not tag or tag in DROPPED or CONTENTS_CLASS.match(element.get("class") or ""):
            return
        if is_hidden(element):
            self.hidden += bool(words_of(element, with_hidden=True))
            return
        if tag in BLOCKS and is_frame(element, tag):
            self.flush()
            self.framing += 1
            return
        level = heading_level(element, tag, below=self.level)
        if level is not None:
            self._write_heading(element, level=level, is_summary=tag == "summary")
        elif tag == "table" and not _is_layout(element):
            self._write_table(element)
        elif tag == "br":
            self.flush()
        elif tag in LINES and (emphasis := emphasis_of(element, text_points=self.text_points)):
            self.flush()
            self.builder.candidate(words_of(element), emphasis)
        else:
            self._write_children(element, is_block=tag in BLOCKS, tag=tag)

    def _write_heading(self, element: html.HtmlElement, *, level: int, is_summary: bool) -> None:
        self.flush()
        words = without_permalink(element)
        if self._label != _BULLET:
            words, self._label = self._label + words, ""
        self.builder.heading(words, level=level)
        if not is_summary:
            self.level = level

    def flush(self) -> None:
        """Write the current line."""
        text = " ".join("".join(self._parts).split())
        self._parts.clear()
        depth = self._items - int(bool(self._label))
        if text and self.builder.line(self._label + text, depth=depth) is not None:
            self._label = ""

    def _write_children(self, element: html.HtmlElement, *, is_block: bool, tag: str) -> None:
        if is_block:
            self.flush()
        if tag == "li":
            self._label = _item_label(element)
            self._items += 1
        self._parts.append(element.text or "")
        for child in element:
            self.walk(child)
            self._parts.append(child.tail or "")
        if is_block:
            self.flush()
            self._label = ""
            self._items -= int(tag == "li")
            if tag not in {"li", "dt"} and element.get(MARK) is None:
                self.builder.blank()

    def _write_table(self, table: html.HtmlElement) -> None:
        self.flush()
        self.builder.begin_table()
        open_cells: dict[int, tuple[int, str]] = {}
        for row in table.iter("tr"):
            if not is_hidden(row):
                self.builder.row(_cells(row, open_cells))
        self.builder.end_table()


def _cells(row: html.HtmlElement, open_cells: dict[int, tuple[int, str]]) -> list[str]:
    """Return the texts of a row, each in its column.

    A cell over several rows stands in each of them, since a row is understood by itself; one over
    several columns stands in the first.

    Args:
        row: the row.
        open_cells: by column, of the cells above: how many rows they still reach, and their text.
    """
    texts: list[str] = []
    column = 0

    def take_open() -> None:
        nonlocal column
        while column in open_cells:
            left, text = open_cells.pop(column)
            if left > 1:
                reaching[column] = (left - 1, text)
            texts.append(text)
            column += 1

    reaching: dict[int, tuple[int, str]] = {}
    for cell in row:
        if tag_of(cell) not in {"td", "th"} or len(texts) > _MAX_COLUMNS:
            continue
        take_open()
        text, rows = words_of(cell), _span(cell, "rowspan")
        if rows > 1:
            reaching[column] = (rows - 1, text)
        texts.append(text)
        columns = _span(cell, "colspan")
        texts += [""] * (columns - 1)
        column += columns
    take_open()
    open_cells.update(reaching)
    return texts


def _span(cell: html.HtmlElement, name: str) -> int:
    given = (cell.get(name) or "").strip()
    return min(max(1, int(given)), _MAX_COLUMNS) if given.isdecimal() and len(given) <= 3 else 1  # noqa: PLR2004  # three digits


def _is_layout(table: html.HtmlElement) -> bool:
    """Return True for a table that only lays out the page: it holds headings or other tables.

    Headings in all cells of the first row alone are the titles of columns.
    """
    if any(tag_of(child) == "table" for child in table.iterdescendants()):
        return True
    rows = [[cell for cell in row if tag_of(cell) in {"td", "th"}] for row in table.iter("tr")]
    headed = [
        [any(tag_of(item) in HEADINGS for item in cell.iter()) for cell in row] for row in rows
    ]
    if not any(map(any, headed)):
        return False
    return any(map(any, headed[1:])) or not all(headed[0]) or len(headed) == 1


def _item_label(item: html.HtmlElement) -> str:
    parent = item.getparent()
    if parent is None or tag_of(parent) != "ol":
        return _BULLET
    start = parent.get("start") or "1"
    number = int(start) if start.isdecimal() else 1
    parent.set("start", str(number + 1))
    return f"{number}{item.get(MARK) or '.'} "


def _head(root: html.HtmlElement) -> SelfDescription:
    """Read `<meta name=... content=...>`, and `<title>`, which may name the site, without `h1`."""
    pairs: list[tuple[str, str]] = []
    for meta in root.iter("meta"):
        name, content = meta.get("name"), meta.get("content")
        if name and content:
            pairs.append((name.replace("dcterms.", "").replace("DC.", ""), content))
    if not any(True for _ in root.iter("h1")):
        pairs += [("title", title.text or "") for title in root.iter("title")]
    return read_labels(LabelledValue(label=label, value=value) for label, value in pairs)
