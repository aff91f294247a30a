"""Which lines of a document are headings.

- Lines that the format marks come first; numbered lines are added where the format marks little, and below a marked heading
  whose number they extend.
- List items, table rows, wrapped references ("4.2 of this policy") and entries of a table of contents are no headings.
- One pass over the lines, in linear time.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.domain.policy import LoadedDocument
from core.ingest.numbering import Label, as_letter, parse_label

_MAX_TITLE_CHARACTERS = 120
_MAX_TITLE_WORDS = 16
_MAX_LINE_CHARACTERS = 160
_MIN_CAPITALS = 4
_FULL_LINE = 60
"""Characters; in text with hard line ends, so long a line is not a title but the first of a paragraph."""
_MAX_JUMP = 20
"""A number this much above the one before is an amount or a year, not the next section."""
_MARKED_ENOUGH = 3
"""With fewer marked headings than this, the format's marks are a title, not a structure."""
_LIST_RUN = 3
_MAX_SENTENCE_WORDS = 6

_LINE = re.compile(r"[^\n]+")
_SENTENCE_END = re.compile(r"[.,;:]$")
_DUTY = re.compile(r"\b(?:shall|must|may|will|should|is|are|has|have)\b")
_LEADERS = re.compile(
    r"\s*(?:\.{3,}|…+|(?:\. ){3,}|_{3,}|\s\|)\s*(?:\d{1,4}|[ivxlc]{1,6})?$", re.IGNORECASE
)
_PAGE_NUMBER = re.compile(r"\s+\d{1,4}$")
_RUN_IN_TITLE = re.compile(r"([A-Z][\w&/-]*(?: [\w&/-]+){0,5}): ")
"""Of a numbered paragraph: "9.1 Request process: Any request ...".  It stays in the text of the section."""
_CONTENTS = re.compile(r"(?:table of )?contents\b|inhalt(?:sverzeichnis)?\b", re.IGNORECASE)
_NOT_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingLine:
    """A line taken as a heading."""

    char_start: int
    """First character of the line."""
    char_end: int
    """One past the heading: the line's end, or the number's end where a sentence follows on the line."""
    line_end: int
    """One past the line's last character."""
    label: Label | None
    """Its number; None if unnumbered."""
    title: str
    """Its words without the number; may be empty."""
    marked_level: int | None
    """The level the format gives it, from 1; None where only its number or capitals speak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    start: int
    end: int
    text: str
    before: str
    """The nearest line above that is not empty; empty at the beginning."""
    after: str
    """The nearest line below that is not empty; empty at the end."""
    follows_gap: bool
    """True after an empty line or at the beginning."""
    goes_on: bool
    """True if a sentence seems to run on in the line directly below."""


def find_headings(document: LoadedDocument) -> list[HeadingLine]:
    """Return the lines that begin sections, in text order."""
    marked = {heading.span.char_start: heading.level for heading in document.headings}
    reads_numbers = is_loosely_marked(document)
    found: list[HeadingLine] = []
    open_label: Label | None = None
    for line in _lines(document):
        level = marked.get(line.start)
        if level is not None:
            heading = _marked(line, level)
            open_label = heading.label
        else:
            heading = _numbered(line)
            is_below = (
                heading is not None
                and heading.label is not None
                and open_label is not None
                and heading.label.extends(open_label)
            )
            if not (reads_numbers or is_below):
                continue
            if heading is None and not marked:
                heading = _in_capitals(line)
        if heading is not None:
            found.append(heading)
    return _in_sequence(_without_lists(document.text, _without_contents(document.text, found)))


def is_loosely_marked(document: LoadedDocument) -> bool:
    """Say whether numbers count beside the format's marks: text, PDF, and files that mark hardly anything."""
    if document.media_type in {"application/pdf", "text/plain"}:
        return True
    return len(document.headings) < _MARKED_ENOUGH


