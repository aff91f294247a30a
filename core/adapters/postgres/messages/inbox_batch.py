"""Store questions: many in one transaction, in as many statements as one would take.

Intake waits for this. Each statement is given all the questions as arrays, so that its round trip
and the commit are paid once (`core.group_commit`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.conversation_rows import Thread, open_threads
from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger, append
from core.adapters.postgres.engine.retrying import begun_again
from core.adapters.postgres.messages.admission import Admission, Admitted, Refused, admit
from core.adapters.postgres.messages.inbox_rows import Row, contents_of, event_of, insert, row_of
from core.adapters.postgres.queue.completion import cause_of_message
from core.adapters.postgres.queue.queue import PostgresJobs
from core.adapters.postgres.queue.replies import queue_reply
from core.audit.events import Event
from core.domain.audit import Tag
from core.domain.delivery import StoredReply
from core.domain.errors import TransientError
from core.domain.message import Accepted, InboundMessage, Seen
from core.domain.rate_limit import TurnLimit, WaitingLimits
from core.failpoints import failpoint

REPEATED = Seen(reason="repeated")


class _OvertakenError(Exception):
    """Another process stored one of them since we looked: all is rolled back."""


class Questions:
    """Stores questions of different places. Safe from many tasks."""

    def __init__(
        self,
        engine: AsyncEngine,
        *,
        ledger: Ledger,
        jobs: PostgresJobs,
        waiting: WaitingLimits,
        turns: TurnLimit,
    ) -> None:
        """Use a migrated database; `turns` are those of one person."""
        self._engine = engine
        self._ledger = ledger
        self._jobs = jobs
        self._waiting = waiting
        self._turns = turns

    async def store(self, messages: Sequence[InboundMessage]) -> list[Accepted | Seen]:
        """Store all of them with their records and jobs, or none; those that are there are seen.

        Where too many wait already one is stored, and its asker told, but not answered.

        Raises:
            TransientError: None was stored, or nobody knows; or one of several was overtaken.
        """
        try:
            return await self._store(messages)
        except _OvertakenError as overtaken:
            if len(messages) > 1:
                raise TransientError("another process stored one of these messages") from overtaken
            return [REPEATED]

    @raises_transient
    @begun_again
    async def _store(self, messages: Sequence[InboundMessage]) -> list[Accepted | Seen]:
        async with self._engine.begin() as connection:
            threads = await open_threads(connection, messages, ids=self._ledger.ids)
            fresh = [
                (message, thread)
                for message, thread in zip(messages, threads, strict=True)
                if thread is not None
            ]
            stored = await self._write(connection, fresh) if fresh else {}
            failpoint("F2")
        return [
            REPEATED
            if thread is None
            else Accepted(
                message_id=stored[message.dedupe_key], conversation_id=thread.conversation_id
            )
            for message, thread in zip(messages, threads, strict=True)
        ]

    async def _write(
        self, connection: AsyncConnection, fresh: Sequence[tuple[InboundMessage, Thread]]
    ) -> dict[str, int]:
        ids = self._ledger.ids
        admissions = await admit(connection, fresh, limits=self._waiting, turns=self._turns)
        asked = [
            _Asked(
                message=message,
                thread=thread,
                admission=admission,
                question_id=ids.new(),
                record_id=ids.new(),
            )
            for (message, thread), admission in zip(fresh, admissions, strict=True)
        ]
        stored = await insert(connection, [one.row() for one in asked])
        if len(stored) < len(fresh):
            raise _OvertakenError
        entries = [
            self._ledger.entry(
                one.event(), content=contents_of(one.message), record_id=one.record_id
            )
            for one in asked
        ]
        await append(connection, entries)
        admitted = [one for one in asked if isinstance(one.admission, Admitted)]
        await self._jobs.defer_now(
            connection,
            "answer",
            [one.thread.conversation_id for one in admitted],
            ahead=frozenset(one.thread.conversation_id for one in admitted if one.is_ahead),
        )
        for one in asked:
            if isinstance(one.admission, Refused) and not one.admission.is_told:
                await self._tell(connection, one, one.admission, stored[one.message.dedupe_key])
        return stored

    async def _tell(
        self, connection: AsyncConnection, one: "_Asked", refused: Refused, message_id: int
    ) -> None:
        """Queue the line that says that it was not taken, and when to ask again."""
        await queue_reply(
            connection,
            StoredReply(
                notice=refused.why,
                question_id=one.question_id,
                record_id=one.record_id,
                ask_again_at=refused.ask_again_at,
            ),
            cause=cause_of_message(message_id),
            conversation_id=one.thread.conversation_id,
            person=one.message.person,
            mode=one.message.place.mode,
        )
        await self._jobs.defer(connection, "deliver", one.thread.conversation_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question that is being stored, to be answered or not."""

    message: InboundMessage
    thread: Thread
    admission: Admission
    question_id: str
    record_id: str

    @property
    def is_ahead(self) -> bool:
        return isinstance(self.admission, Admitted) and self.admission.is_ahead

    def row(self) -> Row:
        taken = isinstance(self.admission, Admitted)
        return row_of(
            self.message,
            self.thread,
            question_id=self.question_id,
            record_id=self.record_id,
            is_done=not taken,
            outcome=None if taken else "ignored",
            is_counted=isinstance(self.admission, Refused) or self.admission.is_counted,
            is_ahead=self.is_ahead,
        )

    def event(self) -> Event:
        tag, thread, question = Tag.MESSAGE_RECEIVED, self.thread, self.question_id
        if isinstance(self.admission, Refused):
            tag, why = Tag.MESSAGE_IGNORED, self.admission.why.value
            return event_of(tag, thread, subject=question, reason=why, outcome="ignored")
        return event_of(tag, thread, subject=question, kind=self.message.kind.value)
