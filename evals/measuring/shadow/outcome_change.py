"""What became of a past question once it was answered anew: one word for each, the gravest first.

Compared is what people are told: outcome, statements, quotes and badge. What was said of the answer
afterwards (that it was passed on, that a similar question exists) is left out.
"""

from dataclasses import dataclass
from enum import StrEnum

from core.domain.answer import Outcome
from core.domain.json_value import JsonObject
from core.replay.contradiction import AnswerContradiction, contradiction
from core.replay.today import changes_between


class AnswerChange(StrEnum):
    """How an answer differs from an earlier one to the same question, the gravest first."""

    CONTRADICTS = "contradicts"
    """It states another number, or says the opposite, about the same policy."""
    NOW_SILENT = "now_silent"
    """It was an answer, and is a refusal."""
    NOW_ANSWERED = "now_answered"
    """It was a refusal, and is an answer."""
    OTHER_OUTCOME = "other_outcome"
    """It ends otherwise: a question back, or a refusal for another reason."""
    OTHER_QUOTES = "other_quotes"
    """It quotes other words, or from other places."""
    OTHER_WORDS = "other_words"
    """It states in other words what the same quotes say."""
    BADGE = "badge"
    """It is the same, with another badge."""
    SAME = "same"
    """People are told the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeChange:
    """What became of a question."""

    change: AnswerChange
    """In a word."""
    contradiction: AnswerContradiction | None
    """What they disagree in, plainly; None: they don't."""


def outcome_change(then: JsonObject, now: JsonObject) -> OutcomeChange:
    """Compare two answers to one question, as `answer_json` writes them."""
    found = contradiction(then, now)
    plain = found if found is not None and found.is_plain else None
    change = AnswerChange.CONTRADICTS if plain else _change(then, now)
    return OutcomeChange(change=change, contradiction=plain)


def _change(then: JsonObject, now: JsonObject) -> AnswerChange:
    was, is_now = str(then["outcome"]), str(now["outcome"])
    silent = {Outcome.REFUSED.value, Outcome.ESCALATED.value, Outcome.FAILED.value}
    if was == Outcome.ANSWERED.value and is_now in silent:
        return AnswerChange.NOW_SILENT
    if was in silent and is_now == Outcome.ANSWERED.value:
        return AnswerChange.NOW_ANSWERED
    changes = changes_between(then, now)
    if {"outcome", "refusal"} & {one.what for one in changes.changes}:
        return AnswerChange.OTHER_OUTCOME
    if changes.clauses:
        return AnswerChange.OTHER_QUOTES
    if changes.dropped or changes.added:
        return AnswerChange.OTHER_WORDS
    is_same = then["confidence"]["badge"] == now["confidence"]["badge"]
    return AnswerChange.SAME if is_same else AnswerChange.BADGE
