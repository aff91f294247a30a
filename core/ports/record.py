"""What was said: the record, and earlier turns of a thread."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from core.domain.answer import Answer
from core.domain.conversation import Place
from core.domain.message import Speakers
from core.domain.question import Turn
from core.domain.run import Run
from core.ports.cases import CaseUnit
from core.ports.corrections import Correction
from core.ports.messages import Completion


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReceipt:
    """Proof that a run was recorded."""

    record_id: str
    """Identity of the audit record."""
    answer_id: str
    """Identity of the stored answer."""
    leaf_hash: bytes
    """RFC 6962 leaf hash of the record."""
    answer: Answer
    """What was recorded and is to be shown: where the question was passed on, it says so."""


class AuditLog(Protocol):
    """The record. Nothing is shown before this returns."""

    async def record(self, run: Run, /, *, completion: Completion | None = None) -> RecordReceipt:
        """Store question, answer, claims, citations, trace and record in one transaction.

        With a completion the message is settled and the reply is queued in it too, and what only a
        person can answer becomes a case.

        Raises:
            OvertakenError: The completion's lease is lost: whoever has it answers. Nothing was
                stored.
            TransientError: Nothing was stored, and nothing may be shown.
        """
        ...


class AnswerRows(Protocol):
    """Questions and their answers, and the messages that they settle."""

    async def begin(self, run: Run, /) -> int:
        """Make or lock the conversation, and return the number of its next record."""
        ...

    async def append(self, run: Run, /, *, seq: int, cause: str | None) -> RecordReceipt:
        """Store question, answer and trace, and their record, which follows from `cause`."""
        ...

    async def append_events(self, run: Run, receipt: RecordReceipt, /) -> None:
        """Record what the run tells beside its outcome; see `core.audit.run_events`."""
        ...

    async def settle(self, completion: Completion, run: Run, receipt: RecordReceipt, /) -> str:
        """Close the message, queue its reply, and return the platform's id of who asked.

        Raises:
            OvertakenError: The lease is lost: somebody else answers, or nobody shall.
        """
        ...

    async def correct(self, correction: Correction, run: Run, receipt: RecordReceipt, /) -> None:
        """Record that an answer holds no more, queue the new one, and mark what was posted.

        Raises:
            OvertakenError: It was decided meanwhile, or the earlier answer was replaced or removed.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordUnit:
    """One transaction that records an answer, with all that follows from it."""

    answers: AnswerRows
    """Stores the answer and settles its message."""
    cases: CaseUnit
    """Opens its case."""


class RecordStore(Protocol):
    """Answers in a database."""

    async def run(self, work: Callable[[RecordUnit], Awaitable[RecordReceipt]], /) -> RecordReceipt:
        """Do work in one transaction; see `CaseStore.run`.

        Raises:
            TransientError: Nothing was stored.
        """
        ...


class ConversationStore(Protocol):
    """What was said earlier in a thread."""

    async def find(self, place: Place, /) -> str | None:
        """Return the id of the conversation at a place.

        Or None if nothing was ever said there.
        """
        ...

    async def speakers(self, conversation_id: str, /) -> Speakers:
        """Return who began a conversation, who asked last, and whether an officer took it over."""
        ...

    async def history(self, conversation_id: str, /) -> tuple[Turn, ...]:
        """Return the earlier turns, oldest first, at most the last 20; empty for an unknown id."""
        ...
