"""Every number of a text in one canonical form, so that a claim can be held to its source.

- "EUR 1,000", "1000 euros" and "EUR 1k" are one amount; "thirty (30) days" and "30 days" one
  duration; "15 January 2024" and "2024-01-15" one date. "One month" is not 30 days.
- Every digit of a text lies in a quantity; a number that nothing else explains is a plain number,
  or, glued to letters ("COMP-002"), an identifier that counts as one.
- Where a notation is ambiguous, the strict reading is taken: a claim is rather refused.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain, groupby

from core.expressions import expression
from core.language.notations import NOTATIONS, QuantityKind
from core.language.numerals import DIGIT, has_digit, plain, signs_of
from core.language.spans import TextSpan
from core.language.text_cache import OpenedPattern, cached_by_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One number with what it counts."""

    kind: QuantityKind
    """What it measures."""
    canonical: str
    """Comparable form: "EUR 1000", "5 %", "30 business_day", "2024-01-15", "--03-31" (no year),
    "17:00", "section 4.2", "12"."""
    span: TextSpan
    """Where it stands."""
    raw: str
    """As written."""

    @property
    def is_identifier(self) -> bool:
        """True for a number glued to letters ("COMP-002"), which counts nothing."""
        return self.kind == "number" and not _NUMERIC.fullmatch(self.canonical)


_BY_NEEDS = tuple((needs, tuple(them)) for needs, them in groupby(NOTATIONS, lambda one: one.needs))
_TAKEN = "\x00"
_NUMERIC = expression(r"[\d.,'\u2019\s]+")


@cached_by_text()
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return every quantity of `text`, in text order."""
    signs, found = signs_of(text), list[Quantity]()
    open_text, has_more_digits = text, True
    openings: list[int] | None = None
    ends: list[int] = []
    for notation in chain.from_iterable(
        notations for needs, notations in _BY_NEEDS if signs.have_all(needs)
    ):
        if DIGIT in notation.needs and not has_more_digits:
            continue
        pattern = notation.pattern
        if isinstance(pattern, OpenedPattern):
            if openings is None:  # the same words for all of them
                openings = pattern.openings(text)
            matches = pattern.matches_at(open_text, sorted((*openings, *ends)))
        else:
            matches = pattern.finditer(open_text)
        pieces: list[str] = []
        position = 0
        for match in matches:
            forms = notation.read(match)
            if not forms:
                continue
            start, end = match.span()
            span = TextSpan(char_start=start, char_end=end)
            found.extend(
                Quantity(kind=notation.kind, canonical=form, span=span, raw=text[start:end])
                for form in forms
            )
            pieces += (open_text[position:start], _TAKEN * (end - start))
            position = end
            ends.append(end)  # behind what is taken the rest of a word may be a number
        if pieces:
            open_text = "".join([*pieces, open_text[position:]])
            has_more_digits = has_digit(open_text)
    return tuple(sorted(found, key=lambda quantity: quantity.span))


def figures_of(text: str) -> frozenset[str]:
    """Return the canonical forms of the numbers of a text."""
    return frozenset(one.canonical for one in quantities(text))


def missing_quantities(
    claim: str, sources: Sequence[str], *, asked: str = ""
) -> tuple[Quantity, ...]:
    """Return the quantities of `claim` that none of the `sources` contains.

    A unit must not change, and a date may lose its day or year but not gain one. The number of a
    section is also found where a source prints it without the word, as its heading does. A unit may
    stand apart from its number ("240 annual leave hours"), and "one" is no number where it stands
    for a noun.

    Args:
        claim: A statement.
        sources: The cited texts.
        asked: The question: its quantities are not claims about the sources.
    """
    wanted = quantities(claim)
    if not wanted:
        return ()
    found = [one for source in sources for one in quantities(source)]
    known: set[tuple[QuantityKind, str]] = {
        (one.kind, comparable(one)) for one in (*found, *quantities(asked))
    }
    dates = [form for kind, form in known if kind == "date"]
    starts = {match for source in sources for match in _LINE_NUMBER.findall(source)}
    there = " ".join(sources).casefold()
    units = frozenset(one.canonical.partition(" ")[2] for one in wanted if one.kind == "duration")
    return tuple(
        quantity
        for quantity in wanted
        if (quantity.kind, comparable(quantity)) not in known
        and not _is_looser_date(quantity, dates)
        and not _is_printed_number(quantity, known, starts)
        and not _is_apart(quantity, found, there, _behind(claim, quantity), units)
        and not _is_one(quantity)
    )


_LARGER = {
    "minute": (60, "second"),
    "hour": (3_600, "second"),
    "day": (86_400, "second"),
    "week": (604_800, "second"),
    "year": (12, "month"),
    "quarter": (3, "month"),
}
"""Units that are so many of another one, whatever the calendar says."""


def value_of(one: Quantity) -> tuple[Decimal, str] | None:
    """Return how much of what unit a quantity is, in the smaller of two equal units; else None."""
    number, _, unit = one.canonical.partition(" ")
    if one.kind == "amount":
        number, unit = unit, number
    if one.kind not in {"amount", "percentage", "duration", "number"} or not _PLAIN.fullmatch(
        number
    ):
        return None
    factor, smaller = _LARGER.get(unit, (1, unit))
    return (Decimal(number) * factor, smaller)


def comparable(one: Quantity) -> str:
    """Return the canonical form in which "12 months" and "one year" are the same."""
    value = value_of(one) if one.kind == "duration" else None
    return f"{plain(value[0])} {value[1]}" if value else one.canonical


_ONE = expression(r"one\b(?!\s*[(-])", re.IGNORECASE)
"""For a noun, or with a unit of time, which `missing_periods` looks for."""
_PLAIN = expression(r"\d+(?:\.\d+)?")


def _is_one(quantity: Quantity) -> bool:
    number = quantity.canonical.partition(" ")[0]
    return number == "1" and _ONE.match(quantity.raw) is not None


def _is_apart(
    quantity: Quantity, found: Sequence[Quantity], there: str, behind: str, units: frozenset[str]
) -> bool:
    """Say whether a number or duration stands in the sources with its unit elsewhere.

    A unit that another number has there is that one's; in the claim it may be understood ("eight
    hours a day or forty a week").
    """
    if quantity.kind not in {"number", "duration"}:
        return False
    number, _, unit = quantity.canonical.partition(" ")
    forms = [one.canonical.partition(" ") for one in found if one.kind in _COUNTED]
    if unit and any(other == unit for _, _, other in forms):
        return False
    alike = {
        other for value, _, other in forms if value == number and bool(other) is not bool(unit)
    }
    if unit:
        return bool(alike) and unit.rpartition("_")[2] in there
    if _PER.match(behind) and alike & units:
        return True
    return any(other and other.rpartition("_")[2] in behind for other in alike)


def _behind(claim: str, quantity: Quantity) -> str:
    """Return what follows a number in its sentence, where its unit may stand."""
    end = quantity.span.char_end
    return _STOP.split(claim[end : end + _REACH])[0].casefold()


_PER = expression(r"\s*(?:an?|per|each|every)\s")
_REACH = 40
_STOP = expression(r"[.;:!?,\n]")
_COUNTED = frozenset({"number", "duration"})


_LINE_NUMBER = expression(r"(?m)^(?>(?:[#*]|[^\S\n])*)(\d++(?:\.\d++)*+)[.)]?\s")


def _is_looser_date(quantity: Quantity, dates: Sequence[str]) -> bool:
    """Say whether a date of the sources says more than this date or year."""
    form = quantity.canonical
    if quantity.kind == "number":
        return bool(re.fullmatch(r"(?:19|20)\d\d", form)) and any(d.startswith(form) for d in dates)
    if quantity.kind != "date":
        return False
    if form.startswith("--"):
        return any(len(date) == len("2024-01-15") and date[4:] == form[1:] for date in dates)
    return any(date.startswith(form + "-") for date in dates)


def _is_printed_number(
    quantity: Quantity, known: set[tuple[QuantityKind, str]], starts: set[str]
) -> bool:
    """Say whether the sources print this section number without, or with, the word for it."""
    number = quantity.canonical.rpartition(" ")[2]
    if quantity.kind == "section":
        return number in starts or ("." in number and ("number", number) in known)
    if quantity.kind == "number" and "." in number:
        return any(kind == "section" and form.endswith(f" {number}") for kind, form in known)
    return False
