"""Store messages: all that a message changes, in the transaction before it is acknowledged."""

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger, take_number
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.messages.inbox_batch import (
    REPEATED,
    Questions,
    contents_of,
    event_of,
    insert,
    place_of,
    row_of,
)
from core.adapters.postgres.queue.conversations import Thread, open_threads
from core.adapters.postgres.queue.replies import cause_of_message, queue_reply
from core.agent.conversation.misconduct import may_report
from core.agent.conversation.understanding import clean
from core.agent.request import MAX_QUESTION
from core.domain.audit import Tag
from core.domain.delivery import Notice, StoredReply
from core.domain.limits import TurnLimits, WaitingLimits
from core.domain.message import (
    UNKNOWN_TARGET,
    Accepted,
    Ignored,
    InboundMessage,
    MessageKind,
    Seen,
)
from core.failpoints import failpoint
from core.group_commit import GroupCommit

_TARGET = text(
    "SELECT i.id, i.conversation_id::text, i.question_id::text, i.record_id::text, i.state,"
    " i.outcome, i.person, i.mode, i.text, coalesce(a.outcome = 'escalated' AND a.refusal IS NULL,"
    " false) AS was_report, CASE WHEN i.state = 'received' OR i.lease_until < clock_timestamp()"
    " THEN i.progress_id END AS left_standing FROM citebound.inbox i"
    " LEFT JOIN citebound.answers a ON a.question_id = i.question_id WHERE i.message_key = :key"
)
"""`left_standing` is the progress that a process showed which no longer works on the message."""
_FORGET = text(
    "SELECT citebound.forget_words(array_agg(id)) FROM citebound.inbox"
    " WHERE conversation_id = CAST(:conversation AS uuid)"
    " AND (message_key = :key OR starts_with(message_key, :key || ':edited:'))"
)
"""A report typed by editing a message has a key that begins like that of the edit."""
_FORGET_CONVERSATION = text(
    "SELECT citebound.forget_conversation(array_agg(id)) FROM citebound.inbox"
    " WHERE conversation_id = CAST(:conversation AS uuid)"
    " AND (message_key = :key OR starts_with(message_key, :key || ':edited:'))"
)
_TOLD = text(
    "SELECT EXISTS (SELECT FROM citebound.outbox o JOIN citebound.inbox i"
    " ON o.cause = 'message:' || i.id WHERE o.conversation_id = CAST(:conversation AS uuid)"
    " AND i.kind = 'edited' AND starts_with(i.message_key, :key || ':edited:'))"
)
_HAS_FILE = text(
    "UPDATE citebound.inbox SET raw = raw || '{\"has_file\": true}'"
    " WHERE message_key = :key AND NOT coalesce((raw->>'has_file')::boolean, false)"
)
_RESTART = text(
    "UPDATE citebound.inbox SET text = :text, state = 'received', attempt = 0, lease_until = NULL,"
    " lease_token = NULL, next_at = clock_timestamp(), is_ahead = is_ahead OR :is_report"
    " WHERE id = :id"
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


FAILED_LATELY_S = 30.0
"""How long a message that could not be stored counts, if none is stored after it."""
_NEVER = float("-inf")
_QUESTIONS = frozenset({MessageKind.MESSAGE, MessageKind.CHOICE})
"""What is to be answered: most of what comes, so it is stored together."""
_NOTICES = {MessageKind.HELP: Notice.HOW_IT_WORKS, MessageKind.SIGN_IN: Notice.SIGN_IN}
"""What is told instead of an answer."""


class _SeenError(Exception):
    """Ends the transaction: it is rolled back, and with it the number that it took."""

    def __init__(self, seen: Seen) -> None:
        super().__init__(seen.reason)
        self.seen = seen


class PostgresInbox:
    """See `core.ports.Inbox`."""

    def __init__(
        self,
        engine: AsyncEngine,
        *,
        ledger: Ledger,
        waiting: WaitingLimits,
        turns: TurnLimits,
    ) -> None:
        self._engine = engine
        self._ledger = ledger
        questions = Questions(engine, ledger=ledger, waiting=waiting, turns=turns.asker)
        self._together = GroupCommit(questions.store, key=lambda message: message.place)
        self._failed_s = _NEVER

    async def trouble(self) -> str | None:
        """Say that the last message could not be stored, if that was lately; None: it was."""
        is_lately = monotonic() - self._failed_s < FAILED_LATELY_S
        return "messages could not be stored" if is_lately else None

    async def put(self, message: InboundMessage | Ignored, /) -> Accepted | Seen:
        """See `Inbox.put`."""
        try:
            stored = await self._stored(message)
        except BaseException:  # also of whoever has waited long enough, and is cancelled
            self._failed_s = monotonic()
            raise
        self._failed_s = _NEVER
        return stored

    async def _stored(self, message: InboundMessage | Ignored) -> Accepted | Seen:
        if isinstance(message, InboundMessage) and message.kind in _QUESTIONS:
            accepted = await self._together.put(message)
            if accepted == REPEATED and message.raw.get("has_file") is True:
                await self._note_file(message.message_key)
            return accepted
        if isinstance(message, InboundMessage) and await self._is_late_report(message):
            # First, so that an edit that comes again finds it: an edit is seen once.
            await self._together.put(
                replace(
                    message,
                    kind=MessageKind.MESSAGE,
                    dedupe_key=f"{message.dedupe_key}:report",
                    message_key=f"{message.message_key}:report",
                    target_key=None,
                    as_original=None,
                )
            )
        return await self._put_alone(message)

    @raises_transient
    @begun_again
    async def _is_late_report(self, message: InboundMessage) -> bool:
        """Say whether an answered message was edited into a report, which is handled as a new one.

        Nothing in its place may show that.
        """
        if message.kind is not MessageKind.EDITED:
            return False
        async with self._engine.begin() as connection:
            found = await connection.execute(_TARGET, {"key": message.target_key})
            target = found.mappings().one_or_none()
        return target is not None and _is_settled(target) and _is_about_report(message, target)

    @raises_transient
    @begun_again
    async def _note_file(self, key: str | None) -> None:
        """Keep that a message has a file, where its first event did not say so."""
        async with self._engine.begin() as connection:
            await connection.execute(_HAS_FILE, {"key": key})

    @raises_transient
    @begun_again
    async def _put_alone(self, message: InboundMessage | Ignored) -> Accepted | Seen:
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
        (thread,) = await open_threads(connection, [message], ledger=self._ledger)
        if thread is None:
            raise _SeenError(REPEATED)
        if isinstance(message, Ignored):
            return await self._ignored(connection, thread, message)
        if message.kind is MessageKind.EDITED:
            return await self._edited(connection, thread, message)
        if message.kind is MessageKind.DELETED:
            return await self._deleted(connection, thread, message)
        notice = _NOTICES.get(message.kind)
        if notice is not None:
            return await self._told(connection, thread, message, notice)
        return await self._stopped(connection, thread, message)

    async def _ignored(
        self, connection: AsyncConnection, thread: Thread, message: Ignored
    ) -> Accepted:
        accepted = await self._insert(connection, thread, message, outcome="ignored")
        await self._ledger.event(
            connection,
            event_of(Tag.MESSAGE_IGNORED, thread, reason=message.reason, outcome="ignored"),
            content={"place": place_of(message)},
        )
        return accepted

    async def _told(
        self, connection: AsyncConnection, thread: Thread, message: InboundMessage, notice: Notice
    ) -> Accepted:
        """Queue a notice; no question was asked, and the record says so."""
        accepted = await self._insert(connection, thread, message)
        record_id = await self._ledger.event(
            connection,
            event_of(Tag.MESSAGE_IGNORED, thread, reason=message.kind.value, outcome="ignored"),
            content={"place": place_of(message)},
        )
        await queue_reply(
            connection,
            StoredReply(notice=notice, record_id=record_id),
            cause=cause_of_message(accepted.message_id),
            conversation_id=thread.conversation_id,
            person=message.person,
            mode=message.place.mode,
        )
        return accepted

    async def _edited(
        self, connection: AsyncConnection, thread: Thread, message: InboundMessage
    ) -> Accepted:
        """Begin again with the new text, or say, once, that it comes too late."""
        accepted = await self._insert(connection, thread, message)
        target = await _target(connection, message)
        record_id = await self._ledger.event(
            connection,
            event_of(
                Tag.MESSAGE_EDITED,
                thread,
                subject=target["question_id"],
                cause=target["record_id"],
            ),
            content=contents_of(message, is_report=target["was_report"]),
        )
        if target["state"] in {"received", "running"}:
            new = {"id": target["id"], "text": message.text, "is_report": message.is_report}
            await connection.execute(_RESTART, new)
        elif not _is_about_report(message, target) and await _is_news(connection, message, target):
            await queue_reply(
                connection,
                StoredReply(notice=Notice.EDITED_AFTER_ANSWER, record_id=record_id),
                cause=cause_of_message(accepted.message_id),
                conversation_id=target["conversation_id"],
                person=target["person"],
                mode=target["mode"],
            )
        return accepted

    async def _deleted(
        self, connection: AsyncConnection, thread: Thread, message: InboundMessage
    ) -> Accepted:
        """Withdraw what is not answered yet; an answer stays, progress that was left does not."""
        accepted = await self._insert(connection, thread, message)
        target = await _target(connection, message)
        await self._ledger.event(
            connection,
            event_of(
                Tag.MESSAGE_DELETED,
                thread,
                subject=target["question_id"],
                cause=target["record_id"],
            ),
            content={"place": place_of(message)},
        )
        await self._withdraw(connection, thread, [target["id"]], reason="withdrawn")
        if target["left_standing"]:
            await queue_reply(
                connection,
                StoredReply(notice=Notice.STOPPED),
                cause=cause_of_message(accepted.message_id),
                conversation_id=target["conversation_id"],
                person=target["person"],
                mode=target["mode"],
                progress_id=target["left_standing"],
            )
        keys = {"conversation": target["conversation_id"], "key": message.target_key}
        await connection.execute(_FORGET, keys)
        await connection.execute(_FORGET_CONVERSATION, keys)
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
            ignored = event_of(
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
        outcome: str | None = None,
    ) -> Accepted:
        """Insert the row of what is not to be answered.

        Raises:
            _SeenError: It is there.
        """
        row = row_of(
            message, thread, question_id=self._ledger.ids.new(), is_done=True, outcome=outcome
        )
        message_id = (await insert(connection, [row])).get(message.dedupe_key)
        if message_id is None:
            raise _SeenError(REPEATED)
        return Accepted(message_id=message_id, conversation_id=thread.conversation_id)


async def _is_news(connection: AsyncConnection, message: InboundMessage, target: Any) -> bool:
    """Say whether other words than those that were answered stand there, and nobody was told."""
    if not _is_settled(target) or clean(message.text) == clean(target["text"]):
        return False
    keys = {"conversation": target["conversation_id"], "key": message.target_key}
    return not await connection.scalar(_TOLD, keys)


def _is_settled(target: Any) -> bool:
    """Say whether a message was answered."""
    return target["state"] not in {"received", "running"} and target["outcome"] != "ignored"


def _is_about_report(message: InboundMessage, target: Any) -> bool:
    """Say whether an edit makes a report, or changes one."""
    words = clean(message.text, most=MAX_QUESTION)
    is_changed = words != clean(target["text"])
    return is_changed and (target["was_report"] or may_report(words))


async def _target(connection: AsyncConnection, message: InboundMessage) -> Any:
    """Return the message that was edited or deleted.

    Raises:
        _SeenError: We never kept it: it was not addressed to us.
    """
    found = await connection.execute(_TARGET, {"key": message.target_key})
    target = found.mappings().one_or_none()
    if target is None:
        raise _SeenError(UNKNOWN_TARGET)
    return target
