"""Blocks of PDF pages to text: join lines to paragraphs, recognise headings and table rows.

- A line continues on the next one if the next word would not have fitted, or if its sentence has
  clearly not ended; otherwise the line break is intended.
- A line that says something of the policy ("Owner: ...") stands alone.
- Hyphens at line ends are dropped unless the document hyphenates the word elsewhere.
- Headings are those of `pdf_headings`, and short title-like first lines of a paragraph where few
  headings are set apart.
"""

import re
from collections.abc import Mapping, Sequence

from core.ingest.load.builder import DocumentBuilder
from core.ingest.load.pdf_headings import Headings, Page
from core.ingest.load.pdf_layout import Block
from core.ingest.load.pdf_lines import HYPHEN, Line
from core.ingest.load.pdf_lists import ListDepths
from core.ingest.metadata import is_of_policy
from core.ingest.numbering import parse_label
from core.language.sentences import is_cut_off

_MAX_TITLE_WORDS = 12
_MIN_PROSE_WORDS = 6
_MAX_CAPITALISED = 0.6
"""Of the longer words; titles set like the text capitalise more, if they are long."""
_FULL = 0.15
"""Of a column's width: a line that ends closer to the edge has no intended break."""
_SHORT_WORD = 3
_INLINE_LABEL = re.compile(r"(\(?)(\d{1,2})\)")
_END_CHARACTERS = 12
"""An address or a list of names has a comma near the end of its lines."""
_SENTENCE_END = re.compile(r"[.!?:;][\"')\]”\u2019]*$")
_OPENERS = "\"\u201c'(§"
_HYPHENATED = re.compile(r"\b\w+(?:-\w+)+\b")
_WORD_BEFORE = re.compile(r"(?<!\w)\w++$")
_WORD_AFTER = re.compile(r"\w+")
_SAME_EDGE = 60.0
"""Points; lines that begin this close to each other share a column and so its right edge."""
_SLACK = 0.02
"""Of a column's width: lines seldom reach the very edge."""
_NEXT_LINE = 1.8
"""Times the font size: the text of a short title is no further below."""
_SPACE = 0.25
"""Of the font size: the usual width of a space."""


def write_pages(
    pages: Sequence[Page], builder: DocumentBuilder, *, contents: Mapping[str, int]
) -> int:
    """Write all pages; return how many hyphens at line ends were dropped.

    Args:
        pages: the blocks of each.
        builder: collects the text.
        contents: the depth of entries in the printed table of contents, by `title_key`.
    """
    flow = _Flow(pages, builder, Headings(pages, contents))
    for page in pages:
        builder.page()
        flow.write(page)
    flow.end_rows()
    return flow.hyphens_dropped


