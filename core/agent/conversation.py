"""Understand a message in its thread.

A reply to a clarification, a follow-up, or a question of its own.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.answer import Outcome
from core.domain.content_words import words
from core.domain.jurisdictions import jurisdictions_in, without_jurisdictions
from core.domain.question import Assumption, Turn

ALL = "all"
"""The value of an assumption that asks for every branch."""

_FOLLOWS = re.compile(
    r"^(?:and|or|but|also|what about|how about|what if|same for|is that (?:also|the same)"
    r"|does (?:that|this|it)|is (?:it|this)"
    r"|do they|are they|for|then|why|who approves (?:it|that|this)|since when|even if|in|as an?)\b",
    re.IGNORECASE,
)
_REFERS = re.compile(r"\b(?:it|that|this|they|them|those|these|there|then|one)\b", re.IGNORECASE)
_ALL = re.compile(
    r"^(?:answer )?(?:for )?(?:all|both|every|each)(?: of them)?[.!]?$", re.IGNORECASE
)
_NEW_QUESTION = re.compile(
    r"^(?:what(?! about| if)|who|when|where|which|how(?! about)|can|may|must|do|does|is|are|am"
    r"|should)\b",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"\b(?:employees?|contractors?|freelancers?|interns?|apprentices?|managers?|directors?)\b",
    re.IGNORECASE,
)
_ONLY_FOR = re.compile(
    rf"^(?:and|what about|how about|same for)?,?\s*(?:(?:for|as|if i am|if i'm)?\s*(?:an?\s+"
    rf"|the\s+)?(?P<who>{_WHO.pattern})"
    r"|(?P<where>(?:in|for)\s+(?:the\s+)?[\w .]+?))\s*[?.!]*$",
    re.IGNORECASE,
)
MAX_DIGITS = 3
"""Digits of the number of an option."""
_SHORT = 7
"""Words up to which a message that refers back is a follow-up."""
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A message with what its thread adds."""

    standalone: str
    """The question as it would stand alone."""
    assumptions: tuple[Assumption, ...] = ()
    """Facts that this message states."""


def clean(text: str) -> str:
    """Return the text without invisible and control characters, white space folded at its ends."""
    kept = "".join(
        letter if letter in "\n\t" or unicodedata.category(letter) not in _INVISIBLE else " "
        for letter in unicodedata.normalize("NFC", text)
    )
    return kept.strip()


def understand(text: str, history: Sequence[Turn]) -> Understood:
    """Resolve a message against the earlier turns of its conversation."""
    if not history:
        return Understood(standalone=text)
    last = history[-1]
    if last.outcome == Outcome.CLARIFICATION:
        return _reply(text, last)
    if _is_follow_up(text):
        return Understood(standalone=_exchanged(last.question, text) or f"{last.question} {text}")
    return Understood(standalone=text)


def _reply(text: str, last: Turn) -> Understood:
    chosen = _option(text, last.options)
    slot = last.slot or "referent"
    if chosen is None and _ALL.match(text):
        chosen = ALL
    if chosen is None and _NEW_QUESTION.match(text) and len(words(text)) > _SHORT - 3:
        return Understood(standalone=text)
    value = chosen or text
    said = Assumption(slot=slot, value=value, source="asker")
    standalone = last.question if value == ALL else f"{last.question} {value}"
    return Understood(standalone=standalone, assumptions=(said,))


def _exchanged(question: str, text: str) -> str | None:
    """Put another kind of asker into the earlier question ("and for contractors?").

    None if it names none.
    """
    found = _ONLY_FOR.match(text)
    if found is None:
        return None
    if found["who"]:
        swapped = _WHO.sub(found["who"], question, count=1)
        return swapped if swapped != question else f"{question} For {found['who']}?"
    where = found["where"].strip()
    codes = jurisdictions_in(where)
    return f"{without_jurisdictions(question)} {where}" if codes else None


def _option(text: str, options: Sequence[str]) -> str | None:
    folded = text.strip(" .!").casefold()
    if folded.isdecimal() and len(folded) <= MAX_DIGITS and 1 <= int(folded) <= len(options):
        return options[int(folded) - 1]
    named = [option for option in options if option.casefold() in folded]
    return named[0] if len(named) == 1 and len(words(text)) <= _SHORT else None


def _is_follow_up(text: str) -> bool:
    count = len(words(text))
    if _FOLLOWS.match(text) and count <= _SHORT + 3:
        return not _NEW_QUESTION.match(text) or bool(_REFERS.search(text))
    return count <= _SHORT and bool(_REFERS.search(text))
