"""Drop what is in the margins of a PDF's pages and is not part of its text.

Dropped is what most pages repeat at the same height, including a number that counts the pages:
headers, footers, page numbers. A heading or a rule in the same place is kept:
- "Annex 1" to "Annex 4", and what is larger or bolder than the text, count something else;
- a line at the distance of the next line of a paragraph belongs to that paragraph;
- a rule that is set apart from the text is kept once: on the last page that has it. One whose
  number rises with the page is a different rule on each.

Dropped too are short texts beside the text, small or in capitals: stamps and marginal references.
"""

import itertools
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.ingest.load.pdf_lines import Line, is_label
from core.ingest.numbering import ATTACHMENTS, KEYWORD_RANKS

_EDGE_LINES = 3
"""Running headers and footers are looked for in this many lines at the top and bottom."""
_MIN_REPEATS = 3
_REPEAT_SHARE = 0.5
_PAGE_WORD = r"(?:page|seite|p\.|pagina|página|folio)"
_PAGE_NUMBER = re.compile(
    rf"\W*(?:{_PAGE_WORD}\s*)?(?:\d{{1,4}}|[ivxlc]{{1,6}})(?:\s*(?:of|von|/)\s*\d{{1,4}})?\W*",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d{1,5}")
_SAME_HEIGHT = 12.0
"""Points."""
_LARGER = 1.12
_NEXT_LINE = 1.25
"""Times the usual distance of baselines: what is closer to the text is a line of it."""
_SAME_RUN = 1.6
"""Times the font size: lines of one footer."""
_KEYWORDS = "|".join(sorted(ATTACHMENTS | KEYWORD_RANKS.keys()))
_COUNTED = re.compile(rf"\W*(?:(?:{_KEYWORDS})\s+\d|[^\W\d_]+\W+\d{{1,5}}\W*$)", re.IGNORECASE)
"""A keyword of sections or a single word, and its number: "Annex 3 Forms", "Module 3"."""
_OF_PAGES = re.compile(rf"\W*{_PAGE_WORD}\W*\d", re.IGNORECASE)
_END_NUMBER = re.compile(r"^\d{1,4}(?=\W)|(?<=[\s|])\d{1,4}$")
_FROM_FIRST_TO_LAST_LETTER = re.compile(r"(?:_|[^\W\d])(?:.*(?:_|[^\W\d]))?", re.DOTALL)
_LEVEL = 3.0
"""Points: heads of chapters are set at one height."""
_CHAPTER_SHARE = 0.4
"""Of the left or of the right pages: those with the head of a chapter."""
_AGAIN = 0.7
"""Of the lines at a height: those that count the pages or come again."""
_SENTENCE = re.compile(r"[.!?;:][\"')\]\u201d\u2019]*$")
_MIN_SENTENCE_WORDS = 4
_PROSE_CHARACTERS = 40
"""A line of the text proper has at least as many; such lines give the left and right edges."""
_PROSE_LINES = 4
_BESIDE = 2.0
"""Points between the text and what is beside it."""
_NOTE_LEADING = 1.8
"""Times the font size: the next line of a note is no further below."""
_MIN_NOTE, _MIN_NOTE_LINES = 9, 3
"""Words and lines of a note in the margin; a stamp has fewer."""
_SMALLER = 0.9
_SAME_BASELINE = 1.0
_SAME_COLUMN = 8.0
"""Points."""
_DUTY = re.compile(r"\b(?:shall|must|may|can|cannot|should|will|is|are|has|have|not|never|only)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edge:
    """A line at the edge of a page."""

    page: int
    """Index of its page."""
    line: Line
    """The line."""
    keys: frozenset[str]
    """Identify the same line on other pages."""


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Drop headers, footers and page numbers."""
    edges = [_edge(line, index) for index, page in enumerate(pages) for line in edge_lines(page)]
    body = _body(pages)
    written = sum(1 for page in pages if page)
    needed = max(min(_MIN_REPEATS, max(written, 2)), _REPEAT_SHARE * written)
    counts = Counter(key for edge in edges for key in _honest_keys(edge, body))
    running = [
        edge
        for edge in edges
        if any(counts[key] >= needed for key in _honest_keys(edge, body))
        and (written >= _MIN_REPEATS or _may_count_pages(edge.line, body))  # no heading of two
    ]
    running += _heads_of_chapters(pages, edges, body)
    dropped = {id(edge.line) for edge in running} | _page_numbers(edges)
    dropped -= _lines_of_paragraphs(pages, running, dropped)
    dropped -= _last_of_rules([edge for edge in running if id(edge.line) in dropped])
    return [[line for line in page if id(line) not in dropped] for page in pages]


def _heads_of_chapters(
    pages: Sequence[Sequence[Line]], edges: Sequence[_Edge], body: Line | None
) -> list[_Edge]:
    """Return the lines that name the chapter on each of its pages, at one height.

    They are no larger than the text, and either count the pages, or have words that come again: on
    a neighbouring page at the same height, or as a title.
    """
    if body is None:
        return []
    places: defaultdict[tuple[int, int], list[_Edge]] = defaultdict(list)
    for edge in edges:
        is_small = edge.line.size < _LARGER * body.size and _words_of(edge.line)
        page = pages[edge.page]
        level = {id(line) for line in page if abs(line.baseline - edge.line.baseline) < _LEVEL}
        if is_small and not _is_next_line(edge, page, level):
            places[round(edge.line.baseline / _LEVEL), edge.page % 2].append(edge)
    lines = Counter(_words_of(line) for page in pages for line in page)
    found: list[_Edge] = []
    for (_, parity), group in places.items():
        needed = max(_MIN_REPEATS, _CHAPTER_SHARE * len(pages[parity::2]))
        if len({edge.page for edge in group}) < needed:
            continue
        offsets = Counter(_offset_at_end(edge) for edge in group)
        near = {(edge.page + step, _words_of(edge.line)) for edge in group for step in (-2, 2)}
        again = [
            edge
            for edge in group
            if (_offset_at_end(edge) is not None and offsets[_offset_at_end(edge)] >= needed)
            or (edge.page, _words_of(edge.line)) in near
            or lines[_words_of(edge.line)] > 1
        ]
        if len(again) >= needed and len(again) >= _AGAIN * len(group):
            found += again
    return found


def _words_of(line: Line) -> str:
    """Return the words of a line without the numbers around them; empty for a page number."""
    letters = _FROM_FIRST_TO_LAST_LETTER.search(line.text.casefold())
    return letters.group() if letters else ""


def _offset_at_end(edge: _Edge) -> int | None:
    """Return by how much the number at either end of a line exceeds the page's index."""
    number = _END_NUMBER.search(edge.line.text)
    return int(number.group().strip(" |")) - edge.page if number else None


def without_stamps(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Drop short texts beside the text of their page that are small or in capitals."""
    body = _body(pages)
    return [list(page) if body is None else _without_stamps(page, body) for page in pages]


def _without_stamps(page: Sequence[Line], body: Line) -> list[Line]:
    beside = _outside(page)
    kept = {id(line) for line in _notes(beside)}
    stamps = {id(line) for line in beside if id(line) not in kept and _is_stamp(line, body)}
    return [line for line in page if id(line) not in stamps]


def _notes(beside: Sequence[Line]) -> list[Line]:
    """Return the lines in the margin that are those of a text, and so no stamps."""
    runs: list[list[Line]] = []
    for line in sorted(beside, key=lambda line: (round(line.left / _SAME_COLUMN), -line.baseline)):
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and abs(last.left - line.left) <= _SAME_COLUMN
            and 0 < last.baseline - line.baseline <= _NOTE_LEADING * line.size
        ):
            runs[-1].append(line)
        else:
            runs.append([line])
    return [
        line
        for run in runs
        if len(run) >= _MIN_NOTE_LINES and sum(len(of.text.split()) for of in run) >= _MIN_NOTE
        for line in run
    ]


def _outside(page: Sequence[Line]) -> list[Line]:
    """Return the lines left and right of a page's text; none if it has too little text to tell."""
    prose = [line for line in page if len(line.text) >= _PROSE_CHARACTERS]
    if len(prose) < _PROSE_LINES:
        return []
    left = min(line.left for line in prose) - _BESIDE
    right = max(line.right for line in prose) + _BESIDE
    return [
        line
        for line in page
        if line.left > right
        or (line.right < left and not is_label(line.text))  # a number set before its paragraph
    ]


def without_side_menus(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Drop what most pages repeat beside their text: the chapters to go to, a turned title."""
    outside = [_outside(page) for page in pages]
    counts = Counter(_side_key(line) for lines in outside for line in lines)
    needed = max(_MIN_REPEATS, _REPEAT_SHARE * sum(1 for page in pages if page))
    dropped = {id(line) for lines in outside for line in lines if counts[_side_key(line)] >= needed}
    return [[line for line in page if id(line) not in dropped] for page in pages]


def _side_key(line: Line) -> str:
    return f"{line.text.casefold()}@{round(line.baseline / _SAME_HEIGHT)}"


def beside_text(page: Sequence[Line]) -> list[Line]:
    """Return the lines of notes in the margin: columns outside the text that are no cells of rows.

    A line of a note may stand level with one of the text by chance, most of them don't.
    """
    outside = _outside(page)
    beside = {id(line) for line in outside}
    inside = [line for line in page if id(line) not in beside]
    columns: defaultdict[int, list[Line]] = defaultdict(list)
    for line in outside:
        columns[round(line.left / _SAME_COLUMN)].append(line)
    return [
        line
        for column in columns.values()
        if 2 * sum(1 for line in column if _is_cell(line, inside)) <= len(column)
        for line in column
    ]


def _is_cell(line: Line, inside: Sequence[Line]) -> bool:
    """Return whether a line stands exactly beside one of the text, of about its size."""
    return any(
        abs(line.baseline - other.baseline) < _SAME_BASELINE
        and _SMALLER * other.size <= line.size <= _LARGER * other.size
        for other in inside
    )


def _is_stamp(line: Line, body: Line) -> bool:
    is_small = line.size < _SMALLER * body.size
    return (is_small or line.text.isupper()) and len(line.text.split()) <= _MIN_SENTENCE_WORDS


def is_page_number(line: Line) -> bool:
    """Return whether a line is nothing but a page's number."""
    return _PAGE_NUMBER.fullmatch(line.text) is not None


def edge_lines(page: Sequence[Line]) -> list[Line]:
    """Return the lines among which a header or footer may be, with all that is level with them."""
    by_height = sorted(page, key=lambda line: -line.baseline)
    edges = [*by_height[:_EDGE_LINES], *by_height[_EDGE_LINES:][-_EDGE_LINES:]]
    levels = {round(line.baseline) for line in edges}
    return [line for line in by_height if round(line.baseline) in levels]


def _edge(line: Line, index: int) -> _Edge:
    """Identify a line by its words and height; one of its numbers may count the pages.

    It is the first or the last one, or the one before that ("Page 2 of 9").
    """
    words = line.text.casefold()
    place = f"@{round(line.baseline / _SAME_HEIGHT)}"
    numbers = list(_DIGITS.finditer(words))
    if _COUNTED.match(words) and not _OF_PAGES.match(words):
        del numbers[0]
    keys = {words + place}
    for number in {*numbers[:1], *numbers[-2:]}:
        relative = int(number.group()) - index
        keys.add(f"{words[: number.start()]}#{relative}#{words[number.end() :]}{place}")
    return _Edge(page=index, line=line, keys=frozenset(keys))


def _honest_keys(edge: _Edge, body: Line | None) -> Iterator[str]:
    """Yield the keys that count: without those made from the number of a heading or a rule."""
    may_count = _may_count_pages(edge.line, body)
    for key in edge.keys:
        if may_count or "#" not in key or "#" in edge.line.text:
            yield key


def _may_count_pages(line: Line, body: Line | None) -> bool:
    if _OF_PAGES.match(line.text):
        return True
    if body is None:
        return True
    return line.size < _LARGER * body.size and not (line.is_bold and not body.is_bold)


def _reads_as_rule(text: str) -> bool:
    return (
        len(text.split()) >= _MIN_SENTENCE_WORDS
        and _SENTENCE.search(text) is not None
        and _DUTY.search(text) is not None
    )


def _body(pages: Sequence[Sequence[Line]]) -> Line | None:
    """Return a line with the size and weight of most of the text."""
    counts: Counter[tuple[float, bool]] = Counter()
    found: dict[tuple[float, bool], Line] = {}
    for page in pages:
        for line in page:
            look = (round(line.size * 2) / 2, line.is_bold)
            counts[look] += len(line.text)
            found.setdefault(look, line)
    return found[counts.most_common(1)[0][0]] if counts else None


def _page_numbers(edges: Sequence[_Edge]) -> set[int]:
    """Return the lines that are page numbers: at least two have the same offset from the page."""
    numbers = [edge for edge in edges if is_page_number(edge.line)]
    counts = Counter(_offset(edge) for edge in numbers)
    return {
        id(edge.line)
        for edge in numbers
        if counts[_offset(edge)] > 1 or (_offset(edge) is None and len(numbers) > 1)
    }


def _offset(edge: _Edge) -> int | None:
    """Return by how much a page's number exceeds its index; None for a roman one."""
    digits = _DIGITS.search(edge.line.text)
    return int(digits.group()) - edge.page if digits else None


def _lines_of_paragraphs(
    pages: Sequence[Sequence[Line]], running: Sequence[_Edge], dropped: set[int]
) -> set[int]:
    """Return the repeated lines that are the next line of a paragraph on most of their pages."""
    near: Counter[str] = Counter()
    for edge in running:
        is_near = _is_next_line(edge, pages[edge.page], dropped)
        near[edge.line.text.casefold()] += 1 if is_near else -1
    return {id(edge.line) for edge in running if near[edge.line.text.casefold()] > 0}


def _is_next_line(edge: _Edge, page: Sequence[Line], dropped: set[int]) -> bool:
    rest = sorted((line.baseline for line in page if id(line) not in dropped), reverse=True)
    steps = [
        above - below
        for above, below in itertools.pairwise(rest)
        if above - below > edge.line.size / 2
    ]
    if not steps:
        return False
    distance = min(abs(edge.line.baseline - baseline) for baseline in rest)
    return distance <= _NEXT_LINE * min(
        statistics.mode(round(step) for step in steps), _leading(edge)
    )


def _leading(edge: _Edge) -> float:
    return _SAME_RUN * edge.line.size


def _last_of_rules(running: Sequence[_Edge]) -> set[int]:
    """Return the lines of repeated rules on the last page that has them."""
    last: dict[str, list[int]] = {}
    for run in _runs(running):
        text = " ".join(line.text for line in run)
        if _reads_as_rule(text):
            last[text.casefold()] = [id(line) for line in run]
    return {line for lines in last.values() for line in lines}


def _runs(running: Sequence[_Edge]) -> Iterator[list[Line]]:
    """Yield the dropped lines that follow each other on a page, page by page."""
    by_page: defaultdict[int, dict[int, Line]] = defaultdict(dict)
    for edge in running:
        by_page[edge.page][id(edge.line)] = edge.line
    for lines in by_page.values():
        run: list[Line] = []
        for line in sorted(lines.values(), key=lambda one: -one.baseline):
            if run and not 0 < run[-1].baseline - line.baseline <= _SAME_RUN * line.size:
                yield run
                run = []
            run.append(line)
        if run:
            yield run
