"""What is told in confidence: a report of misconduct, and what its asker adds to it. Pure.

None of it is sent to a language model or to a service that embeds, neither when it is told nor as
an earlier turn of its conversation. The rules that recognise reports know many words and miss some,
so what asks nothing and speaks of somebody is kept from models too: it is answered without one.
"""

import re

from core.agent.conversation.misconduct import is_report
from core.domain.question import Question, Turn
from core.language.content_words import words

_ASKS = re.compile(
    r"^(?:(?:ok(?:ay)?|thanks|thank you|and|but|so|please|hi|hello|now)\b[\s,:!.-]*)*"
    r"(?:how|where|to whom|who|whom|whose|what|which|when|why|can|could|may|must|shall|should|would"
    r"|will|do|does|did|is|are|am|was|were|has|have|tell me|explain|describe|list|compare"
    r"|define)\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(r"\b(?:he|she|him|her|his|hers|they|them|their|theirs)\b", re.IGNORECASE)
_COLLEAGUE = re.compile(
    r"\b(?:my|our|his|her|an?|the|some|another|one of (?:my|our|the))\s+(?:[\w-]+\s+){0,2}?"
    r"(?:boss|manager|supervisor|colleague|co-?worker|teammate|director|ceo|cfo|driver|buyer"
    r"|accountant|foreman|dispatcher|chief|intern|clerk|department)s?\b"
    r"|(?-i:\b(?:[Ii] saw|[Ii] think|[Ii] know)\s+[A-Z][a-z]+\b|\b(?:Mr|Mrs|Ms)\b)"
    r"|\b(?:fishy|shady|whistle)\b",
    re.IGNORECASE,
)
_WISHES = re.compile(
    r"^(?:(?:hi|hello|please)\b\W*)*(?:i (?:would like|wonder)|i'd like|help|write|give|show|find"
    r"|translate|draft|summari[sz]e|differences?|comparison)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|[;\n]\s*")
_POLITE = 2
"""Words of a sentence that tells nothing ("Thank you.")."""


def is_confidential(question: Question) -> bool:
    """Say whether a message tells of misconduct, or goes on to tell of it.

    After a report only a plain question about something else is none: whoever has just reported
    goes on with places, dates and names, and no word list knows those.
    """
    if any(map(is_report, {question.text, question.own})):
        return True
    last = question.history[-1] if question.history else None
    return last is not None and last.was_report and not _asks(question.text)


def speaks_of_somebody(text: str) -> bool:
    """Say whether a message asks nothing, and tells of a person or of something that is wrong."""
    told = [one for one in _SENTENCE_END.split(text) if len(words(one)) > _POLITE]
    if not told or "?" in text or any(_ASKS.match(one) or _WISHES.match(one) for one in told):
        return False
    return bool(_SOMEBODY.search(text) or _COLLEAGUE.search(text))


def was_confidential(turn: Turn) -> bool:
    """Say whether an earlier turn told of misconduct, or may have."""
    return turn.was_report or is_report(turn.question) or speaks_of_somebody(turn.question)


def _asks(text: str) -> bool:
    told = [one for one in _SENTENCE_END.split(text) if len(words(one)) > _POLITE]
    return all(_ASKS.match(one) for one in told) and not _SOMEBODY.search(text)
