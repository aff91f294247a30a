"""Markdown (CommonMark with tables), without its markup, since quotes are shown to people.

LineLook, links, images and HTML tags lose their markup and keep their text. List items keep "- " or
their number. Front matter (`key: value` lines between `---`, or TOML between `+++`) is read as
metadata, not as text. HTML within is read as in a page: its headings count, and what it hides is
left out.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from lxml import html
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, image, link
from markdown_it.token import Token

from core.domain.errors import DocumentError
from core.domain.policy import LoadedDocument
from core.ingest.heading_candidates import reads_as_heading
from core.ingest.load.builder import DocumentBuilder, hidden_note
from core.ingest.load.front_matter import front_matter_of
from core.ingest.load.html import HtmlWriter
from core.ingest.load.html_page import DROPPED, VOID, is_hidden
from core.ingest.load.looks import LineLook
from core.ingest.load.text import decode_text
from core.ingest.metadata import is_of_policy
from core.ingest.stated.statements import is_labelled

_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_OPENING = re.compile(r"<([A-Za-z][A-Za-z0-9]*)(?=[\s>/])([^<>]*)>")
_ATTRIBUTES = re.compile(r"(?<!\s)\s*\{:?\s*[#.:][^{}]{0,200}\}$")
"""After a heading, or as a paragraph of its own: its id and classes, of Pandoc, Kramdown and
others."""
_ATTRIBUTES_ALONE = re.compile(r"\{:[^{}]{0,200}\}")
_WITHOUT_SPACE = re.compile(r"(#{1,6})(?=[^\W\d_])")
"""A heading in the Markdown of old, for which CommonMark wants a space. A hashtag is one, too, but
no line of its own that begins with a capital."""
_BOLD = LineLook(size=1.0, is_bold=True)
_ITALIC = LineLook(size=1.0, is_bold=False, is_italic=True)
_InlineRule: TypeAlias = Callable[[StateInline, bool], bool]
_UNCLOSED = "unclosed brackets"
_BREAK, _SOFT = "\n", "\x1e"
"""Ends of lines that stay, and those that flow on unless both lines say something of the policy."""
_CLOSERS_WITH_GAP = frozenset(
    {"paragraph_close", "bullet_list_close", "ordered_list_close", "blockquote_close"}
)
_MAX_NESTING = 150
"""The parser leaves out what is nested deeper; its default allows ten lists."""
_MANY_BRACKETS = 100
"""This many unclosed brackets in one paragraph are no oversight. For each, the parser would search
the rest of the paragraph for the end of a link: 13 s for 200 kB."""


def load_markdown(data: bytes) -> LoadedDocument:
    """Read a Markdown file.

    Raises:
        DocumentError: see `decode_text`.
    """
    text = decode_text(data).replace("\r\n", "\n").replace("\r", "\n")
    matter = front_matter_of(text)
    source = text[matter.end :]
    try:
        tokens = _parser().parse(source)
    except RecursionError as exc:
        raise DocumentError("its lists or quotes are nested too deeply: flatten them") from exc
    walk = _Walk(DocumentBuilder())
    try:
        for token in tokens:
            walk.take(token)
    except RecursionError as exc:
        raise DocumentError("its elements are nested too deeply: simplify the page") from exc
    document = walk.builder.build(
        "text/markdown", metadata=matter.said.values, notes=hidden_note(walk.hidden)
    )
    return replace(document, unused=matter.said.unused)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
    parser.inline.ruler.at("link", _unless_unclosed(link))
    parser.inline.ruler.at("image", _unless_unclosed(image))
    return parser


def _unless_unclosed(rule: _InlineRule) -> _InlineRule:
    """Skip a link rule at unclosed brackets, in a paragraph with very many of them."""

    def run(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] not in "[!":
            return False
        held: tuple[str, frozenset[int]] | None = state.env.get(_UNCLOSED)
        if held is None or held[0] is not state.src:
            held = state.env[_UNCLOSED] = (state.src, _unclosed(state.src))
        bracket = state.pos + int(state.src[state.pos] == "!")
        return bracket not in held[1] and rule(state, silent)

    return run


def _unclosed(text: str) -> frozenset[int]:
    """Return the positions of unclosed brackets; empty if they are few."""
    opened: list[int] = []
    for place, character in enumerate(text):
        if character == "[":
            opened.append(place)
        elif character == "]" and opened:
            opened.pop()
    return frozenset(opened) if len(opened) > _MANY_BRACKETS else frozenset()


def _without_comments(text: str) -> str:
    """Drop HTML comments; an unclosed one is kept, since it might be the whole text."""
    kept: list[str] = []
    start = 0
    while (opening := text.find("<!--", start)) >= 0:
        closing = text.find("-->", opening + len("<!--"))
        if closing < 0:
            break
        kept.append(text[start:opening])
        start = closing + len("-->")
    return "".join((*kept, text[start:]))


class _Veil:
    """Follows an HTML element that hides what stands in it, from its tag to its closing tag."""

    def __init__(self) -> None:
        self._tag = ""
        self._depth = 0

    def covers(self, markup: str) -> bool:
        """Return whether something is hidden after this markup; to be called for each in order."""
        if not self._tag:
            opened = (match for match in _OPENING.finditer(markup) if _hides(match))
            self._tag = next((match.group(1).lower() for match in opened), "")
        if self._tag:
            tags = [tag.lower() for tag in _TAG.findall(markup)]
            self._depth += sum(1 for tag in tags if _names(tag, f"<{self._tag}"))
            self._depth -= sum(1 for tag in tags if _names(tag, f"</{self._tag}"))
        if self._depth <= 0:
            self._tag, self._depth = "", 0
        return bool(self._tag)

    @property
    def is_down(self) -> bool:
        """True between the tags."""
        return bool(self._tag)


def _names(tag: str, beginning: str) -> bool:
    return tag.startswith(beginning) and not tag[len(beginning) : len(beginning) + 1].isalnum()


def _hides(opening: re.Match[str]) -> bool:
    if opening.group(2).rstrip().endswith("/") or opening.group(1).lower() in VOID:
        return False
    return opening.group(1).lower() in DROPPED or is_hidden(html.fromstring(opening.group()))


class _Walk:
    """Walks markdown-it's flat list of tokens."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self.builder = builder
        self.hidden = 0
        """Passages that a reader does not see."""
        self._html = HtmlWriter(builder, text_points=12)
        self._veil = _Veil()
        self._quotes = 0
        self._heading_level: int | None = None
        self._row: list[str] | None = None
        self._counters: list[int | None] = []
        self._label = ""

    def take(self, token: Token) -> None:
        """Handle the next token."""
        if token.type == "html_block":
            self._take_html(token.content)
        elif token.type == "inline":
            if self._veil.is_down:
                self.hidden += 1
                self._label = ""
                self._append_empty_cell()
            else:
                self._take_inline(token.children or [])
        elif token.type in {"fence", "code_block"}:
            self._take_lines("" if self._veil.is_down else token.content)
        elif token.type.startswith(("table", "tr_")):
            self._take_table(token)
        elif token.type == "heading_open":
            self._heading_level = int(token.tag[1:])
        elif token.type == "heading_close":
            self._heading_level = None
        else:
            self._quotes += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
            self._take_list(token)

    def _append_empty_cell(self) -> None:
        if self._row is not None:
            self._row.append("")

    def _take_html(self, content: str) -> None:
        markup = _without_comments(content)
        was_down = self._veil.is_down
        if "<!--" in markup:  # unclosed
            self._take_lines(_TAG.sub("", markup))
            return
        is_down = self._veil.covers(markup)
        if was_down:
            self.hidden += 1
        elif markup.strip():
            page = html.fragment_fromstring(markup, create_parent="div")
            before = self._html.hidden
            self._html.walk(page)
            self._html.flush()
            self.hidden += self._html.hidden - before
        self.hidden += int(is_down and not was_down)

    def _take_table(self, token: Token) -> None:
        if token.type == "table_open":
            self.builder.begin_table()
        elif token.type == "table_close":
            self.builder.end_table()
        elif token.type == "tr_open":
            self._row = []
        elif self._row is not None:
            self.builder.row(self._row)
            self._row = None

    def _take_list(self, token: Token) -> None:
        if token.type == "bullet_list_open":
            self._counters.append(None)
        elif token.type == "ordered_list_open":
            self._counters.append(int(token.attrGet("start") or 1))
        elif token.type in {"bullet_list_close", "ordered_list_close"}:
            self._counters.pop()
        elif token.type == "list_item_open":
            self._label = self._next_label(token)
        if token.type in _CLOSERS_WITH_GAP and not (token.hidden or self._counters):
            self.builder.blank()

    def _next_label(self, token: Token) -> str:
        number = self._counters[-1]
        if number is None:
            return "- "
        self._counters[-1] = number + 1
        return f"{number}{token.markup} "

    def _take_inline(self, children: Sequence[Token]) -> None:
        words, hidden = _visible(children)
        self.hidden += hidden
        lines = words.split(_SOFT)
        text = " ".join(lines).replace(_BREAK, " ")
        is_top = not self._counters and not self._quotes
        if self._row is not None:
            self._row.append(text)
        elif self._heading_level is not None:
            self._take_heading(text, self._heading_level)
        elif is_top and _ATTRIBUTES_ALONE.fullmatch(text):
            return
        elif is_top and (mark := _WITHOUT_SPACE.match(text)) and _is_heading(words[mark.end() :]):
            self._take_heading(text[mark.end() :].rstrip("#"), len(mark.group(1)))
        elif is_top and (look := _look_of(children)) and reads_as_heading(text):
            self.builder.candidate(text, look)
        else:
            is_control = is_of_policy(lines[0])
            parts = [f"{_BREAK if is_control and is_labelled(one) else ' '}{one}" for one in lines]
            self._take_lines("".join(parts)[1:])

    def _take_heading(self, text: str, level: int) -> None:
        """Write a heading; within a quotation, or an item of a list with bullets, it is text."""
        words = _ATTRIBUTES.sub("", text).strip("* ")
        if self._quotes or self._label.startswith("-") or (self._counters and not self._label):
            self._take_lines(words)
            return
        self.builder.heading(self._label + words, level=level)
        self._label = ""
        self._html.level = level

    def _take_lines(self, text: str) -> None:
        for line in text.split(_BREAK):
            depth = len(self._counters) - int(bool(self._label))
            if self.builder.line(self._label + line, depth=depth) is not None:
                self._label = ""