def _lines(document: LoadedDocument) -> Iterator[_Line]:
    """Yield the lines outside tables that are not empty."""
    tables = iter(document.tables)
    table = next(tables, None)
    pending: re.Match[str] | None = None
    before = ""
    previous_end = -2
    for match in _LINE.finditer(document.text):
        if pending is not None:
            yield _line(pending, before=before, following=match, previous_end=previous_end)
            before, previous_end, pending = pending.group(), pending.end(), None
        while table is not None and table.char_end <= match.start():
            table = next(tables, None)
        if table is not None and table.char_start <= match.start():
            before, previous_end = match.group(), match.end()
        elif match.group().strip():
            pending = match
    if pending is not None:
        yield _line(pending, before=before, following=None, previous_end=previous_end)


def _line(
    match: re.Match[str], *, before: str, following: re.Match[str] | None, previous_end: int
) -> _Line:
    after = following.group() if following else ""
    is_adjacent = following is not None and following.start() == match.end() + 1
    is_full = match.end() - match.start() >= _FULL_LINE and parse_label(after) is None
    return _Line(
        start=match.start(),
        end=match.end(),
        text=match.group(),
        before=before,
        after=after,
        follows_gap=match.start() - previous_end != 1,
        goes_on=is_adjacent and (after[:1].islower() or is_full),
    )


def _marked(line: _Line, level: int) -> HeadingLine:
    text = line.text.strip()
    label = parse_label(text)
    if (
        label is not None
        and not label.is_closed
        and text[label.length : label.length + 1].islower()
    ):
        label = None
    title = text[label.length :] if label else text
    return HeadingLine(
        char_start=line.start,
        char_end=line.end,
        line_end=line.end,
        label=label,
        title=title.strip().removesuffix(":").strip(),
        marked_level=level,
    )


def _numbered(line: _Line) -> HeadingLine | None:
    """Read a line as a numbered heading or paragraph."""
    label = parse_label(line.text)
    if label is None:
        return None
    rest = line.text[label.length :].strip()
    if label.kind == "dotted" and label.depth > 1:
        return None if rest[:1].islower() else _numbered_paragraph(line, label, rest)
    is_title = is_title_like(rest) and not line.goes_on
    if label.kind == "keyword":
        is_heading = not rest or (is_title and (label.is_closed or rest[0].isupper()))
    else:
        is_heading = is_title and not line.before.endswith(":")
    return _unmarked(line, label=label, title=rest, end=line.end) if is_heading else None


def _numbered_paragraph(line: _Line, label: Label, rest: str) -> HeadingLine:
    """Take "4.2 Limits" as a heading, of "4.2 Staff must ..." the number alone."""
    if not rest or (is_title_like(rest) and not line.goes_on):
        return _unmarked(line, label=label, title=rest, end=line.end)
    lead = _RUN_IN_TITLE.match(rest)
    title = lead.group(1) if lead else ""
    return _unmarked(line, label=label, title=title, end=line.start + label.length)


def _in_capitals(line: _Line) -> HeadingLine | None:
    text = line.text.strip()
    letters = sum(1 for character in text if character.isalpha())
    if not line.follows_gap or not text.isupper() or letters < _MIN_CAPITALS or "|" in text:
        return None
    if (
        len(text) > _MAX_TITLE_CHARACTERS
        or text[-1] in ".,;"
        or (line.after.isupper() and parse_label(line.after) is None)
    ):
        return None
    return _unmarked(line, label=None, title=text.removesuffix(":"), end=line.end)


def _unmarked(line: _Line, *, label: Label | None, title: str, end: int) -> HeadingLine:
    return HeadingLine(
        char_start=line.start,
        char_end=end,
        line_end=line.end,
        label=label,
        title=title,
        marked_level=None,
    )


