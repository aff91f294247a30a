"""Thresholds and deadlines: how much, how many, by when, for how long, how often."""

import re
from collections.abc import Iterator
from dataclasses import replace

from core.domain.ontology import EntityType
from core.expressions import expression
from core.language.numerals import DIGIT, MONEY_NAME, NUMERAL_IN_WORDS, SHARE, signs_of
from core.language.quantities import Quantity, quantities
from core.language.text_cache import cached_by_text, word_set, words_of
from core.ontology.extract.comparisons import (
    OR_MORE,
    Measure,
    after,
    before,
    compared_by_column,
    comparison,
    end_of_range,
    measure,
)
from core.ontology.extract.deadlines import (
    deadline_of,
    last_day,
    limit_of_time,
    stated_deadlines,
)
from core.ontology.extract.statements import Statement

_PRICE = expression(
    r"\b(?:(?:can|may|might|could|usually|typically|often|generally) (?:range|cost)|ranges?)\s"
    r"(?:from |between |about |around |up to |over |under ){0,2}$"
    r"|\bin addition to (?:the |your |their |a |an )?$"
)
"""Before what something costs elsewhere, which limits nothing ("tools can cost up to $700")."""
_SHARE_OF = expression(r"\s(?:of|attendance|owned|remote)\b", re.IGNORECASE)
"""After "100 %" where it is a share, and not a word for "wholly"."""
_MARKUP_TAG = "</"
_FROM = expression(r"\bfrom\W{0,9}$", re.IGNORECASE)
"""Before a count where something comes from ("from one country to another")."""
_NO_NOUN = (
    r"(?:when|while|where|if|per|for|from|with|within|before|after|that|which|who|and|or|are|is"
    r"|must"
    r"|may|can|should|shall|will|have|has|had|the|an?|each|every|than|then|into|unless|until|at|on"
    r"|in|to|of|by|as|but|not|was|were|\w+ly)\b"
)
_COUNTED = expression(
    rf"\W{{0,3}}(?!{_NO_NOUN})(?P<first>[a-z-]{{3,}})(?:\s(?!{_NO_NOUN})(?P<second>[a-z-]{{3,}}))?",
    re.IGNORECASE,
)
_PLURAL = expression(r"(?:[a-z-]+[^su\W]s|people|persons|men|women|children|staff)", re.IGNORECASE)
_SETTING = word_set(
    "must shall should may can cannot will need needs needed if when where unless only minimum"
    " maximum max entitled please threshold not no"
)
_SETTING_STEMS = ("requir", "limit", "allow", "permit", "eligib", "exceed", "approv", "prohibit")
_UP_TO = expression(r"\bup to\b", re.IGNORECASE)
"""What a sentence says somewhere that sets a number for somebody."""
_NOT_MORE = expression(
    r"\b(?:not exceed|no more than|not more than|at most|up to|maximum|limited to)\b[^.]{0,80}$",
    re.IGNORECASE,
)
_NOT_LESS = expression(r"\b(?:at least|no less than|minimum)\b[^.]{0,80}$", re.IGNORECASE)
"""In what introduces a list of amounts."""
_WHICHEVER = expression(
    r"[^.;]{0,120}?,? whichever (?:is|amount is|occurs) (?:the )?(?:(?P<less>lower|lowest|less"
    r"|lesser|least|smaller|smallest)|higher|highest|more|greater|greatest|larger|largest)\b",
    re.IGNORECASE,
)
"""After each of two amounts of which one counts ("90 % of your pay, whichever is lower")."""
_REMARKED = expression(r"\((?:about |around )?\W{0,2}$")
"""Before a range that only says what is usual ("fair tips (10 - 15 %)")."""
_OR_ELSE = expression(r"(?:\s[\w'\u2019-]+){0,7},? or (?:the )?", re.IGNORECASE)
"""Between two amounts of one comparison ("over $750 at home or $1,650 abroad")."""
_AMOUNTS = (MONEY_NAME, SHARE)
_NUMBERS = (DIGIT, NUMERAL_IN_WORDS)
_COMPARING = word_set(
    "up most more exceed exceeding exceeds exceeded maximum above limit limited capped within"
    " lowered"
    " ceiling higher over greater longer older excess beyond starting below under less fewer lower"
    " shorter least minimum from reaches reaching whichever"
)
_COMPARED = expression("[<>\u2264\u2265+]")
"""Words and signs of which each comparison of a number has one (`comparison`)."""
_NUMBER_WORDS = frozenset({"one", "two", "three", "four", "five", "six", "seven", "ten"})
_FRACTIONS = frozenset({"half", "third", "quarter", "fourth", "fifth"})
"""After a number that is a share of something ("at least one-half of the members")."""
_EXAMPLE = expression(r"\b(?:for example|for instance|e\.g\.|examples?:)", re.IGNORECASE)
_LIMIT = expression(
    r"\b(?:limits?|maximum|minimum|thresholds?|rates?|fees?|allowances?|caps?|fines?|penalt(?:y"
    r"|ies)|amount"
    r"|budget|claims?|receives?|reimburs\w+|per diem|approv\w+|value|range"
    r"|per (?:night|day|km|kilomet(?:re|er)|person|week|month|year|event|hour))\b",
    re.IGNORECASE,
)


