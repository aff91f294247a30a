"""The XML behind python-docx's objects, typed, where the library has no public name for it.

Its text is what a reader sees, with tracked insertions, which python-docx leaves out.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias, cast

from docx.document import Document
from docx.oxml.ns import qn

NOTE_MARK = "\x00"
"""Delimits a reference to a note in `visible_text`; XML cannot contain it."""

_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
"""What older programs show instead of a text box: the same text again."""
_DELETED = frozenset({qn("w:del"), qn("w:moveFrom"), _FALLBACK})
_BOX = qn("w:txbxContent")
_RUN, _OWN_VANISH = qn("w:r"), f"{qn('w:rPr')}/{qn('w:vanish')}"
OFF = frozenset({"0", "false", "off", "none"})
_TEXT, _BREAKS = qn("w:t"), frozenset({qn("w:br"), qn("w:cr")})
_TABS = frozenset({qn("w:tab"), qn("w:ptab")})
_HYPHEN = qn("w:noBreakHyphen")
_REFERENCES = {qn("w:footnoteReference"): "Footnote", qn("w:endnoteReference"): "Endnote"}


Hides: TypeAlias = Callable[["Element"], bool]


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


def visible_text(element: Element, hides: "Hides | None" = None, *, tab: str = " ") -> str:
    """Return the text of a paragraph, without what is deleted, hidden or in a text box.

    A reference to a note is its kind and Word's number of it between two `NOTE_MARK`s.

    Args:
        element: the paragraph.
        hides: says of a run whether it is hidden for another reason than its own property.
        tab: what stands for a tab.
    """
    return "".join(_pieces(element, hides or _never, tab))


def visible_runs(element: Element) -> "Iterator[Element]":
    """Yield the runs of a paragraph, without what is deleted, hidden or in a text box."""
    for child in element:
        if child.tag == _BOX or _is_hidden(child):
            continue
        if child.tag == _RUN:
            yield child
        else:
            yield from visible_runs(child)


def text_boxes(element: Element) -> "Iterator[Element]":
    """Yield the contents of the text boxes that are anchored in a paragraph."""
    for child in element:
        if _is_hidden(child):
            continue
        if child.tag == _BOX:
            yield child
        else:
            yield from text_boxes(child)


def _pieces(element: Element, hides: "Hides", tab: str) -> "Iterator[str]":
    for child in element:
        if child.tag == _BOX or _is_hidden(child) or (child.tag == _RUN and hides(child)):
            continue
        if child.tag == _TEXT:
            yield child.text or ""
        elif child.tag in _TABS and element.tag == _RUN:
            yield tab
        elif child.tag in _BREAKS:
            yield "\n"
        elif child.tag == _HYPHEN:
            yield "-"
        elif child.tag in _REFERENCES:
            number = child.get(qn("w:id")) or ""
            yield f"{NOTE_MARK}{_REFERENCES[child.tag]} {number}{NOTE_MARK}"
        else:
            yield from _pieces(child, hides, tab)


def _never(_run: Element) -> bool:
    return False


def _is_hidden(element: Element) -> bool:
    if element.tag in _DELETED:
        return True
    vanish = element.find(_OWN_VANISH) if element.tag == _RUN else None
    return vanish is not None and vanish.get(qn("w:val")) not in OFF
