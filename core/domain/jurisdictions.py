"""Countries as texts name them: by name, by demonym, or by a large city."""

import re

_COUNTRIES: dict[str, tuple[str, str, str]] = {
    "DE": ("Germany", "germany|germans?", "berlin|hamburg|munich|frankfurt|cologne"),
    "GB": (
        "United Kingdom",
        r"united kingdom|u\.?k\.?|great britain|british|england|scotland|wales",
        "london|manchester|birmingham|felixstowe|liverpool",
    ),
    "FR": ("France", "france|french", "paris|lyon|marseille"),
    "IT": ("Italy", "italy|italians?", "rome|milan"),
    "ES": ("Spain", "spain|spanish", "madrid|barcelona"),
    "NL": ("Netherlands", "netherlands|dutch", "amsterdam|rotterdam"),
    "BE": ("Belgium", "belgium|belgian", "brussels|antwerp"),
    "AT": ("Austria", "austria|austrian", "vienna"),
    "CH": ("Switzerland", "switzerland|swiss", "zurich|geneva"),
    "IE": ("Ireland", "ireland|irish", "dublin"),
    "PL": ("Poland", "poland|polish", "warsaw"),
    "SE": ("Sweden", "sweden|swedish", "stockholm"),
    "US": ("United States", r"united states|u\.s\.a?\.?|usa|american", "new york|california"),
    "CA": ("Canada", "canada|canadian", "toronto"),
    "IN": ("India", "india|indian", "mumbai|bangalore"),
    "CN": ("China", "china|chinese", "beijing|shanghai"),
    "JP": ("Japan", "japan|japanese", "tokyo"),
    "SG": ("Singapore", "singapore", ""),
    "AE": ("United Arab Emirates", "united arab emirates|uae", "dubai|abu dhabi"),
    "BR": ("Brazil", "brazil|brazilian", "sao paulo"),
    "AU": ("Australia", "australia|australian", "sydney|melbourne"),
}
"""ISO 3166 code: the name, patterns of the name and the demonym, large cities."""


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.])(?:{pattern})(?![\w])", re.IGNORECASE)


_COUNTRY = {code: _compiled(names) for code, (_, names, _) in _COUNTRIES.items()}
_PLACE = {
    code: _compiled(f"{names}|{cities}" if cities else names)
    for code, (_, names, cities) in _COUNTRIES.items()
}
_UPPER_ONLY = re.compile(r"(?<![\w.])US(?![\w.])")


def jurisdictions_in(text: str, *, with_cities: bool = False) -> frozenset[str]:
    """Return the ISO 3166 codes of the countries that a text names.

    By their cities too if asked.
    """
    patterns = _PLACE if with_cities else _COUNTRY
    found = {code for code, pattern in patterns.items() if pattern.search(text)}
    return frozenset(found | {"US"} if _UPPER_ONLY.search(text) else found)


def without_jurisdictions(text: str) -> str:
    """Return the text without the words that name a country.

    Cities stay, since rules name them too.
    """
    for pattern in _COUNTRY.values():
        text = pattern.sub(" ", text)
    return text


def country_name(code: str) -> str:
    """Return a country's name as people write it; the code itself for one that we don't know."""
    return _COUNTRIES[code][0] if code in _COUNTRIES else code


def country_code(name: str) -> str | None:
    """Return the code of the one country that a text names, or None."""
    found = jurisdictions_in(name, with_cities=True)
    return next(iter(found)) if len(found) == 1 else None
