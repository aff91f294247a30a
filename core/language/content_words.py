"""The words of a text that carry its subject, in a form in which inflections meet."""

import re

from core.expressions import expression
from core.language.text_cache import cached_by_text

_WORD = expression(r"[^\W_]+(?:[.'\u2019-][^\W_]+)*")
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an and any are as at be been being but by can cannot could did do does doing done "
        "each either else even ever every for from had has have having he her hers him his how "
        "i if in into is it its itself just may me might mine more most must my need neither "
        "never no none nor not of off on only onto or other ought our ours out over own per "
        "shall she should so some such than that the their theirs them then there these they "
        "this those through thus to too under unless until up upon us very was we were what "
        "when where whether which while who whom whose why will with within without would yes "
        "yet you your yours also however please required requires require permitted allowed "
        "prohibited forbidden mandatory recommended",
    )
)
_SHORTEST_STEM = 4
STEMS = 32_768
"""Stems kept: more words than the policies of a company use."""
_LONGEST_WORD = 32
_FAMILY = 5
"""Letters from which two stems that begin alike are of one family."""


def is_function_word(word: str) -> bool:
    """Say whether a word, in lower case, carries no subject ("it", "who")."""
    return word in _EMPTY


def words(text: str) -> list[str]:
    """Return the words of `text`, case-folded, in order."""
    if text.isascii():
        return _WORD.findall(text.lower())
    return [match.casefold() for match in _WORD.findall(text)]


@cached_by_text(entries=STEMS, longest=_LONGEST_WORD)
def stem(word: str) -> str:
    """Return what inflections of an English word share, roughly ("approved": "approv")."""
    if not word.isalpha():
        return word.removesuffix("'s").removesuffix("\u2019s")
    for ending, rest in (
        ("ies", "y"),
        ("ied", "y"),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) + len(rest) >= _SHORTEST_STEM - 1:
            if ending == "s" and word.endswith(("ss", "us", "is")):
                break
            word = word[: -len(ending)] + rest
            break
    if word.endswith("y") and len(word) > _SHORTEST_STEM:
        return word[:-1] + "i"
    return word.removesuffix("e") if len(word) > _SHORTEST_STEM else word


@cached_by_text()
def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of `text` that carry its subject."""
    return frozenset(map(stem, set(words(text)) - _EMPTY))


def families(text: str) -> frozenset[str]:
    """Return what words of one family share ("approval", "approved"): the stems' beginnings.

    "All" counts as no word: with it or without it a rule is about the same.
    """
    return frozenset(word[:_FAMILY] for word in content_words(text) if word != "all")
