"""When a channel may be written to: one message a second, and never while the platform refuses."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

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
