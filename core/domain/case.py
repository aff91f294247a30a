"""A question that went to Compliance: as it is stored, and as officers and its asker see it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from core.domain.answer import Answer, Outcome
from core.domain.conversation import Place
from core.domain.officers import Account


class CaseState(StrEnum):
    """How far a case has come."""

    OPEN = "open"
    CLAIMED = "claimed"
    ANSWERED = "answered"
    CLOSED = "closed"


UNSETTLED = frozenset({CaseState.OPEN, CaseState.CLAIMED})
"""States of a case that waits for an answer."""


class Urgency(StrEnum):
    """When the asker needs an answer."""

    TODAY = "today"
    WEEK = "week"


class Opener(StrEnum):
    """Whose idea a case was. A report is opened at the wish of its asker alone."""

    ASKER = "asker"
    """The asker sent it, and was told that officers see the name."""
    PIPELINE = "pipeline"
    """The answer needs a person, or the asker could not be told that officers see the name: neither
    name nor place is shown."""
    OFFICER = "officer"
    """An officer took a question up: neither name nor place is shown."""


class ReviewVerdict(StrEnum):
    """What an officer found of an answer."""

    RIGHT = "right"
    """It answers the question, and nothing that matters is missing."""
    PARTLY = "partly"
    """What it says holds, and it leaves out what the asker has to know."""
    WRONG = "wrong"
    """It does not answer the question, or not rightly."""


class ReportDue(StrEnum):
    """What the writer of a report is owed: Directive (EU) 2019/1937, article 9(1)(b) and (f)."""

    ACKNOWLEDGEMENT = "acknowledgement"
    """That it was received."""
    FEEDBACK = "feedback"
    """What came of it, or is to."""


ESCALATED_AFTER = timedelta(days=1)
"""How long one of them is overdue before officers hear of it who did not have the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseMessage:
    """What an officer and the writer of a report have written to each other."""

    at: datetime
    """Aware, UTC."""
    officer: str | None
    """Name of the officer; None: the writer of the report."""
    text: str
    """In the form of `core.cases.written`; the writer's as typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportClock:
    """When the writer of a report is to hear of it, and has; of other cases all is None."""

    acknowledge_by: datetime | None = None
    """Aware, UTC."""
    acknowledged_at: datetime | None = None
    """When an officer acknowledged it, or first wrote back, aware, UTC."""
    feedback_by: datetime | None = None
    """Aware, UTC."""
    feedback_at: datetime | None = None
    """When an officer first gave feedback, aware, UTC."""
    clocked_until: datetime | None = None
    """Up to when officers have been told of both; aware, UTC."""

    @property
    def owed(self) -> dict[ReportDue, datetime]:
        """What its writer has not had yet, in order, and until when it is due."""
        due = {
            ReportDue.ACKNOWLEDGEMENT: None if self.acknowledged_at else self.acknowledge_by,
            ReportDue.FEEDBACK: self.feedback_by,
        }
        return {} if self.feedback_at else {what: by for what, by in due.items() if by}

    @property
    def is_escalated(self) -> bool:
        """True if officers have heard that it is overdue who did not have the report."""
        due, told = min(self.owed.values(), default=None), self.clocked_until
        return due is not None and told is not None and told >= due + ESCALATED_AFTER


NO_CLOCK = ReportClock()
"""That of a case which is no report."""


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
    excluded: frozenset[str] = frozenset()
    """See `StoredCase.excluded`."""
    is_wrong: bool = False
    """True: an officer has marked the answer as wrong."""
    verdict: ReviewVerdict | None = None
    """What an officer found of the answer; None: nobody has judged it."""
    told: str = ""
    """What the officer answered; empty while nobody has."""
    place: Place | None = None
    """Where it was asked; None to all but its asker."""
    may_be_added_to: bool = False
    """True: it was opened for its asker, who may still add a note and a name to it."""
    clock: ReportClock = NO_CLOCK
    """When the writer of a report hears of it."""
    messages: tuple[CaseMessage, ...] = ()
    """Of a report: what officers and its writer wrote to each other, the oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAnswer:
    """An answer that a case may be opened for, with its question."""

    answer_id: str
    """The answer."""
    outcome: Outcome
    """Its outcome."""
    was_reported: bool
    """True: when it was asked the question was taken for a report; see `Answer.is_report`."""
    claims: tuple[str, ...]
    """The statements that the answer makes."""
    question_id: str
    """The question."""
    question: str
    """The question as typed."""
    standalone: str
    """The question with what its thread adds."""
    conversation_id: str
    """Where it was asked."""
    asker: str
    """Pseudonym of who asked."""
    person: str
    """The platform's id of who asked."""
    mode: str
    """See `Place.mode`."""
    reply_id: int | None
    """Row of the outbox with the reply; None if it was not queued."""
    reported_before: tuple[str, ...] = ()
    """Reports before it in its thread, as typed."""

    def is_by(self, account: Account) -> bool:
        """Say whether this person asked; the answer is one of their workspace."""
        return self.person == account.person


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCase:
    """A case to be stored; the rest of it is that of its question."""

    case_id: str
    """See `Case.case_id`."""
    number: int
    """See `Case.number`."""
    asked: AskedAnswer
    """What it is about."""
    opened_at: datetime
    """Aware, UTC."""
    due_at: datetime
    """Until when it should be answered, aware, UTC."""
    urgency: Urgency
    """When it is needed."""
    opener: Opener
    """Whose idea it was."""
    record_id: str
    """The record of its opening."""
    note: str
    """What the asker added."""
    permalink: str | None
    """Where it was asked; None if unknown."""
    asker_name: str | None
    """The asker's name; None if unknown."""
    is_private: bool
    """True: the reply goes to the asker alone."""
    is_anonymous: bool
    """True: officers are shown neither name nor place."""
    is_sensitive: bool
    """True: a report, which no channel ever shows."""
    excluded: frozenset[str] = frozenset()
    """See `StoredCase.excluded`."""
    clock: ReportClock = NO_CLOCK
    """See `Case.clock`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCase:
    """A case with all that code needs of it; people see what the methods below return."""

    case_id: str
    """Random: for buttons."""
    number: int
    """By which people call it, from 1."""
    state: CaseState
    """How far it has come."""
    urgency: Urgency
    """When it is needed."""
    opener: Opener
    """Whose idea it was."""
    opened_at: datetime
    """Aware, UTC."""
    due_at: datetime | None
    """Until when it should be answered, aware, UTC; None if nobody said."""
    owner: str | None
    """Login of the officer who has claimed it; None: nobody has."""
    owner_name: str | None
    """The name of that officer."""
    claimed_at: datetime | None
    """Since when it is theirs, aware, UTC."""
    answered_at: datetime | None
    """When an officer answered last, aware, UTC; None: nobody has."""
    note: str
    """What the asker added."""
    told: str
    """What the officer answered; empty while nobody has."""
    record_id: str
    """The record of its opening."""
    account: Account
    """The asker's."""
    asker_name: str | None
    """The asker's name; None if unknown."""
    place: Place
    """Where it was asked."""
    permalink: str | None
    """Link to that place; None if unknown."""
    is_private: bool
    """True: the asker wants the reply alone; see `goes_directly`."""
    is_anonymous: bool
    """True: officers are shown neither name nor place."""
    is_sensitive: bool
    """True: a report, which no channel ever shows."""
    is_wrong: bool
    """True: an officer has marked the answer as wrong."""
    reason: str
    """Outcome of the answer for which it was opened."""
    question_id: str
    """The question."""
    question: str
    """What was asked; see `Case.question`."""
    conversation_id: str
    """The asker's conversation: its lock is that of the case."""
    answer_id: str
    """The answer that the asker got."""
    answer: Answer | None
    """The same as it was shown; None if nothing was."""
    reply_id: int | None
    """Row of the outbox with it; None if it was not queued."""
    reply_record: str | None
    """The record of it; None if it was not queued."""
    verdict: ReviewVerdict | None = None
    """See `Case.verdict`."""
    reminded_at: datetime | None = None
    """When officers were told that it is due soon, aware, UTC; None: they were not."""
    overdue_at: datetime | None = None
    """When they were told that it was due, aware, UTC; None: they were not."""
    excluded: frozenset[str] = frozenset()
    """Logins and platforms' ids of officers who must not hear of a report."""
    clock: ReportClock = NO_CLOCK
    """See `Case.clock`."""
    messages: tuple[CaseMessage, ...] = ()
    """See `Case.messages`."""

    @property
    def is_named(self) -> bool:
        """True if officers may see who asked, and where."""
        return self.opener is Opener.ASKER and not self.is_anonymous

    @property
    def may_be_added_to(self) -> bool:
        """True if the asker did not send it, and may still say what officers should know."""
        is_waiting = self.state in UNSETTLED
        return is_waiting and self.opener is Opener.PIPELINE and not self.is_sensitive

    @property
    def goes_directly(self) -> bool:
        """True if nothing of it is said to the asker where others read."""
        return self.is_private or not self.is_named

    def news(self, state: CaseState) -> "CaseNews":
        """Return how far it has come, as the asker hears it."""
        return CaseNews(
            number=self.number,
            state=state,
            officer=self.owner_name,
            urgency=self.urgency,
            due_at=self.due_at,
        )

    def shown(self, *, platform: str | None = None, tenant: str | None = None) -> Case:
        """Return it as officers of a workspace see it.

        The asker's id means something in the asker's own workspace alone, so it is left out for
        others; without a platform it is told, since nobody is mentioned then.
        """
        own = (self.account.platform, self.account.tenant)
        is_there = platform is None or (platform, tenant) == own
        return Case(
            case_id=self.case_id,
            number=self.number,
            state=self.state,
            urgency=self.urgency,
            question=self.question,
            opened_at=self.opened_at,
            answer=self.answer,
            note=self.note,
            asker=self.account.person if self.is_named and is_there else None,
            asker_name=self.asker_name if self.is_named else None,
            permalink=self.permalink if self.is_named else None,
            record_id=self.reply_record or self.record_id,
            officer=self.owner_name,
            claimed_at=self.claimed_at,
            due_at=self.due_at,
            is_private=self.goes_directly,
            is_sensitive=self.is_sensitive,
            excluded=self.excluded,
            is_wrong=self.is_wrong,
            verdict=self.verdict,
            told="" if self.messages else self.told,
            messages=self.messages,
            clock=self.clock,
        )

    def shown_to_asker(self) -> Case:
        """Return it as the asker sees it: with its place, whoever else may not see that."""
        return Case(
            case_id=self.case_id,
            number=self.number,
            state=self.state,
            urgency=self.urgency,
            question=self.question,
            opened_at=self.opened_at,
            asker=self.account.person,
            permalink=self.permalink,
            place=self.place,
            officer=self.owner_name,
            is_private=self.goes_directly,
            is_sensitive=self.is_sensitive,
            may_be_added_to=self.may_be_added_to,
        )


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
    is_report: bool = False
    """True: it is about a report, whose writer has a code to answer with."""
    asker: str | None = None
    """The platform's id of the asker, to be mentioned; None where nobody is to be named."""
    permalink: str | None = None
    """Where it was asked, for a reply that goes elsewhere; None if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersededAnswer:
    """An earlier answer that an officer's reply, or a new answer after a change, has replaced."""

    answer: Answer
    """The earlier answer."""
    officer: str
    """Name of who answered anew; empty: what it rests on has changed, and nobody was asked."""
    number: int | None
    """See `Case.number`; None: there is no case, a policy changed."""
    is_elsewhere: bool
    """True: the reply that holds went to the asker alone, not to this place."""


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
    due_at: datetime | None = None
    """See `Case.due_at`."""
    is_acknowledgement: bool = False
    """True: it acknowledges a report, and feedback is due then."""
    ways: str | None = None
    """Whom else a report can be made to, as nobody in Compliance reacts; None: that is not told,
    empty: no setting says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReminder:
    """A line for officers: a case is due, or was. It holds nothing of what was asked."""

    case_id: str
    """See `Case.case_id`."""
    number: int
    """See `Case.number`."""
    due_at: datetime
    """See `Case.due_at`."""
    state: CaseState
    """How far the case has come when this is sent."""
    officer: str | None
    """Name of who has claimed it; None: nobody has."""
    is_overdue: bool
    """True: it was due."""
    clock: ReportDue | None = None
    """What of a report is due; None: its answer."""
    is_escalated: bool = False
    """True: whoever hears of it did not have the report before."""
    has_written: bool = False
    """True: nothing is due, the writer of a report has written."""
