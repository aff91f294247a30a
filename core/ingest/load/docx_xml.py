"""The XML behind python-docx's objects, typed: what it knows no public name for.

And the text in it as a reader sees it, tracked insertions included, which python-docx leaves out.
"""

from collections.abc import Iterator
from typing import Any, Protocol, cast

from docx.document import Document
from docx.oxml.ns import qn

NOTE_MARK = "\x00"
"""Stands around a reference to a note in `visible_text`; no XML may contain it."""

_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""What older programs show instead of a text box: the same words again."""
_DELETED = frozenset({qn("w:del"), qn("w:moveFrom"), _FALLBACK})
_BOX = qn("w:txbxContent")
_RUN, _OWN_VANISH = qn("w:r"), f"{qn('w:rPr')}/{qn('w:vanish')}"
_OFF = frozenset({"0", "false", "off"})
_TEXT, _TAB, _BREAKS = qn("w:t"), qn("w:tab"), frozenset({qn("w:br"), qn("w:cr")})
_HYPHEN = qn("w:noBreakHyphen")
_REFERENCES = {qn("w:footnoteReference"): "Footnote", qn("w:endnoteReference"): "Endnote"}


class Element(Protocol):
    """What is used of an lxml element."""

    tag: str
    """Name in Clark notation."""
    text: str | None
    """Character data before the first child."""

    def find(self, path: str) -> "Element | None":
        """Return the first match below."""
        ...

    def iter(self, tag: str) -> "Iterator[Element]":
        """Yield descendants with that tag."""
        ...

    def get(self, key: str) -> str | None:
        """Return an attribute."""
        ...

    def __iter__(self) -> "Iterator[Element]":
        """Yield the children."""
        ...


def xml_of(item: object) -> Element:
    """Return the XML of a paragraph, cell, style or part."""
    known: Any = item
    return cast("Element", known._element)  # noqa: SLF001 - python-docx has no public name for it


def body_of(document: Document) -> Element:
    """Return the XML of a document's body."""
    root: Any = document.element
    return cast("Element", root.body)


def value_of(parent: Element, tag: str) -> str | None:
    """Return `w:val` of the child `tag`; None if either is missing."""
    child = parent.find(qn(tag))
    return None if child is None else child.get(qn("w:val"))


def visible_text(element: Element) -> str:
    """Return the text of a paragraph, without what is deleted, hidden or in a text box.

    A reference to a note is its kind and Word's number of it between two `NOTE_MARK`s.
    """
    return "".join(_pieces(element))


def text_boxes(element: Element) -> "Iterator[Element]":
    """Yield the contents of the text boxes that are anchored in a paragraph."""
    for child in element:
        if _is_hidden(child):
            continue
        if child.tag == _BOX:
            yield child
        else:
            yield from text_boxes(child)


def _pieces(element: Element) -> "Iterator[str]":
    for child in element:
        if child.tag == _BOX or _is_hidden(child):
            continue
        if child.tag == _TEXT:
            yield child.text or ""
        elif child.tag == _TAB and element.tag == _RUN:
            yield " "
        elif child.tag in _BREAKS:
            yield "\n"
        elif child.tag == _HYPHEN:
            yield "-"
        elif child.tag in _REFERENCES:
            number = child.get(qn("w:id")) or ""
            yield f"{NOTE_MARK}{_REFERENCES[child.tag]} {number}{NOTE_MARK}"
        else:
            yield from _pieces(child)


def _is_hidden(element: Element) -> bool:
    if element.tag in _DELETED:
        return True
    vanish = element.find(_OWN_VANISH) if element.tag == _RUN else None
    return vanish is not None and vanish.get(qn("w:val")) not in _OFF
