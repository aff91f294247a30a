"""Thresholds and deadlines: how much, how many, by when, for how long, how often."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.domain.ontology import EntityType
from core.language.quantities import Quantity, quantities
from core.language.text_cache import word_pattern
from core.ontology.extract.statements import Statement

# These four are for text in lower case: where case is ignored, they take three times as long.
_AT_MOST = re.compile(
    r"(?:up to|at most|no more than|not more than|not exceed(?:ing)?|maximum(?: of)?|not (?:be"
    r" )?above"
    r"|limit(?:ed)?(?: \w+){0,3}? (?:to|of|is|at)|capped at|within|lowered from .{0,60} to"
    r"|<=|\u2264|ceiling of"
    r"|may not be more than|no higher than)\W{0,9}(?:a |an |the |value of |total of ){0,4}$",
)
_ABOVE = re.compile(
    r"(?:above|over|exceed(?:s|ed|ing)?|more than|greater than|in excess of|higher than|beyond|>"
    r"|starting above)"
    r"\W{0,9}(?:a |an |the |value of |total of ){0,4}$",
)
_BELOW = re.compile(
    r"(?:below|under|less than|fewer than|lower than|<)\W{0,9}(?:a |the ){0,4}$",
)
_AT_LEAST = re.compile(
    r"(?:at least|minimum(?: of)?|no less than|not less than|no fewer than|from|>=|\u2265"
    r"|reaches|reaching)"
    r"\W{0,9}(?:a |an |the |value of |total of ){0,4}$",
)
_OR_MORE = re.compile(
    r"\W{0,3}(?:or (?:more|above|higher|over)|and (?:above|more|over)|\+)", re.IGNORECASE
)
_OR_LESS = re.compile(r"\W{0,3}(?:or (?:less|below|fewer)|maximum|and below)", re.IGNORECASE)
_NEGATED_ABOVE = re.compile(r"\b(?:not|never)\b[^.;,]{0,25}$", re.IGNORECASE)
_NOT_EXCEED = re.compile(r"\bnot exceed\b[^.;]{0,90}$", re.IGNORECASE)

_WITHIN = re.compile(
    r"(?:within|in|no later than|not later than|at the latest|latest)\W{0,9}(?:the |a ){0,4}$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\W{0,3}(?:after|following|from|of)\b", re.IGNORECASE)
_ADVANCE = re.compile(r"\W{0,3}(?:in advance|before|prior to|ahead of|'? ?notice)", re.IGNORECASE)
_EVERY = re.compile(r"(?:every|each|per|once (?:a|every)|at intervals of)\W{0,9}$", re.IGNORECASE)
_FOR = re.compile(
    r"\b(?:retain|retention|keep|kept|store|stored|preserve|archiv|maintain|hold|held|for|period"
    r" of|last)",
    re.IGNORECASE,
)
_BY_DATE = re.compile(
    r"(?:by|until|no later than|before|on or before|till)\W{0,9}(?:the )?$", re.IGNORECASE
)
_AT_ONCE = word_pattern(
    r"\b(?:immediately|without (?:undue )?delay|promptly|forthwith|as soon as (?:possible"
    r"|practicable)"
    r"|at once|on the same day)\b",
    words="immediately delay promptly forthwith soon once same",
)
_OFTEN = word_pattern(
    r"\b(?P<rate>(?:semi-?)?annually|biennially|(?:yearly|quarterly|monthly|weekly"
    r"|daily)(?!/|\s(?:allowance|rate|limit|payment|meal|report|business|cash|fee|price|budget|cost"
    r"|salary|pay|wage|income|premium|plan|subscription|stipend|newsletter|option|period|total"
    r"|average))(?<!/yearly)(?<!/annually)"
    r"|(?:once|twice) (?:a|per|every) (?:year|quarter|month|week)|(?:every|each) (?:year|quarter"
    r"|month|week))\b",
    words="annually semiannually biennially yearly quarterly monthly weekly daily once twice every"
    " each",
)
_ENCOURAGES = re.compile(r"\bencourag(?:e|es|ed)\b[^.;]{0,60}$", re.IGNORECASE)
"""Before "immediately" where it is no duty."""
_FROM = re.compile(r"\bfrom\W{0,9}$", re.IGNORECASE)
"""Before a count where something comes from ("from one country to another")."""
_AMOUNT_BEFORE = re.compile(
    r"(?:[$\u20ac\u00a3]|\b(?:EUR|USD|GBP|CHF))\s?\d[\d.,]*\s?(?:k|EUR|USD|GBP|CHF)?\s$"
    r"|\d\s?(?:EUR|USD|GBP|CHF|euros?|dollars?)\s$",
    re.IGNORECASE,
)
"""An amount right before how often: the period of the amount ("$1,500 quarterly"), no deadline."""
_COUNTED = re.compile(
    r"\W{0,3}((?:[a-z-]+ (?!(?:when|while|where|if|per|for|from|with|within|before|after|that|which"
    r"|who|and|are|must|may|can|should|shall|will|have|has|the|each|every|than|into|unless"
    r"|until)\b))?[a-z-]{3,})",
    re.IGNORECASE,
)
_LOOKING_BACK = re.compile(r"\b(?:last|past|previous|preceding|prior)\W{0,3}$")
"""Before a time that is only looked back on ("the last two weeks of a quarter")."""
_LIMIT = re.compile(
    r"\b(?:limits?|maximum|minimum|thresholds?|rates?|fees?|allowances?|caps?|fines?|penalt(?:y"
    r"|ies)|amount"
    r"|budget|claims?|receives?|reimburs\w+|per diem|approv\w+|value|range"
    r"|per (?:night|day|km|kilomet(?:re|er)|person|week|month|year|event|hour))\b",
    re.IGNORECASE,
)
_NEAR = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One threshold or deadline."""

    type: EntityType
    """THRESHOLD or DEADLINE."""
    kind: str
    """For a threshold: amount, percentage or count; empty for a deadline."""
    value: str
    """Number or ISO date; "immediately" for a deadline without one."""
    unit: str
    """Currency, "%", thing counted, or unit of time."""
    comparison: str
    """As listed at `EntityType`."""
    words: str
    """As a person would read it ("at most EUR 75")."""
    at: int = 0
    """Where it stands in the statement's words."""


