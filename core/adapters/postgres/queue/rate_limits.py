"""When questions may begin and posts may be made, and who is told to wait.

All within the transaction of the caller: a turn is taken with the lease, or not at all.
"""

import asyncio
import logging
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.transactions import connected
from core.adapters.postgres.queue.replies import queue_reply
from core.cancellation import end_if_cancelled
from core.domain.delivery import Notice, StoredReply
from core.domain.limits import NOTICES, TurnLimit, TurnLimits, free_at, with_one_more

INTERVAL_S = 1.0
"""Slack allows about one message a second and channel."""
TOLD_AFTER_S = 300.0
"""How long a question waits for its turn until its asker is told that it is kept."""
AT_ONCE = 500
"""Conversations whose askers are told in one round."""
LEASE_S = 10.0
"""Without a sign of life for so long, another process does the housekeeping."""
FORGOTTEN_EVERY_S = 600.0
"""Between two looks for conversations whose people can be forgotten."""
FORGOTTEN_AT_ONCE = 500
"""Conversations of one such look."""
GIVEN_BACK_WITHIN_S = 1.0
"""What a shutdown leaves to giving the lease back: it also ends by itself."""

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
_FORGET = text(
    "DELETE FROM citebound.turns WHERE (kind, key) IN (SELECT kind, key FROM citebound.turns"
    " WHERE coalesce(taken[cardinality(taken)], '-infinity')"
    " < clock_timestamp() - interval '1 hour' FOR UPDATE SKIP LOCKED)"
)
"""Longer ago than any limit looks back; whoever takes a turn is not waited for."""
PERSON_KEY = (
    "coalesce((SELECT encode(match_hash, 'hex') FROM audit.identity"
    " WHERE pseudonym = i.asker), i.asker)"
)
"""Of a row of the inbox, `i`: who asks, the same in every period."""
_WAITS = text(
    "SELECT conversation_id::text, question_id::text, record_id::text, person, mode,"  # noqa: S608
    f" {PERSON_KEY} AS person_key"
    " FROM citebound.inbox i WHERE id = :id AND state = 'received' AND NOT is_told FOR UPDATE"
)
_TOLD = text(
    "UPDATE citebound.inbox SET is_told = true WHERE state = 'received'"
    " AND conversation_id = CAST(:conversation AS uuid)"
)
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

