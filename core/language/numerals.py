"""Numbers as people write them, in digits and in words, as exact decimals.

`NUMBER` is the pattern of one number; `values_of` says which number it is. A word that repeats its
digits ("thirty (30)") is one number; where the two differ ("thirty (60)") it is both.
"""

import re
from decimal import Decimal

_UNITS = "one two three four five six seven eight nine".split(" ")  # noqa: SIM905
_TEENS = (
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
_VALUES = {
    "zero": 0,
    "a": 1,
    **{word: value for value, word in enumerate(_UNITS, start=1)},
    **{word: value for value, word in enumerate(_TEENS, start=10)},
    **{word: 10 * value for value, word in enumerate(_TENS, start=2)},
    **{word: value for value, word in enumerate(ORDINALS, start=1)},
}
_SCALES = {
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "k": 1_000,
    "m": 1_000_000,
    "mn": 1_000_000,
    "mio": 1_000_000,
    "bn": 1_000_000_000,
}

NUMERALS = (*_UNITS, *_TEENS, *_TENS, "zero", "hundred", "thousand")
"""Words of which each number in words has one."""

_JOIN = r"[\s-]{1,3}"
_ONES = f"(?:{'|'.join(_UNITS)})"
_BELOW_HUNDRED = (
    f"(?:(?:{'|'.join(_TENS)})(?:{_JOIN}{_ONES}\\b)?|(?:{'|'.join(_TEENS)})|{_ONES}|zero)"
)
_BELOW_THOUSAND = (
    f"(?:(?:(?:{_ONES}|a){_JOIN})?hundred(?:{_JOIN}(?:and{_JOIN})?{_BELOW_HUNDRED})?"
    f"|{_BELOW_HUNDRED})"
)
WORDS = (
    rf"(?:\b(?=[zotfsenha][nwhoielu\s-])(?:(?:(?:{_BELOW_THOUSAND}|a){_JOIN})?thousand(?:{_JOIN}(?:and{_JOIN})?{_BELOW_THOUSAND})?"
    rf"|{_BELOW_THOUSAND})\b)"
)
"""A number in words, up to 999,999; to be compiled with `re.IGNORECASE`. Its first two letters are
looked at first, since most words are no numbers."""

_SPACES = "\u00a0\u202f\u2009"
DIGITS = (
    rf"(?:(?<![\d.,])\d{{1,3}}(?:[{_SPACES}]\d{{3}}(?!\d)){{1,6}}(?:[.,]\d+)?"
    rf"|\d++(?:[.,'\u2019]\d++)*+)"
)
"""A number in digits, with separators of thousands and decimals; up to seven groups with spaces."""

SPACED_DIGITS = r"(?:\b\d{1,3}(?: \d{3}(?!\d)){1,6}(?:,\d+)?(?![\d.,]\d))"
"""Digits with plain spaces between thousands: a number only beside a currency."""

NOT_WITHIN = r"(?<![\w.])(?<!\d[,'\u2019])"
"""Where a number may begin: not within another one, of which hostile text has thousands."""

NUMBER = rf"(?:{WORDS}\s?\(\s?{DIGITS}\s?\)|{WORDS}|{DIGITS})"
"""A number in words, in digits, or in words repeated in digits."""

_REPEATED = re.compile(rf"({WORDS})\s?\(\s?({DIGITS})\s?\)", re.IGNORECASE)
_GROUPS = re.compile(r"\d{1,3}(?:([.,'\u2019 ])\d{3})(?:\1\d{3})*$")
_MIXED = re.compile(r"(\d{1,3}(?:,\d{2,3})+)\.(\d+)$|(\d{1,3}(?:[. '\u2019]\d{3})+),(\d+)$")


def values_of(raw: str, *, dot_groups: bool = False) -> tuple[Decimal, ...]:
    """Return the number that `raw` (a match of `NUMBER`) means.

    Args:
        raw: The number as written.
        dot_groups: True where "1.000" is a thousand (money); elsewhere it is one.

    Returns:
        One value; two if words and digits disagree; none if it is no decimal ("4.2.1").
    """
    repeated = _REPEATED.fullmatch(raw.strip())
    if repeated:
        values = (_from_words(repeated[1]), *_digits(repeated[2], dot_groups=dot_groups))
        return tuple(dict.fromkeys(values))
    if raw.strip()[:1].isdigit():
        return _digits(raw.strip(), dot_groups=dot_groups)
    return (_from_words(raw),)


def scale_of(suffix: str | None) -> int:
    """Return what a suffix ("k", "million") multiplies by; 1 for none."""
    return _SCALES.get((suffix or "").strip().casefold(), 1)


def ordinal_value(word: str) -> int | None:
    """Return the value of "first" to "tenth", or None."""
    return _VALUES[word.casefold()] if word.casefold() in ORDINALS else None


def plain(value: Decimal) -> str:
    """Return the shortest decimal notation without an exponent ("1000", "0.5")."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _digits(raw: str, *, dot_groups: bool) -> tuple[Decimal, ...]:
    """Return the value of a number in digits, or nothing."""
    text = re.sub(f"[{_SPACES}]", " ", raw)
    mixed = _MIXED.match(text)
    if mixed:
        whole, fraction = (mixed[1], mixed[2]) if mixed[1] else (mixed[3], mixed[4])
        return (Decimal(re.sub(r"\D", "", whole) + "." + fraction),)
    groups = _GROUPS.match(text)
    if groups and (groups[1] != "." or dot_groups or text.count(".") > 1 or text.endswith(".000")):
        return (Decimal(re.sub(r"\D", "", text)),)
    parts = re.split(r"[.,'\u2019 ]", text)
    if len(parts) == 1:
        return (Decimal(text),)
    if len(parts) == 2 and re.search(r"[.,]", text):  # noqa: PLR2004
        return (Decimal(".".join(parts)),)
    if re.fullmatch(r"\d{1,3}(?:,\d{2,3})+", text):
        return (Decimal("".join(parts)),)
    return ()


def _from_words(raw: str) -> Decimal:
    """Return the value of a number in words."""
    total = group = 0
    for word in re.findall(r"[a-z]+", raw.casefold()):
        if word == "hundred":
            group = max(group, 1) * 100
        elif word in _SCALES:
            total += max(group, 1) * _SCALES[word]
            group = 0
        else:
            group += _VALUES.get(word, 0)
    return Decimal(total + group)