def measures_of(statement: Statement) -> Iterator[Measure]:
    """Yield the thresholds and deadlines of a statement."""
    text = statement.words
    read = quantities(text)
    last: Measure | None = None
    for place, quantity in enumerate(read):
        partner = _partner(read, place, text)
        if quantity.kind in {"amount", "percentage"}:
            threshold = _threshold(quantity, text, partner)
            if threshold.comparison == "exactly" and _is_alternative(read, place, text):
                threshold = _like(threshold, last)
            last = threshold = replace(threshold, at=quantity.span.char_start)
            if threshold.comparison != "exactly" or _is_limit(statement):
                yield threshold
        elif quantity.kind == "duration":
            if _LOOKING_BACK.search(_before(text, quantity)):
                continue
            limit = _limit_of_time(quantity, text) or _deadline(quantity, text)
            yield replace(limit, at=quantity.span.char_start)
        elif quantity.kind == "date" and _BY_DATE.search(_before(text, quantity)):
            yield replace(_last_day(quantity), at=quantity.span.char_start)
        elif quantity.kind == "number":
            counted = _count(quantity, text)
            if counted is not None:
                yield replace(counted, at=quantity.span.char_start)
    yield from _unnumbered(text)


def measure_of(quantity: Quantity, text: str, type_: EntityType) -> Measure | None:
    """Return one quantity of `text` as a threshold or a deadline; None if it can't be one."""
    if type_ is EntityType.DEADLINE:
        if quantity.kind == "duration":
            return None if _limit_of_time(quantity, text) else _deadline(quantity, text)
        is_last_day = quantity.kind == "date" and _BY_DATE.search(_before(text, quantity))
        return _last_day(quantity) if is_last_day else None
    if quantity.kind in {"amount", "percentage"}:
        read = quantities(text)
        place = read.index(quantity)
        return _threshold(quantity, text, _partner(read, place, text))
    if quantity.kind == "duration":
        return _limit_of_time(quantity, text)
    return _count(quantity, text) if quantity.kind == "number" else None


def unnumbered_deadline(text: str) -> Measure | None:
    """Return the first deadline of `text` that has no number ("immediately"), if any."""
    return next(_unnumbered(text), None)


def _last_day(quantity: Quantity) -> Measure:
    return _measure(quantity.canonical, "date", "before", quantity.raw)


def _is_limit(statement: Statement) -> bool:
    """Return whether a bare amount is a limit and not an example."""
    if statement.kind == "row":
        return any(_LIMIT.search(cell.header) for cell in statement.cells)
    return _LIMIT.search(statement.sentence) is not None


def _before(text: str, quantity: Quantity) -> str:
    """Return what stands before a quantity, in lower case."""
    return text[max(0, quantity.span.char_start - _NEAR) : quantity.span.char_start].lower()


def _after(text: str, quantity: Quantity) -> str:
    return text[quantity.span.char_end : quantity.span.char_end + _NEAR]


def _partner(read: tuple[Quantity, ...], place: int, text: str) -> str:
    """Return "low" or "high" if the quantity is an end of a range ("$1,001 to $10,000")."""
    quantity = read[place]
    for step, end in ((1, "low"), (-1, "high")):
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


