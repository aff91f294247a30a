"""Columns of text that a page draws in turns: a line of one, then one of the next.

Most documents draw one column after the other, and the order of drawing is left as it is. Some
typesetters go down the page and draw what they meet, so that the order of drawing runs across all
columns. Such a page is told from a table by its prose: lines of a column's width that go on in the
middle of a sentence, and paragraphs that begin at a level of their own in each column.
"""

import itertools
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

_SAME_EDGE = 2.0
"""Points: lines that begin this close to each other begin at one edge."""
_FEW_STARTS = 3
_MIN_STARTS = 6
"""Lines that begin at the left edge of a column."""
_STARTS_SHARE = 0.2
"""Of the edge at which most lines begin: other columns have as many."""
_INDENT = 6.0
"""Times the font size: most lines of a column of entries are indented as far at most."""
_CROSSING = 3.0
"""Times the lines that begin at an edge: what goes across, where a table fills half of a page."""
_MIN_WIDTH = 10.0
"""Times the font size; a narrower column holds cells."""
_WIDE = 0.6
"""Of a column's width: a line of prose is as wide, unless it ends a paragraph."""
_WIDE_SHARE = 0.5
"""Of a column's lines: those of prose."""
_MIN_CHARACTERS = 25
"""Of a line of prose; terms and names in a table are shorter."""
_LOWER_SHARE = 0.3
"""Of a column's lines: those that begin with a small letter, so in the middle of a sentence."""
_MIN_TURNS = 6
_TURNS_SHARE = 0.3
"""Of the lines in columns: those drawn after a line of another column."""
_UP = 1.0
"""Times the font size: a page drawn in turns hardly ever goes up again, one of cells does."""
_UP_SHARE = 0.1
"""Of the turns: those that go up."""
_GAP = 1.35
"""Times the usual distance of lines: a paragraph or a row of a table begins."""
_LEVEL = 0.2
"""Times the font size: rows begin at one level, paragraphs of two columns by chance only."""
_LEVEL_SHARE = 0.5
"""Of the gaps: those that are level with one in another column, in a table."""
_MIN_COLUMN_LINES = 2
"""Lines of prose in each of two columns between two lines that span them."""


class Placed(Protocol):
    """A line of a page: what is read of it here."""

    @property
    def text(self) -> str:
        """Its words."""
        ...

    @property
    def left(self) -> float:
        """Left edge, in points."""
        ...

    @property
    def right(self) -> float:
        """Right edge, in points."""
        ...

    @property
    def baseline(self) -> float:
        """Height above the page's lower edge, in points."""
        ...

    @property
    def size(self) -> float:
        """Font size, in points."""
        ...


_Line = TypeVar("_Line", bound=Placed)


def column_edges(lines: Sequence[Placed]) -> tuple[float, ...]:
    """Return the left edges of the columns that a page draws in turns; empty if it does not."""
    if len(lines) < 2 * _MIN_STARTS:
        return ()
    size = statistics.median_low(line.size for line in lines)
    edges = _edges(lines, size)
    if len(edges) < 2:  # noqa: PLR2004 - one column is in no turn
        return ()
    columns = _columns(lines, edges)
    spanning = [line for line in lines if _spans(line, edges)]
    is_clear = (
        all(_is_prose(column, edge, size) for column, edge in zip(columns, edges, strict=True))
        and _are_in_turns(lines, edges, size)
        and not _are_rows(columns, spanning, size)
    )
    return edges if is_clear else ()


def in_columns(lines: Sequence[_Line], edges: Sequence[float]) -> list[list[_Line]]:
    """Return the lines in the order in which they are read: column by column, band by band.

    What spans several columns ends a band, and what stands beside its lines stays with it. Each
    part keeps the order of drawing.

    Args:
        lines: of one page.
        edges: the left edges of its columns.
    """
    parts = _beside_each_other(lines, edges)
    if len(parts) > 1:
        return [part for of in parts for part in in_columns(of, edges)]
    if not any(_spans(line, edges) for line in lines):
        return [list(lines)] if lines else []
    bands = _bands(lines, edges)
    if len(bands) == 1:
        return [list(lines)]
    return [
        part
        for band in bands
        for part in ([band] if _is_whole(band, edges) else in_columns(band, edges))
    ]


