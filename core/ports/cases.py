"""What `core.cases` needs of a database. Safe from many processes.

Whatever happens to a case happens in one transaction under the lock of its asker's conversation:
the state, its record and what is to be posted change together, or not at all.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol, Self, TypeVar

from core.domain.audit import Tag
from core.domain.case import AskedAnswer, CaseState, NewCase, ReviewVerdict, StoredCase
from core.domain.case_actions import Refusal
from core.domain.delivery import AboutCase
from core.domain.feedback import Feedback, FeedbackKept, FeedbackRefused
from core.domain.json_value import Json
from core.domain.officers import Account, Officer, Route

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who acts, as the record names them."""

    kind: str
    """`asker`, `officer` or `system`."""
    ref: str
    """Pseudonym, login, or the name of a part of the system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEvent:
    """What was recorded: whoever is told of it gets a piece of the record with it."""

    record_id: str
    """Identity of the record."""
    leaf_hash: str
    """RFC 6962 leaf hash of the record, hex."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedAction:
    """What came of an action that was taken before."""

    refusal: Refusal | None
    """Why it was refused; None: it was done."""


class CaseRows(Protocol):
    """Cases, and the answers that they are about."""

    async def asked(self, answer_id: str, by: Account, /) -> AskedAnswer | None:
        """Return an answer of the workspace of `by`; None: there is none."""
        ...

    async def lock(self, conversation_id: str, /) -> None:
        """Wait for the lock of a conversation, and hold it until the transaction ends."""
        ...

    async def find(self, case_id: str, /) -> StoredCase | None:
        """Return a case; None: there is none, or this is no id."""
        ...

    async def of_question(self, question_id: str, /) -> StoredCase | None:
        """Return the case of a question; None: there is none."""
        ...

    async def count_passed_on(self, asker: str, /, *, since: datetime) -> int:
        """Return how many cases one person's questions have opened by themselves.

        Those to which the asker added a note are not counted. Until the transaction ends nobody
        else counts those of this person.
        """
        ...

    async def next_number(self) -> int:
        """Return the number of a case to be opened; one that is not used stays free."""
        ...

    async def insert(self, case: NewCase, /) -> StoredCase:
        """Store a case and return it."""
        ...

    async def save(self, case: StoredCase, /) -> StoredCase:
        """Store what has changed of a case, and return it as it is read now."""
        ...


class CaseLog(Protocol):
    """What was done to cases, or refused: their own log, and the record."""

    async def actor(
        self, by: Account, officer: Officer | None, /, *, conversation_id: str
    ) -> Actor:
        """Return how the record names somebody: an officer by login, others by pseudonym.

        The pseudonym is that of a conversation.
        """
        ...

    async def find(self, case: StoredCase, actor: Actor, key: str, /) -> LoggedAction | None:
        """Return what came of a click; None: it is new."""
        ...

    async def add(
        self,
        case: StoredCase,
        actor: Actor,
        *,
        kind: str,
        key: str,
        body: str = "",
        refusal: Refusal | None = None,
        officer: Officer | None = None,
        is_direct: bool = False,
    ) -> int:
        """Log an action or its refusal, and return its number."""
        ...

    async def keep_verdict(
        self, case: StoredCase, actor: Actor, verdict: ReviewVerdict, *, key: str
    ) -> None:
        """Keep what an officer finds of the answer, as a label for the calibration."""
        ...

    async def record(
        self,
        tag: Tag,
        case: StoredCase,
        actor: Actor,
        *,
        content: Mapping[str, str] | None = None,
        says: Mapping[str, Json] | None = None,
    ) -> RecordedEvent:
        """Append what happened to a case to the record; `content` is personal text."""
        ...

    async def record_refused_opening(
        self, asked: AskedAnswer, actor: Actor, refusal: Refusal, /
    ) -> None:
        """Append to the record that no case was opened."""
        ...


