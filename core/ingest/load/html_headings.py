"""Headings of an HTML page: by tag, role or class, by folding a text, or by their look."""

import re
from collections import Counter

from lxml import html

from core.ingest.heading_candidates import reads_as_heading
from core.ingest.load.html_page import BLOCKS, tag_of, words_of
from core.ingest.load.looks import LineLook

HEADINGS = {f"h{level}": level for level in range(1, 7)}
LINES = frozenset({"p", "div", "span"})
"""What may hold a line of its own."""
_HEADING_CLASS = re.compile(r"(?<![\w-])(?:h|heading-?)([1-6])(?![\w-])", re.IGNORECASE)
_TITLE_CLASS = re.compile(r"(?<![\w-])(?:mso|doc-?|page-?)?title(?![\w-])", re.IGNORECASE)
CONTENTS_CLASS = re.compile(r"MsoToc(?:Heading|\d)", re.IGNORECASE)
_PERMALINK = re.compile(
    r"(?<!\S)#(?!\S)|[¶§🔗](?!\s*\w)|\[ ?(?:edit|bearbeiten) ?\]"
    r"|(?<!\s)\s*\{:?\s*[#.:][^{}]{0,200}\}$"
)
_BOLD_STYLE = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_SIZE_STYLE = re.compile(
    r"font-size\s*:\s*(\d{1,3}(?:\.\d{1,4})?)\s*(pt|px|em|rem|%)", re.IGNORECASE
)
_POINTS = {"pt": 1.0, "px": 0.75, "em": 12.0, "rem": 12.0, "%": 0.12}
_BOLD, _ITALIC = frozenset({"b", "strong"}), frozenset({"em", "i"})
_MAX_WRAPPERS = 6
"""Elements around the words of one line; what is within more of them is set as these say."""
_BROWSER_POINTS = 12.0
"""A browser's size of text."""


def heading_level(element: html.HtmlElement, tag: str, *, below: int) -> int | None:
    """Return the level of a heading: by its tag, its role, its class, or as one that folds a text.

    Args:
        element: any element.
        tag: its tag.
        below: level of the last heading, under which a text is folded.
    """
    if tag in HEADINGS:
        role = element.get("role")
        return None if role in {"presentation", "none"} else HEADINGS[tag]
    if element.get("role") == "heading":
        said = element.get("aria-level") or "2"
        return int(said) if said.isdecimal() and len(said) == 1 else 2
    if tag == "summary":
        is_title = not any(tag_of(child) in HEADINGS for child in element.iterdescendants())
        depth = len(list(element.iterancestors("details")))
        return below + depth if is_title and reads_as_heading(words_of(element)) else None
    if tag in LINES:
        named = element.get("class") or ""
        match = _HEADING_CLASS.search(named)
        is_title = not below and _TITLE_CLASS.search(named) is not None
        if (match or is_title) and reads_as_heading(words_of(element)):
            return int(match.group(1)) if match else 1
    return None


def without_permalink(heading: html.HtmlElement) -> str:
    """Return the words of a heading without what a page adds: "#", "¶", "[edit]", "Space : "."""
    words = " ".join(_PERMALINK.sub(" ", words_of(heading)).split()).strip("* ")
    is_exported = heading.get("id") == "title-heading"  # of Confluence
    return words.partition(" : ")[2] or words if is_exported else words


def text_size(root: html.HtmlElement) -> float:
    """Return the size of most of a page's text, in points; a browser's own if it states none."""
    sizes: Counter[float] = Counter()
    for element in root.iter("p", "div", "span", "li", "td", "body"):
        size = _stated_size(element)
        if size:
            sizes[size] += len(element.text or "") + sum(len(inner.tail or "") for inner in element)
    if not sizes:
        return _BROWSER_POINTS
    size, characters = sizes.most_common(1)[0]
    return size if 2 * characters > len(words_of(root)) else _BROWSER_POINTS


def _stated_size(element: html.HtmlElement) -> float:
    match = _SIZE_STYLE.search(element.get("style") or "")
    return float(match.group(1)) * _POINTS[match.group(2).lower()] if match else 0.0


def emphasis_of(element: html.HtmlElement, *, text_points: float) -> LineLook | None:
    """Return how a block is set, if all its words are bold, italic or larger than the text."""
    for child in element.iterdescendants():
        if tag_of(child) in BLOCKS or tag_of(child) in HEADINGS or child.get("role") == "heading":
            return None
    words = words_of(element)
    if not reads_as_heading(words):
        return None
    size = 1.0
    is_bold = is_italic = False
    inner: html.HtmlElement | None = element
    for _ in range(_MAX_WRAPPERS):
        if inner is None:
            break
        style = inner.get("style") or ""
        is_bold = is_bold or _is_within(inner, _BOLD) or bool(_BOLD_STYLE.search(style))
        is_italic = is_italic or _is_within(inner, _ITALIC)
        if stated := _stated_size(inner):
            size = stated / text_points
        inner = next((child for child in inner if words_of(child) == words), None)
    if not is_bold and not is_italic and size <= 1:
        return None
    size = max(1.0, round(size, 2))
    return LineLook(size=size, is_bold=is_bold, is_italic=is_italic and not is_bold)


def _is_within(element: html.HtmlElement, tags: frozenset[str]) -> bool:
    """Return whether all words of an element are within such children."""
    if not any(tag_of(child) in tags for child in element):
        return False
    others = (words_of(child) for child in element if tag_of(child) not in tags)
    beside = (child.tail or "" for child in element)
    return not any(words.strip(" :\n") for words in (element.text or "", *beside, *others))
