"""Numbers as people write them, in digits and in words, as exact decimals.

`NUMBER` is the pattern of one number; `values_of` says which number it is. A word that repeats its
digits ("thirty (30)") is one number; where the two differ ("thirty (60)") it is both.

`signs_of` says what a text contains of what stands wherever a number of some kind does: most
sentences have no date, amount or share, and the pattern of each takes long to find that out.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from core.expressions import expression
from core.language.text_cache import cached_by_text, word_set, words_of

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
FIRST_WORDS = frozenset((*NUMERALS, *ORDINALS, "a"))
"""Words with which one may begin there ("a hundred", "third"), if not with digits."""

NUMBER = rf"(?:{WORDS}\s?\(\s?{DIGITS}\s?\)|{WORDS}|{DIGITS})"
"""A number in words, in digits, or in words repeated in digits."""

_REPEATED = expression(rf"({WORDS})\s?\(\s?({DIGITS})\s?\)", re.IGNORECASE)
_GROUPS = expression(r"\d{1,3}(?:([.,'\u2019 ])\d{3})(?:\1\d{3})*$")
_MIXED = expression(r"(\d{1,3}(?:,\d{2,3})+)\.(\d+)$|(\d{1,3}(?:[. '\u2019]\d{3})+),(\d+)$")


def values_of(raw: str, *, dot_groups: bool = False) -> tuple[Decimal, ...]:
    """Return the number that `raw` (a match of `NUMBER`) means.

    Args:
        raw: The number as written.
        dot_groups: True where "1.000" is a thousand (money); elsewhere it is one.

    Returns:
        One value; two if words and digits disagree; none if it is no decimal ("4.2.1").
    """
    if raw.isdecimal():
        return (Decimal(raw),)
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


_DIGITS = expression(r"\d")
_JOINTS = ("-", "/")


def has_digit(text: str) -> bool:
    """Return whether a text has a digit of any script."""
    return _DIGITS.search(text) is not None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sign:
    """What all matches of a slow pattern contain, and is found soon."""

    words: frozenset[str] = frozenset()
    """Words of which a text has one."""
    is_digit: bool = False
    """Or else any digit."""
    pattern: re.Pattern[str] | None = None
    """Or else what a text in lower case has."""
    in_words: re.Pattern[str] | None = None
    """Or else what it has where a word touches a digit or an underscore ("5h", "EUR5", "5_h")."""
    needs_digit: bool = False
    """True for what no text without a digit has."""
    is_joined: bool = False
    """True for what no text has in which letters never touch a digit, a hyphen or a slash."""


DIGIT = Sign(is_digit=True)
NUMERAL_IN_WORDS = Sign(words=frozenset(NUMERALS))
NUMERAL = Sign(is_digit=True, words=frozenset(NUMERALS))
NUMERAL_OR_ORDINAL = Sign(is_digit=True, words=frozenset(("half", *NUMERALS, *ORDINALS)))
RANGE = Sign(
    words=frozenset(NUMERALS),
    pattern=expression(r"(?:[-\u2013]\s?|\s(?:to|or|\u2013)\s)\d"),
)
YEAR_FIRST = Sign(pattern=expression(r"\d-\d"), needs_digit=True)
PUNCTUATED = Sign(pattern=expression(r"\d[./]\d"), needs_digit=True)
GLUED = Sign(pattern=expression(r"[^\W\d_][-_/]?\d|\d[^\W\d_]"), needs_digit=True, is_joined=True)
MONTH_NAME = Sign(
    words=word_set(
        "january february march april may june july august september october november december"
        " jan feb mar apr jun jul aug sep sept oct nov dec"
    )
)
TIME = Sign(pattern=expression(r"\d(?::[0-5]|\s?[ap]\.?m)"), needs_digit=True)
PLACES = Sign(
    words=word_set(
        "section sections sec secs article articles art arts rule rules clause clauses chapter"
        " chapters paragraph paragraphs para paras part parts annex annexes appendix appendices"
        " schedule schedules regulation regulations requirement requirements step steps"
    ),
    pattern=expression("\u00a7"),
    in_words=expression(
        r"sec|art|rule|clause|chapter|para|part|annex|append|schedule|regulation|requirement|step"
    ),
)
MONEY_NAME = Sign(
    words=word_set(
        "eur euro euros usd dollar dollars gbp pound pounds chf franc francs aud cad sgd hkd jpy"
        " yen inr rupee rupees aed dirham dirhams cny rmb yuan sek nok dkk pln czk huf zar brl"
    ),
    pattern=expression(r"[$\u20ac\u00a3\u00a5\u20b9]"),
    in_words=expression(
        r"eur|usd|gbp|chf|aud|cad|sgd|hkd|jpy|inr|aed|cny|rmb|sek|nok"
        r"|dkk|pln|czk|huf|zar|brl|dollar|pound|franc|yen|rupee|dirham|yuan"
    ),
)
SHARE = Sign(
    words=frozenset({"percent", "cent", "pct", "percentage", "bp", "bps", "basis"}),
    pattern=expression("%"),
    in_words=expression(r"per\s?cent|pct|bp|basis"),
)
TIME_UNIT = Sign(
    words=word_set(
        "second seconds sec secs minute minutes min mins hour hours hr hrs h day days week weeks"
        " month months quarter quarters year years yr yrs"
    ),
    pattern=expression("half[smhdwqy]"),
    in_words=expression(r"[\d_][smhdwqy]"),
)


class Signs:
    """The signs of one text, each looked for when it is first asked about."""

    def __init__(self, text: str) -> None:
        """Read the words of a text."""
        self._folded = text.casefold()
        self._words = words_of(text)
        self._has_digit = has_digit(text)
        mixed = [one for one in self._words if not one.isalpha()]
        self._is_glued = not all(map(str.isdecimal, mixed))
        self._known: dict[Sign, bool] = {}

    def have(self, sign: Sign) -> bool:
        """Return whether the text has a sign."""
        found = self._known.get(sign)
        if found is None:
            found = self._known[sign] = self._look_for(sign)
        return found

    def have_one(self, signs: Iterable[Sign]) -> bool:
        """Return whether the text has one of some signs."""
        return any(map(self.have, signs))

    def have_all(self, signs: Iterable[Sign]) -> bool:
        """Return whether the text has all of some signs, asking only until one is missing."""
        return all(map(self.have, signs))

    def _look_for(self, sign: Sign) -> bool:
        if sign.needs_digit and not self._has_digit:
            return False
        if (sign.is_digit and self._has_digit) or not sign.words.isdisjoint(self._words):
            return True
        if sign.is_joined and not (
            self._is_glued or any(joint in self._folded for joint in _JOINTS)
        ):
            return False
        if sign.pattern is not None and sign.pattern.search(self._folded):
            return True
        return (
            self._is_glued
            and sign.in_words is not None
            and (sign.in_words.search(self._folded) is not None)
        )


@cached_by_text(entries=256)
def signs_of(text: str) -> Signs:
    """Return the signs of a text."""
    return Signs(text)
