"""Exceptions that a sentence makes: "unless", "except", "does not apply", "is exempt"."""

import re
from dataclasses import dataclass

from core.language.text_cache import word_set, words_of

_EXEMPTION = re.compile(
    r"\b(?:do|does)(?:\s+not|n't) apply\b|\bexempt(?:ed|ion)?s?\b|\b(?:is|are) (?:not"
    r"|excluded)\b.{0,40}"
    r"\b(?:covered|subject to|gifts|hospitality|within the (?:scope|meaning))\b|\bexcluded"
    r" from\b|\bas an exception\b"
    r"|\b(?:is|are|be) (?:an? |the (?:only )?)?exceptions? (?:to|from)\b"
    r"|\bexceptions? (?:to|from) [^.;]{1,60} (?:is|are|apply|applies)\b|\bdo(?:es)? not count\b"
    r"|\btakes? precedence\b|\bprevails?\b|\bappl(?:y|ies) instead\b",
    re.IGNORECASE,
)
_CARVED_OUT = re.compile(
    r"(?:\b(?:except(?: (?:for|that|where|when|in|as))?|unless|other than|with the exception of"
    r"|save for)\b)"
    r"(?P<case>(?:[^.;]|\.(?=\d)){4,})",
    re.IGNORECASE,
)
_EXCEPTING = word_set(
    "except unless other exception exceptions save apply applies exempt exempts exempted exempteds"
    " exemption exemptions covered subject gifts hospitality within excluded count precedence"
    " prevail prevails"
)
"""Words of which every exception has one: most sentences have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceException:
    """What a sentence leaves out of a rule."""

    action: str
    """The words that make the exception; the whole sentence if it is one."""
    case: str
    """In which case; empty if the whole sentence is the exception."""


def exception_in(sentence: str) -> SentenceException | None:
    """Return the exception that a sentence makes, None if it makes none."""
    if _EXCEPTING.isdisjoint(words_of(sentence)):
        return None
    carved = _CARVED_OUT.search(sentence)
    if carved:
        return SentenceException(action=carved[0], case=carved["case"])
    return SentenceException(action=sentence, case="") if _EXEMPTION.search(sentence) else None


def says_exception(sentence: str) -> bool:
    """Return whether a sentence makes an exception to a rule."""
    return exception_in(sentence) is not None
