"""Countries as texts name them: by name, by demonym, or by a large city."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.expressions import expression

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
    return expression(rf"(?<![\w.])(?:{each})(?![\w])", re.IGNORECASE)


_COUNTRY = _compiled({code: names for code, (_, names, _) in _COUNTRIES.items()})
_PLACE = _compiled(
    {
        code: f"{names}|{cities}" if cities else names
        for code, (_, names, cities) in _COUNTRIES.items()
    }
)
_UPPER_ONLY = expression(r"(?<![\w.])US(?![\w.])")


_WAY = expression(
    r"\b(?:to|from|via|into|through|towards?|visit(?:ing)?|leav(?:e|ing)|enter(?:ing)?)"
    r"\s+(?:the\s+)?$",
    re.IGNORECASE,
)
"""What stands before a country to which, or from which, somebody goes or works."""
_STAY = expression(
    r"\b(?:work(?:ing)?|liv(?:e|ing)|stay(?:ing)?|spend(?:ing)?|travel\w*|trips?|holidays?|vacation"
    r"|remote(?:ly)?|abroad|relocat\w*|mov(?:e|ing)|driv(?:e|ing)|rent(?:ing)?|conference|hotels?)"
    r"\b[^.?!;]{0,30}\b(?:in|at)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
"""What stands before a country in which somebody wants to stay ("Can I work in Spain?")."""
_OWN = expression(
    r"(?:(?<!\bcan )(?<!\bmay )(?<!\bmust )(?<!\bdo )(?<!\bif )(?<!\bwhen )(?<!\bshould )"
    r"(?<!\bcould )(?<!\bwhile )(?<!\bam )(?<!\bare )"
    r"\b(?:i|we)(?:\s*['\u2019]?m|\s+am|\s*['\u2019]re|\s+are)?"
    r"(?:\s+(?:currently|now|actually|also|based|employed|located|working|work|live|living|sit"
    r"|sitting|here|usually|normally|as|an?|employees?|contractors?|freelancers?|consultants?"
    r"|interns?|apprentices?|trainees?|managers?)){0,6}\s+(?:in|from|out of)"
    r"|\bhere in|\b(?:my|our)\s+(?:office|contract|job|team|country|location)\s+is(?:\s+in)?"
    r"|\A(?:(?:sorry|no|actually|well)\W++){1,3}(?:(?:in|i meant?|it\s*+['\u2019]?s)\s++)?)"
    r"\s*+(?:the\s++)?\Z",
    re.IGNORECASE,
)
"""What stands before a country that somebody gives as their own ("I work in", "no, I meant")."""
_REACH = 90
"""Characters before a country that are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCountry:
    """Where a text names a country."""

    code: str
    """ISO 3166."""
    start: int
    """First character of the name."""
    end: int
    """Character after it."""
    is_own: bool
    """True: whoever writes says that they are, or work, there."""
    is_destination: bool
    """True: somebody goes there, comes from there or wants to stay there, so that nothing is known
    of the country whose rules hold for them."""


def countries_named(text: str, *, with_cities: bool = False) -> Iterator[NamedCountry]:
    """Yield the countries that a text names, in order; by their cities too if asked."""
    pattern = _PLACE if with_cities else _COUNTRY
    found = [(match.start(), match.end(), str(match.lastgroup)) for match in pattern.finditer(text)]
    found += [(match.start(), match.end(), "US") for match in _UPPER_ONLY.finditer(text)]
    for start, end, code in sorted(found):
        before = text[max(0, start - _REACH) : start]
        is_own = _OWN.search(before) is not None
        is_left = _WAY.search(before) is not None or _STAY.search(before) is not None
        yield NamedCountry(
            code=code,
            start=start,
            end=end,
            is_own=is_own,
            is_destination=is_left and not is_own,
        )


def own_country(text: str) -> str | None:
    """Return the one country in which the writer of a text says that they are or work."""
    told = {one.code for one in countries_named(text, with_cities=True) if one.is_own}
    return next(iter(told)) if len(told) == 1 else None


def rules_of(text: str) -> frozenset[str]:
    """Return the countries whose rules a question may be about.

    One to which somebody goes is none: "Can I work from Spain?" does not say where they are
    employed.
    """
    named = countries_named(text, with_cities=True)
    return frozenset(one.code for one in named if not one.is_destination)


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
