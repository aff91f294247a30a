"""Which lines of a document look like headings.

- Lines that the format marks come first; numbered lines are added where the format marks little,
  and below a marked heading whose number they extend.
- Table rows, sentences and wrapped references ("4.2 of this policy") do not count. What else is no
  heading is dropped in `false_headings`.
- One pass over the lines, in linear time.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.domain.errors import DocumentError
from core.domain.policy import LoadedDocument
from core.ingest.numbering import Label, parse_label

_MAX_TITLE_CHARACTERS = 120
_MAX_TITLE_WORDS = 16
_MIN_CAPITALS = 4
_FULL_LINE = 60
"""Characters; in text with hard line ends, so long a line is not a title but the first of a
paragraph."""
MARKED_ENOUGH = 3
"""With fewer marked headings than this, the format's marks are a title, not a structure."""
_MAX_SENTENCE_WORDS = 6
_MANY = 8
"""Headings that are set apart."""

_LINE = re.compile(r"[^\n]+")
_PARAGRAPH_ENDS = frozenset(".;:,")
_SENTENCE_END = re.compile(r"[.,;:]$")
_DATED = re.compile(
    r"\W*(?:(?:last|date|next)\s+)?(?:updated|revised|reviewed?|modified|effective|issued|approved"
    r"|published|version|revision)\b[^.]{0,30}\b(?:19|20)\d\d\W*$",
    re.IGNORECASE,
)
"""A line that dates the text ("Last updated January 17, 2024"), however it is set."""
_DUTY = re.compile(r"\b(?:shall|must|may|will|should|is|are|has|have)\b")
_RUN_IN_TITLE = re.compile(r"([A-Z][\w&/-]*(?: [\w&/-]+){0,5}): ")
"""Of a numbered paragraph: "9.1 Request process: Any request ...".  It stays in the text of the
section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingLine:
    """A line taken as a heading."""

    char_start: int
    """First character of the line."""
    char_end: int
    """One past the heading: the line's end, or the number's end where a sentence follows on the
    line."""
    line_end: int
    """One past the line's last character."""
    label: Label | None
    """Its number; None if unnumbered."""
    title: str
    """Its words without the number; may be empty."""
    marked_level: int | None
    """The level the format gives it, from 1; None where only its number or capitals speak."""


MOST_NUMBERED = 200_000
"""Lines of a document that begin with a number: they take some 8 s of processor time."""
_BEGINS_WITH_NUMBER = re.compile("^[0-9]", re.MULTILINE)


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
    is_alone: bool
    """True between empty lines."""


def candidate_lines(document: LoadedDocument) -> list[HeadingLine]:
    """Return the lines that look like headings, in text order.

    Raises:
        DocumentError: So many lines begin with a number that to weigh each would take too long.
    """
    if len(_BEGINS_WITH_NUMBER.findall(document.text)) > MOST_NUMBERED:
        raise DocumentError(
            f"more than {MOST_NUMBERED:,} of its lines begin with a number: split the file"
        )
    marked = {heading.span.char_start: heading.level for heading in document.headings}
    reads_numbers = is_loosely_marked(document)
    found: list[HeadingLine] = []
    open_label: Label | None = None
    items = _Items(is_marked=len(document.headings) >= MARKED_ENOUGH)
    for line in _lines(document):
        level = marked.get(line.start)
        if level is not None and _DATED.match(line.text):
            continue
        if level is not None:
            heading = _marked(line, level)
            if heading is None:
                continue
            open_label = heading.label
            items.end()
        else:
            heading = items.unless_item(line, _numbered(line))
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
            if heading is not None and items.is_marked and not (is_below or heading.title):
                continue  # a number that stands alone: a version, or a cell of a table
        if heading is not None:
            found.append(heading)
    dropped = items.dropped | _footnotes(found)
    return [heading for heading in found if heading.char_start not in dropped]


def _footnotes(found: Sequence[HeadingLine]) -> set[int]:
    """Return where footnotes begin that look like numbered headings ("1 Testing for results").

    Where a document sets many headings apart and numbers none of them so, a line in the look of the
    text is none, with a number that nothing closes.
    """
    marked = [line for line in found if line.marked_level is not None]
    if len(marked) < _MANY or any(_is_bare(line) for line in marked):
        return set()
    return {line.char_start for line in found if line.marked_level is None and _is_bare(line)}


def _is_bare(line: HeadingLine) -> bool:
    label = line.label
    return label is not None and (label.kind, label.depth, label.is_closed) == ("dotted", 1, False)


class _Items:
    """Numbered lines that are items of a list: of its lines, one at least is no title.

    Only where the format marks headings: "2. Send the form", after "1. Fill it in.", is none, nor
    is it before "3. Keep a copy.".
    """

    def __init__(self, *, is_marked: bool) -> None:
        self.is_marked = is_marked
        self._last: Label | None = None
        self._run: list[HeadingLine] = []
        self.dropped: set[int] = set()
        """Where those begin that were headings until a later item was none."""

    def end(self) -> None:
        """End the list; a marked heading does."""
        self._last = None
        self._run = []

    def unless_item(self, line: _Line, heading: HeadingLine | None) -> HeadingLine | None:
        """Return the heading, unless it is the next item; to be called for each line in order."""
        label = parse_label(line.text) if self.is_marked else None
        if label is None or label.depth > 1 or label.word or label.value is None:
            return heading
        last = self._last
        goes_on = _follows(last, label)
        is_item = goes_on if label.value > 1 else heading is None
        self._last = label if is_item or heading is None else None
        follows = bool(self._run) and _follows(self._run[-1].label, label)
        if heading is None or is_item:
            self.dropped.update(item.char_start for item in self._run if follows)
            self._run = []
        else:
            self._run = [*self._run, heading] if follows else [heading]
        return None if is_item else heading


