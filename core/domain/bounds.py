"""The direction of a bound: what a claim says with a number, its sources must say with it too.

- "Up to EUR 50", "not exceeding EUR 50" and "EUR 50 at most" are one bound; "above EUR 50" and
  "EUR 50 or more" are two others; "EUR 50" alone is none.
- Sources may say several things with one number ("up to EUR 50 no approval, above EUR 50 ..."): one
  occurrence that agrees is enough.
- A day or an hour may lose or gain its comparison, but not turn it round; a number of a section is
  never a bound.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from core.domain.notations import QuantityKind
from core.domain.quantities import KEPT, Quantity, quantities


class Bound(StrEnum):
    """On which side of a number something lies."""

    AT_MOST = "at most"
    AT_LEAST = "at least"
    ABOVE = "above"
    NONE = "no bound"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """A quantity with the comparison said with it."""

    quantity: Quantity
    """The quantity."""
    bound: Bound
    """The comparison."""


_HIGHER = (
    r"(?:above|over|more\s+than|exceed(?:s|ed|ing)?|greater\s+than|higher\s+than|longer\s+than"
    r"|in\s+excess\s+of|beyond|after|later\s+than)"
)
_LOWER = r"(?:below|under|(?:less|fewer|lower|shorter|earlier)\s+than)"
_NOT = (
    r"(?:(?:no|not|never|cannot|\w+n['\u2019]t)(?:\s+(?:\w+ly|be|go|last|cost|have))?"
    r"|no(?:\s+\w+){1,4}?\s+(?:may|must|can|shall|should)(?:\s+(?:be|last|cost))?)\s+"
)
_UP_TO = (
    r"(?:up\s+to|at\s+most|maximum|max\.?|within|at\s+the\s+latest|<=|\u2264"
    r"|(?:limit|limited|ceiling|deadline|capped)(?:\s+\w+){0,3}?\s+(?:to|of|is|at))"
)
_FROM = r"(?:at\s+least|minimum|min\.|>=|\u2265)"
_FILLER = (
    r"(?:\W*\b(?:an?|the|its|their|any|total|value|amount|sum|period|of|is|worth|first|every|each"
    r"|equivalent|in|with|price|cost|term|duration|next|last|other)\b){0,6}\W*$"
)
_BEFORE: tuple[tuple[Bound, re.Pattern[str]], ...] = tuple(
    (bound, re.compile(rf"(?:(?<!\w){words}){_FILLER}", re.IGNORECASE))
    for bound, words in (
        (Bound.AT_MOST, _NOT + _HIGHER),
        (Bound.AT_LEAST, _NOT + _LOWER),
        (Bound.AT_MOST, _UP_TO),
        (Bound.AT_LEAST, _FROM),
        (Bound.ABOVE, _HIGHER),
        (Bound.AT_MOST, _LOWER),
    )
)
_BEFORE_DAY: tuple[tuple[Bound, re.Pattern[str]], ...] = tuple(
    (bound, re.compile(rf"(?<!\w)(?:{words}){_FILLER}", re.IGNORECASE))
    for bound, words in (
        (Bound.AT_LEAST, r"(?:not|never)\s+before|on\s+or\s+after|from|since|starting|as\s+of"),
        (Bound.AT_MOST, r"by|until|till|before"),
    )
)
_AFTER: tuple[tuple[Bound, re.Pattern[str]], ...] = tuple(
    (bound, re.compile(rf"\W{{0,3}}(?:{words})", re.IGNORECASE))
    for bound, words in (
        (
            Bound.AT_LEAST,
            r"(?:or|and)\s+(?:more|above|higher|over|longer|greater|later|older)\b|\+"
            r"|(?:at\s+least|minimum)(?=\W*(?:$|[.,;)]))",
        ),
        (
            Bound.AT_MOST,
            r"(?:or|and)\s+(?:less|below|fewer|lower|under|shorter|earlier)\b"
            r"|(?:at\s+(?:the\s+)?(?:most|latest)|maximum)(?=\W*(?:$|[.,;)]))",
        ),
    )
)
_JOINED = re.compile(r"(?:\W|\b(?:or|and|resp|respectively|about|approximately)\b)*", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.;:!?]\s|\n\s*\n")
_DAYS: frozenset[QuantityKind] = frozenset({"date", "time"})
_WORD = re.compile(r"[^\W_]+")
_REACH = 80
"""Characters around a number in which its comparison stands."""


@lru_cache(maxsize=KEPT)
def bounds(text: str) -> tuple[Bounded, ...]:
    """Return every quantity of `text` with its comparison, in text order, without sections.

    Kept for the texts last read: a policy's sentences are read again for each question.
    """
    return tuple(_bounds(text))


def bounds_kept(claim: str, sources: Sequence[str]) -> str | None:
    """Say which number of `claim` is bounded otherwise than in its sources, or None.

    A claim that stands in a source is kept. A number that no source has is left to
    `missing_quantities`.
    """
    if any(_folded(claim) in _folded(source) for source in sources):
        return None
    said: dict[tuple[QuantityKind, str], set[Bound]] = {}
    for source in sources:
        for one in bounds(source):
            said.setdefault((one.quantity.kind, one.quantity.canonical), set()).add(one.bound)
    for one in bounds(claim):
        known = said.get((one.quantity.kind, one.quantity.canonical))
        if known is not None and not _agrees(one, known):
            others = " or ".join(sorted(bound.value for bound in known))
            return f"claim says {one.bound.value} {one.quantity.raw!r}, source says {others}"
    return None


def _agrees(one: Bounded, known: set[Bound]) -> bool:
    if one.quantity.kind in _DAYS and (one.bound is Bound.NONE or Bound.NONE in known):
        return True
    return one.bound in known


def _bounds(text: str) -> Iterator[Bounded]:
    previous: Bounded | None = None
    found = [one for one in quantities(text) if one.kind != "section"]
    for one, following in zip(found, [*found[1:], None], strict=False):
        bound = _bound(text, one, previous, following)
        previous = Bounded(quantity=one, bound=bound)
        yield previous


def _bound(text: str, one: Quantity, previous: Bounded | None, following: Quantity | None) -> Bound:
    """Return the comparison before a quantity, after it, or that of the one it is joined to."""
    if previous and previous.quantity.span == one.span:
        return previous.bound
    start = previous.quantity.span.char_end if previous else 0
    between = text[start : one.span.char_start]
    before = _CLAUSE_END.split(between[-_REACH:])[-1]
    patterns = (*_BEFORE_DAY, *_BEFORE) if one.kind in _DAYS else _BEFORE
    for bound, pattern in patterns:
        if pattern.search(before):
            return bound
    end = following.span.char_start if following else len(text)
    after = text[one.span.char_end : min(end, one.span.char_end + _REACH)]
    for bound, pattern in _AFTER:
        match = pattern.match(after)
        if match and (following is None or after[match.end() :].strip()):
            return bound
    return previous.bound if previous and _JOINED.fullmatch(between) else Bound.NONE


def _folded(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "
