"""Rows of the inbox; questions are stored many at a time, in as many statements as one needs.

The platform's acknowledgement waits for this. Each statement takes all the questions as arrays, so
that its round trip and the commit are paid once (`core.group_commit`).
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from sqlalchemy import ARRAY, Boolean, DateTime, LargeBinary, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import raises_transient, server_now
from core.adapters.postgres.engine.ledger import Ledger, append, json_text
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.messages.admission import Admission, Admitted, Refused, admit
from core.adapters.postgres.queue.clarified import is_followed, show_choice
from core.adapters.postgres.queue.conversations import Thread, open_threads
from core.adapters.postgres.queue.replies import cause_of_message, queue_reply
from core.agent.conversation.misconduct import may_report
from core.agent.conversation.understanding import clean
from core.agent.request import MAX_QUESTION
from core.audit.canonical import SALT_BYTES
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.conversation import context_json
from core.domain.delivery import StoredReply
from core.domain.errors import TransientError
from core.domain.json_value import Json
from core.domain.limits import TurnLimit, WaitingLimits
from core.domain.message import SETTLED, Accepted, Ignored, InboundMessage, Seen
from core.failpoints import failpoint

_TEXTS = ("dedupe_key", "message_key", "kind", "person", "asker", "mode", "text", "outcome")
_CAST = {
    "conversation_id": "uuid",
    "question_id": "uuid",
    "record_id": "uuid",
    "raw": "jsonb",
    "context": "jsonb",
}
_FLAGS = ("is_counted", "is_ahead")
_COLUMNS = (*_TEXTS, *_CAST, "state", "sent_at", "run_salt", *_FLAGS)
_INSERT = text(
    f"INSERT INTO citebound.inbox ({', '.join(_COLUMNS)}) SELECT "  # noqa: S608  # constants
    + ", ".join(f"{name}::{_CAST[name]}" if name in _CAST else name for name in _COLUMNS)
    + f" FROM unnest({', '.join(f':{name}' for name in _COLUMNS)}) WITH ORDINALITY"
    f" AS given({', '.join(_COLUMNS)}, n) ORDER BY n"
    " ON CONFLICT DO NOTHING RETURNING id, dedupe_key"
).bindparams(
    *(bindparam(name, type_=ARRAY(Text)) for name in (*_TEXTS, *_CAST, "state")),
    bindparam("sent_at", type_=ARRAY(DateTime(timezone=True))),
    bindparam("run_salt", type_=ARRAY(LargeBinary)),
    *(bindparam(name, type_=ARRAY(Boolean)) for name in _FLAGS),
)

Row = dict[str, object]
"""A value for each column of the statement."""


def row_of(
    message: InboundMessage | Ignored,
    thread: Thread,
    *,
    question_id: str,
    record_id: str | None = None,
    is_done: bool,
    outcome: str | None = None,
    is_counted: bool = True,
    is_ahead: bool = False,
) -> Row:
    """Return the row of a message; `is_done`: nobody is to answer it.

    `is_counted`: it counts among those that may wait. `is_ahead`: it is answered before them.
    """
    is_full = isinstance(message, InboundMessage)
    raw: Json = dict(message.raw) if is_full else {"reason": message.reason}
    return {
        "dedupe_key": message.dedupe_key,
        "message_key": message.message_key if is_full else None,
        "conversation_id": thread.conversation_id,
        "kind": message.kind.value if is_full else "ignored",
        "sent_at": message.sent_at,
        "raw": json.dumps(raw),
        "context": json.dumps(context_json(message.context) if is_full else []),
        "run_salt": secrets.token_bytes(SALT_BYTES),
        "question_id": question_id,
        "record_id": record_id,
        "person": message.person,
        "asker": thread.asker,
        "mode": message.place.mode,
        "text": message.text if is_full else "",
        "state": "done" if is_done else "received",
        "outcome": outcome,
        "is_counted": is_counted,
        "is_ahead": is_ahead,
    }


async def insert(connection: AsyncConnection, rows: Sequence[Row]) -> dict[str, int]:
    """Insert rows, and return their ids by `dedupe_key`: of those that were not there."""
    columns = {name: [row[name] for row in rows] for name in _COLUMNS}
    inserted = await connection.execute(_INSERT, columns)
    return {row.dedupe_key: row.id for row in inserted.all()}


def event_of(
    tag: Tag, thread: Thread, *, subject: str | None = None, cause: str | None = None, **says: str
) -> Event:
    """Return what happened to a message, as its record says it."""
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


def place_of(message: InboundMessage | Ignored) -> str:
    """Return where a message was written, as `audit.content` keeps it."""
    place = message.place
    return json_text(
        {
            "tenant": place.tenant,
            "channel": place.channel,
            "thread": place.thread,
            "message": message.message_key if isinstance(message, InboundMessage) else None,
        }
    )


def contents_of(message: InboundMessage, *, is_report: bool = False) -> dict[str, str]:
    """Return the personal text of a message, as its record commits to it.

    Of what may be a report the record has no words: officers read it. If it turns out to be a
    question, the record of its answer has them.
    """
    if is_report or may_report(clean(message.text, most=MAX_QUESTION)):
        return {"place": place_of(message)}
    told = {"message": message.text, "place": place_of(message)}
    if message.context:
        told["context"] = json_text(context_json(message.context))
    return told


REPEATED = Seen(reason="repeated")


class _OvertakenError(Exception):
    """One of them needs no storing, as it turned out since we looked: all is rolled back."""

    def __init__(self, seen: Seen) -> None:
        super().__init__(seen.reason)
        self.seen = seen


@dataclass(frozen=True, slots=True)
class Questions:
    """Stores questions of different places. Safe from many tasks."""

    engine: AsyncEngine
    """A migrated database."""
    _: KW_ONLY
    ledger: Ledger
    waiting: WaitingLimits
    turns: TurnLimit
    """Those of one person."""

    async def store(self, messages: Sequence[InboundMessage]) -> list[Accepted | Seen]:
        """Store all of them with their records, or none; those that are there are seen.

        Where too many wait already one is stored, and its asker told, but not answered.

        Raises:
            TransientError: None was stored, or nobody knows; or one of several was overtaken.
        """
        try:
            return await self._store(messages)
        except _OvertakenError as overtaken:
            if len(messages) > 1:
                raise TransientError("one of these messages needs no storing") from overtaken
            return [overtaken.seen]

    @raises_transient
    @begun_again
    async def _store(self, messages: Sequence[InboundMessage]) -> list[Accepted | Seen]:
        async with self.engine.begin() as connection:
            threads = await open_threads(connection, messages, ledger=self.ledger)
            fresh = [
                (message, thread)
                for message, thread in zip(messages, threads, strict=True)
                if thread is not None
            ]
            for message, _ in fresh:
                if message.answers and await is_followed(connection, message.answers):
                    raise _OvertakenError(SETTLED)
            stored = await self._write(connection, fresh) if fresh else {}
            failpoint("F2")
        return [
            REPEATED if thread is None else stored[message.dedupe_key]
            for message, thread in zip(messages, threads, strict=True)
        ]

    async def _write(
        self, connection: AsyncConnection, fresh: Sequence[tuple[InboundMessage, Thread]]
    ) -> dict[str, Accepted]:
        ids = self.ledger.ids
        admissions = await admit(connection, fresh, limits=self.waiting, turns=self.turns)
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
            raise _OvertakenError(REPEATED)
        at = await server_now(connection)
        entries = [
            self.ledger.entry(
                one.event(),
                at=at,
                content=contents_of(one.message, is_report=one.is_report),
                record_id=one.record_id,
            )
            for one in asked
        ]
        await append(connection, entries)
        for one in asked:
            if one.message.answers and isinstance(one.admission, Admitted):
                await show_choice(connection, one.message.answers, one.message.text)
            if isinstance(one.admission, Refused) and not one.admission.is_told:
                await self._tell(connection, one, one.admission, stored[one.message.dedupe_key])
        return {
            one.message.dedupe_key: Accepted(
                message_id=stored[one.message.dedupe_key],
                conversation_id=one.thread.conversation_id,
                question_id=one.question_id,
            )
            for one in asked
        }

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

    @property
    def is_report(self) -> bool:
        return isinstance(self.admission, Admitted) and self.admission.is_report

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
