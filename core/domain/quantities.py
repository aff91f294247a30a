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
from functools import lru_cache

from core.domain.notations import NOTATIONS, QuantityKind
from core.domain.policy import TextSpan


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


KEPT = 8_192
"""Texts: the sentences of a few hundred sections."""
_TAKEN = "\x00"


@lru_cache(maxsize=KEPT)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return every quantity of `text`, in text order.

    Kept for the texts last read: a policy's sentences are read again for each question.
    """
    open_text = text
    found: list[Quantity] = []
    for notation in NOTATIONS:
        pieces: list[str] = []
        position = 0
        for match in notation.pattern.finditer(open_text):
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
        open_text = "".join([*pieces, open_text[position:]])
    return tuple(sorted(found, key=lambda quantity: quantity.span))


def missing_quantities(claim: str, sources: Sequence[str]) -> tuple[Quantity, ...]:
    """Return the quantities of `claim` that none of the `sources` contains.

    A unit must not change, and a date may lose its day or year but not gain one. The number of a
    section is also found where a source prints it without the word, as its heading does.
    """
    wanted = quantities(claim)
    if not wanted:
        return ()
    known: set[tuple[QuantityKind, str]] = {
        (found.kind, found.canonical) for source in sources for found in quantities(source)
    }
    dates = [form for kind, form in known if kind == "date"]
    starts = {match for source in sources for match in _LINE_NUMBER.findall(source)}
    return tuple(
        quantity
        for quantity in wanted
        if (quantity.kind, quantity.canonical) not in known
        and not _is_looser_date(quantity, dates)
        and not _is_printed_number(quantity, known, starts)
    )


_LINE_NUMBER = re.compile(r"(?m)^(?:[#*]|[^\S\n])*+(\d++(?:\.\d++)*+)[.)]?\s")


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
