"""When questions may begin and posts may be made, and who is told to wait.

All within the transaction of the caller: a turn is taken with the lease, or not at all.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.queue.replies import Defer, queue_reply
from core.domain.delivery import Notice, StoredReply
from core.domain.rate_limit import NOTICES, TurnLimit, TurnLimits, free_at, with_one_more

INTERVAL_S = 1.0
"""Slack allows about one message a second and channel."""

_TAKE = text(
    "INSERT INTO citebound.channel_paces AS pace (platform, tenant, channel, free_at)"
    " VALUES (:platform, :tenant, :channel,"
    "         clock_timestamp() + make_interval(secs => :interval_s))"
    " ON CONFLICT (platform, tenant, channel) DO UPDATE SET free_at ="
    " greatest(pace.free_at, pace.rests_until, clock_timestamp())"
    " + make_interval(secs => :interval_s)"
    " RETURNING free_at - make_interval(secs => :interval_s)"
)
_REST = text(
    "INSERT INTO citebound.channel_paces AS pace (platform, tenant, channel, free_at, rests_until)"
    " VALUES (:platform, :tenant, :channel, clock_timestamp() + make_interval(secs => :seconds),"
    "         clock_timestamp() + make_interval(secs => :seconds))"
    " ON CONFLICT (platform, tenant, channel) DO UPDATE SET"
    " rests_until = greatest(pace.rests_until, excluded.rests_until),"
    " free_at = greatest(pace.free_at, excluded.free_at)"
)


class Pace:
    """The moments of channels, handed out in order."""

    def __init__(self, *, interval_s: float = INTERVAL_S) -> None:
        """Leave `interval_s` between two messages of a channel."""
        self._interval_s = interval_s

    async def take(self, connection: AsyncConnection, channel: dict[str, str]) -> object:
        """Take the next free moment of a channel, and return it."""
        return await connection.scalar(_TAKE, {**channel, "interval_s": self._interval_s})

    async def rest(
        self, connection: AsyncConnection, channel: dict[str, str], *, seconds: float
    ) -> None:
        """Hand out no moment before then; those taken already are taken anew when they come."""
        await connection.execute(_REST, {**channel, "seconds": seconds})


_OPEN = text(
    "INSERT INTO citebound.turns AS t (kind, key) SELECT * FROM unnest("
    " CAST(:kinds AS text[]), CAST(:keys AS text[]))"
    " ON CONFLICT (kind, key) DO UPDATE SET taken = t.taken"
    " RETURNING kind, key, taken, clock_timestamp() AS now"
)
"""Locks the rows, in the order of their kinds: nobody waits for somebody who waits for them."""
_KEEP = text(
    "UPDATE citebound.turns SET taken = CAST(:taken AS timestamptz[])"
    " WHERE kind = :kind AND key = :key"
)
FORGET = text(
    "DELETE FROM citebound.turns WHERE (kind, key) IN (SELECT kind, key FROM citebound.turns"
    " WHERE coalesce(taken[cardinality(taken)], '-infinity')"
    " < clock_timestamp() - interval '1 hour' FOR UPDATE SKIP LOCKED)"
)
"""Longer ago than any limit looks back; whoever takes a turn is not waited for."""
_WAITS = text(
    "SELECT conversation_id::text, question_id::text, record_id::text, person, asker, mode"
    " FROM citebound.inbox WHERE id = :id AND state = 'received' AND NOT is_told FOR UPDATE"
)
_TOLD = text(
    "UPDATE citebound.inbox SET is_told = true WHERE state = 'received'"
    " AND conversation_id = CAST(:conversation AS uuid)"
)


async def take_turn(
    connection: AsyncConnection, row: Mapping[Any, Any], limits: TurnLimits
) -> datetime | None:
    """Take a turn for a row of the inbox; where there is none, return when there may be one.

    The row has its place's `platform`, `tenant` and `channel`. A reply to a question back is none
    of its asker's questions.
    """
    channel = f"{row['platform']}:{row['tenant']}:{row['channel']}"
    wanted = {
        ("channel", channel): limits.channel,
        ("conversation", str(row["conversation_id"])): limits.conversation,
    }
    if row["is_counted"]:
        wanted = {("asker", row["asker"]): limits.asker, **wanted}
    return await _take(connection, wanted)


async def tell_to_wait(connection: AsyncConnection, message_id: int, defer: Defer) -> None:
    """Queue one line for a message that waits and all behind it, if none of it was told yet."""
    found = await connection.execute(_WAITS, {"id": message_id})
    row = found.one_or_none()
    if row is None:
        return
    await connection.execute(_TOLD, {"conversation": row.conversation_id})
    if await _take(connection, {("notice", row.asker): NOTICES}) is not None:
        return
    await queue_reply(
        connection,
        StoredReply(notice=Notice.BUSY, question_id=row.question_id, record_id=row.record_id),
        cause=f"wait:{message_id}",
        conversation_id=row.conversation_id,
        person=row.person,
        mode=row.mode,
    )
    await defer(connection, "deliver", row.conversation_id)


async def _take(
    connection: AsyncConnection, wanted: Mapping[tuple[str, str], TurnLimit]
) -> datetime | None:
    """Take one of each, or none; then return when all may be free."""
    keys = {"kinds": [kind for kind, _ in wanted], "keys": [key for _, key in wanted]}
    rows = (await connection.execute(_OPEN, keys)).all()
    now = max(row.now for row in rows)
    free = max(free_at(row.taken, wanted[row.kind, row.key], now=now) for row in rows)
    if free > now:
        return free
    kept = [
        {
            "kind": row.kind,
            "key": row.key,
            "taken": list(with_one_more(row.taken, wanted[row.kind, row.key], at=now)),
        }
        for row in rows
    ]
    await connection.execute(_KEEP, kept)
    return None
