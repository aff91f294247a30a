"""A document's sections: numbered, titled, nested; they cover the text without overlap.

After `load`, before `chunk`. Which lines are headings is decided in `heading_candidates` and
`false_headings`; here they are nested, and the text is split at them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.policy import CONTAINERS, LoadedDocument, Section
from core.ingest.false_headings import real_headings
from core.ingest.heading_candidates import HeadingLine, candidate_lines, is_loosely_marked
from core.ingest.numbering import ATTACHMENTS, KEYWORD_RANKS, Label
from core.ingest.spread_headings import gathered
from core.ingest.titles import document_title, is_contents

_NOT_SPACE = re.compile(r"\S")
_SLUG_BREAK = re.compile(r"[^\w.]+")
_MAX_SLUG = 60
_FIRST_LINE = re.compile(r"\s*(?P<line>\S[^\n]*)")
_TITLE_LEVEL = 0
"""Above all that a format marks."""
_CHAPTERS = 3
"""Numbered headings from which a document has chapters."""
_ONE_LOOK = 0.9
"""With this share of headings that look alike, looks say nothing about their depth."""
_COUNTED = re.compile(r"\((?:[ivx]{1,5}|[a-z]|\d{1,2})\)\s")
"""A title that is one of several below another, however alike they are set ("(i) Company records").
"""
_REPEATED = 3
"""A title without number that follows so many numbers stands within the section of each."""
_PREFIXES = {
    "part": "part", "teil": "part", "title": "title", "chapter": "chp", "kapitel": "chp",
    "article": "art", "artikel": "art", "annex": "annex", "annexure": "annex", "anhang": "annex",
    "anlage": "annex", "appendix": "app", "schedule": "sched", "clause": "cl", "rule": "rule",
    "exhibit": "exh", "§": "par",
}  # fmt: skip
"""Akoma Ntoso naming convention 1.0, 5.1, extended where it has no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A heading with the headings above it."""

    line: HeadingLine
    above: tuple[HeadingLine, ...]


def split_sections(document: LoadedDocument) -> tuple[Section, ...]:
    """Split a document at its headings.

    Returns:
        Sections in text order that cover the whole text; text before the first heading is a section
        without number, titled as the document. Empty only for an empty text.
    """
    text = document.text
    if not text:
        return ()
    is_strict = not is_loosely_marked(document)
    container = CONTAINERS.get(document.media_type, "")
    if container:
        is_strict, lines = True, _containers(document)
    else:
        lines = gathered(text, real_headings(text, candidate_lines(document)))
        lines = _with_title(document, lines)
    placed = _nest(lines, is_strict=is_strict)
    starts = [item.line.char_start for item in placed]
    sections: list[Section] = []
    names = _Names()
    first = starts[0] if starts else len(text)
    if not starts or text[:first].strip():
        sections.append(_preamble(document, end=first, eid=names.take("preamble")))
    elif starts:
        starts[0] = 0
    for index, item in enumerate(placed):
        end = starts[index + 1] if index + 1 < len(starts) else len(text)
        sections.append(
            Section(
                eid=names.take(_eid(item, container=container or "hcontainer")),
                number=item.line.label.number if item.line.label else None,
                title=item.line.title,
                path=tuple(_name(line) for line in (*item.above, item.line)),
                level=len(item.above) + 1,
                ordinal=len(sections),
                char_start=starts[index],
                body_start=_body_start(text, item.line.char_end, end),
                char_end=end,
                page=document.page_of(item.line.char_start),
            )
        )
    return tuple(sections)


def _containers(document: LoadedDocument) -> list[HeadingLine]:
    """Return the headings of sheets or slides: each begins one, however it reads."""
    return [
        HeadingLine(
            char_start=heading.span.char_start,
            char_end=heading.span.char_end,
            line_end=heading.span.char_end,
            label=None,
            title=heading.span.of(document.text),
            marked_level=heading.level,
        )
        for heading in document.headings
    ]


def _with_title(document: LoadedDocument, lines: list[HeadingLine]) -> list[HeadingLine]:
    """Return the headings with the title that a plain text prints above them, as other formats do.

    A heading of level 1 after the title is beside the chapters 1, 2, 3 ... if all of them would be
    below it ("Version", before the first chapter): it is none of theirs.
    """
    if not lines:
        return lines
    if document.media_type == "text/plain":
        title = document_title(document)
        first = _FIRST_LINE.match(document.text)
        if first and first["line"].rstrip() == title and first.end() <= lines[0].char_start:
            start = first.start("line")
            end = start + len(title)
            return [
                HeadingLine(
                    char_start=start,
                    char_end=end,
                    line_end=first.end("line"),
                    label=None,
                    title=title,
                    marked_level=_TITLE_LEVEL,
                ),
                *lines,
            ]
        return lines
    first_level = lines[0].marked_level
    outer = [line for line in lines[1:] if line.marked_level == first_level]
    chapters = [line for line in lines if line.label is not None and line.label.depth == 1]
    if (
        len(outer) != 1
        or first_level is None
        or lines[0].label is not None
        or outer[0].label is not None
        or len(chapters) < _CHAPTERS
        or any(line.marked_level != first_level + 1 for line in chapters)
        or chapters[0].char_start < outer[0].char_start
    ):
        return lines
    return [
        replace(line, marked_level=first_level + 1) if line is outer[0] else line for line in lines
    ]


def _preamble(document: LoadedDocument, *, end: int, eid: str) -> Section:
    title = document_title(document)
    return Section(
        eid=eid,
        number=None,
        title=title,
        path=(title,),
        level=1,
        ordinal=0,
        char_start=0,
        body_start=_body_start(document.text, 0, end),
        char_end=end,
        page=document.page_of(0),
    )


def _body_start(text: str, heading_end: int, end: int) -> int:
    match = _NOT_SPACE.search(text, heading_end, end)
    return match.start() if match else end


def _nest(lines: Sequence[HeadingLine], *, is_strict: bool) -> list[_Placed]:
    looks = _Looks(lines)
    stack: list[HeadingLine] = []
    placed: list[_Placed] = []
    siblings: dict[tuple[str, ...], tuple[HeadingLine, ...]] = {}
    """What stands above the numbers below each number: ("3",) for "3.1" and "3.2"."""
    for line in lines:
        label = line.label
        depth = _strict_depth(stack, line) if is_strict else _loose_depth(stack, line, looks)
        if label is not None and label.kind == "dotted" and label.depth > 1 and not is_strict:
            beside = siblings.get(label.parts[:-1])
            if beside is not None and tuple(stack[: len(beside)]) == beside:
                depth = min(depth, len(beside))
            siblings[label.parts[:-1]] = tuple(stack[:depth])
        if is_contents(line.title):  # beside what it lists, however large it is set
            placed.append(_Placed(line=line, above=tuple(stack[:1])))
            continue
        del stack[depth:]
        placed.append(_Placed(line=line, above=tuple(stack)))
        stack.append(line)
    return placed


class _Looks:
    """What the looks of a document's headings tell of their depth."""

    def __init__(self, lines: Sequence[HeadingLine]) -> None:
        self.levels_differ = _levels_differ(lines)
        self.innermost = _innermost(lines)
        number = None
        numbers: dict[str, set[str | None]] = {}
        for line in lines:
            if line.label is None:
                numbers.setdefault(line.title.casefold(), set()).add(number)
            else:
                number = line.label.number
        self._repeated = {title for title, below in numbers.items() if len(below) >= _REPEATED}

    def is_repeated(self, line: HeadingLine) -> bool:
        """Return whether a title without number recurs, as "Description" does in each finding."""
        return line.title.casefold() in self._repeated


