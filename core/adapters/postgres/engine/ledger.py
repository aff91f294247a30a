"""Append to the record, within the transaction of whatever happened."""

import json
import secrets
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, Connection, LargeBinary, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import SERVER_TIME, EngineStore, server_now
from core.adapters.postgres.engine.pseudonyms import Pseudonyms
from core.adapters.postgres.engine.tables import conversations
from core.audit.canonical import SALT_BYTES, Commitment, canonical, leaf_hash
from core.audit.documents import Event, event_document
from core.domain.audit import Tag
from core.domain.errors import ConfigError, TransientError
from core.domain.json_value import Json
from core.domain.officers import Officers
from core.ports import Clock, IdSource

_APPEND = text(
    "WITH appended AS ("
    " INSERT INTO audit.record (canonical, leaf_hash) SELECT * FROM unnest(:canonicals, :leaves))"
    " INSERT INTO audit.content (record_id, field, salt, body)"
    " SELECT id::uuid, field, salt, body"
    " FROM unnest(:ids, :fields, :salts, :bodies) AS given(id, field, salt, body)"
).bindparams(
    bindparam("canonicals", type_=ARRAY(LargeBinary)),
    bindparam("leaves", type_=ARRAY(LargeBinary)),
    bindparam("ids", type_=ARRAY(Text)),
    bindparam("fields", type_=ARRAY(Text)),
    bindparam("salts", type_=ARRAY(LargeBinary)),
    bindparam("bodies", type_=ARRAY(Text)),
)
"""One statement, since intake waits for it. An id is that of the document."""
_UNIT_OF = text("SELECT audit.unit_of(CAST(:record AS uuid))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A record, ready to be appended."""

    record_id: str
    """Its id, which the document says as well."""
    data: bytes
    """The document in its canonical form."""
    contents: Sequence[Commitment]
    """The personal texts that it commits to."""


class Ledger:
    """Writes records; reads none back, as the application's role may not."""

    def __init__(
        self, *, clock: Clock, ids: IdSource, unit: str, pseudonyms: Pseudonyms | None = None
    ) -> None:
        """Without `pseudonyms` it names no people of chat platforms."""
        self.clock = clock
        self.ids = ids
        self.unit = unit
        self._pseudonyms = pseudonyms
        if pseudonyms is not None:
            pseudonyms.recorded = self._identity_kept

    @property
    def pseudonyms(self) -> Pseudonyms:
        """How people are named.

        Raises:
            ConfigError: This process meets none.
        """
        if self._pseudonyms is None:
            raise ConfigError("this command names no people")
        return self._pseudonyms

    async def _identity_kept(
        self, connection: AsyncConnection, pseudonym: str, says: Mapping[str, Json]
    ) -> None:
        event = Event(
            tag=Tag.IDENTITY_KEPT, actor="intake", actor_kind="system", subject=pseudonym, says=says
        )
        await self.event(connection, event, content={})

    def of(self, unit: str | None) -> "Ledger":
        """Return what writes records of another unit; None: of this one."""
        other = copy(self)
        other.unit = unit or self.unit
        return other

    async def event(
        self,
        connection: AsyncConnection,
        event: Event,
        *,
        content: Mapping[str, str],
        record_id: str | None = None,
    ) -> str:
        """Append what happened, with its personal text, and return the record's id."""
        at = await server_now(connection)
        entry = self.entry(event, at=at, content=content, record_id=record_id)
        await append(connection, [entry])
        return entry.record_id

    def entry(
        self,
        event: Event,
        *,
        at: datetime,
        content: Mapping[str, str],
        record_id: str | None = None,
    ) -> Entry:
        """Return the record of what happened, to be appended in the same transaction.

        `at` is the server's time (`server_now`), which refuses a record that is a minute off.
        """
        record_id = record_id or self.ids.new()
        contents = committed(content)
        document = event_document(
            event, record_id=record_id, at=at, unit=self.unit, commitments=contents
        )
        return Entry(record_id=record_id, data=canonical(document), contents=contents)


async def unit_of(connection: AsyncConnection, record_id: str | None) -> str | None:
    """Return the unit of a record, to which what follows from it belongs; None: there is none."""
    return record_id and await connection.scalar(_UNIT_OF, {"record": record_id})


async def append(connection: AsyncConnection, entries: Sequence[Entry]) -> list[bytes]:
    """Insert records with the texts that they commit to, and return their leaf hashes."""
    rows = _rows(entries)
    await connection.execute(_APPEND, rows)
    return rows["leaves"]


def append_migration(connection: Connection, ledger: Ledger, event: Event) -> None:
    """Insert the record of a migration, on the connection that migrates."""
    at = connection.execute(SERVER_TIME).scalar_one()
    connection.execute(_APPEND, _rows([ledger.entry(event, at=at, content={})]))


def _rows(entries: Sequence[Entry]) -> dict[str, list[Any]]:
    parts = [(entry.record_id, part) for entry in entries for part in entry.contents]
    return {
        "canonicals": [entry.data for entry in entries],
        "leaves": [leaf_hash(entry.data) for entry in entries],
        "ids": [record_id for record_id, _ in parts],
        "fields": [part.field for _, part in parts],
        "salts": [part.salt for _, part in parts],
        "bodies": [part.body for _, part in parts],
    }


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


class RecordingStore(EngineStore):
    """A store that records what it does."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger) -> None:
        super().__init__(engine)
        self._ledger = ledger


class OfficerStore(RecordingStore):
    """A store that records what it does, and tells officers of it."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger, officers: Officers) -> None:
        super().__init__(engine, ledger=ledger)
        self._officers = officers
