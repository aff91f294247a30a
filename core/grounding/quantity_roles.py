"""What a number does in its clause: per what it is, how often, from what and which way it counts.

A claim may have every number of its source and still say something else with it: "60 days before"
for "within 60 days of", "every 30 days" for "within 30 days", "EUR 500 per repair" for "a year",
"30 days from the request" for "from the delivery", 60 and 90 days the wrong way round.

Of 398 statements about 54 policies with another number or time it finds 3 % that no other check
finds, and none of 1,299 supported ones.

- A role that only one of the two names is no difference, but for the way "before".
- Sources may say several things with one number: one occurrence that agrees is enough.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from core.expressions import expression
from core.language.content_words import families
from core.language.quantities import Quantity, comparable, quantities
from core.language.spans import TextSpan
from core.language.text_cache import cached_by_text


class Way(StrEnum):
    """On which side of an event a span of time lies."""

    BEFORE = "before"
    AFTER = "after"
    EITHER = "of"
    NONE = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantityRole:
    """A quantity with what its clause does with it."""

    quantity: Quantity
    """The quantity."""
    key: tuple[str, str]
    """Its kind and the form in which equal ones are the same."""
    rates: frozenset[str] = frozenset()
    """Per what it is, nouns in the singular ("night", "year"); empty if nothing says so."""
    is_repeated: bool = False
    """True for "every 30 days"."""
    way: Way = Way.NONE
    """On which side of its event a duration lies."""
    is_deadline: bool = False
    """True for "within 30 days"."""
    event: frozenset[str] = frozenset()
    """Families of the words for the event that a duration counts from."""
    head: frozenset[str] = frozenset()
    """Those of them that say what kind of event it is."""
    around: frozenset[str] = frozenset()
    """Families of the words beside it in its clause."""


_REACH = 80
"""Characters before and behind a number in which its role stands."""
_BESIDE = 6
"""Words before and behind a number that are compared if it may be exchanged for another one."""
_SPAN = expression(
    r"(?<=within\s)an?(?=\s(?:second|minute|hour|day|week|month|quarter|year)\b)", re.IGNORECASE
)
_MOST = 300
"""Numbers of a text that are compared; no text that is cited has so many."""
_TIMES = "second|minute|hour|day|night|week|fortnight|month|quarter|year|pay\\s+period"
_RATE = expression(
    r"[\s)]*(?:[A-Z]{3}\b)?(?:\s(?:in\s)?(?:aggregate|total))?"
    r"\s?(?:(?:(?:per|a|an|each|every|in\s(?:a|an|any|each|one))\s|/\s?)"
    r"(?:(?:single|calendar|fiscal|given|full|one|\w+[\s-]week)\s)*(?P<noun>[A-Za-z]+(?:\speriod)?)"
    r"|(?P<adverb>hourly|daily|nightly|weekly|monthly|quarterly|annually|yearly)\b)"
)
_AND = expression(r",?\s+and(?=\s)")
"""Between two rates of one number: "per person and per year"."""
_OF_ADVERB = {"daily": "day", "annually": "year"}
_NO_RATE = frozenset({"few", "lot", "time", "copy", "maximum", "minimum", "row", "result"})
_EVERY = expression(r"\b(?:every|each|once\s+in)\s+$", re.IGNORECASE)
_WITHIN = expression(
    r"\b(?:within|no\s+later\s+than|not\s+later\s+than|in\s+the\s+first)"
    r"(?:\s+(?:an?|the|period|of|a\s+maximum|first|next|at\s+most))*\s+$",
    re.IGNORECASE,
)
_PAST = expression(r"\b(?:past|last|previous|preceding|prior)\s+$", re.IGNORECASE)
_AHEAD = expression(
    r"\s*(?:['\u2019]\s*)?(?:\([^()]{0,20}\)\s*)?(?:before\b|prior\b|in\s+advance\b|ahead\b"
    r"|beforehand\b|preceding\b|leading\s+up\b|earlier\b|(?:of\s+)?(?:advance\s+)?(?:notice|warning)\b)",
    re.IGNORECASE,
)
_BEHIND = expression(
    r"\s*(?:\([^()]{0,20}\)\s*)?(?:after\b|following\b|from\b|upon\b|since\b|once\b|later\b"
    r"|afterwards\b)",
    re.IGNORECASE,
)
_OPEN = expression(r"\s*(?:\([^()]{0,20}\)\s*)?of\b", re.IGNORECASE)
_AHEAD_OF_ALL = expression(
    r"\b(?:before|prior|advance|ahead|beforehand|earlier|preced\w*|pre-?\w+|until|notice|last|past)\b",
    re.IGNORECASE,
)
"""Where a source looks ahead of an event in any way."""
_SAME_EVENT = {
    **dict.fromkeys(
        ("awar", "aware", "notic", "disco", "know", "knowl", "known", "find", "found"), "learn"
    ),
    **dict.fromkeys(("emplo", "begin", "comme", "hire", "hir", "join", "onboa"), "start"),
    **dict.fromkeys(("recei", "get", "given", "arriv"), "recei"),
}
"""Families of words for one event: somebody learns of something, starts, or is given something."""
_EVENT_END = expression(
    r"[.;:,()]|\s(?:and|but|unless|if|when|must|may|shall|should|can|will|for|by)\s"
)
_OF = expression(r"\s(?:of|each|every|per|in|on|to)\s")
"""Before what an event belongs to."""
_GENERIC = expression(
    r"\b(?:date|day|time|moment|point|end|completion|conclu\w+|finish\w*|initial|first|the|th|original|actual)\b",
    re.IGNORECASE,
)
"""Words that say of an event that it is one, or is over."""
_CLAUSE_END = expression(r"[.;:,!?]\s|\n")
_CAPITAL = expression(r"\b[A-Z](?=[a-z])")
"""For "QLE", where a source says "Qualifying Life Event"."""
_WORD = expression(r"[^\W\d_]{3,}")


def roles_kept(claim: str, sources: Sequence[str]) -> str | None:
    """Say which number of `claim` does something else in its sources, or None.

    A number that no source has is left to `missing_quantities`.
    """
    text = "\n".join(sources)
    there = _roles(_counted(text))
    is_ahead = _AHEAD_OF_ALL.search(text) is not None
    for one in _roles(_counted(claim)):
        same = [other for other in there if other.key == one.key]
        if not same:
            continue
        reasons = [_differs(one, other, is_ahead=is_ahead) for other in same]
        if all(reasons):
            return f"{one.quantity.raw!r}: {reasons[0]}"
        if _is_exchanged(one, same, there):
            return f"{one.quantity.raw!r} is said of something else in the source"
    return None


def _counted(text: str) -> str:
    """Return a text with "a year" as "one year" where it is a span of time."""
    return _SPAN.sub("one", text)


def _differs(one: QuantityRole, other: QuantityRole, *, is_ahead: bool) -> str | None:
    """Say what a number of the claim does that the same one of the sources does not."""
    is_other_rate = one.rates and other.rates and not one.rates & other.rates
    if is_other_rate and (_is_time(one) or _is_time(other)):
        return f"claim says per {min(one.rates)}, source per {min(other.rates)}"
    if one.is_repeated and other.is_deadline:
        return "claim says every, source within"
    ways = {one.way, other.way}
    if ways == {Way.BEFORE, Way.AFTER}:
        return f"claim says {one.way.value}, source {other.way.value}"
    if one.way is Way.BEFORE and other.way is Way.EITHER and not is_ahead:
        return "claim says before, source does not"
    if one.head and other.event and not one.head & other.event:
        return "claim counts it from another event"
    return None


def _is_time(one: QuantityRole) -> bool:
    return any(re.fullmatch(_TIMES, rate) for rate in one.rates)


def _is_exchanged(
    one: QuantityRole, same: Sequence[QuantityRole], there: Sequence[QuantityRole]
) -> bool:
    """Say whether what the claim says of a number the sources say of another one of its unit."""
    unit = _unit(one)
    if one.quantity.canonical == "1":  # a "one" stands for its noun
        return False
    others = [
        other
        for other in there
        if other.quantity.kind == one.quantity.kind
        and _unit(other) == unit
        and other.key != one.key
        and all(other.quantity.span != shared.quantity.span for shared in same)
    ]
    own = [one.around & other.around for other in same]
    return any(all(one.around & other.around > shared for shared in own) for other in others)


def _unit(one: QuantityRole) -> str:
    number, _, unit = one.quantity.canonical.partition(" ")
    return number if one.quantity.kind == "amount" else unit


_NOTHING = Quantity(kind="number", canonical="", span=TextSpan(char_start=0, char_end=0), raw="")
"""In the place of a quantity, to compare what is done with two."""


@cached_by_text()
def _roles(text: str) -> tuple[QuantityRole, ...]:
    """Return the roles of a text's numbers, each once, of at most the first `_MOST`."""
    found = {replace(one, quantity=_NOTHING): one for one in islice(_read(text), _MOST)}
    return tuple(found.values())


