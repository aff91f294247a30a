"""A reply on its way: what is stored of it, and what a platform says to it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from core.domain.affected import AffectedEdition
from core.domain.answer import Answer
from core.domain.case import (
    Case,
    CaseNews,
    CaseReminder,
    CaseState,
    OfficerReply,
    ReportDue,
    SupersededAnswer,
)
from core.domain.conversation import Place
from core.domain.officers import NoLink, SignInLink
from core.language.languages import Language

REFERENCE = 8
"""Digits of a record's id that people read and type: the last ones, which are random."""


class Notice(StrEnum):
    """A line that is no answer; its words are the platform's."""

    EDITED_AFTER_ANSWER = "edited_after_answer"
    """The message was changed once it had been answered: please ask again."""
    WITHHELD = "withheld"
    """Readers have changed since: the answer is not shown here."""
    MAYBE_ABOVE = "maybe_above"
    """It can't be told whether the answer was posted: it may be above, and can be shown."""
    REMOVED = "removed"
    """The answer was taken away by the person who asked, or by an officer."""
    STOPPED = "stopped"
    """The person who asked has stopped the work on it."""
    SIGN_IN = "sign_in"
    """A link into the officers' console, made when it is sent; or why there is none."""
    STAFF_ALONE = "staff_alone"
    """In place of `HOW_IT_WORKS`: who reads it may not ask."""
    HOW_IT_WORKS = "how_it_works"
    """Who this is and what to ask: somebody wanted to know, or we are new there."""
    BUSY = "busy"
    """The question is kept and waits for its turn: too many came, or it has waited for long."""
    PACED = "paced"
    """Likewise, but its asker, or one thread, has asked too many in a short time."""
    TOO_MANY_OF_YOURS = "too_many_of_yours"
    """The question was not taken: as many of this person wait as may."""
    TOO_MANY = "too_many"
    """The question was not taken: as many wait as may, whoever asked them."""
    DAY_BUDGET_SPENT = "day_budget_spent"
    """To officers: language models have cost as much today as they may."""
    CHECKPOINT = "checkpoint"
    """To officers: a signed state of the ledger, so that the platform holds one."""
    CONTRADICTIONS = "contradictions"
    """To officers: past questions were asked again, and some answers contradict each other."""
    PRECEDENT_PROPOSED = "precedent_proposed"
    """To officers: a precedent waits for a second officer."""
    PRECEDENT_ENDED = "precedent_ended"
    """To officers: a precedent is told no more, as a clause changed or its last day has passed."""
    REVIEW_OVERDUE = "review_overdue"
    """To officers: a policy is past its review date; `StoredReply.subject` names it."""
    POLICIES_CHANGED = "policies_changed"
    """To officers: what a synchronisation or an ingestion changed; `StoredReply.subject` says it, a
    line a policy."""
    ANSWER_REPORTED = "answer_reported"
    """To officers: somebody reports a problem with an answer; `StoredReply.subject` says which."""
    REPORT_TAKEN = "report_taken"
    """To whoever reported it: Compliance reviews the answer; `StoredReply.subject` names it."""
    REPORT_RIGHT = "report_right"
    """Likewise: it was reviewed, and is right."""
    REPORT_PARTLY = "report_partly"
    """Likewise, and partly right."""
    REPORT_WRONG = "report_wrong"
    """Likewise, and wrong."""
    CASE_CODE = "case_code"
    """To whoever typed the code of a report: how far it is. Never stored."""
    SOURCE_FAILS = "source_fails"
    """To officers: a source of policies can't be read; `StoredReply.subject` says why."""
    SOURCE_WORKS = "source_works"
    """To officers: it can be read again."""


