"""Drop heading candidates that are not headings.

After `heading_candidates`, before nesting in `sections`. Three kinds look like headings:
- entries of a table of contents, which announce a heading that comes again;
- items of a numbered list, however short;
- references at the beginning of a line, whose numbers are out of order.

An item "2." within section 1.2 looks like the next section: what tells them apart is that 1.3 is
still to come.
"""

import re
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.ingest.heading_candidates import HeadingLine
from core.ingest.numbering import Label, OrderKey, as_letter
from core.ingest.titles import is_contents

_MAX_JUMP = 20
"""A number this much above the one before is an amount or a year, not the next section."""
_LIST_RUN = 3
_LOOK_BACK = 10
_LEADERS = re.compile(
    r"(?:(?<!\s)\s++)?"
    r"(?:(?<!\.)\.{3,}+|(?<!…)…++|(?<!\. )(?:\. ){3,}+|(?<!_)_{3,}+|(?<=\s)\|)"
    r"\s*+(?:\d{1,4}|[ivxlc]{1,6})?$",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(r"(?<!\s)\s++\d{1,4}$")
_CELL_NUMBER = re.compile(r"\| \d{1,4}$")
_ENTRY_BODY = 300
"""Characters: what stands below an entry of a table of contents, as its description, is shorter."""
_NO_BODY = 4
"""Characters between two lines of a list: their line ends."""
_NOT_WORD = re.compile(r"[\W_]+")


def real_headings(text: str, candidates: Sequence[HeadingLine]) -> list[HeadingLine]:
    """Return the candidates that begin sections, with letters told from roman numerals.

    Args:
        text: the document's text.
        candidates: lines of it that look like headings, in text order.
    """
    found = _without_lists(text, _without_contents(text, candidates))
    return _in_sequence(_without_interruptions(found))


def _without_contents(text: str, found: Sequence[HeadingLine]) -> list[HeadingLine]:
    """Drop entries of a table of contents: their heading comes again, or they have leader dots.

    One without a page stands beside others: a heading alone that comes again is a running title.
    A line in the look of the text ("Appendix A: Forms") that is set as a heading later is a list's.
    """
    last_seen = {_key(heading): index for index, heading in enumerate(found)}
    set_as_heading = {
        name: index
        for index, heading in enumerate(found)
        if heading.marked_level is not None
        for name in (_key(heading), _plain(heading.title))
    }
    in_contents = _ContentsPage()
    kept: list[HeadingLine] = []
    listed = -1
    bare = [
        last_seen[_key(heading)] > index and not _has_body(text, found, index)
        for index, heading in enumerate(found)
    ]
    for index, heading in enumerate(found):
        line = text[heading.char_start : heading.line_end]
        entry = _PAGE_NUMBER.sub("", _LEADERS.sub("", line))
        has_page = entry != line
        comes_again = max(last_seen[_key(heading)], last_seen.get(_plain(entry), -1)) > index
        if _LEADERS.search(line) and (
            "..." in line.replace(". ", ".") or _CELL_NUMBER.search(line)
        ):
            continue
        if in_contents.covers(heading, body=_body_length(text, found, index)):
            continue
        beside = bare[max(0, index - 1) : index] + bare[index + 1 : index + 2]
        is_listed = bare[index] and any(beside)
        if comes_again and (has_page or is_listed):
            continue
        goes_on = listed == index - 1 and not _has_body(text, found, listed)
        if heading.marked_level is None and (
            set_as_heading.get(_key(heading), -1) > index or (goes_on and listed >= 0)
        ):
            listed = index
            continue
        kept.append(heading)
    return kept


class _ContentsPage:
    """The stretch below a heading "Contents".

    It ends at the next marked heading of its level, at one with a text of its own, and where an
    entry comes again: contents may be set larger than everything that they list. In plain text it
    ends also where the numbers begin anew, since an entry may be worded otherwise than its heading.
    """

    def __init__(self) -> None:
        self._level: int | None = None
        self._entries: set[str] = set()
        self._is_plain = False
        """True below a heading "Contents" that no format marks."""

    def covers(self, heading: HeadingLine, *, body: int) -> bool:
        """Return whether the heading is an entry; to be called for each heading in order."""
        if heading.marked_level is None:
            return self._covers_plain(heading, body=body)
        if is_contents(heading.title):
            self._level = heading.marked_level
            return False
        key = _key(heading)
        is_over = self._level is None or heading.marked_level <= self._level
        if is_over or key in self._entries or body > _ENTRY_BODY:
            self._level = None
            self._entries.clear()
            return False
        self._entries.add(key)
        return True

    def _covers_plain(self, heading: HeadingLine, *, body: int) -> bool:
        if heading.label is None and is_contents(heading.title):
            self._is_plain = body <= _NO_BODY
            self._entries.clear()
            return False
        number = heading.label.number if heading.label else _key(heading)
        if not self._is_plain or body > _NO_BODY or number in self._entries:
            self._is_plain = False
            return False
        self._entries.add(number)
        return True


def _body_length(text: str, found: Sequence[HeadingLine], index: int) -> int:
    end = found[index + 1].char_start if index + 1 < len(found) else len(text)
    return end - found[index].line_end


def _key(heading: HeadingLine) -> str:
    number = heading.label.number if heading.label else ""
    return _plain(f"{number} {heading.title}")


def _plain(text: str) -> str:
    return _NOT_WORD.sub(" ", text).strip().casefold()


def _has_body(text: str, found: Sequence[HeadingLine], index: int) -> bool:
    heading = found[index]
    end = found[index + 1].char_start if index + 1 < len(found) else len(text)
    return heading.char_end < heading.line_end or bool(text[heading.line_end : end].strip())


def _without_lists(text: str, found: Sequence[HeadingLine]) -> list[HeadingLine]:
    """Drop list items: numbered lines after a lead-in, or after each other without text between."""
    kept: list[HeadingLine] = []
    run: list[HeadingLine] = []
    for index, heading in enumerate(found):
        if run and not _is_next_item(run[-1], heading):
            kept += _unless_list(text, run)
            run = []
        if not _is_item(heading):
            kept.append(heading)
            continue
        run.append(heading)
        if _has_body(text, found, index):
            kept += _unless_list(text, run)
            run = []
    return kept + _unless_list(text, run)


def _unless_list(text: str, run: list[HeadingLine]) -> list[HeadingLine]:
    if not run or len(run) >= _LIST_RUN:
        return []
    before = text[max(0, run[0].char_start - _LOOK_BACK) : run[0].char_start]
    return [] if before.rstrip().endswith(":") else run


def _is_item(heading: HeadingLine) -> bool:
    label = heading.label
    return (
        heading.marked_level is None and label is not None and label.depth == 1 and not label.word
    )


def _is_next_item(earlier: HeadingLine, later: HeadingLine) -> bool:
    if earlier.label is None or later.label is None or not _is_item(later):
        return False
    follows = (earlier.label.value or 0) + 1 == later.label.value
    return follows and earlier.label.kind == later.label.kind


def _without_interruptions(found: Sequence[HeadingLine]) -> list[HeadingLine]:
    """Drop "2." after "1.2" where "1.3" follows before any "2.1": it is an item of a list."""
    places: defaultdict[OrderKey, list[int]] = defaultdict(list)
    children: defaultdict[OrderKey, list[int]] = defaultdict(list)
    for index, heading in enumerate(found):
        if heading.label is not None and heading.label.kind == "dotted":
            places[heading.label.order].append(index)
            children[heading.label.order[:1]].extend([index] if heading.label.depth > 1 else [])
    kept: list[HeadingLine] = []
    open_label: Label | None = None
    for index, heading in enumerate(found):
        label = heading.label
        is_bare = label is not None and label.kind == "dotted" and label.depth == 1
        if label is not None and is_bare and heading.marked_level is None and open_label:
            child = _next(children[label.order[:1]], index)
            successors = [_next(places[step], index) for step in _successors(open_label)]
            if min(successors, default=len(found)) < min(child, len(found)):
                continue
        if label is not None and label.kind == "dotted":
            open_label = label if label.depth > 1 else None
        kept.append(heading)
    return kept


def _successors(label: Label) -> list[OrderKey]:
    """Return the numbers that may come next within the same chapter: after 1.2.4, 1.2.5 or 1.3."""
    order = label.order
    return [
        (*order[: depth - 1], (order[depth - 1][0] + 1, "")) for depth in range(2, len(order) + 1)
    ]


def _next(places: Sequence[int], index: int) -> int:
    """Return the first place after `index`; one beyond any, if there is none."""
    at = bisect_right(places, index)
    return places[at] if at < len(places) else sys.maxsize


def _in_sequence(found: Iterable[HeadingLine]) -> list[HeadingLine]:
    """Keep ascending numbers; a number out of order is a reference at the beginning of a line."""
    kept: list[HeadingLine] = []
    state = _Sequence()
    for heading in found:
        read = state.read(heading)
        if read is not None:
            kept.append(read)
    return kept


class _Sequence:
    """The last number of each kind.

    Numbering may restart below each unnumbered or differently numbered heading.
    """

    def __init__(self) -> None:
        self._last: dict[str, Label] = {}
        self._seen: set[str] = set()
        self._has_begun = False

    def read(self, heading: HeadingLine) -> HeadingLine | None:
        """Return the heading, letters told from roman numerals; None: out of order."""
        label = heading.label
        if label is None:
            if heading.marked_level is None:
                self._restart()
            return heading
        label = self._disambiguated(label)
        if label.kind == "letter" and heading.marked_level is not None:
            last = self._last.get("letter")
            if label.value not in {1, (last.value or 0) + 1 if last else 1}:  # "Q. Who may ...?"
                return replace(heading, label=None, title=f"{label.number}. {heading.title}")
        if heading.marked_level is None and not self._may_follow(label):
            return None
        if label.kind != "dotted":
            self._last.pop("dotted", None)
            self._seen.clear()
        self._has_begun = True
        self._last[label.kind] = label
        self._seen.add(label.number)
        return replace(heading, label=label)

    def _restart(self) -> None:
        self._last.clear()
        self._seen.clear()

    def _disambiguated(self, label: Label) -> Label:
        if label.kind != "roman" or len(label.number) > 1:
            return label
        letter = self._last.get("letter")
        value = as_letter(label).value or 0
        is_next_letter = letter is not None and letter.value == value - 1
        return as_letter(label) if is_next_letter else label

    def _may_follow(self, label: Label) -> bool:
        if label.kind == "keyword":
            return True
        last = self._last.get(label.kind)
        if label.kind != "dotted" or label.depth == 1:
            first = self._last_step(last)
            begins = label.value == 1 if self._has_begun else True
            return label.value == first + 1 or (first == 0 and begins)
        if last is None:
            return True
        if label.number in self._seen or label.order < last.order[: len(label.order)]:
            return False
        return all(
            new[0] - old[0] <= _MAX_JUMP for new, old in zip(label.order, last.order, strict=False)
        )

    def _last_step(self, last: Label | None) -> int:
        if last is None:
            return 0
        return last.order[0][0] if last.kind == "dotted" and last.order else last.value or 0
