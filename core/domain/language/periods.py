"""Times told without a number: "a week", "every quarter", "annually".

A statement may name a span of time or a frequency in other words than its source ("once a year" for
"annually", "four times a year" for "quarterly", "a week" for "7 days"), but no other one.
"""

import re
from collections.abc import Collection, Sequence

from core.domain.language.quantities import quantities

_UNITS = (
    "second|minute|hour|day|night|week|fortnight|month|quarter|year|pay period|occurrence|instance"
)
_UNIT = rf"(?P<unit>{_UNITS.replace(' ', chr(92) + 's+')})"
_RATE = re.compile(
    r"(?:\b(?:an?|per|each|every|any|one|1|the(?=\s+\w+\s+(?:before|after)\b))\s+"
    rf"(?:(?:single|calendar|fiscal|business|working|full|other|one)\s+){{0,2}}|/\s?){_UNIT}(?![-\w]|\s+(?:copy|hand|opinion|time|longer|later|earlier|more)\b)"
    r"|\b(?P<adverb>hourly|daily|nightly|(?<!bi-)weekly|fortnightly|monthly|quarterly|annual(?:ly)?"
    r"|yearly|biennial(?:ly)?|semi-?annual(?:ly)?)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"\b{_UNIT}s?\b|\b(?P<adverb>hourly|daily|nightly|(?:bi-?)?weekly|fortnightly|monthly|quarterly"
    r"|annual(?:ly)?|annum|yearly|yrs?|biennial(?:ly)?|semi-?annual(?:ly)?|anniversary)\b",
    re.IGNORECASE,
)
_OF_ADVERB = {
    "hourly": "hour",
    "daily": "day",
    "nightly": "night",
    "weekly": "week",
    "biweekly": "week",
    "bi-weekly": "week",
    "fortnightly": "fortnight",
    "monthly": "month",
    "quarterly": "quarter",
    "biennial": "two years",
    "biennially": "two years",
    "semiannual": "half-year",
    "semi-annual": "half-year",
    "semiannually": "half-year",
    "semi-annually": "half-year",
}
"""Of the others: once a year."""
_SAME = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), plain)
    for words, plain in (
        (
            r"(?:four|4)\s+times\s+(?:a|per|each|every)\s+year|every\s+(?:three|3)\s+months",
            "quarterly",
        ),
        (r"(?:twelve|12)\s+times\s+(?:a|per|each|every)\s+year", "monthly"),
        (
            r"(?:twice|two\s+times|2\s+times)\s+(?:a|per|each|every)\s+year|every\s+(?:six|6)\s+months",
            "semi-annually",
        ),
        (
            r"(?:once|(?:one|1)\s+time)\s+(?:a|per|each|every)\s+year|every\s+(?:twelve|12)\s+months",
            "annually",
        ),
    )
)
_EQUAL = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), unit)
    for words, unit in (
        (r"(?:seven|7)\W{0,3}(?:\(?7\)?\s+)?(?:calendar\s+)?days", "week"),
        (r"(?:fourteen|14|two\s+weeks|2\s+weeks)(?:\s+days)?", "fortnight"),
        (r"(?:twelve|12)\W{1,3}(?:\(?12\)?\s+)?months?|52\s+weeks", "year"),
        (r"(?:three|3)\W{1,3}months", "quarter"),
        (r"overnight", "night"),
        (r"(?:twenty-four|24)\W{1,3}(?:\(?24\)?\s+)?hours?", "day"),
    )
)

_KIND_OF_YEAR = re.compile(
    r"\b(calendar|fiscal|tax|leave)\s(?:year|quarter|month|week)", re.IGNORECASE
)
_MONTH = re.compile(
    r"\b(January|February|April|June|July|August|September|October|November|December)\b"
)
"""Without those that are verbs too."""
_POINT = re.compile(
    r"\b(any\stime|at\sall\stimes|(?:end|close)(?=\sof\s(?:the|each|every|that|business)\b)"
    r"|same(?=\s(?:\w+\s)?(?:day|week|month|quarter|year)))\b",
    re.IGNORECASE,
)
"""Points of time that need no number."""
_SAME_POINT = {"close": "end"}


def plain_frequencies(text: str) -> str:
    """Return the text with each frequency that has a word of its own in that word."""
    for pattern, plain in _SAME:
        text = pattern.sub(plain, text)
    return text


def missing_periods(claim: str, sources: Sequence[str]) -> tuple[str, ...]:
    """Return the units of time that `claim` names as a span or frequency and no source has.

    Args:
        claim: A statement.
        sources: The cited texts.
    """
    there = plain_frequencies(" ".join(sources))
    named = {_unit(match) for match in _NAMED.finditer(_without(there, {"duration"}))}
    named |= {unit for pattern, unit in _EQUAL if pattern.search(there)}
    if named & {"year", "annual"}:  # "every year" is annually, "twice a year" only in a year
        named |= {"year", "annual"}
    if "half-year" in named:
        named.add("year")
    said = plain_frequencies(claim)
    wanted = [_unit(match) for match in _RATE.finditer(said)]
    missing = [unit for unit in wanted if unit not in named]
    for pattern in (_KIND_OF_YEAR, _POINT, _MONTH):
        known = {_point(one) for one in pattern.findall(there)}
        missing += [one for one in pattern.findall(said) if _point(one) not in known]
        said = _without(said, {"date"}) if pattern is _POINT else said
    return tuple(dict.fromkeys(missing))


def _point(raw: str) -> str:
    plain = " ".join(raw.casefold().split())
    return _SAME_POINT.get(plain, plain)


def _without(text: str, kinds: Collection[str]) -> str:
    """Return a text without its quantities of some kinds, but for a single unit of time."""
    pieces: list[str] = []
    position = 0
    for one in quantities(text):
        if one.kind in kinds and not one.canonical.startswith("1 "):
            pieces.append(text[position : one.span.char_start])
            position = max(position, one.span.char_end)
    return " ".join([*pieces, text[position:]])


def _unit(match: re.Match[str]) -> str:
    if match["adverb"]:
        return _OF_ADVERB.get(match["adverb"].casefold(), "annual")
    return " ".join(match["unit"].casefold().split())