class CasePart(StrEnum):
    """What is shown of a case."""

    CARD = "card"
    """To officers: the case as it stands. It begins a thread of its own."""
    REPLY = "reply"
    """To the asker: the officer's answer."""
    SUPERSEDED = "superseded"
    """In place of the earlier answer: that it no longer holds."""
    NEWS = "news"
    """To the asker: how far the case has come."""
    REMINDER = "reminder"
    """To officers: it is due soon."""
    OVERDUE = "overdue"
    """To officers: it was due."""
    ESCALATED = "escalated"
    """To officers who did not have a report: whoever has it does not react."""
    WRITTEN = "written"
    """To officers: the writer of a report has written."""
    ACKNOWLEDGED = "acknowledged"
    """To the writer of a report: it was received."""
    UNHEARD = "unheard"
    """To the same: nobody reacts, and who else can be turned to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutCase:
    """What is stored of a reply about a case: ids. What they stand for is read when it is sent."""

    what: CasePart
    """Which part of the case."""
    case_id: str
    """The case."""
    message_id: int | None = None
    """The officer's answer; None but for `REPLY`."""
    state: CaseState | None = None
    """What is told; None but for `NEWS`."""
    clock: ReportDue | None = None
    """What of a report is due; None of all else."""
    ways: str | None = None
    """Who else can be turned to; None but for `UNHEARD`."""


