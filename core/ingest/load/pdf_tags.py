"""What a tagged PDF says of its text: which of it is a heading, and of what level.

Word, InDesign and browsers write such tags (ISO 32000-1, 14.8) for readers who cannot see the page.
"""

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pypdfium2.raw as pdfium_c

_LEVELS = {"Title": 1, "H": 1, **{f"H{level}": level for level in range(1, 7)}}
"""Standard structure types of headings; the document's own names are mapped to them by pdfium."""
_MAX_ELEMENTS = 20_000
"""Of one page."""
_MAX_TYPE = 64
"""Bytes."""


@dataclass(frozen=True, slots=True)
class ContentTag:
    """The element of the structure tree that some content of a page belongs to."""

    level: int
    """Of a heading, from 1; 0: it is something else."""
    element: int
    """Which heading of its page it is; 0 for what is none."""


_OTHER = ContentTag(0, 0)


def read_tags(page: Any) -> Mapping[int, ContentTag]:
    """Return the tags of a page by number of marked content; empty if it marks no heading."""
    tree = pdfium_c.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    try:
        tags: dict[int, ContentTag] = {}
        count: int = pdfium_c.FPDF_StructTree_CountChildren(tree)
        roots = [pdfium_c.FPDF_StructTree_GetChildAtIndex(tree, at) for at in range(count)]
        waiting = [(root, _OTHER) for root in reversed(roots) if root]
        seen = 0
        while waiting and seen < _MAX_ELEMENTS:
            element, above = waiting.pop()
            seen += 1
            level = above.level or _LEVELS.get(_type_of(element), 0)
            tag = above if above.level or not level else ContentTag(level, seen)
            for at in range(pdfium_c.FPDF_StructElement_CountChildren(element)):
                child = pdfium_c.FPDF_StructElement_GetChildAtIndex(element, at)
                if child:
                    waiting.append((child, tag))
                    continue
                number: int = pdfium_c.FPDF_StructElement_GetChildMarkedContentID(element, at)
                if number >= 0:
                    tags[number] = tag
        return tags if any(tag.level for tag in tags.values()) else {}
    finally:
        pdfium_c.FPDF_StructTree_Close(tree)


def tag_at(text_page: Any, index: int, tags: Mapping[int, ContentTag]) -> ContentTag | None:
    """Return the tag of a character; None: it has none."""
    drawn = pdfium_c.FPDFText_GetTextObject(text_page, index)
    return tags.get(int(pdfium_c.FPDFPageObj_GetMarkedContentID(drawn))) if drawn else None


def _type_of(element: Any) -> str:
    buffer = ctypes.create_string_buffer(_MAX_TYPE)
    length: int = pdfium_c.FPDF_StructElement_GetType(element, buffer, _MAX_TYPE)
    return buffer.raw[: min(length, _MAX_TYPE)].decode("utf-16-le", errors="replace").rstrip("\0")