def _follows(above: Label | None, label: Label) -> bool:
    return above is not None and (above.kind, (above.value or 0) + 1) == (label.kind, label.value)


def is_loosely_marked(document: LoadedDocument) -> bool:
    """Return whether numbers count beside the format's marks.

    They do in text, in PDF, and in files that mark hardly anything.
    """
    if document.media_type in {"application/pdf", "text/plain"}:
        return True
    return len(document.headings) < MARKED_ENOUGH


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
        is_alone=match.start() - previous_end != 1 and not is_adjacent,
        goes_on=is_adjacent and (after[:1].islower() or is_full),
    )


def _marked(line: _Line, level: int) -> HeadingLine | None:
    """Read a line that the format marks; None for a paragraph that only has the style of a heading.

    Contracts number their paragraphs with heading styles: of such a one, the number is the heading.
    """
    text = line.text.strip()
    label = parse_label(text)
    if label is not None and label.depth == 1 and text[label.length : label.length + 1].islower():
        label = label if label.is_closed else None
    rest = text[label.length :] if label else text
    end = line.end
    if is_paragraph(rest, is_numbered=label is not None):
        if label is None:
            return None
        lead = _RUN_IN_TITLE.match(rest)
        rest, end = lead.group(1) if lead else "", line.start + label.length
    return HeadingLine(
        char_start=line.start,
        char_end=end,
        line_end=line.end,
        label=label,
        title=rest.strip().removesuffix(":").strip(),
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
        is_heading = is_title
    return _unmarked(line, label=label, title=rest, end=line.end) if is_heading else None


def _numbered_paragraph(line: _Line, label: Label, rest: str) -> HeadingLine:
    """Take "4.2 Limits" as a heading, of "4.2 Staff must ..." the number alone."""
    if not rest or (is_title_like(rest) and not line.goes_on):
        return _unmarked(line, label=label, title=rest, end=line.end)
    if rest.endswith("?") and not line.after[:1].islower() and reads_as_heading(rest):
        return _unmarked(line, label=label, title=rest, end=line.end)
    is_free = rest.endswith("?") or _DUTY.search(rest) is None
    if line.is_alone and is_free and reads_as_heading(rest):
        return _unmarked(line, label=label, title=rest.removesuffix(":"), end=line.end)
    lead = _RUN_IN_TITLE.match(rest)
    title = lead.group(1) if lead else ""
    return _unmarked(line, label=label, title=title, end=line.start + label.length)


def _in_capitals(line: _Line) -> HeadingLine | None:
    text = line.text.strip()
    if not line.follows_gap or not text.isupper() or "|" in text:
        return None
    if (
        sum(map(str.isalpha, text)) < _MIN_CAPITALS
        or len(text) > _MAX_TITLE_CHARACTERS
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
    """Return whether words read as a title: short, capitalised, no sentence."""
    if not text or len(text) > _MAX_TITLE_CHARACTERS or _SENTENCE_END.search(text):
        return False
    words = text.split()
    if len(words) > _MAX_TITLE_WORDS or not any(character.isalpha() for character in text):
        return False
    first = text.lstrip("\"'“\u2018(")[:1]
    if first.islower() or ": " in text[: len(text) // 2]:
        return False
    return len(words) <= _MAX_SENTENCE_WORDS or _DUTY.search(text) is None


def reads_as_heading(text: str) -> bool:
    """Return whether a line that is set apart reads as a heading, also as a question."""
    label = parse_label(text)
    rest = (text[label.length :] if label else text).strip().removesuffix(":").strip()
    longest = 2 if rest.endswith("?") else 1
    words = rest.split()
    if len(rest) > longest * _MAX_TITLE_CHARACTERS or len(words) > longest * _MAX_TITLE_WORDS:
        return False
    first = rest.lstrip("\"'“\u2018([")[:1]
    if not any(map(str.isalpha, rest)) or first.islower() or "|" in rest:
        return False
    if _SENTENCE_END.search(rest):
        return False
    return rest.endswith("?") or len(words) <= _MAX_SENTENCE_WORDS or _DUTY.search(rest) is None


def is_paragraph(text: str, *, is_numbered: bool) -> bool:
    """Return whether words in a heading's place are a paragraph: sentences, or one with a duty.

    Args:
        text: the words, without their number.
        is_numbered: True after a number, as contracts have it before each paragraph.
    """
    if text[-1:] not in _PARAGRAPH_ENDS:
        return is_numbered and len(text) > 2 * _MAX_TITLE_CHARACTERS
    words = len(text.split())
    if words > _MAX_TITLE_WORDS:
        return True
    return is_numbered and words > _MAX_SENTENCE_WORDS and _DUTY.search(text) is not None
