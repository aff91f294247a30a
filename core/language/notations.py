"""How quantities are written: a pattern and a reader for each notation, in order of precedence."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from core.language.numerals import (
    DIGIT,
    DIGITS,
    FIRST_WORDS,
    GLUED,
    MONEY_NAME,
    MONTH_NAME,
    NOT_WITHIN,
    NUMBER,
    NUMERAL,
    NUMERAL_IN_WORDS,
    NUMERAL_OR_ORDINAL,
    PLACES,
    PUNCTUATED,
    RANGE,
    SHARE,
    SPACED_DIGITS,
    TIME,
    TIME_UNIT,
    YEAR_FIRST,
    Sign,
    ordinal_value,
    plain,
    scale_of,
    values_of,
)
from core.language.text_cache import OpenedPattern

QuantityKind: TypeAlias = Literal[
    "amount", "percentage", "duration", "date", "time", "section", "number"
]
"""What a quantity measures."""

Reader: TypeAlias = Callable[[re.Match[str]], tuple[str, ...]]
"""The canonical forms of a match; none if it is not a quantity after all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """One way of writing a kind of quantity."""

    kind: QuantityKind
    """What it measures."""
    source: str
    """Regular expression that finds it, whatever the case."""
    read: Reader
    """Says what it is."""
    needs: tuple[Sign, ...]
    """What every match of it contains, all of them, the rarest first."""

    @property
    def pattern(self) -> re.Pattern[str] | OpenedPattern:
        """Finds it; compiled at the first use, since all together take a tenth of a second."""
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[str] | OpenedPattern:
    pattern = re.compile(source, re.IGNORECASE)
    if not source.startswith(NOT_WITHIN):
        return pattern
    return OpenedPattern(pattern=pattern, opening=FIRST_WORDS, opens_with_digits=True)


