"""Markdown (CommonMark with tables), without its markup, since quotes are shown to people.

Emphasis, links, images and HTML tags lose their markup and keep their text. List items keep "- " or
their number. Front matter (`key: value` lines between `---`) is read as metadata, not as text.
"""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, image, link
from markdown_it.token import Token

from core.domain.errors import DocumentError
from core.domain.policy import LoadedDocument
from core.ingest.load.builder import DocumentBuilder
from core.ingest.load.text import decode_text
from core.ingest.metadata import front_matter, is_labelled, is_of_policy

_FRONT_MATTER = re.compile(
    r"---[ \t]*\r?\n(.{0,20000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)", re.DOTALL
)
_UNOPENED = re.compile(
    r"((?:[A-Za-z][\w-]{0,40}:(?: [^\n]{0,300})?\n|[ \t]{1,20}[^\n]{1,300}\n"
    r"|- [^\n]{1,300}\n){1,200}+)"
    r"---[ \t]*(?:\n|$)"
)
"""The same without its first line, as some generators of policies write it."""
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
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
    matter = _FRONT_MATTER.match(text) or _UNOPENED.match(text)
    metadata = front_matter(matter.group(1)) if matter else {}
    source = text[matter.end() :] if matter else text
    try:
        tokens = _parser().parse(source)
    except RecursionError as exc:
        raise DocumentError("its lists or quotes are nested too deeply: flatten them") from exc
    walk = _Walk(DocumentBuilder())
    for token in tokens:
        walk.take(token)
    return walk.builder.build("text/markdown", metadata=metadata)


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


class _Walk:
    """Walks markdown-it's flat list of tokens."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self.builder = builder
        self._heading_level: int | None = None
        self._row: list[str] | None = None
        self._counters: list[int | None] = []
        self._label = ""

    def take(self, token: Token) -> None:
        """Handle the next token."""
        if token.type == "inline":
            self._take_inline(token.children or [])
        elif token.type in {"fence", "code_block"}:
            self._take_lines(token.content)
        elif token.type == "html_block":
            self._take_lines(_TAG.sub("", _without_comments(token.content)))
        elif token.type.startswith(("table", "tr_")):
            self._take_table(token)
        elif token.type == "heading_open":
            self._heading_level = int(token.tag[1:])
        elif token.type == "heading_close":
            self._heading_level = None
        else:
            self._take_list(token)

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
        lines = _visible(children).split(_SOFT)
        text = " ".join(lines).replace(_BREAK, " ")
        if self._row is not None:
            self._row.append(text)
        elif self._heading_level is not None:
            self.builder.heading(text, level=self._heading_level)
        else:
            is_control = is_of_policy(lines[0])
            parts = [f"{_BREAK if is_control and is_labelled(one) else ' '}{one}" for one in lines]
            self._take_lines("".join(parts)[1:])

    def _take_lines(self, text: str) -> None:
        for line in text.split(_BREAK):
            if self.builder.line(self._label + line) is not None:
                self._label = ""


def _visible(children: Sequence[Token]) -> str:
    """Return what a reader sees of inline tokens; hard breaks are line ends, soft ones `_SOFT`."""
    parts: list[str] = []
    for child in children:
        if child.type in {"text", "code_inline", "text_special"}:
            parts.append(child.content)
        elif child.type == "softbreak":
            parts.append(_SOFT)
        elif child.type == "hardbreak" or _is_break_tag(child):
            parts.append(_BREAK)
        elif child.type == "image":
            parts.append(_visible(child.children or []))
    return "".join(parts)


def _is_break_tag(token: Token) -> bool:
    return token.type == "html_inline" and token.content.lower().startswith("<br")