@cached_by_text(entries=16)
def _sets_something(sentence: str) -> bool:
    said = words_of(sentence)
    return (
        not _SETTING.isdisjoint(said)
        or any(word.startswith(_SETTING_STEMS) for word in said)
        or _UP_TO.search(sentence) is not None
    )


def measures_of(statement: Statement) -> Iterator[Measure]:
    """Yield the thresholds and deadlines of a statement."""
    text = statement.words
    if _MARKUP_TAG in text:
        return
    read = quantities(text) if _may_limit(text) else ()
    last: Measure | None = None
    for place, quantity in enumerate(read):
        found = None
        if quantity.kind in {"amount", "percentage"}:
            found = last = _amount(read, place, statement, last)
        elif quantity.kind == "number" and (
            statement.kind == "row" or _sets_something(statement.sentence)
        ):
            found = None if _in_example(text, quantity) else _count(quantity, text)
        if found is not None and (found.comparison != "exactly" or _is_limit(statement)):
            yield found.standing_at(quantity.span.char_start)
    yield from stated_deadlines(statement)


def _amount(
    read: tuple[Quantity, ...], place: int, statement: Statement, last: Measure | None
) -> Measure | None:
    """Return an amount or a share as it compares; None if it limits nothing.

    An amount without a word that compares it is a price, a rate or an example: of six that people
    judged, one set a limit.

    Args:
        read: All quantities of the statement.
        place: Which of them it is.
        statement: Where it stands.
        last: The one before it.
    """
    text, quantity = statement.words, read[place]
    if _PRICE.search(before(text, quantity)) or _in_example(text, quantity):
        return None
    if statement.kind != "row" and _is_of_a_mere_range(read, place, text):
        return None
    found = _threshold(read, place, text)
    if found.comparison == "exactly" and _is_alternative(read, place, text):
        found = _like(found, last)
    if found.comparison == "exactly":
        found = _as_introduced(found, statement.lead_in_words)
    if found.comparison == "exactly":
        found = _of_two(found, text[quantity.span.char_end :])
    if found.comparison == "exactly" and statement.kind == "row":
        found = compared_by_column(found, statement, quantity.span.char_start)
    is_price = found.comparison == "exactly" and found.kind == "amount"
    is_wholly = (found.kind, found.comparison, found.value) == ("percentage", "exactly", "100")
    if is_price or (is_wholly and not _SHARE_OF.match(text, quantity.span.char_end)):
        return None
    return found


def _is_of_a_mere_range(read: tuple[Quantity, ...], place: int, text: str) -> bool:
    """Return whether an amount is of a range that limits nothing ("fair tips (10 - 15 %)")."""
    end = end_of_range(read, place, text)
    first = read[place - 1] if end == "high" else read[place]
    return end != "" and _REMARKED.search(before(text, first)) is not None


def _may_limit(text: str) -> bool:
    """Return whether an amount, a share or a number that is compared may be in a text."""
    signs = signs_of(text)
    if signs.have_one(_AMOUNTS):
        return True
    is_compared = not _COMPARING.isdisjoint(words_of(text)) or _COMPARED.search(text) is not None
    return is_compared and signs.have_one(_NUMBERS)


