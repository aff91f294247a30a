"""Which parts of an HTML page are its text: not what is hidden, and not what frames it.

Menus, banners, sidebars and footers stand around a text on each page of a site. They are told by
their element, role or name and, since names are often wrong, by being links for the most part.
"""

import re
from collections.abc import Iterator

from lxml import html

DROPPED = frozenset(
    """
    head script style template noscript nav svg math iframe object embed canvas video audio form
    button select input textarea dialog
    """.split()  # noqa: SIM905  # as a list, a line each
)
BLOCKS = frozenset(
    """
    address article aside blockquote body caption dd details div dl dt fieldset figcaption
    figure footer header hr html li main ol p pre section summary table ul
    """.split()  # noqa: SIM905  # as a list, a line each
)
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*(?:all|screen)"
    r"|font-size\s*:\s*(?:0(?![.\d])|[01](?:\.\d{1,3})?\s*(?:px|pt))"
    r"|opacity\s*:\s*0(?![.\d])|(?:left|top|text-indent)\s*:\s*-\d{4}",
    re.IGNORECASE,
)
_STRUCK = frozenset({"s", "strike", "del"})
_STRUCK_STYLE = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)
_FRAME_ROLES = frozenset(
    ["navigation", "banner", "search", "contentinfo", "complementary", "menu", "menubar"]
)
_FRAME_TAGS = frozenset({"header", "footer", "aside"})
_FRAME_NAME = re.compile(
    r"(?<![a-z])(?:nav|navbar|navigation|menu|breadcrumbs?|sidebar|footer|header|toc|contents)(?![a-z])",
    re.IGNORECASE,
)
_CONSENT = re.compile(r"cookie|consent", re.IGNORECASE)
_LINKED = 0.4
"""Of the characters of a page's frame: within links. Of a text, few are."""
_MAIN_SHARE = 0.3
"""Of the page's characters, at least, are in what it marks as its main part."""


def tag_of(element: html.HtmlElement) -> str:
    """Return the tag in lower case; empty for comments and processing instructions."""
    tag: object = element.tag
    return tag.lower() if isinstance(tag, str) else ""


def is_hidden(element: html.HtmlElement) -> bool:
    """Return whether an element is hidden from readers by its own attributes."""
    if "hidden" in element.attrib or element.get("aria-hidden") == "true":
        return True
    return _HIDDEN_STYLE.search(element.get("style") or "") is not None


def leave_out_struck(root: html.HtmlElement) -> int:
    """Take out of a page what is struck through; return how many passages had words."""
    struck = [
        element
        for element in root.iter()
        if tag_of(element) in _STRUCK or _STRUCK_STYLE.search(element.get("style") or "")
    ]
    count = sum(1 for element in struck if words_of(element))
    for element in struck:
        if element.getparent() is not None:
            element.drop_tree()
    return count


def main_part(root: html.HtmlElement) -> html.HtmlElement | None:
    """Return what a page marks as its main part, without menus and banners around it."""
    marked = root.xpath('.//*[self::main or @role="main" or @id="main-content"]')
    outer = [
        element for element in marked if not any(up in marked for up in element.iterancestors())
    ]
    if len(outer) != 1 or is_hidden(outer[0]):
        return None
    return outer[0] if len(words_of(outer[0])) >= _MAIN_SHARE * len(words_of(root)) else None


def title_above(root: html.HtmlElement, main: html.HtmlElement) -> html.HtmlElement | None:
    """Return the page's `h1` where it stands outside its main part.

    Beside another one in the main part it may name the site, unless a wiki's export says otherwise.
    """
    found = [heading for heading in root.iter("h1") if words_of(heading)]
    outside = [one for one in found if not any(up is main for up in one.iterancestors())]
    titles = [one for one in outside if len(found) == 1 or one.get("id") == "title-heading"]
    return titles[0] if titles else None


def is_frame(element: html.HtmlElement, tag: str) -> bool:
    """Return whether an element frames the text: a menu, a sidebar, a footer, a cookie banner."""
    named = f"{element.get('id') or ''} {element.get('class') or ''}"
    if _CONSENT.search(named) and any(tag_of(inner) == "button" for inner in element.iter()):
        return True
    role = element.get("role")
    if tag not in _FRAME_TAGS and role not in _FRAME_ROLES and not _FRAME_NAME.search(named):
        return False
    if tag in {"body", "html", "main", "article"}:
        return False
    linked = sum(len(words_of(link)) for link in element.iter("a"))
    return 0 < linked >= _LINKED * len(words_of(element))


def words_of(element: html.HtmlElement, *, with_hidden: bool = False) -> str:
    """Return the words of an element on one line, as a reader sees them."""
    return " ".join("".join(_visible(element, with_hidden=with_hidden)).split())


def _visible(element: html.HtmlElement, *, with_hidden: bool) -> Iterator[str]:
    tag = tag_of(element)
    if not tag or tag in DROPPED or (not with_hidden and is_hidden(element)):
        return
    if tag in BLOCKS or tag == "br":
        yield " "
    yield element.text or ""
    for child in element:
        yield from _visible(child, with_hidden=with_hidden)
        yield child.tail or ""