def is_title_like(text: str) -> bool:
    """Say whether words read as a title: short, capitalised, no sentence."""
    if not text or len(text) > _MAX_TITLE_CHARACTERS or _SENTENCE_END.search(text):
        return False
    words = text.split()
    if len(words) > _MAX_TITLE_WORDS or not any(character.isalpha() for character in text):
        return False
    first = text.lstrip("\"'“\u2018(")[:1]
    if first.islower() or ": " in text[: len(text) // 2]:
        return False
    return len(words) <= _MAX_SENTENCE_WORDS or _DUTY.search(text) is None


def _without_contents(text: str, found: Sequence[HeadingLine]) -> list[HeadingLine]:
    """Drop entries of a table of contents: they announce a heading that comes again, or end in leader dots."""
    last_seen = {_key(heading): index for index, heading in enumerate(found)}
    in_contents = _ContentsPage()
    kept: list[HeadingLine] = []
    for index, heading in enumerate(found):
        line = text[heading.char_start : heading.line_end]
        entry = _PAGE_NUMBER.sub("", _LEADERS.sub("", line))
        has_page = entry != line
        comes_again = max(last_seen[_key(heading)], last_seen.get(_plain(entry), -1)) > index
        if _LEADERS.search(line) and "..." in line.replace(". ", "."):
            continue
        if in_contents.covers(heading):
            continue
        if comes_again and (has_page or not _has_body(text, found, index)):
            continue
        kept.append(heading)
    return kept


class _ContentsPage:
    """The stretch below a heading "Contents", up to the next marked heading of its level."""

    def __init__(self) -> None:
        self._level: int | None = None

    def covers(self, heading: HeadingLine) -> bool:
        """Say whether the heading is an entry, asked for each heading in order."""
        if heading.marked_level is None:
            return False
        if _CONTENTS.match(heading.title):
            self._level = heading.marked_level
            return False
        if self._level is not None and heading.marked_level <= self._level:
            self._level = None
        return self._level is not None


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
    """Drop numbered lines that follow each other without text between: a list, however short its items."""
    kept: list[HeadingLine] = []
    run: list[HeadingLine] = []
    for index, heading in enumerate(found):
        if run and not _is_next_item(run[-1], heading):
            kept += run if len(run) < _LIST_RUN else []
            run = []
        if not _is_item(heading):
            kept.append(heading)
            continue
        run.append(heading)
        if _has_body(text, found, index):
            kept += run if len(run) < _LIST_RUN else []
            run = []
    return kept + (run if len(run) < _LIST_RUN else [])


def _is_item(heading: HeadingLine) -> bool:
    label = heading.label
    return (
        heading.marked_level is None and label is not None and label.depth == 1 and not label.word
    )


def _is_next_item(earlier: HeadingLine, later: HeadingLine) -> bool:
    if earlier.label is None or later.label is None or not _is_item(later):
        return False
    return earlier.label.kind == later.label.kind


def _in_sequence(found: Iterable[HeadingLine]) -> list[HeadingLine]:
    """Keep numbers that rise; a number out of order is a reference at a line's beginning."""
    kept: list[HeadingLine] = []
    state = _Sequence()
    for heading in found:
        read = state.read(heading)
        if read is not None:
            kept.append(read)
    return kept


class _Sequence:
    """The last number of each kind; numbers may begin anew below each unnumbered or differently numbered heading."""

    def __init__(self) -> None:
        self._last: dict[str, Label] = {}
        self._seen: set[str] = set()

    def read(self, heading: HeadingLine) -> HeadingLine | None:
        """Return the heading, its letters told from roman numerals; None if its number is out of order."""
        label = heading.label
        if label is None:
            if heading.marked_level is None:
                self._restart()
            return heading
        label = self._told_apart(label)
        if heading.marked_level is None and not self._may_follow(label):
            return None
        if label.kind != "dotted":
            self._last.pop("dotted", None)
            self._seen.clear()
        self._last[label.kind] = label
        self._seen.add(label.number)
        return replace(heading, label=label)

    def _restart(self) -> None:
        self._last.clear()
        self._seen.clear()

    def _told_apart(self, label: Label) -> Label:
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
            return label.value == first + 1 or (first == 0 and label.value == 1)
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