def _levels_differ(lines: Sequence[HeadingLine]) -> bool:
    """Return whether the format distinguishes levels, from the first numbered heading on."""
    numbered = next((place for place, line in enumerate(lines) if line.label is not None), 0)
    levels = Counter(line.marked_level for line in lines[numbered:] if line.marked_level)
    return bool(levels) and levels.most_common(1)[0][1] < _ONE_LOOK * levels.total()


def _strict_depth(stack: Sequence[HeadingLine], line: HeadingLine) -> int:
    """Nest by the format's levels; a numbered paragraph goes below the number that it extends."""
    below = _below_prefix(stack, line.label)
    if line.marked_level is None:
        return below or len(stack)
    if below and (stack[below - 1].marked_level or 0) == line.marked_level:
        return below
    for depth, above in enumerate(stack):
        if above.marked_level is None or above.marked_level >= line.marked_level:
            return depth
    return len(stack)


def _innermost(lines: Sequence[HeadingLine]) -> frozenset[str]:
    """Return the kinds of numbers that begin anew within those of another kind ("I", then "1")."""
    begun = Counter(line.label.kind for line in lines if line.label and line.label.value == 1)
    kinds = {line.label.kind for line in lines if line.label}
    return frozenset(kind for kind, times in begun.items() if times > 1 and len(kinds) > 1)


