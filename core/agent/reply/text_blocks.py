"""The text of an answer: plain text whose structure every renderer reads with `blocks`.

Each line is a paragraph or, with a bullet before it, an item of a list; an empty line separates
paragraphs. Pure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

BULLET = "\u2022 "
"""What an item begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """One line of words."""

    text: str
    """Its words, with the marks of their citations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBlock:
    """Items that follow one another."""

    items: tuple[str, ...]
    """Each without its bullet; at least one."""


Block: TypeAlias = Paragraph | ListBlock


def blocks(text: str) -> Iterator[Block]:
    """Yield the paragraphs and lists of a text in order; none is empty."""
    items: list[str] = []
    for line in map(str.strip, text.split("\n")):
        if line.startswith(BULLET) and line[len(BULLET) :].strip():
            items.append(line[len(BULLET) :].strip())
            continue
        if items:
            yield ListBlock(items=tuple(items))
            items = []
        if line:
            yield Paragraph(text=line)
    if items:
        yield ListBlock(items=tuple(items))
