"""Headings that are printed over several lines, put together: "CHAPTER", "NINE", "Tools"."""

from collections.abc import Sequence
from dataclasses import replace

from core.ingest.heading_candidates import HeadingLine
from core.ingest.numbering import KEYWORD_RANKS, Label, parse_label
from core.language.numerals import values_of

_LARGEST = 99


def gathered(text: str, lines: Sequence[HeadingLine]) -> list[HeadingLine]:
    """Return headings in which a word for a section and its number are one with the title below.

    They stand one below the other with nothing between: a number alone, in words or in digits, says
    nothing by itself.
    """
    found: list[HeadingLine] = []
    skipped = 0
    for at, line in enumerate(lines):
        if skipped:
            skipped -= 1
            continue
        following = lines[at + 1 : at + 3]
        label = _number_below(line, following)
        if label is None or len(following) < len(("number", "title")):
            found.append(line)
            continue
        title = following[1]
        number = following[0]
        between = text[line.line_end : number.char_start] + text[number.line_end : title.char_start]
        if title.label is not None or between.strip():
            found.append(line)
            continue
        found.append(replace(title, char_start=line.char_start, label=label))
        skipped = len(following)
    return found


def _number_below(line: HeadingLine, following: Sequence[HeadingLine]) -> Label | None:
    """Return the number that a word for a section has in the next line; None if there is none."""
    if line.label is not None or line.title.casefold() not in KEYWORD_RANKS or not following:
        return None
    word = line.title.capitalize()
    number = following[0].label.number if following[0].label else following[0].title.strip()
    if following[0].label is not None and following[0].title:
        return None
    label = parse_label(f"{word} {number}")
    if label is not None and label.length == len(f"{word} {number}"):
        return label
    values = values_of(number) if number.isalpha() and len(number) > 1 else ()
    if len(values) != 1 or not 0 < values[0] <= _LARGEST:
        return None
    return parse_label(f"{word} {values[0]}")
