"""The direction of a bound: what a claim says with a number, its sources must say with it too.

- "Up to EUR 50", "not exceeding EUR 50" and "EUR 50 at most" are one bound; "above EUR 50" and
  "EUR 50 or more" are two others; "EUR 50" alone is none.
- Sources may say several things with one number ("up to EUR 50 no approval, above EUR 50 ..."): one
  occurrence that agrees is enough.
- A day or an hour may lose or gain its comparison, but not turn it round; a number of a section is
  never a bound.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import islice

from core.expressions import expression
from core.language.content_words import families
from core.language.modality import is_negated
from core.language.notations import QuantityKind
from core.language.quantities import Quantity, comparable, quantities, value_of
from core.language.spans import TextSpan
from core.language.text_cache import cached_by_text


class Bound(StrEnum):
    """On which side of a number something lies."""

    AT_MOST = "at most"
    AT_LEAST = "at least"
    ABOVE = "above"
    NONE = "no bound"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedQuantity:
    """A quantity with the comparison said with it."""

    quantity: Quantity
    """The quantity."""
    bound: Bound
    """The comparison."""


_HIGHER = (
    r"(?:above|over|(?:more|greater|higher|longer|larger|bigger|older|heavier)\s+than"
    r"|exceed(?:s|ed|ing)?|in\s+excess\s+of|beyond|later\s+than)"
)
_LOWER = r"(?:below|under|(?:less|fewer|lower|shorter|earlier)\s+than)"
_NOT = (
    r"(?:(?:no|not|never|cannot|\w+n['\u2019]t)(?:\s+(?:\w+ly|be|go|last|cost|have|take|stay|run|spend|case|event))?"
    r"|no(?:\s+\w+){1,4}?\s+(?:may|must|can|shall|should)(?:\s+(?:be|last|cost))?)\s+"
)
_UP_TO = (
    r"(?:(?<!add\s)up\s+to|as\s+(?:much|many|long)\s+as|at\s+most|maximum|max\.?|within|in\s+the\s+first"
    r"|at\s+the\s+latest|<=|\u2264"
    r"|(?:limit|limited|ceiling|deadline|capped)(?:\s+\w+){0,3}?\s+(?:to|of|is|at))"
)
_FROM = r"(?:at\s+least|at\s+the\s+(?:very\s+)?earliest|minimum|min\.|>=|\u2265)"
_EITHER = (
    r"(?:longer|more|higher|later)\s*(?:or|/)\s*(?:shorter|less|fewer|lower|earlier)\s+than"
    r"|(?:shorter|less|fewer|lower|earlier)\s*(?:or|/)\s*(?:longer|more|higher|later)\s+than"
)
_THRESHOLD = (
    r"(?:(?:\s+[\w'\u2019-]+){0,4}?\s+(?:threshold|limit|ceiling|cap|maximum)\b(?:\s+of)?)?"
)
_FILLER = (
    r"(?:\W*\b(?:an?|the|its|their|any|total|value|amount|sum|period|of|is|worth|first|every|each"
    r"|equivalent|in|with|price|cost|term|duration|next|last|other)\b){0,6}\W*$"
)
_BEFORE: tuple[tuple[Bound, re.Pattern[str]], ...] = tuple(
    (bound, expression(rf"(?:(?<!\w){words}){_THRESHOLD}{_FILLER}", re.IGNORECASE))
    for bound, words in (
        (Bound.NONE, _EITHER),
        (Bound.AT_MOST, _NOT + rf"(?:{_HIGHER}|after\b)"),
        (Bound.AT_LEAST, _NOT + _LOWER),
        (Bound.ABOVE, _NOT + r"(?:limited|restricted|confined)\s+to"),
        (Bound.AT_MOST, _UP_TO),
        (Bound.AT_LEAST, _FROM),
        (Bound.ABOVE, _HIGHER),
        (Bound.ABOVE, r"after|following"),
        (Bound.AT_MOST, _LOWER),
    )
)
_LATER = _BEFORE[-2][1]
"""What comes after a count comes next, and is no more than it ("after 5 attempts")."""
_BEFORE_DAY: tuple[tuple[Bound, re.Pattern[str]], ...] = tuple(
    (bound, expression(rf"(?<!\w)(?:{words}){_FILLER}", re.IGNORECASE))
    for bound, words in (
        (Bound.AT_LEAST, r"(?:not|never)\s+before|on\s+or\s+after|from|since|starting|as\s+of"),
        (Bound.AT_MOST, r"by|until|till|before"),
    )
)
_AFTER: tuple[tuple[Bound, re.Pattern[str]], ...] = tuple(
    (bound, expression(rf"\W{{0,3}}(?:{words})", re.IGNORECASE))
    for bound, words in (
        (
            Bound.AT_LEAST,
            r"(?:or|and)\s+(?:more|above|higher|over|longer|greater|later|older)\b|\+"
            r"|at\s+(?:the\s+)?(?:very\s+)?earliest\b|(?:at\s+least|minimum)(?=\W*(?:$|[.,;)]))",
        ),
        (
            Bound.AT_MOST,
            r"(?:or|and)\s+(?:less|below|fewer|lower|under|shorter|earlier)\b"
            r"|at\s+(?:the\s+)?(?:very\s+)?(?:most|latest)\b|maximum(?=\W*(?:$|[.,;)]))",
        ),
    )
)
_JOINED = expression(
    r"(?:[^\w:;\n]|\b(?:or|and|resp|respectively|about|approximately)\b)*", re.IGNORECASE
)
_AHEAD = expression(r"later\s+than\W", re.IGNORECASE)
_BEFOREHAND = expression(r"\W*(?:before|prior\s+to|in\s+advance|ahead)\b", re.IGNORECASE)
"""After "no later than ten days": so many days before something, or more."""
_CLAUSE_END = expression(
    r"(?:[.;!?]|(?<!\bthan)(?<!\bleast)(?<!\bmost)(?<!\bto)(?<!\bof):)\s|\n\s*\n", re.IGNORECASE
)
"""A colon behind "longer than:" ends nothing: the item below it is what is compared."""
_DAYS: frozenset[QuantityKind] = frozenset({"date", "time"})
_TIMES = _DAYS | {"duration"}
_WORD = expression(r"[^\W_]+")
_REACH = 80
"""Characters around a number in which its comparison stands."""


@cached_by_text()
def bounds(text: str) -> tuple[BoundedQuantity, ...]:
    """Return every quantity of `text` with its comparison, in text order, without sections."""
    return tuple(_bounds(text))


def bounds_kept(claim: str, sources: Sequence[str], *, asked: str = "") -> str | None:
    """Say which number of `claim` its sources do not bear out, or None.

    - A number that sources have is said with the same comparison, or without any where theirs
      holds at the number itself ("up to EUR 50": EUR 50). Where one of the two denies, the opposite
      comparison says the same ("up to EUR 50 is paid": "above EUR 50 is not").
    - A number that no source has may be a case of a rule ("above EUR 50 needs approval": EUR 60
      does), if the asker gave it; the comparison of the rule must hold for it.

    A claim that stands in a source is kept. Any other number that no source has is left to
    `missing_quantities`.

    Args:
        claim: A statement.
        sources: The cited texts.
        asked: The question, whose numbers are not claims about the policy.
    """
    if any(_folded(claim) in _folded(source) for source in sources):
        return None
    known = _distinct(sources)
    by_key: dict[tuple[QuantityKind, str], list[_Said]] = {}
    for other in known:
        by_key.setdefault(_key(other.quantity), []).append(other)
    cases = {_key(one) for one in quantities(asked)}
    for one in _said(claim):
        key = _key(one.quantity)
        same = by_key.get(key, [])
        if same and not any(_agrees(one, other) for other in same):
            told = " or ".join(sorted({other.bound.value for other in same}))
            return f"claim says {one.bound.value} {one.quantity.raw!r}, source says {told}"
        if not same and key in cases and _is_case(one, known) is False:
            return f"no rule of the source holds for {one.quantity.raw!r}"
    return None


def cases_of_rules(claim: str, sources: Sequence[str]) -> frozenset[TextSpan]:
    """Return where `claim` has a number that is a case of a bound in its sources.

    "EUR 60 needs approval" is one of "above EUR 50 needs approval", and "EUR 40 needs none" where
    the claim denies. A number that the claim itself compares, or names as a limit, is no case; nor
    is one that somebody has or is given, or one said of what the sources give another number for.
    """
    if _NAMES_LIMIT.search(claim):
        return frozenset()
    known = _distinct(sources)
    clauses = {clause: families(clause) for clause in {other.clause for other in known}}
    there = families("\n".join(sources))
    return frozenset(
        one.quantity.span
        for one in islice(_said(claim), _MOST_CASES)
        if one.bound is Bound.NONE
        and not _GRANTED.search(claim[: one.quantity.span.char_start][-_REACH:])
        and _speaks_of(one, there)
        and _is_case(one, known)
        and any(other.bound is not Bound.NONE for other in _nearest(one, known, clauses))
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """A quantity as its clause says it."""

    quantity: Quantity
    """The quantity."""
    bound: Bound
    """The comparison."""
    clause: str
    """Where it stands: a denial in another clause does not count."""
    is_negated: bool
    """Whether that denies."""


def _said(text: str) -> Iterator[_Said]:
    clauses: dict[tuple[int, int], tuple[str, bool]] = {}
    ends = [0, *(end.end() for end in _BREAK.finditer(text)), len(text)]
    for one in bounds(text):
        span = one.quantity.span
        start = ends[bisect_right(ends, span.char_start) - 1]
        end = ends[min(bisect_left(ends, span.char_end), len(ends) - 1)]
        if (start, end) not in clauses:
            clause = text[start:end]
            whole = text[start:] if _CONDITION.match(clause) else clause
            said = _COMPARED.sub(" ", _STOP.split(whole)[0])
            clauses[start, end] = (clause, is_negated(said))
        yield _Said(one.quantity, one.bound, *clauses[start, end])


def _distinct(sources: Sequence[str]) -> list[_Said]:
    """Return what the sources say of quantities, the same but once."""
    found = (one for source in sources for one in _said(source))
    return list({(_key(one.quantity), one.bound, one.is_negated): one for one in found}.values())


def _nearest(
    one: _Said, known: Sequence[_Said], clauses: Mapping[str, frozenset[str]]
) -> list[_Said]:
    """Return the numbers of a unit in the clauses that share most with that of the claim."""
    said = families(one.clause)
    alike = [other for other in known if _unit(other.quantity) == _unit(one.quantity)]
    shares = [len(said & clauses[other.clause]) for other in alike]
    return [other for other, share in zip(alike, shares, strict=True) if share == max(shares)]


def _unit(one: Quantity) -> str:
    value = value_of(one)
    return value[1] if value else ""


def _speaks_of(one: _Said, there: frozenset[str]) -> bool:
    """Say whether the sources have a quarter of what a clause says beside its number."""
    said = families(one.clause.replace(one.quantity.raw, " "))
    return bool(said) and 4 * len(said & there) >= len(said)


_CONDITION = expression(r"\s*(?:if|when|where|with|for|at)\b", re.IGNORECASE)
"""What opens a clause of which the next one says whether it is denied."""
_STOP = expression(r"[.;:!?]\s")
_COMPARED = expression(rf"\b{_NOT}(?=(?:{_HIGHER}|{_LOWER})\b)", re.IGNORECASE)
"""A "not" that makes a limit, and denies nothing else."""
_BREAK = expression(
    r"[.;:!?]\s|,\s|\s(?:while|whereas|but|unless)\s|\sand\s(?=(?:do|don|you|they|it|he|she|we|no|never"
    r"|nobody|must|may|shall|should|can)\b)",
    re.IGNORECASE,
)
_NAMES_LIMIT = expression(
    r"(?<!within\sthe\s)\b(?:limit|threshold|maximum|minimum|ceiling|cap|deadline|rate|target|allowance)\b",
    re.IGNORECASE,
)
_MOST_CASES = 100
"""Numbers of a claim that may be cases; further ones must stand in its sources."""
_GRANTED = expression(r"\b(?:has|have|had|gets?|given|gives?|grants?)\s+$", re.IGNORECASE)
_ONLY = expression(r"\bonly\s+(?:with|if|when|after|where|once)\b", re.IGNORECASE)
"""What is above a limit only if something is met is not above it."""
_EXCESS = expression(rf"\b{_HIGHER}", re.IGNORECASE)
_JUST = expression(r"\bonly\b", re.IGNORECASE)
_BELOW = expression(rf"\b{_LOWER}", re.IGNORECASE)
"""What is not below a number is at least that."""
_OPPOSITE = {Bound.AT_MOST: Bound.ABOVE, Bound.ABOVE: Bound.AT_MOST}


def _key(one: Quantity) -> tuple[QuantityKind, str]:
    return (one.kind, comparable(one))


def _agrees(one: _Said, other: _Said) -> bool:
    """Say whether two texts compare with one number alike, or the second bears out the first."""
    is_turned = one.is_negated is not other.is_negated or (
        one.bound is Bound.ABOVE and _ONLY.search(one.clause) is not None
    )
    if one.bound is other.bound or (is_turned and _OPPOSITE.get(one.bound) is other.bound):
        return True
    pair = {one.bound, other.bound}
    is_time = one.quantity.kind in _TIMES
    if is_turned and not is_time and (one.bound, other.bound) == (Bound.ABOVE, Bound.NONE):
        return _JUST.search(other.clause) is not None
    if is_turned and pair == {Bound.AT_MOST, Bound.AT_LEAST}:
        return _BELOW.search(one.clause) is not None
    return (
        _agrees_in_time(one, other, pair) if one.quantity.kind in _TIMES else _includes(one, other)
    )


def _includes(one: _Said, other: _Said) -> bool:
    """Say whether a number without a comparison is one that the other comparison holds at."""
    return one.bound is Bound.NONE and other.bound is not Bound.ABOVE


def _agrees_in_time(one: _Said, other: _Said, pair: set[Bound]) -> bool:
    if one.quantity.kind in _DAYS:
        return Bound.NONE in pair
    if other.bound is Bound.NONE:
        return one.bound is not Bound.AT_LEAST
    if pair == {Bound.NONE, Bound.ABOVE}:
        return True
    if pair == {Bound.AT_LEAST, Bound.ABOVE}:
        return not _EXCESS.search(f"{one.clause} {other.clause}")
    return _includes(one, other)


def _is_case(one: _Said, known: Sequence[_Said]) -> bool | None:
    """Say whether a bound of the sources holds for a quantity; None if none is of its unit."""
    value = value_of(one.quantity)
    fits = [
        _holds(value[0], other.bound, limit[0]) is (one.is_negated is other.is_negated)
        for other in known
        if other.bound is not Bound.NONE
        and other.quantity.kind == one.quantity.kind
        and (limit := value_of(other.quantity)) is not None
        and value is not None
        and limit[1] == value[1]
    ]
    return any(fits) if fits else None


def _holds(value: Decimal, bound: Bound, limit: Decimal) -> bool:
    if bound is Bound.AT_MOST:
        return value <= limit
    return value > limit or (bound is Bound.AT_LEAST and value == limit)


def _bounds(text: str) -> Iterator[BoundedQuantity]:
    previous: BoundedQuantity | None = None
    found = [one for one in quantities(text) if one.kind != "section" and not one.is_identifier]
    for one, following in zip(found, [*found[1:], None], strict=False):
        bound = _bound(text, one, previous, following)
        previous = BoundedQuantity(quantity=one, bound=bound)
        yield previous


def _bound(
    text: str, one: Quantity, previous: BoundedQuantity | None, following: Quantity | None
) -> Bound:
    """Return the comparison before a quantity, after it, or that of the one it is joined to."""
    if previous and previous.quantity.span == one.span:
        return previous.bound
    start = previous.quantity.span.char_end if previous else 0
    between = text[start : one.span.char_start]
    before = _CLAUSE_END.split(between[-_REACH:])[-1]
    if "+" in one.raw:
        return Bound.AT_LEAST
    patterns = (*_BEFORE_DAY, *_BEFORE) if one.kind in _DAYS else _BEFORE
    for bound, pattern in patterns:
        if pattern is _LATER and one.kind == "number":
            continue
        if pattern.search(before):
            ahead = bound is Bound.AT_MOST and _AHEAD.search(before)
            rest = text[one.span.char_end : one.span.char_end + _REACH]
            return Bound.AT_LEAST if ahead and _BEFOREHAND.match(rest) else bound
    end = following.span.char_start if following else len(text)
    after = text[one.span.char_end : min(end, one.span.char_end + _REACH)]
    for bound, pattern in _AFTER:
        match = pattern.match(after)
        if match and (following is None or after[match.end() :].strip()):
            return bound
    return previous.bound if previous and _JOINED.fullmatch(between) else Bound.NONE


def _folded(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "
