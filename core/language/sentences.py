"""Text to sentences: the units that norms are read from, claims checked against, answers quote.

- A unit is a sentence, a list item, a table row or a heading: a span of the text, trimmed.
- Units are in order, do not overlap and cover every character that is not white space.
- Nothing is interpreted: a list item is a unit, and joining it to its lead-in is the reader's task.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.expressions import expression
from core.language.spans import TextSpan

_LINE = expression(r"[^\n\r\x0b\x0c\x85\u2028\u2029]+|\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_RULE = expression(r"[-=_*\u2014]{3,}$")
_TABLE_ROW = expression(r"\||.*(?:\s\|\s|\t.*\t)|.*\|$")
_MARKED_HEADING = expression(r"#{1,6}\s")
_BULLET = expression(r"(?:[-*+\u2022\u00b7\u25aa\u25cf\u25e6\u2013\u2014]|\[[ xX]\]|>)\s")
_LIST_MARKER = expression(
    r"\(?(?:[a-zA-Z]{1,2}|[ivxIVX]{1,5}|\d{1,3})\)\s|\d{1,3}(?:\.\d{1,3})*\.\s|[A-Za-z]\.\s"
)
_SECTION_NUMBER = expression(r"\d{1,3}(?:\.\d{1,3})+\.?\)?\s+\S|\d{1,3}\s+[A-Z]")
_DOTTED_NUMBER = expression(r"\d{1,3}(?:\.\d{1,3})+\.?\)?\s+[A-Z\"\u201c(]")
_LABELLED = expression(r"(?:\*\*)?[A-Z][A-Za-z /&-]{1,30}:(?:\*\*)?(?:\s|$)")
_NUMBERED_UNIT = expression(r"(?i:section|article|chapter|part|annex|appendix|schedule)\s+[\dA-Z]")
_ENDS_SENTENCE = expression(r"[.!?:;\u2026\u3002][\"')\]\u201d\u2019*_]*$")
_STOP = expression(
    r"[.!?\u2026\u3002](?:(?<=\u3002)|(?<![.!?\u2026].)[.!?\u2026]*)[\"')\]\u201d\u2019*_]*(?=\s)"
)
_INLINE_ITEM = expression(
    r"[;:](?:\s+(?:and|or|and/or))?(?=\s+\((?:[a-z]{1,2}|[ivx]{1,5}|\d{1,2})\)\s)"
)
_OWN_MARKER = expression(r"[#>\s*_(-]*(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5})$")
_LAST_WORD = expression(r"(?<![A-Za-z])(?<![A-Za-z]\.)[A-Za-z]++(?:\.[A-Za-z]++)*+$")
_INITIALS = expression(r"(?:[A-Za-z]\.)+[A-Za-z]$|[A-Z]$")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BEFORE_MORE = _words(
    "e.g i.e eg ie cf vs viz nos arts para paras figs eq ref reg regs approx mr mrs ms dr prof hon"
    " ca incl excl resp est dept tel vol pp ss al"
)
_MAY_END = _words("inc ltd co corp plc llc gmbh jr sr etc a.m p.m bros u.s u.k e.u u.s.a u.a.e")
_BEFORE_NUMBER = _words("no sec ch pt fig min max ed ext")
_BEFORE_NAME = _words("art st s p")
_SHORTENED = _BEFORE_MORE | _MAY_END | _BEFORE_NUMBER | _BEFORE_NAME
_STARTERS = _words(
    "the this that these those a an if in it its when where no any all each every employees you we"
    " our they he she for from as at on unless however such managers staff to please do"
)
_JOINTS = _words(
    "the a an this these those their his her its our your any each every no such and or nor"
    " but than as if of to in for with by on at from between into under through about without"
    " within per via including unless until when that which who whose where not shall must"
    " may should will can cannot is are be been has have"
)
"""Words after which something must follow; hardly a sentence or a title ends in one."""
_WORD = expression(r"[^\W\d_]{2,}")
_ASKS = expression(r"\?[\"')\]\u201d\u2019*_]*$")
_LEADERS = ("." * 5, ". " * 4, "\u2026" * 2)
"""Between a heading and its page in a table of contents."""
_VERB = expression(
    r"\b(?:is|are|be|was|were|has|have|had|do|does|did|must|shall|should|may|can|cannot|will|would"
    r"|need|needs|please|ask|contact|use|let|keep|never|not)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_FEWEST = 2
"""Words of the shortest sentence ("Decline all gifts.")."""
_SURELY = 12
"""Words from which a unit without a full stop is no heading. Of 348 such units in 171 documents, 9
were read wrongly, most of them lines of code."""
_HEADING_CHARACTERS = 70
_HEADING_SHARE = 0.6
_LOOK_BACK = 24
_LOOK_AHEAD = 64
"""Characters in which nearly all sentences have their first words."""


class _Line(NamedTuple):
    """One line of the text, trimmed."""

    start: int
    end: int
    text: str
    breaks_after: bool


def ends_sentence(text: str) -> bool:
    """Say whether a unit ends as sentences and lead-ins do."""
    return _ENDS_SENTENCE.search(text[-_LOOK_BACK:]) is not None


def sentences_around(text: str, start: int, end: int) -> TextSpan:
    """Return the whole units that [start, end) of a text touches; just that if it touches none."""
    units = [
        unit for unit in split_sentences(text) if unit.char_start < end and start < unit.char_end
    ]
    if not units:
        return TextSpan(char_start=start, char_end=end)
    return TextSpan(
        char_start=min(start, units[0].char_start), char_end=max(end, units[-1].char_end)
    )


def split_sentences(text: str, *, start: int = 0, end: int | None = None) -> list[TextSpan]:
    """Split `text` in [start, end) into units.

    Args:
        text: Any text.
        start: Where to begin, in code points.
        end: Where to stop; None: at the end of the text.

    Returns:
        Spans of `text`, trimmed, in order; none is empty.
    """
    stop = len(text) if end is None else min(end, len(text))
    units: list[TextSpan] = []
    for block in _blocks(text, max(0, start), stop):
        if _is_row(block.of(text)):
            units.append(block)
        else:
            units.extend(_cut(text, block.char_start, block.char_end))
    return units


def says_something(text: str, *, is_item: bool = False) -> bool:
    """Say whether a unit states anything: no number alone ("9.1."), heading, label or question.

    Args:
        text: The unit, without its marker if it is an item.
        is_item: True for a list item, which may be one word behind what introduces it.
    """
    if _ASKS.search(text[-_LOOK_BACK:]):
        return False
    if _LEADERS[0] in text or _LEADERS[1] in text or _LEADERS[2] in text:
        return False
    if is_item:
        return _WORD.search(text) is not None
    is_ended = ends_sentence(text)
    if is_ended and len(_WORD.findall(text[:_LOOK_AHEAD])) >= _FEWEST:
        return True
    words = len(_WORD.findall(text))
    if words < _FEWEST:
        return False
    return is_ended or words >= _SURELY or _VERB.search(text) is not None


def is_cut_off(text: str) -> bool:
    """Say whether a unit stops amid its sentence: its last word wants another, and no stop follows.

    Headings such as "Opting in" do too: it is asked of what would be a sentence.
    """
    last = text.rsplit(None, 1)[-1:]
    return bool(last) and last[0] in _JOINTS


def _lines(text: str, start: int, end: int) -> Iterator[_Line]:
    """Yield the lines in [start, end); a blank line has an empty text."""
    after_break = True
    for match in _LINE.finditer(text, start, end):
        raw = match.group()
        if not raw.strip():
            if after_break or raw in "\x0c\u2029":
                yield _Line(match.start(), match.start(), "", breaks_after=True)
            after_break = True
            continue
        after_break = False
        lead = len(raw) - len(raw.lstrip())
        trimmed = raw.strip()
        first = match.start() + lead
        yield _Line(first, first + len(trimmed), trimmed, breaks_after=raw.endswith("  "))


def _blocks(text: str, start: int, end: int) -> Iterator[TextSpan]:
    """Yield the stretches inside which a sentence may run over line ends."""
    block_start = -1
    previous: _Line | None = None
    lines = list(_lines(text, start, end))
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else None
        if block_start >= 0 and previous is not None and (not line.text or _begins(previous, line)):
            yield TextSpan(char_start=block_start, char_end=previous.end)
            block_start = -1
        if not line.text:
            previous = None
            continue
        if block_start < 0:
            block_start = line.start
        if line.breaks_after or _stands_alone(line, following, opens=block_start == line.start):
            yield TextSpan(char_start=block_start, char_end=line.end)
            block_start = -1
        previous = line
    if block_start >= 0 and previous is not None:
        yield TextSpan(char_start=block_start, char_end=previous.end)


def _begins(previous: _Line, line: _Line) -> bool:
    """Say whether `line` starts a unit of its own although no blank line precedes it."""
    text = line.text
    if _RULE.match(text) or _is_row(text) or _MARKED_HEADING.match(text):
        return True
    if _BULLET.match(text) or _LIST_MARKER.match(text) or _DOTTED_NUMBER.match(text):
        return True
    is_closed = _ENDS_SENTENCE.search(previous.text[-_LOOK_BACK:]) is not None
    if is_closed and (_SECTION_NUMBER.match(text) or _NUMBERED_UNIT.match(text)):
        return True
    return bool(_LABELLED.match(text)) and (is_closed or bool(_LABELLED.match(previous.text)))


def _is_row(text: str) -> bool:
    return ("|" in text or "\t" in text) and _TABLE_ROW.match(text) is not None


def _stands_alone(line: _Line, following: _Line | None, *, opens: bool) -> bool:
    """Say whether nothing of the next line belongs to this one: rows, rules and headings."""
    text = line.text
    if _RULE.match(text) or _is_row(text) or _MARKED_HEADING.match(text):
        return True
    if not opens or following is None or not following.text or len(text) > _HEADING_CHARACTERS:
        return False
    if _ENDS_SENTENCE.search(text[-_LOOK_BACK:]) or text.endswith(",") or _BULLET.match(text):
        return False
    if not following.text[0].isupper():
        return False
    return text.isupper() or len(text) < _HEADING_SHARE * len(following.text)


def _cut(text: str, start: int, end: int) -> Iterator[TextSpan]:
    """Yield the sentences of one block."""
    position = start
    for cut in sorted({*_stops(text, start, end), *_inline_items(text, start, end), end}):
        first = position
        while first < cut and text[first].isspace():
            first += 1
        last = cut
        while last > first and text[last - 1].isspace():
            last -= 1
        if last > first:
            yield TextSpan(char_start=first, char_end=last)
        position = cut


def _inline_items(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where items "(a) ...; (b) ..." of one line end."""
    for match in _INLINE_ITEM.finditer(text, start, end):
        yield match.end()


def _stops(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where sentences end."""
    position = start
    for match in _STOP.finditer(text, start, end):
        if _is_end(text, match, position, end):
            position = match.end()
            yield position


_QUOTED_NUMBER = expression(r"[\"\u201c\u2018]\d{1,3}(?:\.\d{1,3}){0,5}\Z")
"""Before the full stop in the quoted title of a section ("2. Duties")."""


def _is_end(text: str, stop: re.Match[str], start: int, end: int) -> bool:
    """Say whether a stop ends the sentence that began at `start`."""
    rest = text[stop.end() : min(end, stop.end() + _LOOK_BACK)].lstrip()
    if not rest:
        return False
    if not stop.group().startswith("."):
        return not rest[0].islower()
    if stop.group().startswith(".."):
        return rest[0].isupper()
    before = text[max(start, stop.start() - _LOOK_BACK) : stop.start()]
    if stop.start() - start <= _LOOK_BACK and _OWN_MARKER.fullmatch(before.strip()):
        return False
    if rest[0].islower() or _QUOTED_NUMBER.search(before):
        return False
    return not _is_abbreviation(before, rest)


def _is_abbreviation(before: str, rest: str) -> bool:
    """Say whether the full stop after `before` belongs to an abbreviation."""
    plain = before[before.rfind(" ") + 1 :].lower()
    if len(plain) > 1 and plain.isascii() and plain.isalpha() and plain not in _SHORTENED:
        return False  # most words are neither shortened nor initials
    match = _LAST_WORD.search(before)
    if match is None:
        return False
    word = match.group().lower()
    if word in _MAY_END:
        following = re.match(r"[A-Za-z]+", rest)
        return (
            following is not None and following.group().lower() not in _STARTERS and word != "etc"
        )
    if word in _BEFORE_NUMBER:
        return rest[0].isdigit()
    if word in _BEFORE_NAME:
        return True
    return word in _BEFORE_MORE or _INITIALS.fullmatch(match.group()) is not None
