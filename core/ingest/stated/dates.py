"""Dates as documents write them, in English and German. What is ambiguous or impossible is none.

A month or a quarter is a date too: its first day where something begins, its last day where
something ends or is due.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from core.expressions import expression

_WRITTEN = (
    "january jan januar jänner|february feb februar feber|march mar märz mrz|april apr|may mai"
    "|june jun juni|july jul juli|august aug|september sep sept|october oct oktober okt"
    "|november nov|december dec dezember dez"
)
_MONTHS = {
    name: number
    for number, names in enumerate(_WRITTEN.split("|"), start=1)
    for name in names.split()
}
_NAME = rf"\b(?P<name>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_NUMERIC = expression(
    r"(?P<first>\d{1,2})(?P<mark>[./-])(?P<second>\d{1,2})(?P=mark)(?P<y>\d{4})\b"
)
_DAYS = (
    expression(r"(?P<y>\d{4})(?P<mark>[-/.])(?P<m>\d{1,2})(?P=mark)(?P<d>\d{1,2})(?!\d)"),
    expression(
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.)?[\s-]+(?:of\s+)?{_NAME},?[\s-]+(?P<y>\d{{4}})\b",
        re.IGNORECASE,
    ),
    expression(rf"{_NAME}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})\b", re.IGNORECASE),
    _NUMERIC,
)
_FORMS = (
    *_DAYS,
    expression(rf"{_NAME},?[\s/-]+(?P<y>\d{{4}})\b", re.IGNORECASE),
    expression(r"(?<![\d./-])(?P<m>\d{1,2})[./-](?P<y>\d{4})\b"),
    expression(r"(?<![\d./-])(?P<y>\d{4})[-/](?P<m>\d{1,2})(?![\d./-])"),
    expression(r"\bQ(?P<q>[1-4])[\s/-]*(?P<y>\d{4})\b", re.IGNORECASE),
)
"""Of those that begin at one place, the first counts."""
_MONTHS_IN_YEAR, _MONTHS_IN_QUARTER = 12, 3
_LONGEST = 200
"""Characters in which a date is looked for."""
_LONGEST_ALONE = 60
EXPECTED: Final = "expected a date like 2026-01-31 or March 2026"
"""What can be written, for a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The days that a date in a document may mean."""

    first: date
    """First day."""
    last: date
    """Last day; the first one, unless only a month or a quarter is named."""


def parse_period(text: str) -> Period | None:
    """Read the first date, month or quarter of `text`.

    None if there is none, or if it is impossible or ambiguous ("01/02/2024").
    """
    found = [match for form in _FORMS if (match := form.search(text[:_LONGEST]))]
    return _period(min(found, key=lambda match: match.start())) if found else None


def exact_date(text: str) -> date | None:
    """Read a text that is a day and nothing else; None if it is none, impossible or ambiguous."""
    is_date = len(text) <= _LONGEST_ALONE and any(form.fullmatch(text) for form in _DAYS)
    found = parse_period(text) if is_date else None
    return found.first if found else None


def day_problem(text: str) -> str:
    """Return why a text in which no date is found is none, and what to write instead."""
    numeric = _NUMERIC.search(text[:_LONGEST])
    is_either = numeric and max(int(numeric["first"]), int(numeric["second"])) <= _MONTHS_IN_YEAR
    if numeric and is_either and numeric["mark"] != ".":
        return "day and month can't be told apart; expected a date like 2026-01-31"
    is_none = parse_period(text) is None
    if is_none and any(form.search(text[:_LONGEST]) for form in _FORMS):
        return "there is no such day; expected a date like 2026-01-31"
    return EXPECTED


def _period(match: re.Match[str]) -> Period | None:
    """Return the days of a match of one of the forms; None if there are no such days."""
    said = match.groupdict()
    year, day, name = int(said["y"]), said.get("d"), said.get("name")
    if said.get("first"):
        day, month = _day_and_month(int(said["first"]), int(said["second"]), mark=said["mark"])
        last = month
    elif quarter := said.get("q"):
        last = _MONTHS_IN_QUARTER * int(quarter)
        month = last - _MONTHS_IN_QUARTER + 1
    else:
        month = last = _MONTHS[name.lower()] if name else int(said["m"])
    try:
        end = int(day or calendar.monthrange(year, last)[1])
        return Period(first=date(year, month, int(day or 1)), last=date(year, last, end))
    except ValueError:
        return None


def _day_and_month(first: int, second: int, *, mark: str) -> tuple[int, int]:
    """Tell day from month: dots mean day first; otherwise one must exceed 12. Month 0: unknown."""
    if mark == "." or first > _MONTHS_IN_YEAR or first == second:
        return first, second
    return (second, first) if second > _MONTHS_IN_YEAR else (first, 0)


def end_of_period(text: str, start: int) -> int | None:
    """Return where the date ends that begins at an offset of a text; None: none begins there."""
    ends = [match.end() for form in _FORMS if (match := form.match(text, start))]
    return max(ends, default=None)
