"""Text for Teams: foreign text made literal, and the whole reply in Markdown or without markup.

Code alone makes links, emphasis and the marks of citations.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from bot.replies.answer import BadgeLine
from bot.replies.context import RenderContext
from bot.replies.text_reply import Markup, PlainText
from core.agent.reply.text_blocks import Block, Paragraph, blocks
from core.domain.answer import Answer

_SPECIAL = str.maketrans(
    {char: f"\\{char}" for char in "\\`*_[]()#~|!>"} | {"&": "&amp;", "<": "&lt;"}
)
_LEADING = re.compile(r"^([-+=:]|\d{1,9}(?=\.))", re.MULTILINE)
"""Characters that would begin a list, a heading's underline or a link definition."""
_MARK = re.compile(r"(?<=[^\n])\\\[(\d{1,3})\\\](?=$|[\s.,;]|\\\[)", re.MULTILINE)
_FUNCTION = re.compile(r"\{(?=\{\s*(?:DATE|TIME)\b)", re.IGNORECASE)
_IN_ADDRESS = {char: f"%{ord(char):02X}" for char in "()<> \"'`\\[]|*"}


def escaped(text: str) -> str:
    """Return literal text for a message in Markdown; each line is a paragraph of its own."""
    lines = (one.strip() for one in text.translate(_SPECIAL).split("\n"))
    return _LEADING.sub(_led, "\n\n".join(one for one in lines if one))


def worded(text: str, answer: Answer) -> str:
    """Return the words of an answer, literal except for the marks of its own citations.

    A mark at the beginning of a line or before a colon stays literal: it could define an address.
    """
    known = {citation.number for citation in answer.quoted}

    def opened(found: re.Match[str]) -> str:
        return f"[{found[1]}]" if int(found[1]) in known else found[0]

    return _MARK.sub(opened, "\n\n".join(_drawn(block) for block in blocks(text)))


def _drawn(block: Block) -> str:
    """Return a paragraph, or a list as Markdown draws one."""
    if isinstance(block, Paragraph):
        return escaped(block.text)
    return "\n".join(f"- {escaped(item)}" for item in block.items)


def link(url: str, label: str) -> str:
    """Return a link to one of our addresses."""
    return f"[{escaped(label) or address(url)}]({address(url)})"


def address(url: str) -> str:
    """Return an address of ours, without characters that could end it early."""
    return "".join(_IN_ADDRESS.get(char, char) for char in url)


def strong(literal: str) -> str:
    """Return emphasis around text that is already literal."""
    return f"**{literal}**" if literal else ""


def moment(at: datetime) -> str:
    """Return a day and a time that each reader's client writes in their own zone, on a card.

    Code alone writes such functions: in foreign text they are broken.
    """
    instant = f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return f"{{{{DATE({instant},SHORT)}}}} {{{{TIME({instant})}}}}"


def badge(head: BadgeLine) -> str:
    """Return a badge line; its first words are always code's."""
    return " · ".join([f"{head.icon} {strong(head.strong)}", *map(escaped, head.rest)])


def run_text(text: str) -> str:
    """Return text for a card's `TextRun`, which parses nothing but dates: those are broken."""
    return _FUNCTION.sub("{ ", text)


def paragraphs(text: str, *, most: int) -> Iterable[str]:
    """Return the lines of a text that have words; those beyond `most` are joined to the last."""
    lines = [one.strip() for one in text.split("\n") if one.strip()]
    rest = " ".join(lines[most - 1 :])
    return [*lines[: most - 1], *([rest] if rest else [])]


def _led(found: re.Match[str]) -> str:
    return f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}"


LIMIT = 12_000
"""UTF-16 units: with a card of 28 kB, well below Teams' 80 kB for all of a message."""
BODY = 6_000


def in_markdown(context: RenderContext) -> PlainText:
    """Return the writer of replies in Markdown."""
    markup = Markup(
        limit=LIMIT,
        body=BODY,
        line_end="\n\n",
        bullet="• ",
        quote="> ",
        literal=escaped,
        worded=worded,
        link=link,
        strong=strong,
        small=lambda text: f"_{text}_",
        badge=badge,
    )
    return _writer(markup, context)


def without_markup(context: RenderContext) -> PlainText:
    """Return the writer for `textFormat` `plain`, which parses nothing."""
    markup = Markup(
        limit=LIMIT,
        body=BODY,
        line_end="\n",
        bullet="• ",
        quote="",
        literal=lambda text: text,
        worded=lambda text, _: text,
        link=lambda url, label: f"{label} ({address(url)})",
        strong=lambda text: text,
        small=lambda text: text,
        badge=_badge,
    )
    return _writer(markup, context)


def _writer(markup: Markup, context: RenderContext) -> PlainText:
    # Teams does not report where consent lets us read more than mentions.
    heard = "named" if context.is_public else "chat"
    return PlainText(markup=markup, library=context.library, language=context.language, heard=heard)


def _badge(head: BadgeLine) -> str:
    return f"{head.icon} {head.words}"
