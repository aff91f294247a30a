"""Exceptions that a sentence makes: "unless", "except", "does not apply", "is exempt"."""

import re
from dataclasses import dataclass

from core.language.modality import may_be_modal
from core.language.text_cache import cached_by_text, word_pattern

_EXEMPTION = word_pattern(
    r"\b(?:do|does)(?:\s+not|n't) apply\b"
    r"|(?<!non-)(?<!tax-)\bexempt(?! (?-i:[A-Z]))(?:(?:ed)?s?\b"
    r"(?! (?:and|or|employees?|team|staff|workers?|positions?|status|tests?)\b)"
    r"|ions?\b (?:from|for|to|of|is|are|may|can|where|if|when|appl(?:y|ies))\b)"
    r"|\b(?:an?|limited|granted) (?:\w+ )?exemption\b"
    r"|\b(?:is|are) (?:not|excluded)(?: \w+){0,2}"
    r" (?:covered(?! entit)|subject to(?! (?:[\w-]+ ){0,3}tax\b)|gifts|hospitality"
    r"|within the (?:scope|meaning))\b|\bexcluded from\b|\bas an exception\b"
    r"|\b(?:is|are|be) (?:an? |the (?:only )?)?exceptions? (?:to|from)\b"
    r"|\bexceptions? (?:to|from) [^.;]{1,60} (?:(?:is|are|can be|may be)(?! (?:reviewed|documented"
    r"|recorded|logged|tracked|listed|described|requested|stored|kept|handled)\b)|apply|applies)\b"
    r"|\bdo(?:es)? not count\b"
    r"|\b(?:supplements?|local|national|laws?|legislation|agreements?|contracts?)\b[^.;]{0,60}"
    r"\b(?:takes? precedence|prevails?)\b"
    r"|\bappl(?:y|ies) instead\b",
    words=(
        "apply applies exempt exempts exempted exempteds exemption exemptions not excluded"
        " exception exceptions count precedence prevail prevails"
    ),
)
_CARVED_OUT = word_pattern(
    r"(?:\b(?:except(?! that it\b)(?: (?:for|that|where|when|in|as))?"
    r"|unless|with the exception of|save for|(?<!for )other than)\b)"
    r"(?P<case>(?:[^.;()]|\.(?=[\w.])|\([^()]{0,200}\)){4,})",
    words="except unless exception save other",
)
_TOLD_BELOW = re.compile(
    r"\W*(?:as |in |for )?(?:the |these )?follow(?:s|ing)(?: \w+)?\W*", re.IGNORECASE
)
"""Cases that only the list below tells."""
_OF_ALL = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|any\w*|all|only|every\w*|cannot)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""Before "other than" where it makes an exception, and does not only say which ("a host other than
the owner")."""
_BEGINS = re.compile(r"(?:\A|[.:;\u2013\u2014]\s?|\b(?:and|but|so)\s)\Z", re.IGNORECASE)
"""What stands before an exception that comes before its rule ("Unless you are ill, you must")."""
_TO_THE_RULE = re.compile(r"[^,]*(?:(?:, [^,]{1,40}){0,5}, (?:or|and) [^,]*)?(?=,)")
_IN_A_CASE = re.compile(r"\W*(?:if|when|where|unless)\b[^,]*\Z", re.IGNORECASE)
"""Before words that only say in which case another rule holds ("if it is not covered, you may")."""
_PURPOSE = re.compile(r"\bso (?:that )?(?:it|they|this|these)\s*$", re.IGNORECASE)
"""Before what a rule is for ("listed apart so that it does not count")."""
_REACH = 45


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceException:
    """What a sentence leaves out of a rule."""

    action: str
    """The words that make the exception; the whole sentence if it is one."""
    case: str
    """In which case; empty if the whole sentence is the exception."""


@cached_by_text()
def exception_in(sentence: str) -> SentenceException | None:
    """Return the exception that a sentence makes, None if it makes none."""
    for carved in _CARVED_OUT.finditer(sentence):
        if carved[0].casefold().startswith("other") and not (
            _OF_ALL.search(sentence, max(0, carved.start() - _REACH), carved.start())
            and may_be_modal(sentence[: carved.start()])
        ):
            continue
        action, case = carved[0], carved["case"]
        if _TOLD_BELOW.fullmatch(case):
            continue
        ends = _TO_THE_RULE.match(case) if _BEGINS.search(sentence[: carved.start()]) else None
        if ends:
            action, case = action[: len(action) - len(case) + ends.end()], ends[0]
        return SentenceException(action=action, case=case)
    whole = _EXEMPTION.search(sentence)
    ahead = sentence[: whole.start()] if whole else ""
    if whole is None or _IN_A_CASE.match(ahead) or _PURPOSE.search(ahead):
        return None
    return SentenceException(action=sentence, case="")


def says_exception(sentence: str) -> bool:
    """Return whether a sentence makes an exception to a rule."""
    return exception_in(sentence) is not None