EVERY_CASE = "all cases"
"""What is shown of the choice of every option."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clarified:
    """A question back that is answered: it is shown without its options."""

    asked: Answer
    """The question back."""
    chosen: str
    """What its asker chose or wrote; empty: something else was asked instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReply:
    """What was committed to be shown: enough to render it later, on any platform.

    Exactly one of `answer`, `notice`, `case`, `officer_reply`, `superseded`, `clarified`,
    `reminder`, `news` and `affected` is given.
    """

    answer: Answer | None = None
    """The answer with its quotes."""
    notice: Notice | None = None
    """The notice."""
    about: AboutCase | None = None
    """The case that the next four, `reminder` and `news` are read from; None: it is about none."""
    case: Case | None = None
    """The officers' card, as the case stands when it is sent."""
    officer_reply: OfficerReply | None = None
    """An officer's answer."""
    superseded: SupersededAnswer | None = None
    """The answer that no longer holds."""
    is_outdated: bool = False
    """True: it says at the post that it rewrites that a policy changed; `superseded` is read from
    that post when it is sent."""
    chosen: str | None = None
    """What answers the question back whose post this rewrites; empty: another question was asked
    instead; None: it rewrites none. `clarified` is read from that post when it is sent."""
    clarified: Clarified | None = None
    """A question back that is answered."""
    reminder: CaseReminder | None = None
    """To officers: that a case is due, or was."""
    news: CaseNews | None = None
    """How far a case has come."""
    edition: int | None = None
    """The edition that `affected` is read from; None: it is about none."""
    affected: AffectedEdition | None = None
    """The officers' card of an edition that affects past answers, as it stands when it is sent."""
    question_id: str | None = None
    """The question; None for a notice."""
    answer_id: str | None = None
    """The stored answer, for buttons; None for a notice."""
    record_id: str | None = None
    """The record that closes the question, or that explains the notice."""
    leaf_hash: str | None = None
    """Leaf hash of that record, hex; None for a notice."""
    groups: frozenset[str] = frozenset()
    """Groups whose policies the answer could rest on; empty for a notice."""
    ask_again_at: datetime | None = None
    """When a question that was not taken can be asked again, aware, UTC; None for all others."""
    sign_in: SignInLink | NoLink | None = None
    """What a notice about signing in tells: made when it is sent; None for all others."""
    checkpoint: str | None = None
    """The signed note of `Notice.CHECKPOINT`; None for all others."""
    subject: str | None = None
    """What a notice is about, as people call it; None of notices that are about nothing else."""
    language: Language | None = None
    """In which language its words are drawn, also when it is drawn again; None: that is decided
    when it is first posted, and kept."""
    asked: str | None = None
    """The question, as typed, of an answer that its asker shows to people who did not see it asked;
    None for all others."""

    @property
    def is_card(self) -> bool:
        """True if officers read of a case or an edition in it, with what policies say."""
        is_of_case = self.about is not None and self.about.what is CasePart.CARD
        return is_of_case or self.edition is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One row of the outbox, claimed: what to post, where, in which shape."""

    outbox_id: int = 0
    """Row of the outbox, 0: there is none; goes with the post, so that it can be found again."""
    conversation_id: str = ""
    """The conversation."""
    cause: str = ""
    """What it replies to (`message:17`)."""
    reply: StoredReply
    """What to show."""
    place: Place
    """Where it was asked."""
    person: str
    """The platform's id of the asker."""
    is_direct: bool
    """True: to the asker alone, not to the place."""
    shape: int
    """0 is the richest that the poster knows; each refused one is followed by a plainer one."""
    attempt: int = 1
    """How often a post has begun."""
    progress_id: str | None = None
    """The platform's id of the message that shows progress, which the reply replaces."""
    is_doubtful: bool = False
    """True if an earlier post may have arrived: find out before posting again."""
    is_recorded_doubt: bool = False
    """True if `reply:uncertain` has been written already."""
    age_s: float = 0.0
    """Seconds since it was queued."""
    token: str = ""
    """Proof of the lease."""
    replaces: str | None = None
    """The platform's id of an earlier post of ours, which this one rewrites in place; None: it is
    posted anew. `find` may settle it by rewriting once more."""
    directory_id: str | None = None
    """The id by which the company's directory knows the asker, where the platform tells one."""
    asked_from: str | None = None
    """The channel from which it was asked, where the reply goes elsewhere; None if nowhere else."""
    has_file: bool = False
    """True: something was attached to the question, which nobody read."""
    locale: str | None = None
    """What the client of `person` spoke last (`de-AT`); None: it did not tell."""
    time_zone: str | None = None
    """Name of the time zone of who wrote what this replies to; None: their client did not tell."""
    is_whispered: bool = False
    """True: the platform showed the question to nobody else, and nor may it show the reply."""
    is_taken_over: bool = False
    """See `Claimed.is_taken_over`."""
    waited_s: float | None = None
    """Seconds since the message that it replies to was stored; None if it replies to none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """The platform has it."""

    remote_id: str | None
    """Its id of the message; None if it told none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryAfter:
    """Too many: nothing was posted."""

    after_s: float
    """Seconds for which the channel must rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentRefused:
    """The platform does not take this shape: nothing was posted."""

    code: str
    """The platform's word for it (`invalid_blocks`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permanent:
    """The place is gone or closed to us: nothing was posted, and nothing will be."""

    code: str
    """The platform's word for it (`channel_not_found`)."""
    is_unwanted: bool = False
    """True: the asker does not want it, there or anywhere else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambiguous:
    """It may have been posted: a time-out, a reset, a 5xx."""

    code: str
    """What happened."""


PostResult: TypeAlias = Posted | RetryAfter | ContentRefused | Permanent | Ambiguous
"""What came of a post. A poster raises nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound:
    """It was not posted: post it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanNotTell:
    """The platform lets nobody search: it is posted at most once."""


FindResult: TypeAlias = Posted | NotFound | CanNotTell | RetryAfter | Ambiguous
"""What came of looking for a post."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle:
    """It is there: done, with `reply:posted`."""

    remote_id: str | None
    """The platform's id of it; None if it told none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PutOff:
    """Try again later; what is known of it stays."""

    seconds: float
    """How much later."""
    channel_rests: bool = False
    """True: nothing is posted to its channel until then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueAgain:
    """It was not posted: post it, at once."""

    shape: int
    """In this shape."""
    is_direct: bool
    """True: to the asker alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """It may have been posted: look for it later, with `reply:uncertain`."""

    seconds: float
    """How much later."""
    why: str
    """What happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveUncertain:
    """It may have been posted, and nobody can tell: done, and a notice says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withhold:
    """It may not be read there any more: done, with `reply:withheld`, and a notice instead."""

    reason: str
    """Why, in a word."""
    to_direct: bool
    """True: it goes to the asker alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandon:
    """It can't be posted: dead, with `reply:abandoned`."""

    code: str
    """The platform's word for it."""


Step: TypeAlias = Settle | PutOff | QueueAgain | Doubt | LeaveUncertain | Withhold | Abandon
"""What follows for a row of the outbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Who reads a place."""

    groups: frozenset[str]
    """Groups that every reader belongs to."""
    jurisdiction: str | None = None
    """ISO 3166 code, if the place has one."""
    tags: frozenset[str] = frozenset()
    """Scope of the place."""
    is_private: bool = False
    """True: nobody reads it who was not let in by name; False also where that can't be told."""
    are_groups_unread: bool = False
    """True: of some groups it is not known who belongs to them, and nobody counts as of them."""


GROUPS_UNREAD = "groups_unread"
"""Reason of `NoReaders` where it hangs on groups that can't be read now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoReaders:
    """Nobody may be answered there: guests, another company, unknown."""

    may_read_direct: bool
    """True if the asker may be answered in a direct message."""
    reason: str
    """Why, in a word (`shared_channel`, `outsider`)."""
