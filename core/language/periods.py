"""Times told without a number: "a week", "every quarter", "annually".

A statement may name a span of time or a frequency in other words than its source ("once a year" for
"annually", "four times a year" for "quarterly", "a week" for "7 days"), but no other one.
"""

import re
from collections.abc import Collection, Sequence

from core.expressions import expression
from core.language.quantities import comparable, quantities

_UNITS = (
    "second|minute|hour|day|night|week|fortnight|month|quarter|year|pay period|occurrence|instance"
)
_UNIT = rf"(?P<unit>{_UNITS.replace(' ', chr(92) + 's+')})"
_RATE = expression(
    r"(?:\b(?!(?:an?|one|1|the|any)\s+second\b)(?:an?|per|each|every|any|one|1|the(?=\s+\w+\s+(?:before|after)\b))\s+"
    rf"(?:(?:single|calendar|fiscal|business|working|full|other|one)\s+){{0,2}}|/\s?){_UNIT}(?![-\w]|\s+(?:copy|hand|opinion|time|longer|later|earlier|more)\b)"
    r"|\b(?P<adverb>hourly|daily|nightly|(?<!bi-)weekly|fortnightly|monthly|quarterly|annual(?:ly)?"
    r"|yearly|biennial(?:ly)?|semi-?annual(?:ly)?)\b",
    re.IGNORECASE,
)
_NAMED = expression(
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
    (expression(rf"\b(?:{words})\b", re.IGNORECASE), plain)
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
            r"bi-?weekly|every\s+(?:two|2)\s+weeks|every\s+(?:other|second)\s+week",
            "fortnightly",
        ),
        (
            r"(?:once|(?:one|1)\s+time)\s+(?:a|per|each|every)\s+year|every\s+(?:twelve|12)\s+months",
            "annually",
        ),
    )
)
_EQUAL = {
    "604800 second": "week",
    "1209600 second": "fortnight",
    "12 month": "year",
    "31449600 second": "year",
    "3 month": "quarter",
    "86400 second": "day",
    "3600 second": "hour",
}
"""Units that are told as so many of another one."""

_LENGTHS = (
    "second",
    "minute",
    "hour",
    "day",
    "night",
    "week",
    "fortnight",
    "month",
    "quarter",
    "half-year",
    "annual",
    "year",
    "two years",
)
"""Times from the shortest."""
_ADVERB = (
    r"(?P<adverb>daily|weekly|fortnightly|monthly|quarterly|annual(?:ly)?|yearly|semi-annually)"
)
_GAP = expression(
    rf"\b(?:no\s+{_UNIT}\s+(?:\w+\s+){{1,3}}?without|(?:not|n['\u2019]t|never)\s+(?:go|pass)\s+"
    rf"an?\s+(?P<other>{_UNITS.replace(' ', chr(92) + 's+')})\s+without)\b(?P<adverb>(?!))?",
    re.IGNORECASE,
)
"""At least so often: "no month may pass without a review"."""
_NOT_ONLY = expression(
    rf"(?:\bnot|n['\u2019]t)\s+(?:\w+\s+){{0,8}}?(?:just|only|merely|limited\s+to)\s+(?:\w+\s+){{0,2}}?"
    rf"(?:(?:once\s+)?(?:an?|per|every|each)\s+{_UNIT}|{_ADVERB})\b",
    re.IGNORECASE,
)
"""More often than that."""
_KIND_OF_YEAR = expression(
    r"\b(calendar|fiscal|tax|leave)\s(?:year|quarter|month|week)", re.IGNORECASE
)
_MONTH = expression(
    r"\b(January|February|April|June|July|August|September|October|November|December)\b"
)
"""Without those that are verbs too."""
_POINT = expression(
    r"\b(any\stime|(?<=\ba\s)second(?=\s(?!one\b)\w)|at\sall\stimes|(?:end|close)(?=\sof\s(?:the|each|every|that|business)\b)"
    r"|same(?=\s(?:\w+\s)?(?:day|week|month|quarter|year)))\b",
    re.IGNORECASE,
)
"""Points of time that need no number."""
_SAME_POINT = {"close": "end"}
_ANOTHER = expression(
    r"\b(?:another|alternate|backup|additional|again|repeat\w*|two|twice|further|extra|second\w*)\b",
    re.IGNORECASE,
)
"""What is told as a second one."""
_ALWAYS = expression(r"\b(?:always|continuously|around\s+the\s+clock|24/7)\b", re.IGNORECASE)


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
    named |= {_EQUAL[form] for one in quantities(there) if (form := comparable(one)) in _EQUAL}
    if "overnight" in there.casefold():
        named.add("night")
    if named & {"year", "annual"}:  # "every year" is annually, "twice a year" only in a year
        named |= {"year", "annual"}
    if "half-year" in named:
        named.add("year")
    said = plain_frequencies(claim)
    said, missing = _gaps(said, named)
    wanted = [_unit(match) for match in _RATE.finditer(_without(said, {"duration"}))]
    missing += [unit for unit in wanted if unit not in named]
    for pattern in (_KIND_OF_YEAR, _POINT, _MONTH):
        known = {_point(one) for one in pattern.findall(_ALWAYS.sub("at all times", there))}
        known |= {"second"} if _ANOTHER.search(there) else set()
        missing += [one for one in pattern.findall(said) if _point(one) not in known]
        said = _without(said, {"date"}) if pattern is _POINT else said
    return tuple(dict.fromkeys(missing))


def _gaps(said: str, named: Collection[str]) -> tuple[str, list[str]]:
    """Return a claim without the times that it only denies, and those that it denies wrongly.

    Who does something weekly lets no month pass without it, and not only does it once a year.
    """
    known = [_LENGTHS.index(unit) for unit in named if unit in _LENGTHS]
    shortest = min(known, default=len(_LENGTHS))
    wrong: list[str] = []
    for found in _GAP.finditer(said):
        unit = _unit(found)
        if unit in _LENGTHS and _LENGTHS.index(unit) < shortest:
            wrong.append(found[0])
    kept = _GAP.sub(" ", said)
    for found in reversed(list(_NOT_ONLY.finditer(kept))):
        unit = _unit(found)
        if unit in _LENGTHS and shortest < _LENGTHS.index(unit):
            kept = f"{kept[: found.start()]} {kept[found.end() :]}"
    return kept, wrong


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
    groups = match.groupdict()
    if groups["adverb"]:
        return _OF_ADVERB.get(groups["adverb"].casefold(), "annual")
    return " ".join((groups["unit"] or groups["other"]).casefold().split())
