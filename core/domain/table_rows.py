"""A table row read under its header, so that each cell says what it is.

Tables are text: one row a line, cells separated by ` | `.
"""

from collections.abc import Sequence
from itertools import pairwise

_CELLS = "|"


def read_row(header: str, row: str) -> str:
    """Write a row as "name: cell; name: cell"; without a fitting header, cell by cell."""
    names = [part.strip() for part in header.split(_CELLS)]
    cells = [part.strip() for part in row.split(_CELLS)]
    if len(names) != len(cells):
        return "; ".join(cell for cell in cells if cell)
    return "; ".join(f"{name}: {cell}" for name, cell in zip(names, cells, strict=True) if cell)


def rows_read(quotes: Sequence[str]) -> list[str]:
    """Return each quoted row as it reads under the quoted header before it.

    What it says is said by the two quotes together: no word is added to them.
    """
    return [
        read_row(header, row)
        for header, row in pairwise(quotes)
        if _CELLS in header and _CELLS in row and header.count(_CELLS) == row.count(_CELLS)
    ]
