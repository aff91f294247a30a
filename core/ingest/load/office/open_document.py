"""OpenDocument texts, as LibreOffice writes them: their elements are renamed, and read as HTML.

Tracked deletions, comments, hidden and struck text, and tables of contents are left out; a note
follows the paragraph that refers to it, and so does a text box.
"""

import zipfile
from collections import Counter
from collections.abc import Collection, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any, cast

from lxml import etree

from core.domain.errors import DocumentError
from core.domain.policy import ODT, LoadedDocument
from core.ingest.load.builder import DocumentBuilder, describe_left_out, unread_notes
from core.ingest.load.html import HtmlWriter
from core.ingest.load.office.archive import office_file
from core.ingest.metadata import canonical_keys
from core.ingest.titles import property_title

_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_WEIGHT = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}font-weight"


def _named(name: str) -> str:
    """Return "text:p" in Clark notation."""
    prefix, _, local = name.partition(":")
    return f"{{urn:oasis:names:tc:opendocument:xmlns:{prefix}:1.0}}{local}"


_HTML = {
    _named("text:p"): "p",
    _named("text:list-item"): "li",
    _named("text:section"): "div",
    _named("text:line-break"): "br",
    _named("drawing:text-box"): "div",
    _named("table:table"): "table",
    _named("table:table-row"): "tr",
    _named("table:table-cell"): "td",
    _named("text:note"): "p",
    _named("text:list"): "ul",
}
_COMMENT = _named("office:annotation")
_LEFT_OUT = tuple(
    _named(name)
    for name in """
    text:tracked-changes text:table-of-content text:illustration-index text:alphabetical-index
    text:note-citation text:hidden-text text:hidden-paragraph table:covered-table-cell office:forms
    office:annotation
    """.split()  # noqa: SIM905  # as a list, a line each
)
_NOWHERE = "template"
"""What the reader of HTML leaves out."""
_SPACES = frozenset(map(_named, ("text:s", "text:tab")))
_PARAGRAPHS = tuple(map(_named, ("text:p", "text:h")))
_ANCHORED = tuple(map(_named, ("text:note", "drawing:text-box")))


def load_odt(data: bytes) -> LoadedDocument:
    """Read an OpenDocument text.

    Raises:
        DocumentError: corrupt, encrypted or dangerous; the message is for people.
    """
    with office_file(data) as file, zipfile.ZipFile(file) as archive:
        if b"encryption-data" in archive.read("META-INF/manifest.xml"):
            raise DocumentError("it is protected by a password: save it without one")
        parser = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True)
        names = {"styles.xml", "meta.xml", "content.xml"}.intersection(archive.namelist())
        parts = {name: cast("Any", etree.fromstring(archive.read(name), parser)) for name in names}
        content = parts["content.xml"]
        comments = sum(1 for _ in content.iter(_COMMENT))
        tracked = sum(1 for _ in content.iter(_named("text:changed-region")))
        etree.strip_elements(content, *_LEFT_OUT, with_tail=False)
        bodies = list(content.iter(_named("office:text")))
        styles = _Styles(parts.values())
        left_out: Counter[str] = Counter()
        for body in bodies:
            left_out += _rename(body, styles)
        page = HtmlWriter(DocumentBuilder(), text_points=1.0)
        for body in bodies:
            page.walk(body)
        page.flush()
        document = page.builder.build(
            ODT,
            metadata={},
            notes=unread_notes(
                hidden=left_out["hidden"], struck=left_out["struck"], tracked=tracked
            ),
            left_out=describe_left_out([(comments, "comment")]),
        )
        titles = (title.text for part in parts.values() for title in part.iter(_TITLE))
        said = property_title(next(titles, None), document)
        return replace(document, metadata=canonical_keys([("title", said)]))


class _Styles:
    """What the styles of a text say, by name."""

    def __init__(self, parts: Collection[Any]) -> None:
        self._titles, self._numbered = {"Title"}, set("")
        self.bold, self.struck, self._hidden = set(""), set(""), set("")
        for style in _all(parts, "style:style"):
            if _get(style, "style:parent-style-name") in self._titles:
                self._titles.add(_get(style, "style:name"))
            for words in style.iter(_named("style:text-properties")):
                is_hidden = _get(words, "text:display") == "none"
                self._hidden |= {_get(style, "style:name")} if is_hidden else set()
                through = _get(words, "style:text-line-through-style") or "none"
                self.struck |= {_get(style, "style:name")} if through != "none" else set()
                is_bold = words.get(_WEIGHT) == "bold"
                self.bold |= {_get(style, "style:name")} if is_bold else set()
        for number in _all(parts, "text:list-level-style-number"):
            self._numbered.add(_get(number.getparent(), "style:name"))
        self._shift = 0
        """1 below a title, which stands above the headings of level 1."""

    def hide(self, element: Any) -> bool:
        """Return whether a reader sees nothing of an element."""
        is_hidden = _get(element, "text:style-name") in self._hidden
        return is_hidden or _get(element, "text:display") == "none"

    def tag_of(self, element: Any) -> str:
        """Return an element's tag in HTML; to be called in the order of the text."""
        name = _get(element, "text:style-name")
        if element.tag == _PARAGRAPHS[1]:
            level = _get(element, "text:outline-level")
            return f"h{min((int(level) if level.isdecimal() else 1) + self._shift, 6)}"
        if name in self._titles and not self._shift:
            self._shift = 1
            return "h1"
        return "ol" if name in self._numbered else _HTML.get(element.tag, "span")


def _rename(body: Any, styles: _Styles) -> Counter[str]:
    """Turn elements into those of HTML that mean the same; return how many are left out as what."""
    left_out: Counter[str] = Counter()
    for element in list(body.iter(*_ANCHORED)):
        paragraph = next(element.iterancestors(*_PARAGRAPHS), None)
        if paragraph is not None:
            moved = deepcopy(element)
            moved.tail = None
            paragraph.addnext(moved)
            element.tag = _NOWHERE
    for element in [element for element in body.iter() if element.tag != _NOWHERE]:
        is_struck = _get(element, "text:style-name") in styles.struck
        if is_struck or styles.hide(element):
            left_out["struck" if is_struck else "hidden"] += 1
            element.tag = _NOWHERE
            continue
        if element.tag in _SPACES:
            element.text = " "
        if _get(element, "text:style-name") in styles.bold:
            element.set("style", "font-weight: bold")
        for span in ("columns", "rows"):
            element.set(f"{span[:3]}span", _get(element, f"table:number-{span}-spanned"))
        element.tag = styles.tag_of(element)
    return left_out


def _all(parts: Collection[Any], name: str) -> Iterator[Any]:
    for part in parts:
        yield from part.iter(_named(name))


def _get(element: Any, name: str) -> str:
    return str(element.get(_named(name)) or "")
