"""The first line of a reply: how far to trust it, and who says so.

By outcome (platforms, 4.1). The number is the calibrated confidence, rounded down, 99 at most; what
a model reported of itself is never shown. Nothing rests on the icon or its colour alone.
"""

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from enum import StrEnum
from typing import assert_never

from bot.replies.text import line
from core.agent.wording import (
    DAY_BUDGET_SPENT,
    FROM_METADATA,
    MODEL_UNAVAILABLE,
    WITHOUT_MODEL,
)
from core.domain.answer import Answer, Badge, Confidence, Outcome, RefusalKind

MOST = 99
"""Percent: nothing is certain."""
BY_MODEL = "AI-generated, checked against the quoted text"
NO_ANSWER = "No answer given"
BY_METADATA = "Read from what is stored with the policies; no language model was used"
BY_RULES = "Quoted from the policies; no language model was used"


class Icon(StrEnum):
    """What stands before it, as Unicode."""

    HIGH = "\u2705"
    MEDIUM = "\U0001f7e1"
    NOTHING = "\u26aa"
    PERSON_NEEDED = "\U0001f50e"
    PERSON = "\U0001f464"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A badge line, to be put together as the platform wants it."""

    icon: Icon
    """Decoration: the words say all of it."""
    strong: str
    """What is emphasised."""
    rest: tuple[str, ...]
    """What follows, in order."""

    @property
    def words(self) -> str:
        """The line without icon and emphasis."""
        return " · ".join((self.strong, *self.rest))


def head_of(answer: Answer) -> Head | None:
    """Return the badge line of an outcome; clarifications and failures have none."""
    match answer.outcome:
        case Outcome.ANSWERED:
            return _answered(answer)
        case Outcome.REFUSED:
            return _refused(answer)
        case Outcome.ESCALATED:
            return Head(icon=Icon.PERSON_NEEDED, strong="Needs a person", rest=())
        case Outcome.CLARIFICATION | Outcome.FAILED | Outcome.IGNORED:
            return None
        case _:
            assert_never(answer.outcome)


def officers_head(name: str) -> Head:
    """Return the line of an officer's reply: no percentage, no label of a machine."""
    rest = (line(name, limit=80),) if name.strip() else ()
    return Head(icon=Icon.PERSON, strong="Answered by Compliance", rest=rest)


def is_partial(answer: Answer) -> bool:
    """Say whether a claim of the answer was dropped."""
    return dict(answer.confidence.features).get("passed", 1.0) < 1.0


def origin(answer: Answer) -> str:
    """Return who wrote the answer."""
    if FROM_METADATA in answer.notes:
        return BY_METADATA
    quoted = {WITHOUT_MODEL, MODEL_UNAVAILABLE, DAY_BUDGET_SPENT} & set(answer.notes)
    return BY_RULES if quoted else BY_MODEL


def _answered(answer: Answer) -> Head:
    is_high = answer.confidence.badge is Badge.HIGH
    coverage = "Partly covered" if is_partial(answer) else "Grounded in policy"
    return Head(
        icon=Icon.HIGH if is_high else Icon.MEDIUM,
        strong=_confidence(answer.confidence),
        rest=(coverage, origin(answer)),
    )


def _confidence(confidence: Confidence) -> str:
    if confidence.badge is None:
        return "Confidence unknown"
    words = f"{confidence.badge.value.capitalize()} confidence"
    if not confidence.is_calibrated or confidence.calibrated is None:
        return f"{words} (not yet calibrated)"
    return f"{words} ({percent(confidence.calibrated)}%)"


def percent(calibrated: float) -> int:
    """Return a probability as a whole percentage: rounded down, as it is written (0.29 is 29)."""
    exact = Decimal(str(calibrated)) * 100
    return max(0, min(MOST, int(exact.to_integral_value(rounding=ROUND_FLOOR))))


def _refused(answer: Answer) -> Head:
    if answer.is_closest:
        rest = ("It may not answer your question",)
        return Head(icon=Icon.NOTHING, strong="Closest passage", rest=rest)
    match answer.refusal:
        case RefusalKind.CONFLICT:
            rest = ("Sources disagree", origin(answer))
            return Head(icon=Icon.PERSON_NEEDED, strong="Needs a person", rest=rest)
        case RefusalKind.OUT_OF_SCOPE:
            return Head(icon=Icon.NOTHING, strong=NO_ANSWER, rest=())
        case RefusalKind.NOT_PERMITTED:
            strong = "Not available here"
        case _:
            # Not "not in": a search may have missed what stands there.
            strong = "Not found in the policies"
    return Head(icon=Icon.NOTHING, strong=strong, rest=(NO_ANSWER,))
