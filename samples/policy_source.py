"""Read the small Markdown in which the sample policies are written.

Before `build.py` sets them in other formats, and before `check.py` looks for quotes. Rules:

- Headings, paragraphs, tables, lists with `-`, and bold; blocks are separated by empty lines.
- A policy starts with its title and the document control table.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

COMPANY = "Meridian Harbour Group"
# Written into document properties, so that they do not follow the clock.
BUILT_AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

TITLE = 1
SECTION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A numbered or lettered heading."""

    level: int
    """1 is the title of the policy, 2 a section or annex, 3 a sub-section."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph, which may begin with its number."""

    text: str
    """One line; bold is marked with two asterisks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; the first line is its head."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block: TypeAlias = Heading | Paragraph | Items | Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A policy, ready to be set in any format."""

    title: str
    version: str
    blocks: tuple[Block, ...]


def parse(source: str) -> Document:
    """Read the small Markdown of `sources/`."""
    blocks: list[Block] = []
    for lines in (block.splitlines() for block in re.split(r"\n\s*\n", source.strip())):
        first = lines[0]
        if heading := re.match(r"(#+) (.+)", first):
            blocks.append(Heading(level=len(heading[1]), text=heading[2]))
        elif first.startswith("|"):
            rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
            blocks.append(Table(head=rows[0], rows=tuple(rows[2:])))
        elif first.startswith("- "):
            blocks.append(Items(texts=tuple(line.removeprefix("- ") for line in lines)))
        else:
            blocks.append(Paragraph(text=" ".join(lines)))
    title, control = blocks[0], blocks[1]
    if not (isinstance(title, Heading) and isinstance(control, Table)):
        raise ValueError(  # noqa: TRY004 - the text is wrong, not the type of an argument
            "a policy starts with its title and the document control table"
        )
    version = next(value for name, value in control.rows if name == "Version")
    return Document(title=title.text, version=version, blocks=tuple(blocks))


def plain(text: str) -> str:
    """Drop the marks of bold."""
    return text.replace("**", "")


def bold(text: str, *, tag: str) -> str:
    """Escape a paragraph and mark what is bold with a tag."""
    return re.sub(r"[*]{2}(.+?)[*]{2}", rf"<{tag}>\1</{tag}>", html.escape(text, quote=False))


def column_widths(table: Table) -> tuple[int, ...]:
    """Share the width of the page by the longest cell of each column."""
    columns = zip(table.head, *table.rows, strict=True)
    return tuple(max(len(cell) for cell in column) + 4 for column in columns)
