"""Markdown (CommonMark with tables), which is turned into a page and read as HTML.

Links, images and HTML tags lose their markup and keep their text, since quotes are shown to people.
Front matter (`key: value` lines between `---`, or TOML between `+++`) is read as metadata, not as
text.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from lxml import html
from lxml.html import defs
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from core.domain.policy import LoadedDocument
from core.ingest.heading_candidates import reads_as_heading
from core.ingest.load.front_matter import front_matter_of
from core.ingest.load.html import MARK, parse_html, read_page
from core.ingest.load.text import decode_text
from core.ingest.metadata import is_of_policy
from core.ingest.stated.statements import is_labelled

_ATTRIBUTES_ALONE = re.compile(r"\{:[^{}]{0,200}\}")
"""A paragraph of its own: the id and classes of what stands above, of Kramdown."""
_WITHOUT_SPACE = re.compile(r"#{1,6}(?=[^\W\d_])")
"""A heading in the Markdown of old, for which CommonMark wants a space. A hashtag is one, too, but
no line of its own that begins with a capital."""
_EMPHASIS = re.compile(r"[*_`]")
_TAG = re.compile(r"</?([A-Za-z][^\s/<>]*+)[^<>]*+>")
"""Of HTML, or what stands for something, such as `<name of company>`, which nothing closes."""
_KNOWN = defs.tags - {"html", "body", "title", "noframes", "noembed", "plaintext", "xmp"}
"""Tags of HTML, without those that mean nothing within a page, or would swallow the rest of it."""
_MAX_NESTING = 150
"""The parser leaves out what is nested deeper; its default allows ten lists."""
_IN_ITEM = 2
"""How deep the parser says that the words of an item stand: in a list, and in its item."""
_MANY_BRACKETS = 100
"""Of one paragraph with more, those that nothing closes are replaced. For each, the parser would
search the rest of the paragraph for the end of a link: 13 s for 200 kB."""
_BRACKETS = re.compile(r"\\.|[\[\]]")
_BRACKET = "\0"
"""Stands for an unclosed bracket; the parser lets none through."""


def load_markdown(data: bytes) -> LoadedDocument:
    """Read a Markdown file.

    Raises:
        DocumentError: see `decode_text`.
    """
    text = decode_text(data).replace("\r\n", "\n").replace("\r", "\n")
    matter = front_matter_of(text)
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}, renderer_cls=_Renderer)
    parser.enable(["table", "strikethrough"]).core.ruler.before("inline", "policy", _adapt)
    closed, end, unclosed = parser.render(text[matter.end :]).rpartition("-->")
    markup = closed + end + unclosed.replace("<!--", "&lt;!--")
    document = read_page(parse_html(f'<meta charset="utf-8"><body>{markup}'.encode()))
    return replace(
        document,
        media_type="text/markdown",
        metadata=matter.said.values,
        unused=matter.said.unused,
    )


class _Renderer(RendererHTML):
    """Writes HTML in which images are their texts."""

    def renderInline(self, tokens: Sequence[Token], options: OptionsDict, env: EnvType) -> str:  # noqa: N802
        """Close what a paragraph leaves open, so that it does not swallow the next one."""
        markup = super().renderInline(tokens, options, env).replace(_BRACKET, "[")
        if all(token.type != "html_inline" for token in tokens):
            return markup
        words = html.fragment_fromstring(_TAG.sub(_known, markup), "span")
        return html.tostring(words, encoding="unicode")

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Write what stands for an image."""
        return escapeHtml(self.renderInlineAsText(tokens[idx].children, options, env))


def _adapt(state: StateCore) -> None:
    """Tell headings and lines as a reader of policies does, before their words are parsed."""
    tokens = state.tokens
    lists = 0
    for place, token in enumerate(tokens):
        lists -= token.type.endswith("list_close")
        if lists and token.nesting == 1:
            token.attrSet(MARK, token.markup)
        lists += token.type.endswith("list_open")
        if token.type in {"fence", "code_block"}:
            lines = f"\n{escapeHtml(token.content)}".replace("\n", "<br>")
            token.type, token.content = "html_block", lines
        elif token.type == "html_block":
            token.content = _TAG.sub(_known, token.content)
        elif token.type == "inline":
            token.content = _lines(_without_unclosed(token.content))
            _adapt_block(tokens[place - 2], tokens[place - 1], token)
            tokens[place + 1].tag = tokens[place - 1].tag


def _known(tag: re.Match[str]) -> str:
    return tag[0] if tag[1].lower() in _KNOWN else ""


def _adapt_block(before: Token, opening: Token, words: Token) -> None:
    """Make a heading in a quotation or a bulleted item a text, and a text a heading."""
    is_counted = opening.tag != "p" and before.markup in {".", ")"}
    if opening.level and opening.type in {"heading_open", "paragraph_open"}:
        opening.tag = opening.tag if is_counted and opening.level == _IN_ITEM else "section"
    elif opening.tag == "p" and (mark := _WITHOUT_SPACE.match(words.content)):
        text = words.content[mark.end() :].rstrip("#")
        if "\n" not in text and text[:1].isupper() and reads_as_heading(text):
            opening.tag, words.content = f"h{mark.end()}", text
    elif _ATTRIBUTES_ALONE.fullmatch(words.content):
        words.content = ""


def _lines(text: str) -> str:
    """End lines for good that say something of the policy each; others flow on."""
    first, *others = text.split("\n")
    if not others or not is_of_policy(_EMPHASIS.sub("", first)):
        return text
    ends = ("  \n" if is_labelled(_EMPHASIS.sub("", line).strip()) else "\n" for line in others)
    return first + "".join(end + line for end, line in zip(ends, others, strict=True))


def _without_unclosed(text: str) -> str:
    """Replace unclosed brackets, unless there are few."""
    if text.count("[") <= _MANY_BRACKETS:
        return text
    opened: list[int] = []
    for bracket in _BRACKETS.finditer(text):
        if bracket[0] == "[":
            opened.append(bracket.start())
        elif bracket[0] == "]" and opened:
            opened.pop()
    unclosed = set(opened)
    return "".join(_BRACKET if at in unclosed else letter for at, letter in enumerate(text))