class CaseCodes(Protocol):
    """Codes of reports, of which nobody can read more than a keyed hash."""

    async def keep(self, case_id: str, code: str, /) -> None:
        """Let a code be that of a case from now on, and no earlier one."""
        ...

    async def find(self, code: str, /) -> str | None:
        """Return the id of the case of a code; None: there is none, or it was erased."""
        ...


class CasePosts(Protocol):
    """Queues what is posted about cases."""

    async def first_cards(self, case: StoredCase, routes: tuple[Route, ...], /) -> None:
        """Queue a card for each place where officers are to see the case."""
        ...

    async def update_cards(self, case: StoredCase, /) -> None:
        """Let each card show the case as it now stands."""
        ...

    async def remind(
        self,
        case: StoredCase,
        about: AboutCase,
        recorded: RecordedEvent,
        routes: tuple[Route, ...],
        /,
    ) -> None:
        """Queue for officers that a case is due, or was."""
        ...

    async def tell_asker(
        self, case: StoredCase, about: AboutCase, recorded: RecordedEvent, /, *, is_direct: bool
    ) -> None:
        """Queue what was recorded for the asker: in the thread, or in a direct message."""
        ...

    async def supersede(
        self, case: StoredCase, message_id: int, recorded: RecordedEvent, /
    ) -> None:
        """Say at the earlier answer that it no longer holds, wherever it was shared."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseUnit:
    """One transaction over cases."""

    rows: CaseRows
    """Reads, locks and writes them."""
    log: CaseLog
    """Tells what was done."""
    posts: CasePosts
    """Tells people."""
    codes: CaseCodes
    """Knows the codes of reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledFilter:
    """Which cases that wait no more: all that is given must hold."""

    words: str = ""
    """In the question, upper or lower case; a report is found by no words."""
    officer: str = ""
    """Login of whose it was."""
    since: date | None = None
    """First day on which it was opened, UTC."""
    until: date | None = None
    """Last day, likewise."""
    before: int | None = None
    """Number below which the page begins; None: with the newest."""


class CaseStore(Protocol):
    """Cases in a database."""

    def seen_by(self, *officers: str) -> Self:
        """Return it as officers may use it, by login.

        There are only cases of the first one's units, and texts that all of them may read.
        """
        ...

    async def run(self, work: Callable[[CaseUnit], Awaitable[_T]], /) -> _T:
        """Do work in one transaction: committed when it returns, undone when it raises.

        It may be done again from its beginning, where the database ended the transaction.
        """
        ...

    async def find(self, case_id: str, /) -> StoredCase | None:
        """Return a case; None: there is none, or this is no id."""
        ...

    async def of_answer(self, answer_id: str, /) -> StoredCase | None:
        """Return the case of an answer, of any workspace; None: there is none."""
        ...

    async def listed(self, states: Collection[CaseState], /) -> tuple[StoredCase, ...]:
        """Return cases in some states, at most 200: the most urgent first, then the oldest."""
        ...

    async def settled(self, wanted: SettledFilter, /, *, most: int) -> tuple[StoredCase, ...]:
        """Return answered and closed cases, newest first."""
        ...

    async def forget_reports(self, *, before: datetime) -> None:
        """Empty the words of reports that were answered before, and that nobody passed on."""
        ...

    async def due(self, *, now: datetime, until: datetime) -> tuple[str, ...]:
        """Return ids of waiting cases, at most 500, that were due or are due until then.

        Of the former those of which officers were not told, of the latter those of which they were
        not reminded. And reports whose writers are owed a word until then.
        """
        ...

    async def of_asker(self, account: Account, /) -> tuple[StoredCase, ...]:
        """Return the cases of an asker that are not closed, newest first, at most 50."""
        ...


class FeedbackStore(Protocol):
    """What people think of answers."""

    async def give(self, feedback: Feedback, /) -> FeedbackKept | FeedbackRefused:
        """Keep feedback with its record; idempotent by its key."""
        ...