def _read(text: str) -> Iterator[QuantityRole]:
    found = [
        one
        for one in quantities(text)
        if one.kind not in {"section", "date", "time"} and not one.is_identifier
    ]
    for one, following in zip(found, [*found[1:], None], strict=False):
        end = following.span.char_start if following else len(text)
        before = text[max(0, one.span.char_start - _REACH) : one.span.char_start]
        behind = text[one.span.char_end : one.span.char_end + _REACH]
        is_duration = one.kind == "duration"
        is_counted = is_duration and not _PAST.search(before)
        way = _way(behind) if is_duration else Way.NONE
        yield QuantityRole(
            quantity=one,
            key=(one.kind, comparable(one)),
            rates=frozenset(_rates(behind)),
            is_repeated=is_duration and _EVERY.search(before) is not None,
            is_deadline=is_duration and _WITHIN.search(before) is not None,
            way=way,
            event=_event(behind) if is_counted else frozenset(),
            head=_head(behind) if is_counted else frozenset(),
            around=_around(before, behind[: max(0, end - one.span.char_end)]),
        )


def _rates(behind: str) -> Iterator[str]:
    found = _RATE.match(behind)
    while found is not None:
        if found["adverb"]:
            adverb = found["adverb"].casefold()
            yield _OF_ADVERB.get(adverb, adverb.removesuffix("ly"))
        else:
            noun = " ".join(found["noun"].casefold().split())
            if noun not in _NO_RATE and not quantities(noun):
                yield noun
        joint = _AND.match(behind, found.end())
        found = _RATE.match(behind, joint.end()) if joint else None