def _loose_depth(stack: Sequence[HeadingLine], line: HeadingLine, looks: _Looks) -> int:
    """Nest by numbers, then by the look of the heading."""
    if line.label is None:
        return _unnumbered_depth(stack, line, looks)
    below = _below_prefix(stack, line.label)
    if below is not None:
        return below
    for depth, above in enumerate(stack):
        if _is_beside(above, line.label):
            return depth
    return _past_unnumbered(stack, line)


def _below_prefix(stack: Sequence[HeadingLine], label: Label | None) -> int | None:
    """Return the depth just below the deepest heading whose number `label` extends."""
    if label is None or label.kind != "dotted":
        return None
    for depth in range(len(stack), 0, -1):
        above = stack[depth - 1].label
        if above is not None and label.extends(above):
            return depth
    return None


def _is_beside(above: HeadingLine, label: Label) -> bool:
    """Return whether a label ends the section of `above`: of the same kind or an outer one."""
    if above.label is None:
        return False
    if label.word in ATTACHMENTS:
        return True
    if label.word and above.label.word:
        return KEYWORD_RANKS.get(label.word, 9) <= KEYWORD_RANKS.get(above.label.word, 9)
    return label.kind == above.label.kind and label.word == above.label.word


def _past_unnumbered(stack: Sequence[HeadingLine], line: HeadingLine) -> int:
    """Place a first number beside the unnumbered headings that look like it, not below them."""
    depth = len(stack)
    while depth and line.marked_level is not None:
        above = stack[depth - 1]
        if above.label is not None or (above.marked_level or 0) < line.marked_level:
            break
        depth -= 1
    return depth


def _unnumbered_depth(stack: Sequence[HeadingLine], line: HeadingLine, looks: _Looks) -> int:
    """Place an unnumbered heading beside those that look like it.

    If all headings look alike, this says nothing about numbered ones, unless nothing is numbered
    below these. A title that recurs stands below the numbers between which it does.
    """
    is_counted = _COUNTED.match(line.title) is not None
    for depth, above in enumerate(stack):
        if (
            is_counted
            and above.marked_level == line.marked_level
            and not _COUNTED.match(above.title)
        ):
            continue
        if above.label is None and (above.marked_level or 0) >= (line.marked_level or 0):
            return depth
        if line.marked_level is None or above.marked_level is None:
            continue
        if above.label is not None and looks.is_repeated(line):
            continue
        if above.marked_level > line.marked_level:
            return depth
        is_inner = above.label is not None and above.label.kind in looks.innermost
        if (looks.levels_differ or is_inner) and above.marked_level == line.marked_level:
            return depth
    return len(stack)


def _name(line: HeadingLine) -> str:
    number = line.label.number if line.label else ""
    return f"{number} {line.title}".strip()


def _eid(item: _Placed, *, container: str) -> str:
    steps = [line for line in item.above if line.label is not None]
    return "__".join(_step(line, container=container) for line in (*steps, item.line))


def _step(line: HeadingLine, *, container: str) -> str:
    if line.label is None:
        return f"{container}_{_slug(line.title) or 'untitled'}"
    number = line.label.number
    if line.label.word:
        number = (
            number.removeprefix("§").strip() if line.label.word == "§" else number.split(" ", 1)[1]
        )
    return f"{_PREFIXES.get(line.label.word, 'sec')}_{_slug(number)}"


def _slug(text: str) -> str:
    return _SLUG_BREAK.sub("-", text).strip("-.").lower()[:_MAX_SLUG].rstrip("-.")


class _Names:
    """Makes names unique within one document: the second "sec_1" becomes "sec_1~2"."""

    def __init__(self) -> None:
        self._uses: dict[str, int] = {}
        self._taken: set[str] = set()

    def take(self, wanted: str) -> str:
        """Return `wanted`, or the first free variant of it."""
        name = wanted
        while name in self._taken:
            self._uses[wanted] = self._uses.get(wanted, 1) + 1
            name = f"{wanted}~{self._uses[wanted]}"
        self._taken.add(name)
        return name
