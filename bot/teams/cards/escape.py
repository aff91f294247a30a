"""Foreign text made literal for Teams: in Markdown by escapes, in a card by what parses nothing.

Code alone makes links, emphasis and the marks of citations (platforms, 3.7).
"""

import re
from collections.abc import Iterable

from bot.replies.badge import Head
from core.domain.answer import Answer
from core.language.layout import Block, Paragraph, blocks

_SPECIAL = str.maketrans(
    {char: f"\\{char}" for char in "\\`*_[]()#~|!>"} | {"&": "&amp;", "<": "&lt;"}
)
_LEADING = re.compile(r"^([-+=:]|\d{1,9}(?=\.))", re.MULTILINE)
"""What would begin a list, a heading's underline or the definition of a link's address."""
_MARK = re.compile(r"(?<=[^\n])\\\[(\d{1,3})\\\](?=$|[\s.,;]|\\\[)", re.MULTILINE)
_FUNCTION = re.compile(r"\{(?=\{\s*(?:DATE|TIME)\b)", re.IGNORECASE)
_IN_ADDRESS = {char: f"%{ord(char):02X}" for char in "()<> \"'`\\[]|*"}


def markdown(text: str) -> str:
    """Return literal text for a message in Markdown; each line is a paragraph of its own."""
    lines = (one.strip() for one in text.translate(_SPECIAL).split("\n"))
    return _LEADING.sub(_led, "\n\n".join(one for one in lines if one))


def worded(text: str, answer: Answer) -> str:
    """Return the words of an answer, literal but for the marks of its own citations.

    A mark at the beginning of a line or before a colon stays literal: it could define an address.
    """
    known = {citation.number for citation in answer.citations}

    def opened(found: re.Match[str]) -> str:
        return f"[{found[1]}]" if int(found[1]) in known else found[0]

    return _MARK.sub(opened, "\n\n".join(_drawn(block) for block in blocks(text)))


def _drawn(block: Block) -> str:
    """Return a paragraph, or a list as Markdown draws one."""
    if isinstance(block, Paragraph):
        return markdown(block.text)
    return "\n".join(f"- {markdown(item)}" for item in block.items)


def link(url: str, label: str) -> str:
    """Return a link to one of our addresses."""
    return f"[{markdown(label) or 'Open'}]({address(url)})"


def address(url: str) -> str:
    """Return an address of ours, without what could end it early."""
    return "".join(_IN_ADDRESS.get(char, char) for char in url)


def strong(literal: str) -> str:
    """Return emphasis for what is literal already."""
    return f"**{literal}**" if literal else ""


def badge(head: Head) -> str:
    """Return a badge line; its first words are always code's."""
    return " · ".join([f"{head.icon} {strong(head.strong)}", *map(markdown, head.rest)])


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
