"""Append to the record, within the transaction of whatever happened."""

import json
import secrets
from collections.abc import Mapping, Sequence

from sqlalchemy import ARRAY, LargeBinary, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.tables import conversations
from core.audit.canonical import SALT_BYTES, Commitment, canonical, leaf_hash
from core.audit.events import Event, event_document
from core.domain.errors import TransientError
from core.domain.run import Json
from core.ports import Clock, IdSource

_APPEND = text(
    "WITH appended AS ("
    " INSERT INTO audit.record (canonical, leaf_hash) VALUES (:canonical, :leaf))"
    " INSERT INTO audit.content (record_id, field, salt, body)"
    " SELECT :id, * FROM unnest(:fields, :salts, :bodies)"
).bindparams(
    bindparam("fields", type_=ARRAY(Text)),
    bindparam("salts", type_=ARRAY(LargeBinary)),
    bindparam("bodies", type_=ARRAY(Text)),
)
"""One statement, since intake waits for it. `id` is that of the document."""


class Ledger:
    """Writes records; reads none back, as the application's role may not."""

    def __init__(self, *, clock: Clock, ids: IdSource, unit: str) -> None:
        """Take what each record says besides; `unit` is written into each."""
        self.clock = clock
        self.ids = ids
        self.unit = unit

    async def event(
        self,
        connection: AsyncConnection,
        event: Event,
        *,
        content: Mapping[str, str],
        record_id: str | None = None,
    ) -> str:
        """Append what happened, with its personal text, and return the record's id."""
        record_id = record_id or self.ids.new()
        contents = committed(content)
        document = event_document(
            event, record_id=record_id, at=self.clock.now(), unit=self.unit, commitments=contents
        )
        await append(connection, record_id, canonical(document), contents)
        return record_id


async def append(
    connection: AsyncConnection, record_id: str, data: bytes, contents: Sequence[Commitment]
) -> bytes:
    """Insert a record's bytes with the texts that it commits to, and return its leaf hash."""
    leaf = leaf_hash(data)
    await connection.execute(
        _APPEND,
        {
            "id": record_id,
            "canonical": data,
            "leaf": leaf,
            "fields": [part.field for part in contents],
            "salts": [part.salt for part in contents],
            "bodies": [part.body for part in contents],
        },
    )
    return leaf


async def take_number(connection: AsyncConnection, conversation_id: str) -> int:
    """Lock a conversation and take its next number: a record left out would show."""
    taken = await connection.scalar(
        conversations.update()
        .where(conversations.c.id == conversation_id)
        .values(next_seq=conversations.c.next_seq + 1)
        .returning(conversations.c.next_seq - 1)
    )
    if taken is None:
        raise TransientError("another process opened this conversation at the same time: ask again")
    return int(taken)


def committed(content: Mapping[str, str]) -> list[Commitment]:
    """Put each text under a salt of its own."""
    return [
        Commitment(field=field, salt=secrets.token_bytes(SALT_BYTES), body=body)
        for field, body in content.items()
    ]


def json_text(value: Json) -> str:
    """Return a value as it is kept in `audit.content`."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
