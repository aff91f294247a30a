"""The conversation of a message, made or locked, and the pseudonym of who wrote it."""

import secrets
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.domain.chat import Place
from core.ports import IdSource

_OPEN = text(
    "WITH opened AS ("
    " INSERT INTO citebound.conversations (id, platform, tenant, channel, thread, next_seq)"
    " VALUES (:id, :platform, :tenant, :channel, :thread, 2)"
    " ON CONFLICT (platform, tenant, channel, thread)"
    " DO UPDATE SET next_seq = conversations.next_seq + 1 RETURNING id::text, next_seq - 1 AS seq)"
    " SELECT opened.id, opened.seq, (SELECT pseudonym FROM citebound.askers"
    " WHERE platform = :platform AND tenant = :tenant AND person = :person) AS asker FROM opened"
)
"""Locks the conversation's row until the end: without it, jobs of one lock would run in the order
of their commits, not of the messages."""
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


async def open_thread(
    connection: AsyncConnection, place: Place, person: str, *, ids: IdSource
) -> Thread:
    """Make or lock the conversation of a place, and take its next number."""
    keys = {"platform": place.platform, "tenant": place.tenant, "person": person}
    opened = await connection.execute(
        _OPEN, {**keys, "id": ids.new(), "channel": place.channel, "thread": place.thread}
    )
    row = opened.one()
    asker = row.asker or await pseudonym_of(connection, **keys)
    return Thread(conversation_id=row.id, seq=row.seq, asker=asker)


async def pseudonym_of(
    connection: AsyncConnection, *, platform: str, tenant: str, person: str
) -> str:
    """Return the pseudonym of a person, made if they were never met."""
    keys = {"platform": platform, "tenant": tenant, "person": person}
    made = f"p-{secrets.token_hex(8)}"
    return str(await connection.scalar(_MEET, {**keys, "pseudonym": made}))