def _is_alternative(read: tuple[Quantity, ...], place: int, text: str) -> bool:
    """Return whether an amount only repeats the one before in another currency."""
    if not place or read[place - 1].kind != read[place].kind:
        return False
    between = text[read[place - 1].span.char_end : read[place].span.char_start]
    return between.strip(" ,(*") in {"or", "/"}


def _like(threshold: Measure, other: Measure | None) -> Measure:
    """Return the threshold with the comparison of the one it repeats."""
    if other is None or other.comparison == "exactly":
        return threshold
    words = f"{other.comparison.replace('_', ' ')} {threshold.words}"
    return replace(threshold, comparison=other.comparison, words=words)


def _comparison(text: str, quantity: Quantity) -> str:
    """Return how a threshold compares."""
    before, after = _before(text, quantity), _after(text, quantity)
    if _OR_MORE.match(after):
        return "at_least"
    if _OR_LESS.match(after):
        return "at_most"
    above = _ABOVE.search(before)
    if above:
        return "at_most" if _NEGATED_ABOVE.search(before[: above.start()]) else "above"
    for pattern, name in ((_AT_MOST, "at_most"), (_BELOW, "below"), (_AT_LEAST, "at_least")):
        if pattern.search(before):
            return name
    return "at_most" if _NOT_EXCEED.search(text[: quantity.span.char_start]) else "exactly"


def _threshold(quantity: Quantity, text: str, partner: str) -> Measure:
    left, _, right = quantity.canonical.partition(" ")
    unit, value = (left, right) if quantity.kind == "amount" else (right, left)
    comparison = {"low": "at_least", "high": "at_most"}.get(partner) or _comparison(text, quantity)
    return _measure(value, unit, comparison, quantity.raw, kind=quantity.kind)


def _count(quantity: Quantity, text: str) -> Measure | None:
    """Return a counted threshold ("at least three bids"), or None for any other number."""
    comparison = _comparison(text, quantity)
    counted = _COUNTED.match(_after(text, quantity))
    if _FROM.search(_before(text, quantity)):
        return None
    if comparison == "exactly" or counted is None or not quantity.canonical.isdecimal():
        return None
    value, unit = quantity.canonical, counted[1].casefold()
    return _measure(value, unit, comparison, f"{quantity.raw} {counted[1]}", kind="count")


def _limit_of_time(quantity: Quantity, text: str) -> Measure | None:
    """Return a duration used as a threshold ("more than 8 hours"), not as a deadline."""
    before = _before(text, quantity)
    for pattern, comparison in ((_ABOVE, "above"), (_BELOW, "below")):
        match = pattern.search(before)
        if match and not _NEGATED_ABOVE.search(before[: match.start()]):
            value, _, unit = quantity.canonical.partition(" ")
            unit = unit.replace("_", " ")
            return _measure(value, unit, comparison, quantity.raw, kind="count")
    return None


def _deadline(quantity: Quantity, text: str) -> Measure:
    value, _, unit = quantity.canonical.partition(" ")
    before, after = _before(text, quantity), _after(text, quantity)
    if _ADVANCE.match(after):
        comparison = "before"
    elif _WITHIN.search(before):
        comparison = "within"
    elif _EVERY.search(before):
        comparison = "every"
    elif _FOR.search(before):
        comparison = "for"
    elif _AFTER.match(after):
        comparison = "after"
    else:
        comparison = "for"
    return _measure(value, unit.replace("_", " "), comparison, quantity.raw)


def _unnumbered(text: str) -> Iterator[Measure]:
    """Yield deadlines without a number: at once, and how often."""
    at_once = _AT_ONCE.search(text)
    if at_once and not _ENCOURAGES.search(text[: at_once.start()]):
        found = _measure("immediately", "", "within", at_once[0])
        yield replace(found, at=at_once.start())
    for match in _OFTEN.finditer(text):
        if _AMOUNT_BEFORE.search(text[max(0, match.start() - _NEAR) : match.start()]):
            continue
        rate = match["rate"].casefold()
        value = (
            "2"
            if rate.startswith("bienn")
            else "0.5"
            if rate.startswith(("semi", "twice"))
            else "1"
        )
        unit = next(
            (name for name in ("quarter", "month", "week") if name in rate),
            "day" if rate == "daily" else "year",
        )
        yield replace(_measure(value, unit, "every", match[0]), at=match.start())


def _measure(value: str, unit: str, comparison: str, raw: str, *, kind: str = "") -> Measure:
    said = comparison.replace("_", " ")
    speaks_for_itself = comparison == "exactly" or value == "immediately" or _OFTEN.search(raw)
    words = raw if speaks_for_itself else f"{said} {raw}"
    return Measure(
        type=EntityType.THRESHOLD if kind else EntityType.DEADLINE,
        kind=kind,
        value=value,
        unit=unit,
        comparison=comparison,
        words=words,
    )
