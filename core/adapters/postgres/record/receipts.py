"""What anchors hand out, kept in the ledger itself; and the anchor that is the officers' channel.

A receipt stands in the document of its record (`ledger:anchored`), so that no row can be taken away
unnoticed: the next checkpoint covers it.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.cases.case_posts import officers_conversation
from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger, RecordingStore
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.queue.replies import queue_reply
from core.audit.anchors import Receipt
from core.audit.checkpoint import Position, checkpoint_of
from core.audit.documents import Event
from core.domain.audit import Tag
from core.domain.delivery import Notice, StoredReply
from core.domain.officers import Officers

A_DAY_S = 86_400.0

_SELECTED = """
SELECT record_id::text AS record, doc->>'target' AS target, doc->>'receipt' AS receipt,
       (doc->>'generation')::integer AS generation, (doc->>'size')::bigint AS size, checkpoint.note
  FROM audit.ledger_events()
  LEFT JOIN audit.checkpoint ON checkpoint.generation = (doc->>'generation')::integer
       AND checkpoint.size = (doc->>'size')::bigint
 WHERE tag = 'ledger:anchored'
"""
_ALL = text(f"{_SELECTED} ORDER BY at, record_id")
_NEWEST = text(f"{_SELECTED} AND doc->>'target' = :target ORDER BY at DESC LIMIT 1")


class PostgresReceipts(RecordingStore):
    """See `core.audit.anchors.Receipts`."""

    @raises_transient
    async def newest(self, target: str, /) -> str | None:
        """See `Receipts.newest`."""
        async with self._engine.connect() as connection:
            found = await connection.execute(_NEWEST, {"target": target})
            row = found.mappings().one_or_none()
        return None if row is None else row["note"]

    @raises_transient
    async def keep(self, target: str, note: str, /, *, token: bytes | None) -> None:
        """See `Receipts.keep`."""
        async with self._engine.begin() as connection:
            await _record(connection, self._ledger, target, note, token)


class ChannelAnchor:
    """See `core.audit.anchors.Anchor`: the note as a message to officers, once a day.

    It is queued with its record in one transaction, and posted as any reply is.
    """

    kind = "channel"
    name = "channel"
    pace_s = A_DAY_S

    def __init__(self, engine: AsyncEngine, *, officers: Officers, ledger: Ledger) -> None:
        self._engine = engine
        self._officers = officers
        self._ledger = ledger
        self._receipts = PostgresReceipts(engine, ledger=ledger)

    @property
    def reaches_somebody(self) -> bool:
        """Whether there is anybody to post to."""
        return bool(self._officers.routes(is_sensitive=False))

    async def newest(self) -> str | None:
        """See `Anchor.newest`."""
        return await self._receipts.newest(self.name)

    @raises_transient
    async def publish(self, note: str, /) -> None:
        """See `Anchor.publish`: queued when this returns."""
        generation, size = checkpoint_of(note).position
        async with self._engine.begin() as connection:
            record_id = await _record(connection, self._ledger, self.name, note, None)
            for route in self._officers.routes(is_sensitive=False):
                place = route.place(f"checkpoint-{generation}-{size}")
                conversation_id = await officers_conversation(
                    connection, place, ids=self._ledger.ids
                )
                await queue_reply(
                    connection,
                    StoredReply(notice=Notice.CHECKPOINT, checkpoint=note, record_id=record_id),
                    cause=f"checkpoint:{generation}/{size}",
                    conversation_id=conversation_id,
                    person=route.person,
                    mode=place.mode,
                    is_direct=route.is_direct,
                )


async def _record(
    connection: AsyncConnection, ledger: Ledger, target: str, note: str, token: bytes | None
) -> str:
    generation, size = checkpoint_of(note).position
    event = Event(
        tag=Tag.LEDGER_ANCHORED,
        actor="sequencer",
        actor_kind="system",
        says={
            "target": target,
            "generation": generation,
            "size": size,
            "receipt": None if token is None else base64.b64encode(token).decode(),
        },
    )
    return await ledger.event(connection, event, content={})


async def read_receipts(connection: AsyncConnection) -> Sequence[Receipt]:
    """Return all receipts that the ledger keeps, oldest first."""
    rows = (await connection.execute(_ALL)).mappings().all()
    return [_receipt(row) for row in rows]


def _receipt(row: Mapping[Any, Any]) -> Receipt:
    position: Position = (row["generation"], row["size"])
    return record(
        Receipt, row, position=position, token=_token(row["receipt"]), record_id=row["record"]
    )


def _token(written: str | None) -> bytes | None:
    try:
        return None if written is None else base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError):
        return b""
