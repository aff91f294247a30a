"""A page in Confluence's storage format, as an HTML page that the ingest reads.

The storage format is what people wrote; the rendered page also holds what macros put there. An
"include page" shows the text of another page to whoever renders it, and that page may have fewer
readers. So a macro gives what stands in it and nothing else: a panel its text, a code block its
lines, an include nothing.
"""

import html
import re
from html.entities import html5
from typing import cast

from lxml import etree

from core.domain.errors import DocumentError

LARGEST = 5 * 1024 * 1024
"""Characters of a page; Confluence itself saves none that is larger."""
_AC = "{http://atlassian.com/content}"
_RI = "{http://atlassian.com/resource/identifier}"
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31};)")
_OF_XML = frozenset(["amp;", "lt;", "gt;", "quot;", "apos;"])
_KEPT = ("colspan", "rowspan", "start", "style", "hidden", "aria-hidden")
"""Attributes that the reader of HTML knows."""
_VOID = frozenset(["br", "hr", "img", "col"])
_PASSED_OVER = frozenset(
    [
        "adf-attribute",
        "adf-fallback",
        "parameter",
        "default-parameter",
        "placeholder",
        "task-id",
        "task-status",
        "task-uuid",
    ]
)
"""Elements of Confluence's own whose text nobody sees on the page."""
_AS_HTML = {
    "caption": "p",
    "layout": "div",
    "layout-cell": "div",
    "layout-section": "div",
    "rich-text-body": "div",
    "task": "li",
    "task-list": "ul",
}
_SIGNS = {"tick": "\u2713", "cross": "\u2717", "plus": "+", "minus": "-"}
"""Emoticons that say yes or no in tables."""
_Element = etree._Element  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def page_of(storage: str, *, title: str) -> bytes:
    """Return the HTML of a page.

    Raises:
        DocumentError: It is too large, or no storage format.
    """
    if len(storage) > LARGEST:
        raise DocumentError(
            f"{len(storage) >> 20} MB is over the limit of {LARGEST >> 20} MB of a page: split it"
        )
    known = _ENTITY.sub(_character, storage)
    wrapped = f'<page xmlns:ac="{_AC[1:-1]}" xmlns:ri="{_RI[1:-1]}">{known}</page>'
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(wrapped.encode(errors="replace"), parser=parser)
    except etree.XMLSyntaxError as error:
        raise DocumentError(
            "its storage format can't be read: open the page in Confluence's editor and publish it"
            " again"
        ) from error
    body = _Writer()
    body.content(root)
    said = html.escape(title)
    page = f"<!doctype html><html><head><title>{said}</title></head><body>{body}</body></html>"
    return page.encode(errors="replace")


def _character(entity: re.Match[str]) -> str:
    """Return the character that an entity of HTML stands for, which XML does not know."""
    name = entity[1]
    return entity[0] if name in _OF_XML else html.escape(html5.get(name, ""))


class _Writer:
    """Writes elements as HTML."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def __str__(self) -> str:
        return "".join(self._parts)

    def content(self, element: _Element) -> None:
        """Write what stands in an element."""
        self._text(element.text)
        for child in element:
            self._element(child)
            self._text(child.tail)

    def _element(self, element: _Element) -> None:
        name = cast("object", element.tag)
        if not isinstance(name, str) or name.startswith(_RI):
            return
        if name.startswith(_AC):
            self._own(element, name.removeprefix(_AC))
        elif name == "time":
            self._text(element.get("datetime"))
        elif "}" not in name:
            self._within(name, element)

    def _own(self, element: _Element, name: str) -> None:
        """Write an element of Confluence's own; of one that is not known, what stands in it."""
        if name in _PASSED_OVER:
            return
        if name in {"structured-macro", "macro"}:
            self._macro(element)
        elif name in {"link", "adf-extension"}:
            self._instead(element)
        elif name == "image":
            for caption in element.iterchildren(f"{_AC}caption"):
                self._within("p", caption)
        elif name == "emoticon":
            self._text(_SIGNS.get(element.get(f"{_AC}name", "")))
        elif name in {"plain-text-body", "plain-text-link-body"}:
            self._lines(element.text or "", is_block=name == "plain-text-body")
        elif name in _AS_HTML:
            self._within(_AS_HTML[name], element)
        else:
            self.content(element)

    def _macro(self, macro: _Element) -> None:
        said = {
            one.get(f"{_AC}name", ""): _words(one) for one in macro.iterchildren(f"{_AC}parameter")
        }
        kind = macro.get(f"{_AC}name", "")
        if kind == "excerpt" and said.get("hidden") == "true":
            return
        bodies = list(macro.iterchildren(f"{_AC}rich-text-body", f"{_AC}plain-text-body"))
        title = said.get("title", "").strip()
        if title and kind == "status":
            self._text(title)
        elif title and bodies:
            self._parts.append(f"<p>{html.escape(title)}</p>")
        for one in bodies:
            self._element(one)

    def _instead(self, element: _Element) -> None:
        """Write the text of a link, or the new editor's own content: what is shown of either."""
        fallback = element.find(f"{_AC}adf-fallback")
        if any(_words(one).strip() for one in element if one is not fallback):
            self.content(element)
        elif fallback is not None:
            self.content(fallback)
        for page in element.iterchildren(f"{_RI}page", f"{_RI}attachment"):
            if len(element) == 1:
                name = page.get(f"{_RI}content-title") or page.get(f"{_RI}filename")
                self._text(name)

    def _lines(self, text: str, *, is_block: bool) -> None:
        said = "<br>".join(html.escape(line) for line in text.splitlines())
        self._parts.append(f"<pre>{said}</pre>" if is_block else said)

    def _within(self, name: str, element: _Element) -> None:
        tag = name.lower()
        given = "".join(
            f' {one}="{html.escape(value)}"'
            for one in _KEPT
            if (value := element.get(one)) is not None
        )
        self._parts.append(f"<{tag}{given}>")
        if tag not in _VOID:
            self.content(element)
            self._parts.append(f"</{tag}>")

    def _text(self, text: str | None) -> None:
        if text:
            self._parts.append(html.escape(text, quote=False))


def _words(element: _Element) -> str:
    return "".join(str(one) for one in element.itertext())