_LEASE = text(
    "INSERT INTO citebound.leases AS l (name, holder, until)"
    " VALUES ('housekeeping', :holder, clock_timestamp() + make_interval(secs => :lease_s))"
    " ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until"
    " WHERE l.holder = excluded.holder OR l.until < clock_timestamp() RETURNING true"
)
_GIVE_BACK = text("DELETE FROM citebound.leases WHERE name = 'housekeeping' AND holder = :holder")
_FORGET_PEOPLE = text("SELECT citebound.forget_people(:most)")
_UNTOLD = text(
    "SELECT DISTINCT ON (conversation_id) id FROM citebound.inbox"
    " WHERE state = 'received' AND NOT is_told"
    " AND received_at < clock_timestamp() - make_interval(secs => :seconds)"
    " ORDER BY conversation_id, id LIMIT :limit"
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoTurn:
    """A question has to wait for its turn."""

    until: datetime
    """When there may be one."""
    kind: str
    """Whose limit it waits for: `asker`, `channel` or `conversation`."""

    @property
    def notice(self) -> Notice:
        """What its asker is told: there is a crowd in a channel, if anywhere."""
        return Notice.BUSY if self.kind == "channel" else Notice.PACED


async def take_turn(
    connection: AsyncConnection, row: Mapping[Any, Any], limits: TurnLimits
) -> NoTurn | None:
    """Take a turn for a row of the inbox; where there is none, return why.

    The row has its place's `platform`, `tenant` and `channel`, and `person_key`. A reply to a
    question back is none of its asker's questions.
    """
    channel = f"{row['platform']}:{row['tenant']}:{row['channel']}"
    wanted = {
        ("channel", channel): limits.channel,
        ("conversation", str(row["conversation_id"])): limits.conversation,
    }
    if row["is_counted"]:
        wanted = {("asker", row["person_key"]): limits.asker, **wanted}
    return await _take(connection, wanted)


async def tell_to_wait(
    connection: AsyncConnection, message_id: int, *, notice: Notice = Notice.BUSY
) -> None:
    """Queue one line for a message that waits and all behind it, if none of it was told yet."""
    found = await connection.execute(_WAITS, {"id": message_id})
    row = found.one_or_none()
    if row is None:
        return
    await connection.execute(_TOLD, {"conversation": row.conversation_id})
    if await _take(connection, {("notice", row.person_key): NOTICES}) is not None:
        return
    await queue_reply(
        connection,
        StoredReply(notice=notice, question_id=row.question_id, record_id=row.record_id),
        cause=f"wait:{message_id}",
        conversation_id=row.conversation_id,
        person=row.person,
        mode=row.mode,
    )


async def _take(
    connection: AsyncConnection, wanted: Mapping[tuple[str, str], TurnLimit]
) -> NoTurn | None:
    """Take one of each, or none; then return when all may be free, and which is the last."""
    keys = {"kinds": [kind for kind, _ in wanted], "keys": [key for _, key in wanted]}
    rows = (await connection.execute(_OPEN, keys)).all()
    now = max(row.now for row in rows)
    free, kind = max(
        (free_at(row.taken, wanted[row.kind, row.key], now=now), row.kind) for row in rows
    )
    if free > now:
        return NoTurn(until=free, kind=kind)
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


class Pace:
    """The moments of channels, handed out in order."""

    def __init__(self, *, interval_s: float = INTERVAL_S) -> None:
        self._interval_s = interval_s

    async def take(self, connection: AsyncConnection, channel: dict[str, str]) -> object:
        """Take the next free moment of a channel, and return it."""
        return await connection.scalar(_TAKE, {**channel, "interval_s": self._interval_s})

    async def rest(
        self, connection: AsyncConnection, channel: dict[str, str], *, seconds: float
    ) -> None:
        """Hand out no moment before then; those taken already are taken anew when they come."""
        await connection.execute(_REST, {**channel, "seconds": seconds})


class Housekeeping:
    """Tells askers who have waited for long, and forgets what is not needed any more.

    That are turns that no limit counts, and platforms' ids of people and places 30 days after the
    last message of a conversation, unless a case of it is open.

    A loop in every worker process, of which one at a time has the lease. The lease is a row that
    ends by itself: a process that stands still loses it, although its connections stay open. Two at
    once do no harm.
    """

    def __init__(self, engine: AsyncEngine, *, lease_s: float = LEASE_S) -> None:
        self._engine = engine
        self._lease_s = lease_s
        self._holder = secrets.token_hex(8)
        self._forgets_at_s = 0.0

    async def run(self) -> None:
        """Keep house until cancelled."""
        try:
            while True:
                try:
                    await self._round()
                except (SQLAlchemyError, OSError):
                    logger.warning("housekeeping lost its database, and goes on", exc_info=True)
                    await self._give_back()
                end_if_cancelled()
                await asyncio.sleep(self._lease_s / 3)
        finally:
            await self._give_back()

    async def _round(self) -> None:
        """Do what is to be done, if the lease is ours or free."""
        async with connected(self._engine, "AUTOCOMMIT") as connection:
            lease = {"holder": self._holder, "lease_s": self._lease_s}
            if not await connection.scalar(_LEASE, lease):
                return
            await connection.execute(_FORGET)
            if (now_s := asyncio.get_running_loop().time()) >= self._forgets_at_s:
                await connection.execute(_FORGET_PEOPLE, {"most": FORGOTTEN_AT_ONCE})
                self._forgets_at_s = now_s + FORGOTTEN_EVERY_S
            bounds = {"seconds": TOLD_AFTER_S, "limit": AT_ONCE}
            untold = (await connection.execute(_UNTOLD, bounds)).scalars().all()
        for message_id in untold:
            async with self._engine.begin() as connection:
                await tell_to_wait(connection, message_id)

    async def _give_back(self) -> None:
        """Let another process go on at once."""
        with suppress(SQLAlchemyError, OSError, TimeoutError):
            async with (
                asyncio.timeout(GIVEN_BACK_WITHIN_S),
                connected(self._engine, "AUTOCOMMIT") as connection,
            ):
                await connection.execute(_GIVE_BACK, {"holder": self._holder})
