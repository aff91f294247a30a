"""Figures with their units, alike in English, German, French and Spanish.

"EUR 1,000", "1.000 Euro" and "1 000 €" are one figure; "thirty days" and "30 jours" another. For a
sentence beside its translation: `quantities` reads more, and English alone.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from core.expressions import expression
from core.language.languages import Language

READ = 2_000
"""Characters of a text that are read."""
_UNITS: Mapping[str, str] = {
    "EUR": r"eur|euros?|€",
    "USD": r"usd|us-dollars?|u\.?s\.? dollars?|dollars?|dólar(?:es)?|\$",
    "GBP": r"gbp|pounds?|pfund|livres?|libras?|£",
    "CHF": r"chf|francs?|franken|francos?",
    "%": r"%|per ?cent|prozent|pour cent|por ciento",
    "minute": r"minutes?|minuten|minutos?",
    "hour": r"hours?|stunden?|heures?|horas?",
    "working day": r"(?:working|business) days?|arbeitstage?n?|geschäftstage?n?"
    r"|jours? ouvrés?|días? (?:hábil(?:es)?|laborables?)",
    "workday, Saturday too": r"werktage?n?|jours? ouvrables?",
    "calendar day": r"calendar days?|kalendertage?n?|jours? calendaires?|días? naturales?",
    "day": r"days?|(?:urlaubs|krankheits|kranken|ferien)?tage?n?|jours?|días?",
    "week": r"weeks?|wochen?|semaines?|semanas?",
    "month": r"months?|monate?n?|mois|mes(?:es)?",
    "quarter": r"quarters?|quartale?n?|trimestres?",
    "year": r"years?|jahre?n?|ans?|années?|años?",
    "time": r"times|mal|fois|veces",
    "kg": r"kg|kilos?|kilograms?|kilogramm",
    "km": r"km|kilomet(?:er|re)s?|kilomètres?|kilómetros?",
    "m": r"m|met(?:er|re)s?|mètres?|metros?",
    "character": r"characters?|zeichen|caractères?|caracteres?",
    "person": r"persons?|people|personen|personnes?|personas?",
}
_MONTHS = (
    r"january|januar|jänner|janvier|enero",
    r"february|februar|février|febrero",
    r"march|märz|mars|marzo",
    r"april|avril|abril",
    r"may|mai|mayo",
    r"june|juni|juin|junio",
    r"july|juli|juillet|julio",
    r"august|août|agosto",
    r"september|septembre|septiembre|setiembre",
    r"october|oktober|octobre|octubre",
    r"november|novembre|noviembre",
    r"december|dezember|décembre|diciembre",
)
_WORDS: Mapping[Language, str] = {
    Language.ENGLISH: "zero - two three four five six seven eight nine ten eleven twelve thirteen"
    " fourteen fifteen sixteen seventeen eighteen nineteen twenty",
    Language.GERMAN: "null - zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn"
    " vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    Language.FRENCH: "zéro - deux trois quatre cinq six sept huit neuf dix onze douze treize"
    " quatorze quinze seize dix-sept dix-huit dix-neuf vingt",
    Language.SPANISH: "cero - dos tres cuatro cinco seis siete ocho nueve diez once doce trece"
    " catorce quince dieciséis diecisiete dieciocho diecinueve veinte",
}
_TENS: Mapping[Language, str] = {
    Language.ENGLISH: "thirty forty fifty sixty seventy eighty ninety hundred",
    Language.GERMAN: "dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert",
    Language.FRENCH: "trente quarante cinquante soixante soixante-dix quatre-vingts"
    " quatre-vingt-dix cent",
    Language.SPANISH: "treinta cuarenta cincuenta sesenta setenta ochenta noventa cien",
}
_MORE: Mapping[Language, Mapping[str, int]] = {
    Language.ENGLISH: {"twice": 2, "half": -2, "thousand": 1_000},
    Language.GERMAN: {
        "zweimal": 2,
        "dreimal": 3,
        "halb": -2,
        "halbe": -2,
        "halben": -2,
        "hälfte": -2,
        "hundert": 100,
        "tausend": 1_000,
    },
    Language.FRENCH: {"demi": -2, "moitié": -2, "mille": 1_000},
    Language.SPANISH: {"medio": -2, "media": -2, "mitad": -2, "mil": 1_000, "ciento": 100},
}
"""Half is -2: no figure is negative."""
_ONE: Mapping[Language, str] = {
    Language.ENGLISH: r"one",
    Language.GERMAN: r"eine[rmns]?|ein",
    Language.FRENCH: r"une?",
    Language.SPANISH: r"una?",
}


def _named(language: Language) -> dict[str, int]:
    small = {word: n for n, word in enumerate(_WORDS[language].split()) if word != "-"}
    tens = {word: 30 + 10 * n for n, word in enumerate(_TENS[language].split())}
    return small | tens | dict(_MORE[language])


_NAMED = {language: _named(language) for language in _WORDS}
_DIGITS = expression(r"(?<![\w.,])\d(?:[\d.,'\u00a0\u202f]|(?: (?=\d{3}(?!\d))))*")
_AFTER = expression(
    r"[\s\u00a0\u202f-]{0,2}(?:(?:consecutive|full|aufeinander\s?folgenden?|vollen?|consécutifs?"
    r"|consecutivos?)\s)?(?:"
    + "|".join(f"(?P<u{n}>{words})" for n, words in enumerate(_UNITS.values()))
    + "|"
    + "|".join(f"(?P<m{n}>{words})" for n, words in enumerate(_MONTHS))
    + r")(?!\w)"
)
_ORDINAL = expression(r"(?:st|nd|rd|th|er|º|\.º|\.(?=\s?[a-zäöü]))|(?:\s?de(?=\s))")
_LONGEST_UNIT = 14
"""Characters before a figure in which its unit is looked for."""
_CURRENCIES = 4
"""Units that stand before a figure, too: the first of them."""
_BEFORE = expression(
    "(?:"
    + "|".join(f"(?P<u{n}>{words})" for n, words in enumerate(_UNITS.values()) if n < _CURRENCIES)
    + "|"
    + "|".join(f"(?P<m{n}>{words})" for n, words in enumerate(_MONTHS))
    + r")[\s\u00a0\u202f]?$"
)
_TIMES = frozenset({"twice", "zweimal", "dreimal"})
_SCALES: Mapping[str, str] = {"s0": "thousand", "s1": "million", "s2": "billion"}
_SCALE = expression(
    r"[\s\u00a0\u202f]?(?:(?P<s2>billions?|milliarden?|mrd\.?|milliards?|mil millones)"
    r"|(?P<s1>millions?|millionen?|mio\.?|millones|millón)|(?P<s0>thousand|tausend|mille|mil))"
    r"(?!\w)(?: de(?!\w)| d')?"
)
_NAMES = tuple(_UNITS)
_YEAR = 4
"""Digits of a year, which stands beside a month in some languages alone."""


def figures_in(text: str, language: Language) -> Counter[tuple[str, str]]:
    """Return the figures of a text, each with its unit; empty for a language that is not known."""
    if language not in _NAMED:
        return Counter()
    return Counter(_figures(text[:READ].replace("\u2019", "'").lower(), language))


def _figures(text: str, language: Language) -> Iterator[tuple[str, str]]:
    for one in _DIGITS.finditer(text):
        raw = one[0].rstrip(".,' \u00a0\u202f")
        end = one.start() + len(raw)
        value = _value(raw, language)
        scale = _SCALE.match(text, end)
        if scale:
            value, end = f"{value} {_SCALES[str(scale.lastgroup)]}", scale.end()
        unit = _unit(text, one.start(), end)
        yield value, "" if unit.startswith("month ") and len(value) == _YEAR else unit
    for one in _WORD[language].finditer(text):
        unit = "time" if one[0] in _TIMES else _unit(text, one.start(), one.end())
        yield str(_NAMED[language][one[0]]), unit
    for one in _SINGLE[language].finditer(text):
        # "one" is an article in the others: a figure only before a unit.
        unit = _unit_after(text, one.end())
        if unit:
            yield "1", unit


def _value(raw: str, language: Language) -> str:
    """Return a number as it is compared; what is no plain number stays as it is."""
    kept = re.sub(r"[ '\u00a0\u202f]", "", raw)
    thousands, decimal = (",", ".") if language is Language.ENGLISH else (".", ",")
    grouped = re.fullmatch(
        rf"\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+(?:{re.escape(decimal)}\d+)?", kept
    )
    if grouped:
        kept = kept.replace(thousands, "")
    kept = kept.replace(",", ".") if kept.count(",") == 1 and "." not in kept else kept
    try:
        return str(Decimal(kept).normalize().__format__("f"))
    except InvalidOperation:
        return kept


def _unit(text: str, start: int, end: int) -> str:
    found = _unit_after(text, end)
    if found:
        return found
    near = text[max(0, start - _LONGEST_UNIT) : start]
    before = _BEFORE.search(near)
    if before and before.start() and near[before.start() - 1].isalnum():
        return ""  # the end of another word
    return _named_by(before)


def _unit_after(text: str, end: int) -> str:
    rest = text[end : end + 60]
    ordinal = _ORDINAL.match(rest)
    found = _AFTER.match(rest[ordinal.end() :] if ordinal else rest) or _AFTER.match(rest)
    return _named_by(found)


def _named_by(found: re.Match[str] | None) -> str:
    if found is None or found.lastgroup is None:
        return ""
    kind, number = found.lastgroup[0], int(found.lastgroup[1:])
    return _NAMES[number] if kind == "u" else f"month {number + 1}"


_WORD = {
    language: expression(
        r"(?<![\w-])(?:"
        + "|".join(sorted(map(re.escape, named), key=len, reverse=True))
        + r")(?![\w-])"
    )
    for language, named in _NAMED.items()
}
_SINGLE = {
    language: expression(rf"(?<![\w-])(?:{words})(?![\w-])") for language, words in _ONE.items()
}
