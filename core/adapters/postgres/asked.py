"""Store questions: many in one transaction, in as many statements as one would take.

Intake waits for this. Each statement is given all the questions as arrays, so that its round trip
and the commit are paid once (`core.together`).
"""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.database import raises_transient
from core.adapters.postgres.inbox_rows import contents_of, event_of, insert, row_of
from core.adapters.postgres.jobs import PostgresJobs
from core.adapters.postgres.ledger import Ledger, append
from core.adapters.postgres.threads import Thread, open_threads
from core.adapters.postgres.units import begun_again
from core.domain.audit import Tag
from core.domain.errors import TransientError
from core.domain.message import Accepted, InboundMessage, Seen
from core.failpoints import failpoint

REPEATED = Seen(reason="repeated")


class _OvertakenError(Exception):
    """Another process stored one of them since we looked: all is rolled back."""


class Questions:
    """Stores questions of different places. Safe from many tasks."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger, jobs: PostgresJobs) -> None:
        """Use a migrated database."""
        self._engine = engine
        self._ledger = ledger
        self._jobs = jobs

    async def store(self, messages: Sequence[InboundMessage]) -> list[Accepted | Seen]:
        """Store all of them with their records and jobs, or none; those that are there are seen.

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
        named = [(message, thread, ids.new(), ids.new()) for message, thread in fresh]
        stored = await insert(
            connection,
            [
                row_of(message, thread, question_id=question, record_id=record, is_done=False)
                for message, thread, question, record in named
            ],
        )
        if len(stored) < len(fresh):
            raise _OvertakenError
        await append(
            connection,
            [
                self._ledger.entry(
                    event_of(
                        Tag.MESSAGE_RECEIVED, thread, subject=question, kind=message.kind.value
                    ),
                    content=contents_of(message),
                    record_id=record,
                )
                for message, thread, question, record in named
            ],
        )
        await self._jobs.defer_now(
            connection, "answer", [thread.conversation_id for _, thread in fresh]
        )
        return stored
