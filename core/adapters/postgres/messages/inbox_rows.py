"""Rows of the inbox, as they are first written, and what a record says of them."""

import json
import secrets
from collections.abc import Sequence

from sqlalchemy import ARRAY, Boolean, DateTime, LargeBinary, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.engine.conversation_rows import Thread
from core.adapters.postgres.engine.ledger import json_text
from core.audit.canonical import SALT_BYTES
from core.audit.events import Event
from core.domain.audit import Tag
from core.domain.context import context_json
from core.domain.message import Ignored, InboundMessage
from core.domain.run import Json

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


def contents_of(message: InboundMessage) -> dict[str, str]:
    """Return the personal text of a message, as its record commits to it."""
    told = {"message": message.text, "place": place_of(message)}
    if message.context:
        told["context"] = json_text(context_json(message.context))
    return told