_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MONTH = r"(?P<month>" + "|".join(f"{m[:3]}(?:{m[3:]})?" for m in _MONTHS) + r"|Sept)\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_CURRENCIES = {
    "EUR": r"\u20ac|EUR\b|euros?\b",
    "USD": r"US\s?\$|USD\b|U\.?S\.? dollars?\b",
    "GBP": r"\u00a3|GBP\b|pounds?(?: sterling)?\b|British pounds?\b",
    "CHF": r"CHF\b|Swiss francs?\b",
    "AUD": r"A\$|AUD\b|Australian dollars?\b",
    "CAD": r"C\$|CAD\b|Canadian dollars?\b",
    "SGD": r"S\$|SGD\b|Singapore dollars?\b",
    "HKD": r"HK\$|HKD\b|Hong Kong dollars?\b",
    "JPY": r"\u00a5|JPY\b|yen\b",
    "INR": r"\u20b9|INR\b|rupees?\b",
    "AED": r"AED\b|dirhams?\b",
    "CNY": r"CNY\b|RMB\b|yuan\b",
    **{code: rf"{code}\b" for code in ("SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "ZAR", "BRL")},
}
_CURRENCY = "(?:" + "|".join([*_CURRENCIES.values(), r"\$|dollars?\b"]) + ")"
_GAP = r"[\s\u00a0\u202f*_]{0,3}"
_MONEY = rf"(?:{SPACED_DIGITS}|{NUMBER})"
_SCALE = r"(?:\s?(?:k|mn|mio|m|bn)\b|\s(?:hundred|thousand|million|billion)\b)"
_PLAIN_SCALE = r"(?:k\b|\s(?:thousand|million|billion)\b)"
_TO = r"(?:(?<=[\d)%])\s?[-\u2013]\s?|\s(?:to|or|\u2013)\s)"
_ADJECTIVE = (
    r"(?:(?P<adjective>business|working|work|banking|trading|calendar|consecutive|continuous|full|clear)[\s-]"
    r"(?:calendar[\s-])?)?"
)
_UNIT_NAMES = {
    "second": "second",
    "sec": "second",
    "minute": "minute",
    "min": "minute",
    "hour": "hour",
    "hr": "hour",
    "h": "hour",
    "day": "day",
    "week": "week",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "yr": "year",
}
_UNIT = (
    r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|quarters?|years?"
    r"|yrs?)\b"
)
_ORDINAL_VALUE = (
    r"(?:\d+(?=(?:st|nd|rd|th)\b)|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth"
    r"|ninth|tenth)\b)"
)
_PLACE_NAMES = {
    "\u00a7": "section",
    "sec": "section",
    "art": "article",
    "para": "paragraph",
    "reg": "regulation",
    "cl": "clause",
    "app": "appendix",
}
_PLACE = (
    r"(?:\b(?P<place>sections?|secs?\.|articles?|arts?\.|rules?|clauses?|chapters?|paragraphs?|paras?\.?"
    r"|parts?|annex(?:es)?|appendix|appendices|schedules?|regulations?|requirements?|steps?)"
    r"|(?P<sign>\u00a7{1,2}))"
)
_PLACE_NUMBER = (
    r"(?:\d+[A-Za-z]?(?:\.\d+)*(?:\.?\([0-9A-Za-z]{1,4}\))*|(?-i:[A-Z](?:\.?\d+)*))(?![\w%])"
)
_PLACE_NEXT = r"(?:\s?(?:,|-|\u2013|;|and|or|to|through|,\s?and|,\s?or|&)\s?)"
_COUNTED = (
    r"\s?(?:[$%\u20ac\u00a3]|(?:(?:business|working|calendar)\s)?(?:hour|day|week|month|year|employee"
    r"|percent|per\s?cent|euro|dollar)s?\b)"
)
_NOT_ONE = r"(?:(?<!no )(?<!any )(?<!some)(?<!every )(?<!each )(?<!the )(?<!this )(?<!that ))"


@lru_cache(maxsize=128)
def _currency_of(raw: str) -> str:
    """Return the ISO 4217 code of a currency as written."""
    for code, pattern in _CURRENCIES.items():
        if re.fullmatch(pattern, raw.strip(), re.IGNORECASE):
            return code
    return "USD"


def _amount(match: re.Match[str]) -> tuple[str, ...]:
    groups = match.groupdict()
    code = _currency_of(groups.get("code") or groups.get("before") or groups.get("after") or "$")
    if groups.get("before") and groups.get("code"):
        code = _currency_of(groups["code"] or "")
    forms: list[str] = []
    for name in ("low", "value"):
        raw = groups.get(name)
        if raw:
            scale = scale_of(groups.get(f"{name}_scale"))
            forms += [f"{code} {plain(v * scale)}" for v in values_of(raw, dot_groups=True)]
    return tuple(forms)


def _percentage(match: re.Match[str]) -> tuple[str, ...]:
    unit = "bp" if match["unit"].casefold().startswith(("bp", "basis")) else "%"
    raws = [raw for raw in (match["low"], match["value"]) if raw]
    return tuple(f"{plain(value)} {unit}" for raw in raws for value in values_of(raw))


def _duration(match: re.Match[str]) -> tuple[str, ...]:
    unit = _UNIT_NAMES[match["unit"].casefold().rstrip("s") or "s"]
    adjective = (match["adjective"] or "").casefold()
    if adjective in {"business", "working", "work", "banking"}:
        unit = f"business_{unit}"
    elif adjective == "trading":
        unit = f"trading_{unit}"
    forms: list[str] = []
    more = Decimal("0.5") if match.groupdict().get("half") else Decimal(0)
    for raw, added in ((match["low"], Decimal(0)), (match["value"], more)):
        if raw:
            value = ordinal_value(raw)
            values = (Decimal(value),) if value is not None else values_of(raw)
            forms += [f"{plain(value + added)} {unit}" for value in values]
    return tuple(forms) or (f"{plain(more)} {unit}",)


def _named_date(match: re.Match[str]) -> tuple[str, ...]:
    groups = match.groupdict()
    month = 1 + next(i for i, name in enumerate(_MONTHS) if name[:3] == match["month"][:3].title())
    day = int(groups.get("day") or 0)
    return _date_form(groups.get("year"), month, day)


def _date_form(year: str | None, month: int, day: int) -> tuple[str, ...]:
    """Return the ISO form of a date, or nothing if there is no such day."""
    longest = 31
    if not 1 <= month <= len(_MONTHS) or day > longest:
        return ()
    form = f"{year or '-'}-{month:02}"
    return (f"{form}-{day:02}",) if day else (form,)


def _numeric_date(match: re.Match[str]) -> tuple[str, ...]:
    first, second, year = int(match["a"]), int(match["b"]), match["year"]
    if match["mark"] == "." or first > len(_MONTHS):
        return _date_form(year, second, first)
    if second > len(_MONTHS) or first == second:
        return _date_form(year, first, second)
    return (f"{first}/{second}/{year}",)


def _iso_date(match: re.Match[str]) -> tuple[str, ...]:
    return _date_form(match["year"], int(match["month"]), int(match["day"]))


def _time(match: re.Match[str]) -> tuple[str, ...]:
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    half = (match["half"] or "").casefold()[:1]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return (f"{hour:02}:{minute:02}",)


def _section(match: re.Match[str]) -> tuple[str, ...]:
    word = (match["place"] or "\u00a7").casefold().rstrip(".")
    word = {"appendices": "appendix", "annexes": "annex"}.get(word, word)
    if word not in _PLACE_NAMES and word.endswith("s"):
        word = word[:-1]
    word = _PLACE_NAMES.get(word, word)
    numbers = re.findall(_PLACE_NUMBER, match["numbers"])
    return tuple(f"{word} {number.replace('.(', '(')}" for number in numbers)


def _identifier(match: re.Match[str]) -> tuple[str, ...]:
    return (match[0].casefold(),)


def _number(match: re.Match[str]) -> tuple[str, ...]:
    raw, scale = match["value"], scale_of(match["scale"])
    values = values_of(raw)
    if not values or (re.fullmatch(r"\d+\.\d+", raw) and scale == 1 and not raw.endswith(".000")):
        return (raw,)
    return tuple(plain(value * scale) for value in values)


def _each(
    *,
    kind: QuantityKind,
    read: Reader,
    patterns: Sequence[str],
    needs: Sequence[Sign] = (DIGIT,),
) -> Iterator[Notation]:
    for pattern in patterns:
        yield Notation(kind=kind, source=pattern, read=read, needs=tuple(needs))


NOTATIONS: tuple[Notation, ...] = (
    *_each(
        kind="date",
        read=_iso_date,
        needs=(YEAR_FIRST, DIGIT),
        patterns=[r"(?<![\d-])(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?![\d-])"],
    ),
    *_each(
        kind="date",
        read=_numeric_date,
        needs=(PUNCTUATED, DIGIT),
        patterns=[
            r"(?<![\d./])(?P<a>\d{1,2})(?P<mark>[./])(?P<b>\d{1,2})(?P=mark)(?P<year>(?:19|20)\d\d)\b"
        ],
    ),
    *_each(
        kind="date",
        read=_named_date,
        needs=(MONTH_NAME, DIGIT),
        patterns=[
            rf"(?<![\d.,]){_DAY}\s(?:of\s)?(?-i:{_MONTH}),?(?:\s{_YEAR}\b)?",
            rf"\b(?-i:{_MONTH})\s{_DAY}(?![\d.,]*\d)(?:,?\s{_YEAR}\b)?",
            rf"\b(?-i:{_MONTH}),?\s{_YEAR}\b",
        ],
    ),
    *_each(
        kind="time",
        read=_time,
        needs=(TIME, DIGIT),
        patterns=[
            r"(?<![\d:.])(?P<hour>\d{1,2})(?:[:.](?P<minute>[0-5]\d))?\s?(?P<half>[ap])\.?m\b\.?",
            r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?![\d:])(?P<half>)",
        ],
    ),
    *_each(
        kind="section",
        read=_section,
        needs=(PLACES,),
        patterns=[
            rf"{_PLACE}(?:\s|(?<=[.\u00a7])|(?!(?-i:[A-Z])))(?P<numbers>{_PLACE_NUMBER}(?:{_PLACE_NEXT}{_PLACE_NUMBER}(?!{_COUNTED}))*)"
        ],
    ),
    *_each(
        kind="amount",
        read=_amount,
        needs=(MONEY_NAME, NUMERAL, RANGE),
        patterns=[
            rf"(?P<before>(?<![A-Za-z]){_CURRENCY}){_GAP}(?P<low>{_MONEY})(?P<low_scale>{_SCALE})?"
            rf"{_TO}(?P<value>{_MONEY})(?P<value_scale>{_SCALE})?(?:{_GAP}(?P<code>{_CURRENCY}))?"
            rf"(?![\w%]|\s?(?:%|per\s?cent|days?|months?|years?))",
        ],
    ),
    *_each(
        kind="amount",
        read=_amount,
        needs=(MONEY_NAME, NUMERAL),
        patterns=[
            rf"(?P<before>(?<![A-Za-z]){_CURRENCY}){_GAP}(?P<value>{_MONEY})(?P<value_scale>{_SCALE})?"
            rf"(?:{_GAP}(?P<code>[A-Z]{{3}}\b(?<=EUR|USD|GBP|CHF|AUD|CAD|SGD|HKD|JPY|INR|AED|CNY)))?",
            rf"{NOT_WITHIN}(?:(?P<low>{_MONEY})(?P<low_scale>{_SCALE})?{_TO})?(?P<value>{_MONEY})"
            rf"(?P<value_scale>{_SCALE})?{_GAP}(?P<after>{_CURRENCY})",
        ],
    ),
    *_each(
        kind="percentage",
        read=_percentage,
        needs=(SHARE, NUMERAL),
        patterns=[
            rf"{NOT_WITHIN}(?:(?P<low>{NUMBER})\s?%?{_TO})?(?P<value>{NUMBER}){_GAP}"
            r"(?P<unit>%|per\s?cent\b|percent\b|pct\b|percentage points?\b|bps?\b|basis points?\b)"
        ],
    ),
    *_each(
        kind="duration",
        read=_duration,
        needs=(TIME_UNIT, NUMERAL_OR_ORDINAL),
        patterns=[
            rf"{NOT_WITHIN}(?:(?P<low>{NUMBER}){_TO})?(?P<value>{NUMBER})(?P<half>\sand\sa\shalf)?"
            rf"\+?(?:{_GAP}|-){_ADJECTIVE}{_UNIT}",
            rf"\b(?P<half>half)(?:\san?\s|[\s-])(?P<low>)(?P<value>){_ADJECTIVE}{_UNIT}",
            rf"{NOT_WITHIN}(?P<low>)(?P<value>{_ORDINAL_VALUE})(?:st|nd|rd|th)?\s{_ADJECTIVE}{_UNIT}",
        ],
    ),
    *_each(
        kind="number",
        read=_identifier,
        needs=(GLUED, DIGIT),
        patterns=[
            r"(?<!\w)[^\W\d_]+[-_/]?\d[\w-]*|(?<![\w.,])\d+(?!(?:st|nd|rd|th|k)\b)[^\W\d_]\w*"
        ],
    ),
    *_each(
        kind="number",
        read=_number,
        patterns=[rf"(?P<value>{DIGITS})(?P<scale>{_PLAIN_SCALE})?"],
    ),
    *_each(
        kind="number",
        read=_number,
        needs=(NUMERAL_IN_WORDS,),  # what stands in digits is taken
        patterns=[
            rf"{_NOT_ONE}(?P<value>{NUMBER})(?P<scale>{_PLAIN_SCALE})?(?!\s(?:of|or\smore|another)\b)",
        ],
    ),
)
"""Earlier notations take their text from later ones."""
