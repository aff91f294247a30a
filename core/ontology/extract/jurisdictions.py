"""Jurisdictions named in a text, with their ISO 3166 codes."""

import re
from collections.abc import Mapping

from core.language.jurisdictions import NAMES, WRITTEN

_WITHIN: Mapping[str, str] = {
    "EU": "European Union", "US-CA": "California", "US-NY": "New York", "US-TX": "Texas",
    "US-FL": "Florida", "US-IL": "Illinois", "US-WA": "Washington State", "US-MA": "Massachusetts",
    "US-NJ": "New Jersey", "US-CO": "Colorado", "US-VA": "Virginia", "US-DE": "Delaware",
}  # fmt: skip
"""Jurisdictions that are no country: ISO 3166-2 codes, and "EU", reserved there for the Union."""
_JURISDICTIONS: Mapping[str, str] = {**NAMES, **_WITHIN}
_ALIASES: Mapping[str, str] = {
    **{written: code for code, names in WRITTEN.items() for written in names},
    "EU": "EU",
    "E.U.": "EU",
    "EEA": "EU",
}
_CODES = {**{name: code for code, name in _JURISDICTIONS.items()}, **_ALIASES}
_NAMED = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(sorted(map(re.escape, _CODES), key=len, reverse=True))
    + r")(?![\w-])"
)
_IN_A_NAME = re.compile(
    r"\s(?:[A-Z][\w-]+\s){0,5}(?:Act|Code|Law|Convention|Directive|Regulation)\b"
)


def jurisdictions(text: str) -> tuple[str, ...]:
    """Return the codes of the jurisdictions named in `text`; the names of laws name none."""
    found = [
        _CODES[match[0]]
        for match in _NAMED.finditer(text)
        if not _IN_A_NAME.match(text, match.end())
    ]
    return tuple(dict.fromkeys(found))


def jurisdiction_name(code: str) -> str:
    """Return the name of a jurisdiction; the code itself if it is not known."""
    return _JURISDICTIONS.get(code.upper(), code.upper())


def jurisdiction_aliases(code: str) -> tuple[str, ...]:
    """Return other names of a jurisdiction."""
    return (code, *(alias for alias, of in _ALIASES.items() if of == code and alias != code))
