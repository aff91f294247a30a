"""The XML behind python-docx's objects, typed: what it knows no public name for."""

from collections.abc import Iterator
from typing import Any, Protocol, cast

from docx.document import Document
from docx.oxml.ns import qn


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
