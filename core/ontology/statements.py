"""Units of a section as facts are read from them: sentences, items with lead-in, table rows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from core.domain.policy import Section, TextSpan
from core.domain.sentences import split_sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table row."""

    text: str
    """Its words, without markup."""
    header: str
    """The column's heading in lower case; empty if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One unit with what is needed to understand it."""

    kind: Literal["sentence", "item", "row"]
    """What it is."""
    span: TextSpan
    """Where it stands."""
    words: str
    """Its text without markup, white space folded; for a row the cells, named by their headings."""
    section: Section
    """The section it belongs to."""
    lead_in: TextSpan | None = None
    """For an item: the sentence that introduces its list."""
    lead_in_words: str = ""
    """The lead-in without markup and colon; empty if there is none."""
    cells: tuple[Cell, ...] = ()
    """For a row: its cells."""

    @property
    def spans(self) -> tuple[TextSpan, ...]:
        """The lead-in, if any, and the unit."""
        return (self.lead_in, self.span) if self.lead_in else (self.span,)

    @property
    def sentence(self) -> str:
        """Its words with those of the lead-in: what a reader needs to understand it alone."""
        return f"{self.lead_in_words} {self.words}".strip()

    @property
    def description(self) -> str:
        """Its sentence; for a row each cell with its column's heading."""
        if not self.cells:
            return self.sentence
        return "; ".join(
            f"{cell.header}: {cell.text}" if cell.header else cell.text
            for cell in self.cells
            if cell.text
        )


_MARKUP = re.compile(r"\*\*|__|`|\\(?=[$%#_*])|[\u200e\u200f]|\$\\rightarrow\$")
_ITEM = re.compile(
    r"(?:\(?(?:[a-zA-Z]{1,2}|[ivxIVX]{1,5}|\d{1,3})\)|\d{1,3}(?:\.\d{1,3})*\.|[A-Za-z]\."
    r"|[-*+\u2022\u00b7\u25aa\u25cf\u2013])\s+"
)
_LABEL = re.compile(
    r"(?:MANDATORY|PROHIBITED|RECOMMENDED|CONDITION|OPTIONAL|PERMITTED|REQUIRED):\s*"
)
_HEADING = re.compile(r"#{1,6}\s")
_HISTORY = re.compile(
    r"\b(?:(?:change|version|revision|document) (?:history|log|control)|revisions?|amendments?)$",
    re.IGNORECASE,
)
_RULE = re.compile(r"[|\s:=_*-]+$")
_IS_ROW = re.compile(r"\|.*|.*\s\|\s")


def clean(text: str) -> str:
    """Return `text` without markup and with single spaces."""
    return " ".join(_MARKUP.sub("", text).split())


def is_history(section: Section) -> bool:
    """Say whether a section lists what was changed."""
    return _HISTORY.search(section.title) is not None


def statements(text: str, sections: Sequence[Section]) -> Iterator[Statement]:
    """Yield the statements of each section's body, in text order.

    A change history says what was the rule, not what is: it is left out.
    """
    for section in sections:
        if not is_history(section):
            yield from _of_section(text, section)


def _of_section(text: str, section: Section) -> Iterator[Statement]:
    lead_in: TextSpan | None = None
    header: tuple[str, ...] | None = None
    for span in split_sentences(text, start=section.body_start, end=section.char_end):
        raw = span.of(text)
        if _IS_ROW.match(raw):
            cells = [clean(cell) for cell in raw.strip("|").split("|")]
            if header is None:
                header = tuple(cell.casefold() for cell in cells)
            elif not _RULE.fullmatch(raw):
                yield _row(span, section, cells, header)
            continue
        header = None
        if _HEADING.match(raw) or _RULE.fullmatch(raw):
            lead_in = None
            continue
        item = _ITEM.match(raw)
        words = _LABEL.sub("", clean(raw[item.end() :] if item else raw))
        if item and lead_in and _marker(item[0]) == _marker(lead_in.of(text)):
            lead_in = None
        introduction = lead_in if item else None
        yield Statement(
            kind="item" if item else "sentence",
            span=span,
            words=words,
            section=section,
            lead_in=introduction,
            lead_in_words=_opening(introduction, text),
        )
        if words.rstrip().endswith((":", ":\u2014", "\u2014")):
            lead_in = span
        elif item is None:
            lead_in = None


def _marker(raw: str) -> str:
    """Return the style of an item's marker; lists of one style are on one level."""
    item = _ITEM.match(raw)
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "9", item[0].strip())) if item else ""


def _opening(lead_in: TextSpan | None, text: str) -> str:
    if lead_in is None:
        return ""
    raw = lead_in.of(text)
    item = _ITEM.match(raw)
    return clean(raw[item.end() :] if item else raw).rstrip(" :\u2014")


def _row(
    span: TextSpan, section: Section, cells: Sequence[str], header: Sequence[str]
) -> Statement:
    """Return a table row as a statement."""
    named = [
        Cell(text=cell, header=header[place] if place < len(header) else "")
        for place, cell in enumerate(cells)
    ]
    words = " | ".join(cell for cell in cells if cell)
    return Statement(kind="row", span=span, words=words, section=section, cells=tuple(named))