def measure_of(quantity: Quantity, text: str, type_: EntityType) -> Measure | None:
    """Return one quantity of `text` as a threshold or a deadline; None if it can't be one.

    Unlike `measures_of`, this believes that the quantity is what the type says.
    """
    if type_ is EntityType.DEADLINE:
        if quantity.kind == "duration":
            return None if limit_of_time(quantity, text) else deadline_of(quantity, text)
        return last_day(quantity, text) if quantity.kind == "date" else None
    if quantity.kind in {"amount", "percentage"}:
        read = quantities(text)
        return _threshold(read, read.index(quantity), text)
    if quantity.kind == "duration":
        return limit_of_time(quantity, text)
    return _count(quantity, text) if quantity.kind == "number" else None


def _is_limit(statement: Statement) -> bool:
    """Return whether a bare amount is a limit and not an example."""
    if statement.kind == "row":
        return any(_LIMIT.search(cell.header) for cell in statement.cells)
    return _LIMIT.search(statement.sentence) is not None and not _EXAMPLE.search(statement.words)


def _is_alternative(read: tuple[Quantity, ...], place: int, text: str) -> bool:
    """Return whether an amount is compared as the one before: in another currency, or place."""
    if not place or read[place - 1].kind not in {"amount", "percentage"}:
        return False
    between = text[read[place - 1].span.char_end : read[place].span.char_start]
    if read[place - 1].kind == read[place].kind and between.strip(" ,(*") in {"or", "/"}:
        return True
    return _OR_ELSE.fullmatch(between) is not None


def _in_example(text: str, quantity: Quantity) -> bool:
    """Return whether a number is one of an example that a sentence gives."""
    return _EXAMPLE.search(text, 0, quantity.span.char_start) is not None


def _of_two(threshold: Measure, behind: str) -> Measure:
    """Return one of two amounts of which the smaller, or the larger, counts."""
    choice = _WHICHEVER.match(behind)
    if not choice:
        return threshold
    compared = "at_most" if choice["less"] else "at_least"
    return replace(
        threshold,
        comparison=compared,
        words=f"{compared.replace('_', ' ')} {threshold.words}",
    )


def _as_introduced(threshold: Measure, lead_in: str) -> Measure:
    """Return an amount in a list with the comparison that introduces it."""
    for compared, pattern in (("at_most", _NOT_MORE), ("at_least", _NOT_LESS)):
        if pattern.search(lead_in):
            words = f"{compared.replace('_', ' ')} {threshold.words}"
            return replace(threshold, comparison=compared, words=words)
    return threshold


def _like(threshold: Measure, other: Measure | None) -> Measure:
    """Return the threshold with the comparison of the one it repeats."""
    if other is None or other.comparison == "exactly":
        return threshold
    words = f"{other.comparison.replace('_', ' ')} {threshold.words}"
    return replace(threshold, comparison=other.comparison, words=words)


def _threshold(read: tuple[Quantity, ...], place: int, text: str) -> Measure:
    """Return an amount or a percentage as a threshold."""
    quantity = read[place]
    left, _, right = quantity.canonical.partition(" ")
    unit, value = (left, right) if quantity.kind == "amount" else (right, left)
    end = end_of_range(read, place, text)
    compared = {"low": "at_least", "high": "at_most"}.get(end) or comparison(text, quantity)
    return measure(value, unit, compared, quantity.raw, kind=quantity.kind)


def _count(quantity: Quantity, text: str) -> Measure | None:
    """Return a counted threshold ("at least three bids"), or None for any other number."""
    compared = comparison(text, quantity)
    if compared == "exactly" or not quantity.canonical.isdecimal():
        return None
    if compared in {"above", "below"} and quantity.canonical == "1":
        return None  # "for more than one team": for several; "under one heading"
    if _FROM.search(before(text, quantity)):
        return None
    unit = _counted(quantity, text)
    if not unit or unit in _FRACTIONS:
        return None
    raw = f"{quantity.raw} {unit}"
    return measure(quantity.canonical, unit.casefold(), compared, raw, kind="count")


def _counted(quantity: Quantity, text: str) -> str:
    """Return what a number counts, one word or two; empty if it counts no noun."""
    behind = after(text, quantity)
    more = OR_MORE.match(behind)
    found = _COUNTED.match(behind, more.end() if more else 0)
    if found is None:
        return ""
    first, second = found["first"], found["second"] or ""
    if first.casefold() in _NUMBER_WORDS:
        return ""  # "(1) one week" is a time
    if quantity.canonical == "1":
        return f"{first} {second}".strip()
    if _PLURAL.fullmatch(first):
        return first
    return f"{first} {second}" if second and _PLURAL.fullmatch(second) else ""
