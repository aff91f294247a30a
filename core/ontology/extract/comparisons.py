"""How a limit compares ("at most", "within"): by the words around it, or by its column."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from core.domain.ontology import EntityType
from core.expressions import expression
from core.language.quantities import Quantity
from core.ontology.extract.statements import Statement

# These four are for text in lower case: where case is ignored, they take three times as long.
AT_MOST = expression(
    r"(?:(?<!add )(?<!adds )(?<!goes )(?<!rises )up to|at most|no more than|not more than"
    r"|not exceed(?:ing)?"
    r"|maximum(?: of)?|not (?:be"
    r" )?above"
    r"|limit(?:ed)?['\"\u2019\u201d]?(?: \w+){0,3}? (?:to|of|is|at)|capped at|within"
    r"|lowered from .{0,60} to"
    r"|<=|\u2264|ceiling of|budget of"
    r"|may not be more than|no higher than)\W{0,9}(?:a |an |the |value of |total of ){0,4}$",
)
ABOVE = expression(
    r"(?:above|over|exceed(?:s|ed|ing)?|more than|greater than|longer than|older than|in excess of"
    r"|higher than|beyond|>|starting above)"
    r"\W{0,9}(?:a |an |the |value of |total of ){0,4}$",
)
BELOW = expression(
    r"(?<!no )(?<!not )(?<!never )(?:below|under|less than|fewer than|lower than|shorter than|<)"
    r"\W{0,9}(?:a |the ){0,4}$",
)
AT_LEAST = expression(
    r"(?:at least|minimum(?: of)?|no less than|not less than|no fewer than|from|>=|\u2265"
    r"|reaches|reaching)"
    r"\W{0,9}(?:a |an |the |value of |total of ){0,4}$",
)
OR_MORE = expression(
    r"\W{0,3}(?:or (?:more|above|higher|over)|and (?:above|more|over)|\+)", re.IGNORECASE
)
_OR_LESS = expression(r"\W{0,3}(?:or (?:less|below|fewer)|maximum|and below)", re.IGNORECASE)
NEGATED_ABOVE = expression(
    r"(?:\b(?:not|(?<!with )no|never|cannot)|n['\u2019]t)\b[^.;,]{0,25}$", re.IGNORECASE
)
"""Before "above", of which it makes a limit; "with no receipts" says of which things."""
_NOT_SO_FOR = expression(
    r"\b(?:is|are|was|were|has|have|had)(?: not|n['\u2019]t)\b[^.;,]{0,25}\bfor $"
)
"""Before "more than", of how long something has not been so ("not used for more than 90 days")."""
_NOT_EXCEED = expression(r"\bnot exceed\b[^.;]{0,90}$", re.IGNORECASE)
NEAR = 48
"""Characters around a number that are read."""
_TIMED = expression(
    r"retention|retain|period|deadline|due|within|time (?:to|limit)|frequency|interval|how"
    r" (?:long|often)|cadence|schedule|notice|\bsla\b|response|resolution|recovery"
)
"""The heading of a column of times, in lower case."""
_DUE = expression(r"deadline|due|within|\bsla\b|response|resolution|recovery|time to")
_COMPARED = (
    ("at_most", expression(r"\bmax(?:imum)?\b|\blimits?\b|\bcaps?\b|\bup to\b|\bceiling\b")),
    ("at_least", expression(r"\bmin(?:imum)?\b|\bat least\b")),
    ("above", expression(r"\b(?:over|above|more than|exceed\w*)\b")),
)
"""How the amounts below a heading compare."""
_REGULAR = expression(r"frequency|interval|how often|cadence|schedule")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One threshold or deadline."""

    type: EntityType
    """THRESHOLD or DEADLINE."""
    kind: str
    """For a threshold: amount, percentage or count; empty for a deadline."""
    value: str
    """Number or ISO date; for a deadline without one what it says ("as soon as possible")."""
    unit: str
    """Currency, "%", thing counted, or unit of time."""
    comparison: str
    """As listed at `EntityType`."""
    words: str
    """As a person would read it ("at most EUR 75")."""
    at: int = 0
    """Where it stands in the statement's words."""

    def standing_at(self, at: int) -> "Measure":
        """Return the same at a place of the statement's words."""
        return Measure(
            type=self.type,
            kind=self.kind,
            value=self.value,
            unit=self.unit,
            comparison=self.comparison,
            words=self.words,
            at=at,
        )


def measure(value: str, unit: str, comparison: str, raw: str, *, kind: str = "") -> Measure:
    """Return a measure, a threshold if it has a kind, with words that say how it compares."""
    said = comparison.replace("_", " ")
    speaks_for_itself = comparison == "exactly" or not unit
    return Measure(
        type=EntityType.THRESHOLD if kind else EntityType.DEADLINE,
        kind=kind,
        value=value,
        unit=unit,
        comparison=comparison,
        words=raw if speaks_for_itself else f"{said} {raw}",
    )


def measure_in_time(quantity: Quantity, comparison: str) -> Measure:
    """Return a duration as a deadline."""
    value, _, unit = quantity.canonical.partition(" ")
    return measure(value, unit.replace("_", " "), comparison, quantity.raw)


def before(text: str, quantity: Quantity) -> str:
    """Return what stands before a quantity, in lower case."""
    return text[max(0, quantity.span.char_start - NEAR) : quantity.span.char_start].lower()


def after(text: str, quantity: Quantity) -> str:
    """Return what stands behind a quantity."""
    return text[quantity.span.char_end : quantity.span.char_end + NEAR]


def comparison(text: str, quantity: Quantity) -> str:
    """Return how a threshold compares: "exactly" where no word says."""
    ahead, behind = before(text, quantity), after(text, quantity)
    if OR_MORE.match(behind):
        return "at_least"
    if _OR_LESS.match(behind):
        return "at_most"
    above = ABOVE.search(ahead)
    if above:
        before_it = ahead[: above.start()]
        is_limit = NEGATED_ABOVE.search(before_it) and not _NOT_SO_FOR.search(before_it)
        return "at_most" if is_limit else "above"
    for pattern, name in ((AT_MOST, "at_most"), (BELOW, "below"), (AT_LEAST, "at_least")):
        if pattern.search(ahead):
            return name
    return "at_most" if _NOT_EXCEED.search(text[: quantity.span.char_start]) else "exactly"


def end_of_range(read: tuple[Quantity, ...], place: int, text: str) -> Literal["", "low", "high"]:
    """Return which end of a range a quantity is ("$1,001 to $10,000"), if it is one."""
    quantity = read[place]
    ends: tuple[tuple[int, Literal["low", "high"]], ...] = ((1, "low"), (-1, "high"))
    for step, end in ends:
        other = read[place + step] if 0 <= place + step < len(read) else None
        if other is None or other.kind != quantity.kind:
            continue
        if other.span == quantity.span:
            return end
        left, right = sorted((quantity.span, other.span))
        between = text[left.char_end : right.char_start].strip(" *")
        if between in {"to", "-", "\u2013"}:
            return end
    return ""


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
