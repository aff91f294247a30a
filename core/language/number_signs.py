"""What a text contains wherever a number of some kind is written: found soon, before patterns are.

Most sentences have no date, amount or share, and the pattern of each takes long to find that out.
"""

import re
from dataclasses import dataclass

from core.language.numerals import NUMERALS, ORDINALS
from core.language.text_cache import cached_by_text, word_set, words_of

_DIGITS = re.compile(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sign:
    """What all matches of a slow pattern contain, and is found soon."""

    words: frozenset[str] = frozenset()
    """Words of which a text has one."""
    pattern: re.Pattern[str] | None = None
    """Or else what a text in lower case has."""
    in_words: re.Pattern[str] | None = None
    """Or else what it has where a word touches a digit or an underscore ("5h", "EUR5", "5_h")."""
    needs_digit: bool = False
    """True for what no text without a digit has."""


DIGIT = Sign(pattern=_DIGITS, needs_digit=True)
NUMERAL_IN_WORDS = Sign(words=frozenset(NUMERALS))
NUMERAL = Sign(pattern=_DIGITS, words=frozenset(NUMERALS))
NUMERAL_OR_ORDINAL = Sign(pattern=_DIGITS, words=frozenset(("half", *NUMERALS, *ORDINALS)))
YEAR_FIRST = Sign(pattern=re.compile(r"\d-\d"), needs_digit=True)
PUNCTUATED = Sign(pattern=re.compile(r"\d[./]\d"), needs_digit=True)
GLUED = Sign(pattern=re.compile(r"[^\W\d_][-_/]?\d|\d[^\W\d_]"), needs_digit=True)
MONTH_NAME = Sign(
    words=word_set(
        "january february march april may june july august september october november december"
        " jan feb mar apr jun jul aug sep sept oct nov dec"
    )
)
TIME = Sign(pattern=re.compile(r"\d:[0-5]|\d\s?[ap]\.?m"), needs_digit=True)
PLACES = Sign(
    words=word_set(
        "section sections sec secs article articles art arts rule rules clause clauses chapter"
        " chapters paragraph paragraphs para paras part parts annex annexes appendix appendices"
        " schedule schedules regulation regulations requirement requirements step steps"
    ),
    pattern=re.compile("\u00a7"),
    in_words=re.compile(
        r"sec|art|rule|clause|chapter|para|part|annex|append|schedule|regulation|requirement|step"
    ),
)
MONEY_NAME = Sign(
    words=word_set(
        "eur euro euros usd dollar dollars gbp pound pounds chf franc francs aud cad sgd hkd jpy"
        " yen inr rupee rupees aed dirham dirhams cny rmb yuan sek nok dkk pln czk huf zar brl"
    ),
    pattern=re.compile(r"[$\u20ac\u00a3\u00a5\u20b9]"),
    in_words=re.compile(
        r"eur|usd|gbp|chf|aud|cad|sgd|hkd|jpy|inr|aed|cny|rmb|sek|nok"
        r"|dkk|pln|czk|huf|zar|brl|dollar|pound|franc|yen|rupee|dirham|yuan"
    ),
)
SHARE = Sign(
    words=frozenset({"percent", "cent", "pct", "percentage", "bp", "bps", "basis"}),
    pattern=re.compile("%"),
    in_words=re.compile(r"per\s?cent|pct|bp|basis"),
)
TIME_UNIT = Sign(
    words=word_set(
        "second seconds sec secs minute minutes min mins hour hours hr hrs h day days week weeks"
        " month months quarter quarters year years yr yrs"
    ),
    pattern=re.compile("half[smhdwqy]"),
    in_words=re.compile(r"[\d_][smhdwqy]"),
)
_SIGNS = (
    DIGIT,
    NUMERAL_IN_WORDS,
    NUMERAL,
    NUMERAL_OR_ORDINAL,
    YEAR_FIRST,
    PUNCTUATED,
    GLUED,
    MONTH_NAME,
    TIME,
    PLACES,
    MONEY_NAME,
    SHARE,
    TIME_UNIT,
)
_WITHOUT_DIGIT = tuple(sign for sign in _SIGNS if not sign.needs_digit)


@cached_by_text(entries=256)
def signs_of(text: str) -> frozenset[Sign]:
    """Return which signs a text has."""
    folded, said = text.casefold(), words_of(text)
    has_digit = _DIGITS.search(text) is not None
    is_glued = any(not one.isalpha() and not one.isdecimal() for one in said)
    return frozenset(
        sign
        for sign in (_SIGNS if has_digit else _WITHOUT_DIGIT)
        if not sign.words.isdisjoint(said)
        or (sign.pattern is not None and sign.pattern.search(folded))
        or (is_glued and sign.in_words is not None and sign.in_words.search(folded))
    )
