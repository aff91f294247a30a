"""Jurisdictions named in a text, with their ISO 3166 codes."""

import re
from collections.abc import Mapping

COUNTRIES: Mapping[str, str] = {
    "AE": "United Arab Emirates", "AR": "Argentina", "AT": "Austria", "AU": "Australia",
    "BE": "Belgium", "BG": "Bulgaria", "BR": "Brazil", "CA": "Canada", "CH": "Switzerland",
    "CL": "Chile", "CN": "China", "CO": "Colombia", "CY": "Cyprus", "CZ": "Czech Republic",
    "DE": "Germany", "DK": "Denmark", "EE": "Estonia", "EG": "Egypt", "ES": "Spain",
    "EU": "European Union", "FI": "Finland", "FR": "France", "GB": "United Kingdom",
    "GR": "Greece", "HK": "Hong Kong", "HR": "Croatia", "HU": "Hungary", "ID": "Indonesia",
    "IE": "Ireland", "IL": "Israel", "IN": "India", "IS": "Iceland", "IT": "Italy",
    "JP": "Japan", "KR": "South Korea", "LT": "Lithuania", "LU": "Luxembourg", "LV": "Latvia",
    "MT": "Malta", "MX": "Mexico", "MY": "Malaysia", "NL": "Netherlands", "NO": "Norway",
    "NZ": "New Zealand", "PL": "Poland", "PT": "Portugal", "QA": "Qatar", "RO": "Romania",
    "RS": "Serbia", "SA": "Saudi Arabia", "SE": "Sweden", "SG": "Singapore", "SI": "Slovenia",
    "SK": "Slovakia", "TH": "Thailand", "TR": "Turkey", "TW": "Taiwan", "UA": "Ukraine",
    "US": "United States", "VN": "Vietnam", "ZA": "South Africa", "RU": "Russia", "IR": "Iran",
    "KP": "North Korea", "SY": "Syria", "CU": "Cuba", "BY": "Belarus",
    "US-CA": "California", "US-NY": "New York", "US-TX": "Texas", "US-FL": "Florida",
    "US-IL": "Illinois", "US-WA": "Washington State", "US-MA": "Massachusetts",
    "US-NJ": "New Jersey", "US-CO": "Colorado", "US-VA": "Virginia", "US-DE": "Delaware",
}  # fmt: skip
"""ISO 3166 code to the name used for a jurisdiction; "EU" is reserved there for the Union."""

_ALIASES: Mapping[str, str] = {
    "UK": "GB",
    "U.K.": "GB",
    "Great Britain": "GB",
    "EU": "EU",
    "E.U.": "EU",
    "EEA": "EU",
    "USA": "US",
    "U.S.": "US",
    "U.S.A.": "US",
    "United States of America": "US",
    "UAE": "AE",
    "the Netherlands": "NL",
    "Abu Dhabi": "AE",
    "Czechia": "CZ",
}
_CODES = {**{name: code for code, name in COUNTRIES.items()}, **_ALIASES}
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
    return COUNTRIES.get(code.upper(), code.upper())


def jurisdiction_aliases(code: str) -> tuple[str, ...]:
    """Return other names of a jurisdiction."""
    return (code, *(alias for alias, of in _ALIASES.items() if of == code and alias != code))
