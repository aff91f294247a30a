"""What people think of an answer."""

from dataclasses import dataclass
from enum import StrEnum

from core.domain.case_actions import Refusal
from core.domain.officers import Account

COMMENT_LIMIT = 2_000
"""Characters of a comment."""


class Rating(StrEnum):
    """Which thumb; under a closest passage, whether it answers."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class Reason(StrEnum):
    """What is wrong with an answer."""

    UNANSWERED = "unanswered"
    """It does not answer what was asked."""
    WRONG = "wrong"
    """The policy says something else."""
    STALE = "stale"
    """It is out of date."""
    SCOPE = "scope"
    """It holds for another country, site or group."""
    INCOMPLETE = "incomplete"
    """Something is missing, such as an exception."""
    SOURCE = "source"
    """The source cannot be opened."""
    CITATION = "citation"
    """The citation does not support it: in older reports; forms offer `WRONG` instead."""
    OTHER = "other"
    """Something else, which the comment says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One click on a thumb, or one report of a problem. The last one counts, all are kept."""

    answer_id: str
    """About which answer."""
    by: Account
    """Who."""
    key: str
    """Identity of the click: a repeated one is kept once."""
    rating: Rating
    """Which thumb; a report is a negative one."""
    reason: Reason | None = None
    """What is wrong; None if nobody said."""
    comment: str = ""
    """Details, as typed."""
    platform_message_id: str | None = None
    """The message under which it was given; None if the platform told none."""

    @property
    def is_complaint(self) -> bool:
        """True if it says what is wrong: officers review the answer."""
        return self.rating is Rating.NEGATIVE and bool(self.reason or self.comment.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackKept:
    """It is kept."""

    is_new: bool
    """False: this click was kept before."""
    is_repeated: bool = False
    """True: this person's judgement before it was the same."""
    is_reviewed: bool = False
    """True: officers were told of it, and whoever gave it hears what they find."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackRefused:
    """It is not kept, and that is recorded if there is such an answer here."""

    why: Refusal
    """`unknown`: no such answer here; `answered`: an officer's reply has replaced it."""
