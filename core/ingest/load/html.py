"""HTML: what a reader sees of the page, without navigation, scripts and hidden elements.

The parser has no network access and expands no entities; `script`, `style`, `nav` and the like are
dropped with their content.
"""

import re
from collections.abc import Iterator

from lxml import etree, html

from core.domain.errors import DocumentError
from core.domain.policy import LoadedDocument
from core.ingest.load.builder import DocumentBuilder
from core.ingest.load.text import decode_text
from core.ingest.metadata import canonical_keys

_DROPPED = frozenset(
    [
        "head",
        "script",
        "style",
        "template",
        "noscript",
        "nav",
        "svg",
        "math",
        "iframe",
        "object",
        "embed",
        "canvas",
        "video",
        "audio",
        "form",
        "button",
        "select",
        "input",
        "textarea",
        "dialog",
    ]
)
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "ul",
    ]
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d])",
    re.IGNORECASE,
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*+=\s*+[\"']?\s*+([\w-]{1,40})", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_PROBE_BYTES = 2048
_MAX_COLUMNS = 100
"""Of a table; more rows or columns are never spanned."""


def load_html(data: bytes) -> LoadedDocument:
    """Read an HTML page.

    Raises:
        DocumentError: undecodable, or without any content.
    """
    declared = _CHARSET.search(data[:_PROBE_BYTES])
    text = decode_text(data, declared=declared.group(1).decode("ascii") if declared else None)
    parser = html.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = html.document_fromstring(_DECLARATION.sub("", text), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as exc:
        raise DocumentError("the page holds no content: save the page itself as HTML") from exc
    page = _Page(DocumentBuilder())
    try:
        page.walk(root)
    except RecursionError as exc:
        raise DocumentError("its elements are nested too deeply: simplify the page") from exc
    page.flush()
    return page.builder.build("text/html", metadata=_head(root))


class _Page:
    """Walks the elements and collects the current line."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self.builder = builder
        self._parts: list[str] = []
        self._label = ""

    def walk(self, element: html.HtmlElement) -> None:
        """Write an element and its content."""
        tag = _tag(element)
        if not tag or tag in _DROPPED or _is_hidden(element):
            return
        if tag in _HEADINGS:
            self.flush()
            self.builder.heading(_words(element), level=_HEADINGS[tag])
        elif tag == "table" and not _is_layout(element):
            self._write_table(element)
        elif tag == "br":
            self.flush()
        else:
            self._write_children(element, is_block=tag in _BLOCKS, tag=tag)

    def flush(self) -> None:
        """Write the current line."""
        text = " ".join("".join(self._parts).split())
        self._parts.clear()
        if text and self.builder.line(self._label + text) is not None:
            self._label = ""

    def _write_children(self, element: html.HtmlElement, *, is_block: bool, tag: str) -> None:
        if is_block:
            self.flush()
        if tag == "li":
            self._label = _item_label(element)
        self._parts.append(element.text or "")
        for child in element:
            self.walk(child)
            self._parts.append(child.tail or "")
        if is_block:
            self.flush()
            self._label = ""
            if tag not in {"li", "dt"}:
                self.builder.blank()

    def _write_table(self, table: html.HtmlElement) -> None:
        self.flush()
        self.builder.begin_table()
        open_cells: dict[int, tuple[int, str]] = {}
        for row in table.iter("tr"):
            if not _is_hidden(row):
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
        if _tag(cell) not in {"td", "th"} or len(texts) > _MAX_COLUMNS:
            continue
        take_open()
        text, rows = _words(cell), _span(cell, "rowspan")
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


def _tag(element: html.HtmlElement) -> str:
    """Return the tag in lower case; empty for comments and processing instructions."""
    tag: object = element.tag
    return tag.lower() if isinstance(tag, str) else ""


def _is_hidden(element: html.HtmlElement) -> bool:
    if "hidden" in element.attrib or element.get("aria-hidden") == "true":
        return True
    return _HIDDEN_STYLE.search(element.get("style") or "") is not None


def _is_layout(table: html.HtmlElement) -> bool:
    """Return True for a table that only lays out the page: it holds headings or other tables."""
    return any(_tag(child) in {"table", *_HEADINGS} for child in table.iterdescendants())


def _words(element: html.HtmlElement) -> str:
    return " ".join("".join(_visible(element)).split())


def _visible(element: html.HtmlElement) -> Iterator[str]:
    tag = _tag(element)
    if not tag or tag in _DROPPED or _is_hidden(element):
        return
    if tag in _BLOCKS or tag == "br":
        yield " "
    yield element.text or ""
    for child in element:
        yield from _visible(child)
        yield child.tail or ""


def _item_label(item: html.HtmlElement) -> str:
    parent = item.getparent()
    if parent is None or _tag(parent) != "ol":
        return "- "
    start = parent.get("start") or "1"
    place = sum(1 for earlier in item.itersiblings(preceding=True) if _tag(earlier) == "li")
    return f"{(int(start) if start.isdecimal() else 1) + place}. "


def _head(root: html.HtmlElement) -> dict[str, str]:
    """Read `<meta name=... content=...>`, and `<title>`, which may name the site, without `h1`."""
    pairs: list[tuple[str, str]] = []
    for meta in root.iter("meta"):
        name, content = meta.get("name"), meta.get("content")
        if name and content:
            pairs.append((name.replace("dcterms.", "").replace("DC.", ""), content))
    if not any(True for _ in root.iter("h1")):
        pairs += [("title", title.text or "") for title in root.iter("title")]
    return canonical_keys(pairs)
