"""What a short reply to a question back says: an option, a country, a kind of work. Pure."""

import re
from collections.abc import Sequence

from core.agent.facets import EMPLOYMENT, JURISDICTION
from core.domain.question import Assumption
from core.language.content_words import words
from core.language.jurisdictions import country_code, country_name

_CHOICE = re.compile(
    r"^(?:i(?:'d|'ll|\s+would|\s+will)?\s+(?:choose|take|pick|mean|meant|want)\s+)?"
    r"(?:the\s+)?(?:(?:option|number|no\.?|answer|choice|case)\s*|#)?"
    r"(?P<which>\d{1,3}|[a-z]+)(?:st|nd|rd|th)?"
    r"(?:\s+(?:one|option|answer|choice|case))?(?:,?\s+please)?$",
    re.IGNORECASE,
)
_NUMBER_WORDS: tuple[tuple[str, ...], ...] = (
    ("first", "one"),
    ("second", "two"),
    ("third", "three"),
    ("fourth", "four"),
    ("fifth", "five"),
    ("sixth", "six"),
)
_DENIES = re.compile(r"\b(?:not|neither|nor|except|other than)\b|n't\b", re.IGNORECASE)
_WHO = re.compile(
    r"\b(?:employees?|contractors?|freelancers?|interns?|apprentices?|managers?|directors?)\b",
    re.IGNORECASE,
)
_SHORT = 7
"""Words up to which a reply names one fact."""


def option_chosen(text: str, options: Sequence[str]) -> str | None:
    """Return which of the options a reply chooses, by its place or its name."""
    folded = text.strip(" .!()").casefold().replace("\u2019", "'")
    place = _place(folded, len(options))
    if place is not None:
        return options[place - 1]
    if _DENIES.search(folded):
        return None
    named = [option for option in options if option.casefold() in folded]
    return named[0] if len(named) == 1 and len(words(text)) <= _SHORT else None


def _place(folded: str, count: int) -> int | None:
    """Return which of `count` options a reply names by its place, from 1 ("the second one")."""
    found = _CHOICE.match(folded)
    if found is None:
        return None
    which = found["which"]
    if which.isdecimal():
        place = int(which)
    elif which == "last":
        place = count
    else:
        place = next((n for n, names in enumerate(_NUMBER_WORDS, 1) if which in names), 0)
    return place if 1 <= place <= count else None


def value_told(text: str, slot: str) -> str:
    """Return the country or the kind of work that a short reply names; else its words."""
    if len(words(text)) > _SHORT or _DENIES.search(text):
        return text
    if slot == JURISDICTION:
        code = country_code(text)
        return text if code is None else country_name(code)
    if slot == EMPLOYMENT:
        named = {match[0].casefold().removesuffix("s") for match in _WHO.finditer(text)}
        return named.pop() if len(named) == 1 else text
    return text


def more_told(text: str, slot: str) -> tuple[Assumption, ...]:
    """Return what a short reply tells beside what was asked for ("UK, employee")."""
    other = EMPLOYMENT if slot == JURISDICTION else JURISDICTION
    if slot not in {EMPLOYMENT, JURISDICTION}:
        return ()
    value = value_told(text, other)
    is_told = value != text and len(words(text)) > 1
    return (Assumption(slot=other, value=value, source="asker"),) if is_told else ()
