"""Countries as texts name them: by name, demonym or a large city."""

import re

_COUNTRIES: dict[str, tuple[str, str]] = {
    "DE": ("Germany", r"germany|german|germans|berlin|hamburg|munich|frankfurt"),
    "GB": (
        "United Kingdom",
        r"united kingdom|u\.?k\.?|great britain|british|england|scotland|wales|london|manchester",
    ),
    "FR": ("France", r"france|french|paris"),
    "IT": ("Italy", r"italy|italian|rome|milan"),
    "ES": ("Spain", r"spain|spanish|madrid|barcelona"),
    "NL": ("Netherlands", r"netherlands|dutch|amsterdam|rotterdam"),
    "BE": ("Belgium", r"belgium|belgian|brussels|antwerp"),
    "AT": ("Austria", r"austria|austrian|vienna"),
    "CH": ("Switzerland", r"switzerland|swiss|zurich|geneva"),
    "IE": ("Ireland", r"ireland|irish|dublin"),
    "PL": ("Poland", r"poland|polish|warsaw"),
    "SE": ("Sweden", r"sweden|swedish|stockholm"),
    "US": ("United States", r"united states|u\.s\.a?\.?|usa|american|new york|california"),
    "CA": ("Canada", r"canada|canadian|toronto"),
    "IN": ("India", r"india|indian|mumbai|bangalore"),
    "CN": ("China", r"china|chinese|beijing|shanghai"),
    "JP": ("Japan", r"japan|japanese|tokyo"),
    "SG": ("Singapore", r"singapore"),
    "AE": ("United Arab Emirates", r"united arab emirates|uae|dubai|abu dhabi"),
    "BR": ("Brazil", r"brazil|brazilian"),
    "AU": ("Australia", r"australia|australian|sydney"),
}
_PATTERNS = {
    code: re.compile(rf"(?<![\w.])(?:{pattern})(?![\w])", re.IGNORECASE)
    for code, (_, pattern) in _COUNTRIES.items()
}
_UPPER_ONLY = re.compile(r"(?<![\w.])US(?![\w.])")


def jurisdictions_in(text: str) -> frozenset[str]:
    """Return the ISO 3166 codes of the countries that a text names."""
    found = {code for code, pattern in _PATTERNS.items() if pattern.search(text)}
    return frozenset(found | {"US"} if _UPPER_ONLY.search(text) else found)


def without_jurisdictions(text: str) -> str:
    """Return the text without the words that name a country."""
    for pattern in _PATTERNS.values():
        text = pattern.sub(" ", text)
    return text


def country_name(code: str) -> str:
    """Return a country's name as people write it; the code itself for one that we don't know."""
    return _COUNTRIES.get(code, (code, ""))[0]


def country_code(name: str) -> str | None:
    """Return the code of the one country that a text names, or None."""
    found = jurisdictions_in(name)
    return next(iter(found)) if len(found) == 1 else None