class _Flow:
    """Writes the pages of one document, knowing the headings and hyphenated words of all of it."""

    def __init__(self, pages: Sequence[Page], builder: DocumentBuilder, headings: Headings) -> None:
        lines = [line for page in pages for block in page.blocks for line in block.lines]
        self._builder = builder
        self._headings = headings
        self._hyphenated = {
            word.casefold() for line in lines for word in _HYPHENATED.findall(line.text)
        }
        self._page = -1
        self._in_rows = False
        self._open: Line | None = None
        self._lists = ListDepths()
        self._is_full = False
        """True if the open line reaches the edge of its column."""
        self._is_at_top = True
        """True while the first block of a page is written."""
        self.hyphens_dropped = 0

    def write(self, page: Page) -> None:
        """Write one page."""
        self._page += 1
        chapter: tuple[str, int] | None = None
        for place, block in enumerate(page.blocks):
            self._is_at_top = place == 0
            if block.cells:
                self._write_row(block, is_table=_has_row_beside(page.blocks, place))
                continue
            self.end_rows()
            level = self._headings.level(block, page.outline, page=self._page)
            if level is not None:
                self._open = None
                self._lists.end()
                text = block.text.replace(f"{HYPHEN} ", "")
                if chapter is not None and parse_label(text) is None:
                    text, level = f"{chapter[0]} {text}", min(chapter[1], level)
                    chapter = None
                following = page.blocks[place + 1] if place + 1 < len(page.blocks) else None
                if _is_chapter_mark(text) and self._is_heading(following, page):
                    chapter = text, level
                    continue
                self._builder.heading(text, level=level)
            elif self._is_title_over(block, place, page):
                self._open = None
                self._builder.heading(block.text, level=self._headings.lowest_level())
            else:
                self._write_lines(block.lines, right=_column_right(block, page.blocks))

    def _is_title_over(self, block: Block, place: int, page: Page) -> bool:
        """Return whether a line in a colour or a slope of its own is a short title over a text."""
        following = page.blocks[place + 1] if place + 1 < len(page.blocks) else None
        if len(block.lines) != 1 or following is None or following.cells:
            return False
        below = following.lines
        step = block.lines[0].baseline - below[0].baseline
        lines = (*block.lines, *below)
        return (
            0 < step <= _NEXT_LINE * below[0].size
            and _is_set_off(lines)
            and _is_short_title(lines, right=_column_right(following, page.blocks))
        )

    def _is_heading(self, block: Block | None, page: Page) -> bool:
        """Return whether a block is a heading without a number, for a chapter's mark above it."""
        return (
            block is not None
            and not block.cells
            and parse_label(block.text) is None
            and self._headings.is_heading(block, page.outline)
        )

    def end_rows(self) -> None:
        """End the open table, if any."""
        if self._in_rows:
            self._builder.end_table()
        self._in_rows = False

    def _write_row(self, block: Block, *, is_table: bool) -> None:
        self._open = None
        self._lists.end()
        if not self._in_rows and is_table:
            self._builder.begin_table()
            self._in_rows = True
        if self._in_rows:
            self._builder.row(block.cells)
        else:
            self._builder.line(" | ".join(block.cells))

    def _write_lines(self, lines: Sequence[Line], *, right: float) -> None:
        is_title = _is_short_title(lines, right=right) and (
            not self._headings.are_set or _is_set_off(lines)
        )
        breaks = _Breaks(lines, right=right)
        for place, line in enumerate(lines):
            above = lines[place - 1] if place else None
            if place == 0 and is_title:
                self._open = None
                self._builder.heading(line.text, level=self._headings.lowest_level())
            elif above is None:
                self._begin(line)
            elif (place == 1 and is_title) or breaks.before(place) or is_of_policy(line.text):
                depth = self._lists.depth(line, begins=False)
                self._builder.line(line.text.removesuffix(HYPHEN), depth=depth)
            else:
                self._join(above, line)
            self._open = line
        self._is_full = len(lines) > 1 and lines[-1].right >= right - _FULL * (
            right - lines[-1].left
        )

    def _begin(self, line: Line) -> None:
        """Begin a paragraph, or continue the one that is unfinished."""
        unfinished = self._open
        if unfinished is not None and self._goes_on(unfinished, line):
            self._join(unfinished, line)
            return
        if not (unfinished is not None and line.starts_with_label()):
            self._builder.blank()
        depth = self._lists.depth(line, begins=True)
        self._builder.line(line.text.removesuffix(HYPHEN), depth=depth)

    def _goes_on(self, above: Line, below: Line) -> bool:
        """Return whether a block continues the one before, also across a page break."""
        if above.text.endswith(HYPHEN):
            return True
        if below.starts_with_label() or _SENTENCE_END.search(above.text):
            return False
        if not self._is_at_top:
            return below.text[0].islower()
        return _is_unfinished(above, below) or (self._is_full and _reads_as_prose(above.text))

    def _join(self, above: Line, line: Line) -> None:
        text = line.text.removesuffix(HYPHEN)
        if not above.text.endswith(HYPHEN):
            glue = "" if above.text.endswith("-") else " "
        elif self._keeps_hyphen(above.text.removesuffix(HYPHEN), text):
            glue = "-"
        else:
            glue = ""
            self.hyphens_dropped += 1
        self._builder.extend(text, glue=glue)

    def _keeps_hyphen(self, above: str, below: str) -> bool:
        before, after = _WORD_BEFORE.search(above), _WORD_AFTER.match(below)
        if before is None or after is None or not after.group()[0].islower():
            return True
        return f"{before.group()}-{after.group()}".casefold() in self._hyphenated


def _is_chapter_mark(text: str) -> bool:
    """Return whether a text is nothing but "Chapter 2" or "Part II"."""
    label = parse_label(text)
    return label is not None and label.kind == "keyword" and label.length == len(text)


