"""Times and amounts in a table: the headings of their columns say what they are."""

import re
from dataclasses import replace

from core.language.quantities import Quantity
from core.ontology.extract.comparisons import Measure, measure_in_time
from core.ontology.extract.statements import Statement

_TIMED = re.compile(
    r"retention|retain|period|deadline|due|within|time (?:to|limit)|frequency|interval|how"
    r" (?:long|often)|cadence|schedule|notice|\bsla\b|response|resolution|recovery"
)
"""The heading of a column of times, in lower case."""
_DUE = re.compile(r"deadline|due|within|\bsla\b|response|resolution|recovery|time to")
_COMPARED = (
    ("at_most", re.compile(r"\bmax(?:imum)?\b|\blimits?\b|\bcaps?\b|\bup to\b|\bceiling\b")),
    ("at_least", re.compile(r"\bmin(?:imum)?\b|\bat least\b")),
    ("above", re.compile(r"\b(?:over|above|more than|exceed\w*)\b")),
)
"""How the amounts below a heading compare."""
_REGULAR = re.compile(r"frequency|interval|how often|cadence|schedule")


def of_column(quantity: Quantity, statement: Statement) -> Measure | None:
    """Return a time in a table as what the heading of its column makes it."""
    header = _header(statement, quantity.span.char_start)
    if not _TIMED.search(header):
        return None
    if _REGULAR.search(header):
        return measure_in_time(quantity, "every")
    return measure_in_time(quantity, "within" if _DUE.search(header) else "for")


def _header(statement: Statement, at: int) -> str:
    """Return the heading of the cell at a place in a row's words; empty if there is none."""
    end = 0
    for cell in statement.cells:
        if cell.text:
            end += len(cell.text) + len(" | ")
        if at < end:
            return cell.header
    return ""


def is_of_times(statement: Statement, at: int) -> bool:
    """Return whether a place in a row's words is in a column of times."""
    return _TIMED.search(_header(statement, at)) is not None


def compared_by_column(amount: Measure, statement: Statement, at: int) -> Measure:
    """Return an amount at a place in a row's words as its column's heading compares it."""
    header = _header(statement, at)
    compared = next((name for name, pattern in _COMPARED if pattern.search(header)), None)
    if compared is None:
        return amount
    words = f"{compared.replace('_', ' ')} {amount.words}"
    return replace(amount, comparison=compared, words=words)
