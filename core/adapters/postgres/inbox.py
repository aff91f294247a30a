"""Store messages: all that a message changes, in the transaction before it is acknowledged."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.database import raises_transient
from core.adapters.postgres.jobs import PostgresJobs
from core.adapters.postgres.ledger import Ledger, json_text, take_number
from core.adapters.postgres.replies import queue_reply
from core.adapters.postgres.settling import cause_of_message
from core.adapters.postgres.threads import Thread, open_thread
from core.adapters.postgres.units import begun_again
from core.audit.events import Event
from core.domain.audit import Tag
from core.domain.delivery import Notice, StoredReply
from core.domain.message import Accepted, Ignored, InboundMessage, MessageKind, Seen
from core.failpoints import failpoint

SALT_BYTES = 32
_REPEATED = Seen(reason="repeated")

_INSERT = text(
    "INSERT INTO citebound.inbox (dedupe_key, message_key, conversation_id, kind, sent_at, raw,"
    " run_salt, question_id, record_id, person, asker, mode, text, state, outcome)"
    " VALUES (:dedupe_key, :message_key, :conversation, :kind, :sent_at, :raw, :salt, :question,"
    " :record, :person, :asker, :mode, :text, :state, :outcome)"
    " ON CONFLICT DO NOTHING RETURNING id"
).bindparams(bindparam("raw", type_=JSONB))
_TARGET = text(
    "SELECT id, conversation_id::text, question_id::text, record_id::text, state, outcome, person,"
    " mode FROM citebound.inbox WHERE message_key = :key"
)
_RESTART = text(
    "UPDATE citebound.inbox SET text = :text, state = 'received', attempt = 0, lease_until = NULL,"
    " lease_token = NULL, next_at = clock_timestamp() WHERE id = :id"
    " AND state IN ('received', 'running')"
)
_WITHDRAW = text(
    "UPDATE citebound.inbox SET state = 'done', outcome = 'ignored', lease_until = NULL,"
    " lease_token = NULL WHERE id = ANY(:ids) AND state IN ('received', 'running')"
    " RETURNING id, question_id::text, record_id::text, person, mode, progress_id"
)
_BEGUN = text(
    "SELECT id FROM citebound.inbox WHERE conversation_id = :conversation AND person = :person"
    " AND state IN ('received', 'running') ORDER BY id"
)


class _SeenError(Exception):
    """Ends the transaction: it is rolled back, and with it the number that it took."""

    def __init__(self, seen: Seen) -> None:
        super().__init__(seen.reason)
        self.seen = seen


class PostgresInbox:
    """See `core.ports.Inbox`."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger, jobs: PostgresJobs) -> None:
        """Use a migrated database."""
        self._engine = engine
        self._ledger = ledger
        self._jobs = jobs

    @raises_transient
    @begun_again
    async def put(self, message: InboundMessage | Ignored, /) -> Accepted | Seen:
        """See `Inbox.put`."""
        try:
            async with self._engine.begin() as connection:
                accepted = await self._put(connection, message)
                failpoint("F2")
        except _SeenError as ended:
            return ended.seen
        return accepted

    async def _put(
        self, connection: AsyncConnection, message: InboundMessage | Ignored
    ) -> Accepted:
        thread = await open_thread(connection, message.place, message.person, ids=self._ledger.ids)
        if isinstance(message, Ignored):
            return await self._ignored(connection, thread, message)
        if message.kind is MessageKind.EDITED:
            return await self._edited(connection, thread, message)
        if message.kind is MessageKind.DELETED:
            return await self._deleted(connection, thread, message)
        if message.kind is MessageKind.STOP:
            return await self._stopped(connection, thread, message)
        return await self._asked(connection, thread, message)

    async def _asked(
        self, connection: AsyncConnection, thread: Thread, message: InboundMessage
    ) -> Accepted:
        question_id, record_id = self._ledger.ids.new(), self._ledger.ids.new()
        accepted = await self._insert(
            connection, thread, message, question_id=question_id, record_id=record_id
        )
        await self._ledger.event(
            connection,
            _event(Tag.MESSAGE_RECEIVED, thread, subject=question_id, kind=message.kind.value),
            content={"message": message.text, "place": _place(message)},
            record_id=record_id,
        )
        await self._jobs.defer(connection, "answer", thread.conversation_id)
        return accepted

    async def _ignored(
        self, connection: AsyncConnection, thread: Thread, message: Ignored
    ) -> Accepted:
        accepted = await self._insert(connection, thread, message, outcome="ignored")
        await self._ledger.event(
            connection,
            _event(Tag.MESSAGE_IGNORED, thread, reason=message.reason, outcome="ignored"),
            content={"place": _place(message)},
        )
        return accepted

    async def _edited(
        self, connection: AsyncConnection, thread: Thread, message: InboundMessage
    ) -> Accepted:
        """Begin again with the new text, or say that it comes too late."""
        accepted = await self._insert(connection, thread, message)
        target = await _target(connection, message)
        record_id = await self._ledger.event(
            connection,
            _event(
                Tag.MESSAGE_EDITED,
                thread,
                subject=target["question_id"],
                cause=target["record_id"],
            ),
            content={"message": message.text, "place": _place(message)},
        )
        if target["state"] in {"received", "running"}:
            await connection.execute(_RESTART, {"id": target["id"], "text": message.text})
            await self._jobs.defer(connection, "answer", target["conversation_id"])
        elif target["outcome"] != "ignored":
            await queue_reply(
                connection,
                StoredReply(notice=Notice.EDITED_AFTER_ANSWER, record_id=record_id),
                cause=cause_of_message(accepted.message_id),
                conversation_id=target["conversation_id"],
                person=target["person"],
                mode=target["mode"],
            )
            await self._jobs.defer(connection, "deliver", target["conversation_id"])
        return accepted

    async def _deleted(
        self, connection: AsyncConnection, thread: Thread, message: InboundMessage
    ) -> Accepted:
        """Withdraw what is not answered yet; an answer stays."""
        accepted = await self._insert(connection, thread, message)
        target = await _target(connection, message)
        await self._ledger.event(
            connection,
            _event(
                Tag.MESSAGE_DELETED,
                thread,
                subject=target["question_id"],
                cause=target["record_id"],
            ),
            content={"place": _place(message)},
        )
        await self._withdraw(connection, thread, [target["id"]], reason="withdrawn")
        return accepted

    async def _stopped(
        self, connection: AsyncConnection, thread: Thread, message: InboundMessage
    ) -> Accepted:
        """Drop what this person waits for here: whoever works on it loses the lease."""
        begun = await connection.execute(
            _BEGUN, {"conversation": thread.conversation_id, "person": message.person}
        )
        ids = list(begun.scalars())
        if not ids:
            raise _SeenError(Seen(reason="nothing_to_stop"))
        accepted = await self._insert(connection, thread, message)
        rows = await self._withdraw(connection, thread, ids, reason="stopped", seq=thread.seq)
        shown = next((row.progress_id for row in rows if row.progress_id), None)
        await queue_reply(
            connection,
            StoredReply(notice=Notice.STOPPED),
            cause=cause_of_message(accepted.message_id),
            conversation_id=thread.conversation_id,
            person=message.person,
            mode=message.place.mode,
            progress_id=shown,
        )
        await self._jobs.defer(connection, "deliver", thread.conversation_id)
        return accepted

    async def _withdraw(
        self,
        connection: AsyncConnection,
        thread: Thread,
        ids: list[int],
        *,
        reason: str,
        seq: int | None = None,
    ) -> Sequence[Any]:
        """Close messages without a reply, and return them; `seq` is a number taken already."""
        rows = (await connection.execute(_WITHDRAW, {"ids": ids})).all()
        for row in rows:
            number = seq or await take_number(connection, thread.conversation_id)
            seq = None
            ignored = _event(
                Tag.MESSAGE_IGNORED,
                replace(thread, seq=number),
                subject=row.question_id,
                cause=row.record_id,
                reason=reason,
                outcome="ignored",
            )
            await self._ledger.event(connection, ignored, content={})
        return rows

    async def _insert(
        self,
        connection: AsyncConnection,
        thread: Thread,
        message: InboundMessage | Ignored,
        *,
        question_id: str | None = None,
        record_id: str | None = None,
        outcome: str | None = None,
    ) -> Accepted:
        """Insert the row; one that is not to be answered is done at once.

        Raises:
            _SeenError: It is there.
        """
        is_full = isinstance(message, InboundMessage)
        row: dict[str, Any] = {
            "dedupe_key": message.dedupe_key,
            "message_key": message.message_key if is_full else None,
            "conversation": thread.conversation_id,
            "kind": message.kind.value if is_full else "ignored",
            "sent_at": message.sent_at,
            "raw": dict(message.raw) if is_full else {"reason": message.reason},
            "salt": secrets.token_bytes(SALT_BYTES),
            "question": question_id or self._ledger.ids.new(),
            "record": record_id,
            "person": message.person,
            "asker": thread.asker,
            "mode": message.place.mode,
            "text": message.text if is_full else "",
            "state": "received" if question_id else "done",
            "outcome": outcome,
        }
        message_id = await connection.scalar(_INSERT, row)
        if message_id is None:
            raise _SeenError(_REPEATED)
        return Accepted(message_id=message_id, conversation_id=thread.conversation_id)


async def _target(connection: AsyncConnection, message: InboundMessage) -> Any:
    """Return the message that was edited or deleted.

    Raises:
        _SeenError: We never kept it: it was not addressed to us.
    """
    found = await connection.execute(_TARGET, {"key": message.target_key})
    target = found.mappings().one_or_none()
    if target is None:
        raise _SeenError(Seen(reason="unknown_target"))
    return target


def _event(
    tag: Tag,
    thread: Thread,
    *,
    subject: str | None = None,
    cause: str | None = None,
    **says: str,
) -> Event:
    return Event(
        tag=tag,
        actor=thread.asker,
        actor_kind="asker",
        conversation=thread.conversation_id,
        seq=thread.seq,
        subject=subject,
        cause=cause,
        trace_id=subject,
        says=says,
    )


def _place(message: InboundMessage | Ignored) -> str:
    place = message.place
    return json_text(
        {
            "tenant": place.tenant,
            "channel": place.channel,
            "thread": place.thread,
            "message": message.message_key if isinstance(message, InboundMessage) else None,
        }
    )
