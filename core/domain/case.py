"""A question that went to Compliance, and what an officer says to it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.domain.answer import Answer
from core.domain.conversation import Place


class CaseState(StrEnum):
    """How far a case has come."""

    OPEN = "open"
    CLAIMED = "claimed"
    ANSWERED = "answered"
    CLOSED = "closed"


class Urgency(StrEnum):
    """When the asker needs an answer."""

    TODAY = "today"
    WEEK = "week"

    @property
    def days(self) -> int:
        """Days after which an answer is due: what the card shows, and what the asker is told."""
        return 1 if self is Urgency.TODAY else 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What officers see of a case."""

    case_id: str
    """Random: for buttons."""
    number: int
    """By which people call it, from 1."""
    state: CaseState
    """How far it has come."""
    urgency: Urgency
    """When it is needed."""
    question: str
    """What was asked, with what its thread adds: "for contractors?" alone tells an officer little.
    As typed where a report was made before in the thread."""
    opened_at: datetime
    """Aware, UTC."""
    answer: Answer | None = None
    """What the asker got; None if nothing yet."""
    note: str = ""
    """What the asker added."""
    asker: str | None = None
    """The platform's id of the asker; None if no name may be shown, or if this is read elsewhere
    than in the asker's workspace."""
    permalink: str | None = None
    """Where it was asked; None if the place may not be shown."""
    record_id: str | None = None
    """The record of what the asker got."""
    officer: str | None = None
    """Name of who claimed it; None while nobody has."""
    claimed_at: datetime | None = None
    """Aware, UTC; None while nobody has claimed it."""
    due_at: datetime | None = None
    """Until when it should be answered, aware, UTC; None if nobody said."""
    asker_name: str | None = None
    """The asker's name as their platform shows it; None if it may not be shown, or if unknown."""
    is_private: bool = False
    """True: the reply goes to the asker alone."""
    is_sensitive: bool = False
    """True: a report, which no channel ever shows."""
    is_wrong: bool = False
    """True: an officer has marked the answer as wrong."""
    told: str = ""
    """What the officer answered; empty while nobody has."""
    place: Place | None = None
    """Where it was asked; None to all but its asker."""
    may_be_added_to: bool = False
    """True: it was opened for its asker, who may still add a note and a name to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficerReply:
    """A person's answer: under a name, without a confidence."""

    case_id: str
    """See `Case.case_id`."""
    number: int
    """See `Case.number`."""
    officer: str
    """Name of who answers."""
    question: str
    """What was asked."""
    text: str
    """The answer, as typed."""
    asker: str | None = None
    """The platform's id of the asker, to be mentioned; None where nobody is to be named."""
    permalink: str | None = None
    """Where it was asked, for a reply that goes elsewhere; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """An earlier answer that an officer's reply has replaced."""

    answer: Answer
    """The earlier answer."""
    officer: str
    """Name of who answered anew."""
    number: int
    """See `Case.number`."""
    is_elsewhere: bool
    """True: the officer's reply went to the asker alone, not to this place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseNews:
    """A line for the asker: how far their case has come."""

    number: int
    """See `Case.number`."""
    state: CaseState
    """Open: it was sent. Claimed: somebody is at it. Closed: without an answer."""
    officer: str | None = None
    """Name of who claimed or closed it; None if nobody has."""
    urgency: Urgency = Urgency.WEEK
    """See `Case.urgency`."""