def _edges(lines: Sequence[Placed], size: float) -> tuple[float, ...]:
    """Return where many lines begin, and few go on that began further left."""
    lefts = sorted(line.left for line in lines)
    rights = sorted(line.right for line in lines)
    near = {
        edge: bisect_right(lefts, edge + _SAME_EDGE) - bisect_left(lefts, edge - _SAME_EDGE)
        for edge in set(lefts)
    }
    crossing = {
        edge: bisect_left(lefts, edge - _SAME_EDGE) - bisect_right(rights, edge + _SAME_EDGE)
        for edge in near
    }
    enough = max(_MIN_STARTS, _STARTS_SHARE * max(near.values()))
    found: list[float] = []
    for edge, starts in sorted(near.items(), key=lambda item: (-item[1], item[0])):
        if starts < enough:
            break
        if crossing[edge] > _CROSSING * starts:
            continue
        before = lefts[bisect_left(lefts, edge - _INDENT * size) : bisect_left(lefts, edge)]
        outdented = (
            left
            for left in before
            if crossing[left] <= crossing[edge] and near[left] >= _FEW_STARTS
        )
        first = next(outdented, edge)
        if all(abs(first - other) >= _MIN_WIDTH * size for other in found):
            found.append(first)
    return tuple(sorted(found))


def _column_of(line: Placed, edges: Sequence[float]) -> int:
    """Return the column in which a line begins."""
    return max(0, bisect_right(edges, line.left + _SAME_EDGE) - 1)


def _spans(line: Placed, edges: Sequence[float]) -> bool:
    """Return whether a line goes on into another column."""
    following = _column_of(line, edges) + 1
    return following < len(edges) and line.right > edges[following] + _SAME_EDGE


def _columns(lines: Sequence[_Line], edges: Sequence[float]) -> list[list[_Line]]:
    """Return the lines of each column, without those that span several."""
    columns: list[list[_Line]] = [[] for _ in edges]
    for line in lines:
        if not _spans(line, edges):
            columns[_column_of(line, edges)].append(line)
    return columns


def _wide(column: Sequence[Placed], edge: float) -> list[Placed]:
    """Return the lines of a column that are about as wide as it."""
    width = max((line.right for line in column), default=edge) - edge
    return [line for line in column if line.right - line.left >= _WIDE * width]


def _is_prose(column: Sequence[Placed], edge: float, size: float) -> bool:
    width = max((line.right for line in column), default=edge) - edge
    wide = _wide(column, edge)
    lower = sum(1 for line in column if line.text[:1].islower())
    return (
        len(wide) >= max(_MIN_STARTS, _WIDE_SHARE * len(column))
        and lower >= _LOWER_SHARE * len(column)
        and width >= _MIN_WIDTH * size
        and statistics.median_low(len(line.text) for line in wide) >= _MIN_CHARACTERS
    )


def _are_in_turns(lines: Sequence[Placed], edges: Sequence[float], size: float) -> bool:
    """Return whether the drawing goes down the page once, from column to column."""
    within = [line for line in lines if not _spans(line, edges)]
    turns = [
        following.baseline - line.baseline
        for line, following in itertools.pairwise(within)
        if _column_of(line, edges) != _column_of(following, edges)
    ]
    up = sum(1 for step in turns if step > _UP * size)
    return len(turns) >= max(_MIN_TURNS, _TURNS_SHARE * len(within)) and up <= _UP_SHARE * len(
        turns
    )


def _are_rows(columns: Sequence[Sequence[Placed]], spanning: Sequence[Placed], size: float) -> bool:
    """Return whether most of what begins after a gap begins level with its neighbour."""
    levels = sorted(line.baseline for line in spanning)
    begins = [sorted(_begins(column, levels)) for column in columns]
    level = total = 0
    for place, column in enumerate(begins):
        for baseline in column:
            total += 1
            level += any(
                _count(other, baseline - _LEVEL * size, baseline + _LEVEL * size)
                for beside, other in enumerate(begins)
                if beside != place
            )
    return level > _LEVEL_SHARE * total