def _has_row_beside(blocks: Sequence[Block], place: int) -> bool:
    around = blocks[max(0, place - 1) : place + 2]
    return sum(1 for block in around if block.cells) > 1


def _column_right(block: Block, blocks: Sequence[Block]) -> float:
    """Return the right edge of the block's column."""
    edges = [
        other.right
        for other in blocks
        if not other.cells and abs(other.left - block.left) <= _SAME_EDGE
    ]
    return max(edges, default=block.right)


class _Breaks:
    """Which line breaks of a paragraph are intended; to be called for each line in order."""

    def __init__(self, lines: Sequence[Line], *, right: float) -> None:
        self._lines = lines
        self._right = right
        self._is_prose = _SENTENCE_END.search(lines[-1].text) is not None
        self._is_joined = False
        """True if the line above continues the one above it."""

    def before(self, place: int) -> bool:
        """Return whether the break before the line at `place` is intended."""
        above, below = self._lines[place - 1], self._lines[place]
        if below.starts_with_label():
            is_meant = not self._counts_on(place)
        elif self._has_not_ended(above):
            is_meant = False
        else:
            is_meant = _is_meant_break(above, below, right=self._right)
        self._is_joined = not is_meant
        return is_meant

    def _has_not_ended(self, above: Line) -> bool:
        """Return whether no sentence can end here, whatever the next line looks like."""
        if _SENTENCE_END.search(above.text):
            return False
        if above.text[0].islower() and self._is_joined:
            return True
        return self._is_prose and _reads_as_prose(above.text)

    def _counts_on(self, place: int) -> bool:
        """Return whether a number continues those within the paragraph: "1) ..., 2) ..., and"."""
        label = self._lines[place].text.split(" ", 1)[0]
        match = _INLINE_LABEL.fullmatch(label)
        above = self._lines[place - 1].text
        if match is None or _SENTENCE_END.search(above) or int(match.group(2)) < 2:  # noqa: PLR2004
            return False
        earlier = f"{match.group(1)}{int(match.group(2)) - 1}) "
        return any(line.text.find(earlier) > 0 for line in self._lines[:place])


def _is_meant_break(above: Line, below: Line, *, right: float) -> bool:
    if below.starts_with_label():
        return True
    if above.text.endswith(HYPHEN) or _is_unfinished(above, below):
        return False
    slack = _SLACK * (right - above.left)
    return above.right + _SPACE * above.size + below.first_word_width < right - slack


def _is_unfinished(above: Line, below: Line) -> bool:
    if _SENTENCE_END.search(above.text):
        return False
    return below.text[0].islower() or is_cut_off(above.text)


def _reads_as_prose(text: str) -> bool:
    """Return whether the words are those of a sentence rather than of a title or a name."""
    words = [word.lstrip(_OPENERS) for word in text.split() if len(word) > _SHORT_WORD]
    if len(text.split()) < _MIN_PROSE_WORDS or not words:
        return False
    capitalised = sum(1 for word in words if word[:1].isupper())
    return capitalised <= _MAX_CAPITALISED * len(words)


def _is_short_title(lines: Sequence[Line], *, right: float) -> bool:
    """Return whether a paragraph's first line is a short title in the look of the text."""
    if len(lines) < 2 or not _reads_as_title(lines[0].text):  # noqa: PLR2004 - a title and its text
        return False
    first, second = lines[0], lines[1]
    if not second.text[0].isupper() or second.starts_with_label():
        return False
    if not _is_meant_break(first, second, right=right):
        return False
    if len(lines) == 2:  # noqa: PLR2004
        return _SENTENCE_END.search(second.text) is not None and len(second.text) > len(first.text)
    return not _is_meant_break(second, lines[2], right=right)


def _is_set_off(lines: Sequence[Line]) -> bool:
    """Return whether a paragraph's first line has a colour or a slope of its own."""
    first, second = lines[:2]
    return (first.colour, first.is_italic) != (second.colour, second.is_italic)


def _reads_as_title(text: str) -> bool:
    words = text.split()
    if _reads_as_prose(text) and not text.endswith("?"):
        return False
    if "://" in text or len(words) > _MAX_TITLE_WORDS or is_cut_off(text):
        return False
    if not text[0].isalnum() or text[0].islower():
        return False
    return text[-1] not in ".,;:!" and "," not in text[-_END_CHARACTERS:]
