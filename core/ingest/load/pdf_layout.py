"""Group the lines of a PDF page into blocks in reading order.

- A block is a paragraph, a list item or a heading (lines of one look, one below the other) or a
  table row (cells side by side).
- Reading order is the order of drawing, except that a block is read before what is below it.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.ingest.load.pdf_columns import column_edges, in_columns
from core.ingest.load.pdf_fonts import is_far
from core.ingest.load.pdf_lines import Line, is_label
from core.ingest.load.pdf_margins import beside_text, is_page_number

_PARAGRAPH_GAP = 1.3
"""Times the usual distance of baselines: a line further below begins a new paragraph."""
_MAX_LEADING = 2.2
"""Times the font size, where a page is too short to tell its usual distance."""
_SAME_SIZE = 0.07
_MAX_CELL_LINES = 12
_MAX_BLOCKS_ORDERED = 400
_MIN_TEXT = 60
"""Characters: a text in the margin with as many may have a heading."""
_MAX_SIDE_LINES = 5
"""Of a title beside its text, in a narrow column."""
_LARGER = 1.12
"""Times the size of the text, of a title; the cells of a row are of one size."""
_FAR_BELOW = 4.0
"""Times the size of a title: a text further below it is not its own."""
_LOWER, _HIGHER = 0.5, 1.2
"""Times the size of a title beside its text: how far their first lines are apart."""
_OFTEN = 0.4
"""Of the most frequent distance: what is as frequent is usual too."""
_TITLE_ENDS = ":?)"
_SHORTER = 3.0
"""Times the font size: a line of a paragraph is seldom so much shorter than the next."""
_SAME_LEFT = 12.0
"""Points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Lines that belong together, or the cells of one table row."""

    lines: tuple[Line, ...]
    """From top to bottom; of a row, the lines of all cells."""
    cells: tuple[str, ...] = ()
    """The texts of a row from left to right; empty unless the block is a row."""
    is_beside: bool = False
    """True if it stands in the margin, beside the text."""
    is_over: bool = False
    """True of a line in the margin that stands over a text of its own, and may be its heading."""

    @property
    def text(self) -> str:
        """Its words on one line."""
        return " ".join(line.text for line in self.lines)

    @property
    def top(self) -> float:
        """Upper edge."""
        return max(line.top for line in self.lines)

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return min(line.bottom for line in self.lines)

    @property
    def left(self) -> float:
        """Left edge."""
        return min(line.left for line in self.lines)

    @property
    def right(self) -> float:
        """Right edge."""
        return max(line.right for line in self.lines)


def blocks_of(lines: Sequence[Line]) -> list[Block]:
    """Group the lines of one page and put the groups in reading order.

    What stands in the margin comes last, so that it tears no paragraph apart; but titles beside
    their text come before it.
    """
    edges = column_edges(lines)
    if edges:
        leading = _usual_leading(lines)
        return [
            block
            for part in in_columns(lines, edges)
            for block in _with_page_numbers(_grouped(part, leading), keeps_place=True)
        ]
    beside = {id(line) for line in beside_text(lines)}
    if len(beside) in {0, len(lines)}:
        return _blocks(lines)
    inside = [line for line in lines if id(line) not in beside]
    text, margin = _blocks(inside), _blocks([line for line in lines if id(line) in beside])
    titles = _side_titles(margin, text, inside)
    notes = [block for block in margin if block not in titles]
    return [
        *_with_side_titles(text, titles),
        *(
            replace(block, is_beside=True, is_over=_is_over(block, following))
            for block, following in itertools.zip_longest(notes, notes[1:])
        ),
    ]


def _side_titles(
    margin: Sequence[Block], text: Sequence[Block], inside: Sequence[Line]
) -> list[Block]:
    """Return the titles in the margin: all are level with the beginning of a text, or none is one.

    A title over a text in the margin belongs to that text.
    """
    large = [block for block in margin if _is_side_title(block, inside)]
    small = [block for block in margin if block not in large]
    titles = [block for block in large if not any(_is_under(note, block) for note in small)]
    are_level = all(any(_begin_level(title, block) for block in text) for title in titles)
    return titles if are_level else []


def _begin_level(title: Block, block: Block) -> bool:
    """Return whether both begin at one height: a title may be a line higher, hardly lower."""
    first = title.lines[0]
    step = first.baseline - block.lines[0].baseline
    return -_LOWER * first.size <= step <= _HIGHER * first.size


def _is_side_title(block: Block, inside: Sequence[Line]) -> bool:
    """Return whether a block left of the text is set as its title: larger or bolder."""
    looks = Counter[tuple[float, bool]]()
    for line in inside:
        looks[line.size, line.is_bold] += len(line.text)
    size, is_bold = looks.most_common(1)[0][0]
    first = block.lines[0]
    return (
        not block.cells
        and len(block.lines) <= _MAX_SIDE_LINES
        and block.right
        < min((line.left for line in inside if len(line.text) >= _MIN_TEXT / 2), default=0.0)
        and (first.size >= _LARGER * size or (first.is_bold and not is_bold))
        and not block.text.endswith((".", ",", ";"))
    )


def _is_under(note: Block, title: Block) -> bool:
    """Return whether a text in the margin belongs to the title above it."""
    distance = title.bottom - note.top
    is_near = -title.lines[0].size <= distance <= _FAR_BELOW * title.lines[0].size
    return is_near and _overlap(note.left, note.right, title.left, title.right) > 0


def _with_side_titles(blocks: Sequence[Block], titles: Sequence[Block]) -> list[Block]:
    """Put each title before the first block that begins beside or below it."""
    before: defaultdict[int, list[Block]] = defaultdict(list)
    for title in sorted(titles, key=lambda block: -block.top):
        level = title.top + title.lines[0].size / 2
        place = next((at for at, block in enumerate(blocks) if block.top <= level), len(blocks))
        before[place].append(title)
    return [block for at in range(len(blocks) + 1) for block in (*before[at], *blocks[at : at + 1])]


def _is_over(block: Block, following: Block | None) -> bool:
    if following is None or following.lines[0].size > block.lines[0].size:
        return False
    text = sum(len(line.text) for line in following.lines)
    is_below = following.top <= block.bottom + block.lines[0].size
    return is_below and text >= _MIN_TEXT and abs(following.left - block.left) <= _SAME_LEFT


def _blocks(lines: Sequence[Line]) -> list[Block]:
    return _with_page_numbers(_grouped(lines, _usual_leading(lines)), keeps_place=False)


def _grouped(lines: Sequence[Line], leading: tuple[float, float] | None) -> list[Block]:
    runs: list[list[Line]] = []
    for line, following in itertools.zip_longest(lines, lines[1:]):
        begins_row = following is not None and _are_side_by_side(line, following)
        if runs and not begins_row and _continues(runs[-1][-1], line, leading=leading):
            runs[-1].append(line)
        else:
            runs.append([line])
    return _in_reading_order(_rows(runs))


def _usual_leading(lines: Sequence[Line]) -> tuple[float, float] | None:
    """Return the smallest of the frequent distances of baselines, and the font size that has it.

    The most frequent one is that between items on a page of lists. None for a page of single lines.
    """
    steps = Counter(
        (round(above.baseline - below.baseline, 0), round(below.size, 1))
        for above, below in itertools.pairwise(lines)
        if 0 < above.baseline - below.baseline <= _MAX_LEADING * above.size
        and _overlap(above.left, above.right, below.left, below.right) > 0
    )
    if not steps:
        return None
    often = _OFTEN * max(steps.values())
    return min(step for step, times in steps.items() if times >= often)


def _continues(above: Line, below: Line, *, leading: tuple[float, float] | None) -> bool:
    """Return whether `below` is the next line of the block that ends in `above`.

    Lines larger than the usual ones are further apart, in proportion.
    """
    step = above.baseline - below.baseline
    if above.heading != below.heading:
        return False
    limit = _MAX_LEADING * below.size
    if leading is not None and not above.heading:
        distance = leading[0] * max(1.0, below.size / leading[1])
        if distance >= 0.9 * below.size:
            limit = min(limit, _PARAGRAPH_GAP * distance)
    return (
        0 < step <= limit
        and _overlap(above.left, above.right, below.left, below.right) > 0
        and abs(above.size - below.size) <= _SAME_SIZE * above.size
        and above.is_bold == below.is_bold
        and not _is_set_apart(above, below)
    )


def _is_set_apart(above: Line, below: Line) -> bool:
    """Return whether a line is set as a title over the text: in a face or a colour of its own."""
    is_other = bool(above.face and below.face) and above.face != below.face
    differs = (above.is_italic, above.colour) != (below.is_italic, below.colour)
    return (
        ((is_other and differs) or is_far(above.colour, below.colour))
        and above.text[0].isupper()
        and (above.text[-1].isalnum() or above.text[-1] in _TITLE_ENDS)
        and (
            below.text[0].isupper()
            or below.starts_with_label()
            or above.right < below.right - _SHORTER * above.size
        )
    )


def _are_side_by_side(line: Line, following: Line) -> bool:
    is_level = abs(line.baseline - following.baseline) < line.size / 2
    return is_level and following.left > line.right


def _overlap(start: float, end: float, other_start: float, other_end: float) -> float:
    return min(end, other_end) - max(start, other_start)


def _rows(runs: Sequence[list[Line]]) -> list[Block]:
    """Join neighbouring runs that stand side by side into table rows."""
    blocks: list[Block] = []
    group: list[list[Line]] = []
    for run in runs:
        if group and not _is_beside(group, run):
            blocks += _close(group)
            group = []
        group.append(run)
    return blocks + _close(group)


def _is_beside(group: Sequence[Sequence[Line]], run: Sequence[Line]) -> bool:
    if max(len(run), *(len(cell) for cell in group)) > _MAX_CELL_LINES:
        return False
    if group[0][0].size >= _LARGER * run[0].size:
        return False
    if run[0].left < group[-1][0].left or run[0].left < max(line.right for line in group[-1]):
        return False
    first = group[0]
    shared = _overlap(first[-1].bottom, first[0].top, run[-1].bottom, run[0].top)
    height = min(first[0].top - first[-1].bottom, run[0].top - run[-1].bottom)
    return shared > height / 2


def _close(group: Sequence[list[Line]]) -> list[Block]:
    if not group:
        return []
    if len(group) == 1:
        return [Block(lines=tuple(group[0]))]
    if len(group[0]) == 1 and is_label(group[0][0].text):
        return _close([_labelled(group[0][0], group[1]), *group[2:]])
    return [
        Block(
            lines=tuple(line for cell in group for line in cell),
            cells=tuple(_cell_text(cell) for cell in group),
        )
    ]


def _labelled(label: Line, item: Sequence[Line]) -> list[Line]:
    """Put a bullet that is drawn separately back before its item."""
    first = Line(
        text=f"{label.text} {item[0].text}",
        left=label.left,
        right=item[0].right,
        baseline=item[0].baseline,
        size=item[0].size,
        is_bold=item[0].is_bold,
        first_word_width=label.right - label.left,
    )
    return [first, *item[1:]]


def _cell_text(lines: Sequence[Line]) -> str:
    return " ".join(line.text for line in lines).replace("\x02 ", "")


def _in_reading_order(blocks: Sequence[Block]) -> list[Block]:
    """Keep the drawing order, but put what is above a block in its column first."""
    if len(blocks) > _MAX_BLOCKS_ORDERED:
        return list(blocks)
    ordered: list[Block] = []
    seen: set[int] = set()
    for block in blocks:
        waiting = [] if id(block) in seen else [block]
        while waiting:
            seen.add(id(waiting[-1]))
            above = (b for b in blocks if id(b) not in seen and _is_above(b, waiting[-1]))
            following = next(above, None)
            if following is None:
                ordered.append(waiting.pop())
            else:
                waiting.append(following)
    return ordered


def _is_above(upper: Block, lower: Block) -> bool:
    return (
        upper is not lower
        and upper.bottom >= lower.top - 0.3 * lower.lines[0].size
        and _overlap(upper.left, upper.right, lower.left, lower.right) > 0
    )


def _with_page_numbers(blocks: Sequence[Block], *, keeps_place: bool) -> list[Block]:
    """Put the page numbers of a table of contents, drawn as a column, after their entries.

    A number of no entry comes last, unless it keeps its place: the last line of a paragraph.
    """
    numbers = {id(block): block for block in blocks if _is_number_column(block)}
    partners: dict[int, Block] = {}
    used: set[int] = set()
    for block in blocks:
        if id(block) in numbers or block.cells:
            continue
        partner = _partner(block, (one for key, one in numbers.items() if key not in used))
        if partner is not None:
            partners[id(block)] = partner
            used.add(id(partner))
    result: list[Block] = []
    for block in blocks:
        partner = partners.get(id(block))
        if partner is not None:
            cells = (_cell_text(block.lines), partner.lines[0].text)
            result.append(Block(lines=(*block.lines, *partner.lines), cells=cells))
        elif id(block) not in numbers or (keeps_place and id(block) not in used):
            result.append(block)
    left = [block for key, block in numbers.items() if key not in used]
    return result if keeps_place else [*result, *left]


def _is_number_column(block: Block) -> bool:
    return len(block.lines) == 1 and not block.cells and is_page_number(block.lines[0])


def _partner(block: Block, numbers: Iterable[Block]) -> Block | None:
    for number in numbers:
        if number.left > block.right and any(
            abs(line.baseline - number.lines[0].baseline) < line.size / 2 for line in block.lines
        ):
            return number
    return None