def _begins(column: Sequence[Placed], levels: Sequence[float]) -> Iterator[float]:
    """Yield the baselines of lines after a gap in which no line spans the columns."""
    ordered = sorted({line.baseline for line in column}, reverse=True)
    steps = [above - below for above, below in itertools.pairwise(ordered)]
    usual = statistics.median_low(steps) if steps else 0.0
    for (above, below), step in zip(itertools.pairwise(ordered), steps, strict=True):
        if step > _GAP * usual and bisect_left(levels, below) == bisect_right(levels, above):
            yield below


def _beside_each_other(lines: Sequence[_Line], edges: Sequence[float]) -> list[list[_Line]]:
    """Divide lines at the gutters that none of them crosses, from left to right."""
    crossed = {
        place
        for line in lines
        for place in range(_column_of(line, edges) + 1, bisect_left(edges, line.right - _SAME_EDGE))
    }
    part_of = list(itertools.accumulate(int(at not in crossed) for at in range(len(edges))))
    parts: dict[int, list[_Line]] = {part: [] for part in part_of}
    for line in lines:
        parts[part_of[_column_of(line, edges)]].append(line)
    return [part for part in parts.values() if part]


def _is_whole(band: Sequence[Placed], edges: Sequence[float]) -> bool:
    """Return whether lines span the columns and no text of a column stands beside them."""
    wide = _wide_levels(band, edges)
    spanning = [line for line in band if _spans(line, edges)]
    return any(spanning) and not any(_has_text_beside(line, edges, wide) for line in spanning)


def _wide_levels(lines: Sequence[Placed], edges: Sequence[float]) -> list[list[float]]:
    """Return the baselines of the lines of prose in each column, in rising order."""
    columns = zip(_columns(lines, edges), edges, strict=True)
    return [sorted(line.baseline for line in _wide(column, edge)) for column, edge in columns]


def _has_text_beside(line: Placed, edges: Sequence[float], wide: Sequence[Sequence[float]]) -> bool:
    """Return whether a line that spans columns is level with prose of a column beside it."""
    covered = range(_column_of(line, edges), bisect_left(edges, line.right - _SAME_EDGE))
    half = line.size / 2
    return any(
        _count(levels, line.baseline - half, line.baseline + half)
        for place, levels in enumerate(wide)
        if place not in covered
    )


def _has_columns(wide: Sequence[Sequence[float]], bottom: float, top: float) -> bool:
    """Return whether several columns have prose between two heights."""
    filled = sum(1 for levels in wide if _count(levels, bottom, top) >= _MIN_COLUMN_LINES)
    return filled > 1


def _count(levels: Sequence[float], low: float, high: float) -> int:
    """Return how many of some rising heights lie between two."""
    return max(0, bisect_right(levels, high) - bisect_left(levels, low))


def _bands(lines: Sequence[_Line], edges: Sequence[float]) -> list[list[_Line]]:
    """Divide lines at those that span columns, from top to bottom."""
    wide = _wide_levels(lines, edges)
    spanning = [line for line in lines if _spans(line, edges)]
    alone = [line for line in spanning if not _has_text_beside(line, edges, wide)]
    tops: list[float] = []
    bottoms: list[float] = []
    for line in sorted(alone or spanning, key=lambda line: -line.baseline):
        top, bottom = line.baseline + line.size / 2, line.baseline - line.size / 2
        if bottoms and not _has_columns(wide, bottom=top, top=bottoms[-1]):
            bottoms[-1] = min(bottom, bottoms[-1])
        else:
            tops.append(top)
            bottoms.append(bottom)
    limits = sorted(-limit for limit in (*tops, *bottoms))
    bands: list[list[_Line]] = [[] for _ in range(len(limits) + 1)]
    for line in lines:
        bands[bisect_left(limits, -line.baseline)].append(line)
    return [band for band in bands if band]
