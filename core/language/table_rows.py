"""A table row read under its header, so that each cell says what it is.

Tables are text: one row a line, cells separated by ` | `.

- "City | Hotel, GBP per night" and "London | 190" are "London: hotel GBP 190 per night".
- The name of the first column is left out where it says no more than what kind of thing the row is
  about, and that of the only other one where it says that something is said ("Definition").
  Elsewhere names stay ("approver: line manager; ...").
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.language.jurisdictions import jurisdictions_in

_CELLS = "|"
_KINDS = frozenset(
    """area asset benefit category city class classification country data definition destination
    document event expense grade group item kind level location name office phase policy priority
    range region role route service severity step system team term threshold topic type
    vehicle""".split()  # noqa: SIM905
)
"""Names of a first column that say what kind of thing stands in it, and nothing about it."""
_SAYINGS = frozenset(
    """answer comment comments definition description detail details explanation meaning note notes
    requirement requirements rule""".split()  # noqa: SIM905
)
"""Names of a last column that add nothing to what stands in it."""
_CURRENCY = (
    r"(?:EUR|USD|GBP|CHF|AUD|CAD|SGD|HKD|JPY|INR|AED|CNY|SEK|NOK|DKK|PLN|CZK|HUF|ZAR|BRL|US\$"
    r"|[$\u20ac\u00a3\u00a5])"
)
_MEASURED = re.compile(
    rf"(?P<name>\S.*?)(?:, ?| | ?\()(?P<currency>{_CURRENCY})"
    r"(?P<each>(?: (?:per|a|an|each) [a-z ]{1,30}| ?/ ?[a-z]{1,20})?)\)?"
)
"""A column's name with the currency of its cells: "Hotel, GBP per night", "Limit (EUR)"."""
_BOUND = r"(?:up to |max\.? |at most |at least |about )?"
_NUMBER = re.compile(rf"{_BOUND}\d[\d.,' ]*", re.IGNORECASE)
_AMOUNT = re.compile(rf"{_BOUND}(?:{_CURRENCY}\s?)?\d[^:;|]{{0,40}}", re.IGNORECASE)
"""A cell that is read straight after its column's name."""
_LONGEST_NAME = 200


def read_row(header: str, row: str) -> str:
    """Write a row as a person says it; without a fitting header, cell by cell."""
    names = [part.strip() for part in header.split(_CELLS)]
    cells = [part.strip() for part in row.split(_CELLS)]
    if len(names) != len(cells):
        return "; ".join(cell for cell in cells if cell)
    pairs = [(name, cell) for name, cell in zip(names, cells, strict=True) if cell]
    if len(pairs) < 2 or pairs[0][0].casefold().rpartition(" ")[2] not in _KINDS | {""}:  # noqa: PLR2004
        return "; ".join(_said(pairs))
    about, rest = _numbered(*pairs[0]), pairs[1:]
    if len(rest) == 1 and rest[0][0].casefold() in _SAYINGS:
        return f"{about}: {rest[0][1]}"
    said = list(_said(rest))
    joint = " \u2013 " if any(":" in one for one in said) else ": "
    return f"{about}{joint}{'; '.join(said)}"


def fits(header: str, row: str) -> bool:
    """Say whether two texts are a table's header and a row of as many cells."""
    return _CELLS in header and _CELLS in row and header.count(_CELLS) == row.count(_CELLS)


def rows_read(quotes: Sequence[str]) -> list[str]:
    """Return each quoted row as it reads under the quoted header before it.

    What it says is said by the two quotes together: no word is added to them.
    """
    return [read_row(header, row) for header, row in pairwise(quotes) if fits(header, row)]


def _said(pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield each cell behind its column's name.

    Names of measures are written small, and that of an only column; others may be names of places.
    """
    measures = [_MEASURED.fullmatch(name[:_LONGEST_NAME]) for name, _ in pairs]
    is_measured = any(measures) or (len(pairs) == 1 and not jurisdictions_in(pairs[0][0]))
    for (name, cell), measure in zip(pairs, measures, strict=True):
        if not name:
            yield cell
        elif measure and _NUMBER.fullmatch(cell):
            of = _lower(measure["name"].rstrip(" ,"))
            yield f"{of} {_with_currency(cell, measure['currency'])}{measure['each']}"
        elif is_measured and _AMOUNT.fullmatch(cell):
            yield f"{_lower(name)} {cell}"
        else:
            yield f"{name}: {cell}"


def _with_currency(cell: str, currency: str) -> str:
    """Put a currency before the number of a cell ("up to 190": "up to GBP 190")."""
    number = re.search(r"\d", cell)
    at = number.start() if number else 0
    space = " " if currency[-1].isalpha() else ""
    return f"{cell[:at]}{currency}{space}{cell[at:]}"


def _numbered(name: str, cell: str) -> str:
    """Return what a row is about; a bare number or letter keeps the name of its column."""
    return f"{name} {cell}".strip() if len(cell) <= 2 or cell[0].isdigit() else cell  # noqa: PLR2004


def _lower(name: str) -> str:
    """Return a column's name within a sentence; an abbreviation or a name keeps its capitals."""
    first = name.split(maxsplit=1)[0]
    return name if not first[1:].islower() else name[0].lower() + name[1:]
