"""The conversations of messages, made or locked, and the pseudonyms of who wrote them."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ARRAY, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.domain.message import Ignored, InboundMessage
from core.domain.place import Place
from core.ports import IdSource

_GIVEN = ("id", "platform", "tenant", "channel", "thread", "person", "dedupe", "message")
_OPEN = text(
    "WITH given AS (SELECT * FROM unnest(:id, :platform, :tenant, :channel, :thread, :person,"
    "   :dedupe, :message) WITH ORDINALITY"
    "   AS given(id, platform, tenant, channel, thread, person, dedupe, message, n)"
    "   WHERE NOT EXISTS (SELECT FROM citebound.inbox WHERE dedupe_key = dedupe)"
    "   AND NOT EXISTS (SELECT FROM citebound.inbox WHERE message_key = message)),"
    " opened AS ("
    "   INSERT INTO citebound.conversations (id, platform, tenant, channel, thread, next_seq)"
    "   SELECT id::uuid, platform, tenant, channel, thread, 2 FROM given"
    "   ORDER BY platform, tenant, channel, thread"
    "   ON CONFLICT (platform, tenant, channel, thread)"
    "   DO UPDATE SET next_seq = conversations.next_seq + 1"
    "   RETURNING id::text, platform, tenant, channel, thread, next_seq - 1 AS seq)"
    " SELECT n, opened.id, seq, person, pseudonym"
    " FROM given JOIN opened USING (platform, tenant, channel, thread)"
    " LEFT JOIN citebound.askers USING (platform, tenant, person) ORDER BY person"
).bindparams(*(bindparam(name, type_=ARRAY(Text)) for name in _GIVEN))
"""Locks each conversation's row until the end, in one order: without it, jobs of one lock would run
in the order of their commits, not of the messages."""
_MEET = text(
    "INSERT INTO citebound.askers (platform, tenant, person, pseudonym)"
    " VALUES (:platform, :tenant, :person, :pseudonym)"
    " ON CONFLICT (platform, tenant, person) DO UPDATE SET person = excluded.person"
    " RETURNING pseudonym"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A conversation, locked by this transaction."""

    conversation_id: str
    """Its id."""
    seq: int
    """The number taken for the first record of this transaction."""
    asker: str
    """Pseudonym of who writes."""


async def open_threads(
    connection: AsyncConnection, messages: Sequence[InboundMessage | Ignored], *, ids: IdSource
) -> list[Thread | None]:
    """Make or lock the conversations of messages, and take the next number of each.

    None: the message is in the inbox. The messages must be of different places.
    """
    opened = await connection.execute(_OPEN, _columns(messages, ids))
    threads: list[Thread | None] = [None] * len(messages)
    for row in opened.all():
        n = int(row.n) - 1
        place = messages[n].place
        asker = row.pseudonym or await pseudonym_of(
            connection, platform=place.platform, tenant=place.tenant, person=row.person
        )
        threads[n] = Thread(conversation_id=row.id, seq=row.seq, asker=asker)
    return threads


def _columns(
    messages: Sequence[InboundMessage | Ignored], ids: IdSource
) -> dict[str, list[str | None]]:
    places = [message.place for message in messages]
    return {
        "id": [ids.new() for _ in messages],
        "platform": [place.platform for place in places],
        "tenant": [place.tenant for place in places],
        "channel": [place.channel for place in places],
        "thread": [place.thread for place in places],
        "person": [message.person for message in messages],
        "dedupe": [message.dedupe_key for message in messages],
        "message": [
            message.message_key if isinstance(message, InboundMessage) else None
            for message in messages
        ],
    }


async def pseudonym_of(
    connection: AsyncConnection, *, platform: str, tenant: str, person: str
) -> str:
    """Return the pseudonym of a person, made if they were never met."""
    keys = {"platform": platform, "tenant": tenant, "person": person}
    made = f"p-{secrets.token_hex(8)}"
    return str(await connection.scalar(_MEET, {**keys, "pseudonym": made}))


def place_of(row: Mapping[Any, Any]) -> Place:
    """Return the thread of a row that has a conversation's columns and a mode."""
    return Place(
        platform=row["platform"],
        tenant=row["tenant"],
        channel=row["channel"],
        thread=row["thread"],
        mode=row["mode"],
    )
