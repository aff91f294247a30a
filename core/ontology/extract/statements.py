"""Statements of a section, from which facts are read: sentences, items with lead-in, table rows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from core.domain.policy import Section
from core.language.lead_ins import MARKER, IntroducedUnit, section_units
from core.language.sentences import says_something
from core.language.spans import TextSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table row."""

    text: str
    """Its words, without markup."""
    header: str
    """The column's heading in lower case; empty if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One unit of text, with what is needed to understand it."""

    kind: Literal["sentence", "item", "row"]
    """Its form."""
    span: TextSpan
    """Its position in the document."""
    words: str
    """Its text without markup, with single spaces; for a row its cells."""
    section: Section
    """The section it belongs to."""
    lead_ins: tuple[TextSpan, ...] = ()
    """For an item: the sentences and items that introduce it, outermost first."""
    introductions: tuple[str, ...] = ()
    """The texts of its lead-ins without markup and colons, outermost first."""
    cells: tuple[Cell, ...] = ()
    """For a row: its cells."""
    is_alternative: bool = False
    """For an item: True if its list says "or", so that one of its items is enough."""
    lead_in_words: str = field(init=False)
    """What its lead-ins say; empty if there are none."""
    sentence: str = field(init=False)
    """Its words after those of its lead-ins: enough to understand it by itself."""

    def __post_init__(self) -> None:
        """Join its words once: they are read many times."""
        object.__setattr__(self, "lead_in_words", " ".join(self.introductions))
        object.__setattr__(self, "sentence", f"{self.lead_in_words} {self.words}".strip())

    @property
    def spans(self) -> tuple[TextSpan, ...]:
        """Its lead-ins and itself."""
        return (*self.lead_ins, self.span)

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


_LONGEST = 4_000
"""Characters: what is longer is figures or code without a stop, and no sentence. To read numbers in
it takes time in the square of its length: 15 s for 32,000 characters, hours for megabytes."""
_MARKUP = re.compile(r"\*\*|__|`|\\(?=[$%#_*])|[\u200e\u200f]|\$\\rightarrow\$")
_MARKED = ("*", "__", "`", "\\", "\u200e", "\u200f")
"""One of these is in all markup, and none in most sentences."""
_SIGNS = (("\\geq", "\u2265"), ("\\leq", "\u2264"))
"""Of formulas, as some tools export them."""
_LABEL = re.compile(r"(?:MANDATORY|PROHIBITED|RECOMMENDED|CONDITION|PERMITTED|REQUIRED):\s*")
_MORE_ITEMS = re.compile(r"[;,]\s(?:and|or|and/or)$", re.IGNORECASE)
"""At the end of an item before the last one."""
_OR_ELSE = re.compile(r"[;,.]?\sor[:,]?\s*$", re.IGNORECASE)
"""At the end of an item after which another one would do as well."""
_HEADING = re.compile(r"#{1,6}\s+")
_HISTORY = re.compile(
    r"\b(?:(?:change|version|revision|document) (?:history|log|control)|revisions?|amendments?)$",
    re.IGNORECASE,
)


def clean(text: str) -> str:
    """Return `text` without markup and with single spaces."""
    if any(sign in text for sign in _MARKED):
        for sign, shown in _SIGNS:
            text = text.replace(sign, shown)
        text = _MARKUP.sub("", text)
    return " ".join(text.split())


def is_history(section: Section) -> bool:
    """Return whether a section is a change history."""
    return _HISTORY.search(section.title) is not None


def statements(text: str, sections: Sequence[Section]) -> Iterator[Statement]:
    """Yield the statements of each section's body, in text order.

    A change history is left out: it states what the rules were, not what they are.
    """
    for section in sections:
        if not is_history(section):
            yield from _of_section(text, section)


def _of_section(text: str, section: Section) -> Iterator[Statement]:
    header: tuple[str, ...] = ()
    units = list(
        section_units(
            text,
            char_start=section.char_start,
            body_start=section.body_start,
            char_end=section.char_end,
        )
    )
    choices = {
        one.lead_ins for one in units if one.lead_ins and _OR_ELSE.search(one.span.of(text)[-9:])
    }
    for unit in units:
        raw = unit.span.of(text)
        if len(raw) > _LONGEST:
            header = () if unit.kind == "header" else header
            continue
        if unit.kind in {"header", "row"}:
            cells = [clean(cell) for cell in raw.strip("|").split("|")]
            if unit.kind == "row":
                yield _row(unit, section, cells, header)
            else:
                header = tuple(cell.casefold() for cell in cells)
        elif unit.kind in {"sentence", "item"}:
            marker = MARKER.match(raw) if unit.kind == "item" else None
            words = _LABEL.sub("", clean(raw[marker.end() :] if marker else raw))
            if marker:
                words = _MORE_ITEMS.sub("", words)
            if not says_something(words, is_item=bool(unit.lead_ins)):
                continue
            yield Statement(
                kind="item" if marker else "sentence",
                span=unit.span,
                words=words,
                section=section,
                lead_ins=unit.lead_ins,
                introductions=tuple(_opening(one.of(text)) for one in unit.lead_ins),
                is_alternative=unit.lead_ins in choices,
            )


def _opening(raw: str) -> str:
    """Return the text of a lead-in without its marker, its colon, and the mark of a heading."""
    raw = _HEADING.sub("", raw)
    marker = MARKER.match(raw)
    return clean(raw[marker.end() :] if marker else raw).rstrip(" :\u2014")


def _row(
    unit: IntroducedUnit, section: Section, cells: Sequence[str], header: Sequence[str]
) -> Statement:
    """Return a table row as a statement."""
    named = [
        Cell(text=cell, header=header[place] if place < len(header) else "")
        for place, cell in enumerate(cells)
    ]
    words = " | ".join(cell for cell in cells if cell)
    return Statement(kind="row", span=unit.span, words=words, section=section, cells=tuple(named))