def _way(behind: str) -> Way:
    if _AHEAD.match(behind):
        return Way.BEFORE
    if _BEHIND.match(behind):
        return Way.AFTER
    return Way.EITHER if _OPEN.match(behind) else Way.NONE


def _event(behind: str) -> frozenset[str]:
    for pattern in (_AHEAD, _BEHIND, _OPEN):
        found = pattern.match(behind)
        if found:
            return _event_words(_EVENT_END.split(behind[found.end() :])[0])
    return frozenset()


def _head(behind: str) -> frozenset[str]:
    """Return what an event is, without what it belongs to ("release" of "its release in May")."""
    for pattern in (_AHEAD, _BEHIND, _OPEN):
        found = pattern.match(behind)
        if found:
            parts = _OF.split(_EVENT_END.split(behind[found.end() :])[0])
            said = [_event_words(part) for part in parts]
            return next((one for one in said if one), said[0])
    return frozenset()


def _event_words(text: str) -> frozenset[str]:
    said = families(_GENERIC.sub(" ", text))
    initials = "".join(_CAPITAL.findall(text)).casefold()
    return frozenset(_SAME_EVENT.get(one, one) for one in said) | ({initials} - {""})


def _around(before: str, behind: str) -> frozenset[str]:
    left = _WORD.findall(_CLAUSE_END.split(before)[-1])[-_BESIDE:]
    right = _WORD.findall(_CLAUSE_END.split(behind)[0])[:_BESIDE]
    return families(" ".join([*left, *right]))