def _visible(children: Sequence[Token]) -> tuple[str, int]:
    """Return what a reader sees of inline tokens, and how much is hidden.

    Hard breaks are line ends, soft ones `_SOFT`.
    """
    parts: list[str] = []
    veil = _Veil()
    hidden = 0
    for child in children:
        was_down = veil.is_down
        if child.type == "html_inline" and veil.covers(child.content):
            hidden += not was_down
        elif veil.is_down or was_down:
            continue
        elif child.type in {"text", "code_inline", "text_special"}:
            parts.append(child.content)
        elif child.type == "softbreak":
            parts.append(_SOFT)
        elif child.type == "hardbreak" or _is_break_tag(child):
            parts.append(_BREAK)
        elif child.type == "image":
            parts.append(_visible(child.children or [])[0])
    return "".join(parts), hidden


def _look_of(children: Sequence[Token]) -> LineLook | None:
    """Return how a line is set if all of it is emphasised, None if it is not."""
    if len(children) < 2:  # noqa: PLR2004 - an opening and a closing mark
        return None
    if _is_within(children, "strong"):
        return _BOLD
    return _ITALIC if _is_within(children, "em") else None


def _is_within(children: Sequence[Token], mark: str) -> bool:
    """Return whether all words are within marks of one emphasis."""
    depth = 0
    for child in children:
        depth += {f"{mark}_open": 1, f"{mark}_close": -1}.get(child.type, 0)
        if not depth and child.type != f"{mark}_close" and child.content.strip(" :"):
            return False
    return any(child.type == f"{mark}_open" for child in children)


def _is_heading(text: str) -> bool:
    return (
        _BREAK not in text and _SOFT not in text and text[:1].isupper() and reads_as_heading(text)
    )


def _is_break_tag(token: Token) -> bool:
    return token.type == "html_inline" and token.content.lower().startswith("<br")
