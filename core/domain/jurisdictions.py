"""Countries as texts name them: by name, by demonym, or by a large city."""

import re
from collections.abc import Mapping

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
    "AR": ("Argentina", "argentina|argentinian|argentine", ""),
    "BG": ("Bulgaria", "bulgaria|bulgarian", ""),
    "CL": ("Chile", "chile|chilean", ""),
    "CO": ("Colombia", "colombia|colombian", ""),
    "CY": ("Cyprus", "cyprus|cypriot", ""),
    "CZ": ("Czech Republic", "czech republic|czechia|czech", ""),
    "DK": ("Denmark", "denmark|danish", ""),
    "EE": ("Estonia", "estonia|estonian", ""),
    "EG": ("Egypt", "egypt|egyptian", ""),
    "FI": ("Finland", "finland|finnish", ""),
    "GR": ("Greece", "greece|greek", ""),
    "HK": ("Hong Kong", "hong kong", ""),
    "HR": ("Croatia", "croatia|croatian", ""),
    "HU": ("Hungary", "hungary|hungarian", ""),
    "ID": ("Indonesia", "indonesia|indonesian", ""),
    "IL": ("Israel", "israel|israeli", ""),
    "IS": ("Iceland", "iceland|icelandic", ""),
    "BY": ("Belarus", "belarus|belarusian", ""),
    "CU": ("Cuba", "cuba|cuban", ""),
    "IR": ("Iran", "iran|iranian", ""),
    "KP": ("North Korea", "north korea|north korean", ""),
    "SY": ("Syria", "syria|syrian", ""),
    "KR": ("South Korea", "south korea|korea|korean", ""),
    "LT": ("Lithuania", "lithuania|lithuanian", ""),
    "LU": ("Luxembourg", "luxembourg", ""),
    "LV": ("Latvia", "latvia|latvian", ""),
    "MT": ("Malta", "malta|maltese", ""),
    "MX": ("Mexico", "mexico|mexican", ""),
    "MY": ("Malaysia", "malaysia|malaysian", ""),
    "NO": ("Norway", "norway|norwegian", ""),
    "NZ": ("New Zealand", "new zealand", ""),
    "PT": ("Portugal", "portugal|portuguese", ""),
    "QA": ("Qatar", "qatar|qatari", ""),
    "RO": ("Romania", "romania|romanian", ""),
    "RS": ("Serbia", "serbia|serbian", ""),
    "RU": ("Russia", "russia|russian", ""),
    "SA": ("Saudi Arabia", "saudi arabia|saudi", ""),
    "SI": ("Slovenia", "slovenia|slovenian", ""),
    "SK": ("Slovakia", "slovakia|slovak", ""),
    "TH": ("Thailand", "thailand|thai", ""),
    "TR": ("Turkey", "t\u00fcrkiye|(?<=in )turkey|(?-i:Turkey)|turkish", ""),
    "TW": ("Taiwan", "taiwan|taiwanese", ""),
    "UA": ("Ukraine", "ukraine|ukrainian", ""),
    "VN": ("Vietnam", "vietnam|vietnamese", ""),
    "ZA": ("South Africa", "south africa|south african", ""),
}
"""ISO 3166 code: the name, patterns of the name and the demonym, large cities."""


NAMES: Mapping[str, str] = {code: name for code, (name, _, _) in _COUNTRIES.items()}
"""ISO 3166 code to the country's name."""
WRITTEN: Mapping[str, tuple[str, ...]] = {
    "AE": ("UAE", "U.A.E.", "Abu Dhabi"),
    "CZ": ("Czechia",),
    "GB": ("UK", "U.K.", "Great Britain"),
    "NL": ("the Netherlands",),
    "US": ("USA", "U.S.", "U.S.A.", "United States of America"),
}
"""Other names of countries, as texts in English write them, in their case."""


def _compiled(patterns: Mapping[str, str]) -> re.Pattern[str]:
    """Return one pattern of all countries, the group of a match named by the country's code."""
    each = "|".join(f"(?P<{code}>{pattern})" for code, pattern in patterns.items())
    return re.compile(rf"(?<![\w.])(?:{each})(?![\w])", re.IGNORECASE)


_COUNTRY = _compiled({code: names for code, (_, names, _) in _COUNTRIES.items()})
_PLACE = _compiled(
    {
        code: f"{names}|{cities}" if cities else names
        for code, (_, names, cities) in _COUNTRIES.items()
    }
)
_UPPER_ONLY = re.compile(r"(?<![\w.])US(?![\w.])")


def jurisdictions_in(text: str, *, with_cities: bool = False) -> frozenset[str]:
    """Return the ISO 3166 codes of the countries that a text names.

    By their cities too if asked.
    """
    pattern = _PLACE if with_cities else _COUNTRY
    found = {str(match.lastgroup) for match in pattern.finditer(text)}
    return frozenset(found | {"US"} if _UPPER_ONLY.search(text) else found)


def without_jurisdictions(text: str) -> str:
    """Return the text without the words that name a country.

    Cities stay, since rules name them too.
    """
    return _COUNTRY.sub(" ", text)


def country_name(code: str) -> str:
    """Return a country's name as people write it; the code itself for one that we don't know."""
    return _COUNTRIES[code][0] if code in _COUNTRIES else code


def country_code(name: str) -> str | None:
    """Return the code of the one country that a text names, or None."""
    found = jurisdictions_in(name, with_cities=True)
    return next(iter(found)) if len(found) == 1 else None
