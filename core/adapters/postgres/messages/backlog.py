"""Lease the oldest unfinished message of a conversation to one worker; a report comes first."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.rows import record
from core.adapters.postgres.engine.transactions import begun_again
from core.adapters.postgres.queue.rate_limits import PERSON_KEY, NoTurn, take_turn, tell_to_wait
from core.domain.conversation import context_of
from core.domain.errors import OvertakenError
from core.domain.limits import TurnLimits
from core.domain.message import Claimed, Waiting
from core.ports import Clock

LEASE_S = 20.0

_LOCK = text("SELECT FROM citebound.conversations WHERE id = :conversation FOR NO KEY UPDATE")
"""Of two processes that claim in one conversation, the second sees what the first has leased."""
_FIRST = text(
    "SELECT i.*, i.id AS message_id, c.platform, c.tenant, c.channel, c.thread,"  # noqa: S608
    f" {PERSON_KEY} AS person_key,"
    " greatest(i.next_at, i.lease_until) AS free_at,"
    " greatest(i.next_at, i.lease_until) > clock_timestamp() AS is_waiting,"
    " clock_timestamp() AS now,"
    " extract(epoch FROM clock_timestamp() - i.received_at)::float AS waited_s,"
    " EXISTS (SELECT FROM citebound.outbox o WHERE o.conversation_id = i.conversation_id"
    "   AND o.settled_at IS NULL) AS follows_unposted"
    " FROM citebound.inbox i JOIN citebound.conversations c ON c.id = i.conversation_id"
    " WHERE i.conversation_id = :conversation AND i.state IN ('received', 'running')"
    " ORDER BY coalesce(i.lease_until > clock_timestamp(), false) DESC, i.is_ahead DESC, i.id"
    " LIMIT 1 FOR UPDATE OF i"
)
"""What is being answered stands for its conversation; else a report, else the oldest."""
_LEASE = text(
    "UPDATE citebound.inbox SET state = 'running', has_turn = true, attempt = attempt + 1,"
    " lease_until = clock_timestamp() + make_interval(secs => :lease_s),"
    " lease_token = gen_random_uuid(), as_of = coalesce(as_of, :today),"
    " edition = coalesce(edition, (SELECT max(number) FROM citebound.editions))"
    " WHERE id = :id RETURNING attempt, lease_token::text AS token, as_of, edition"
)
_HOLD = text("UPDATE citebound.inbox SET next_at = :until WHERE id = :id")
_RENEW = text(
    "UPDATE citebound.inbox SET lease_until = clock_timestamp() + make_interval(secs => :lease_s)"
    " WHERE id = :id AND lease_token = :token AND state = 'running'"
)
_RELEASE = text(
    "UPDATE citebound.inbox SET state = 'received', lease_until = NULL, lease_token = NULL,"
    " next_at = clock_timestamp() + make_interval(secs => :after_s),"
    " attempt = attempt - :taken_back"
    " WHERE id = :id AND lease_token = :token AND state = 'running'"
)
_PROGRESS = text(
    "UPDATE citebound.inbox SET progress_id = :remote WHERE id = :id"
    " AND (lease_token = :token AND state = 'running' OR progress_id = :remote)"
)
"""Not once the outcome is recorded: the reply was queued without it. Repeated after a COMMIT in
doubt it finds that it was kept."""


@database_store
@dataclass(eq=False)
class PostgresBacklog:
    """See `core.ports.Backlog`."""

    engine: AsyncEngine
    """A migrated database; its clock says when a lease ends."""
    _: KW_ONLY
    clock: Clock
    limits: TurnLimits
    lease_s: float = LEASE_S

    @begun_again
    async def claim(self, conversation_id: str, /) -> Claimed | Waiting | None:
        """See `Backlog.claim`."""
        async with self.engine.begin() as connection:
            await connection.execute(_LOCK, {"conversation": conversation_id})
            first = await connection.execute(_FIRST, {"conversation": conversation_id})
            row = first.mappings().one_or_none()
            if row is None:
                return None
            if row["is_waiting"]:
                return Waiting(until=row["free_at"])
            if not (row["has_turn"] or row["is_ahead"]):
                held = await take_turn(connection, row, self.limits)
                if held is not None:
                    return await self._hold(connection, row["message_id"], held)
            leased = await connection.execute(
                _LEASE,
                {
                    "id": row["message_id"],
                    "lease_s": self.lease_s,
                    "today": self.clock.day_of(row["now"]),
                },
            )
            return _claimed(row, leased.mappings().one())

    async def _hold(self, connection: AsyncConnection, message_id: int, held: NoTurn) -> Waiting:
        """Let a message wait, and tell its asker once."""
        await connection.execute(_HOLD, {"id": message_id, "until": held.until})
        await tell_to_wait(connection, message_id, notice=held.notice)
        return Waiting(until=held.until)

    @begun_again
    async def renew(self, claimed: Claimed, /) -> None:
        """See `Backlog.renew`."""
        async with self.engine.begin() as connection:
            renewed = await connection.execute(_RENEW, {**_key(claimed), "lease_s": self.lease_s})
        if renewed.rowcount != 1:
            raise OvertakenError("the message was taken over, edited, deleted or stopped")

    @begun_again
    async def release(self, claimed: Claimed, /, *, after_s: float, counted: bool) -> None:
        """See `Backlog.release`."""
        async with self.engine.begin() as connection:
            await connection.execute(
                _RELEASE, {**_key(claimed), "after_s": after_s, "taken_back": 0 if counted else 1}
            )

    @begun_again
    async def show_progress(self, claimed: Claimed, remote_id: str, /) -> None:
        """See `Backlog.show_progress`."""
        async with self.engine.begin() as connection:
            kept = await connection.execute(_PROGRESS, {**_key(claimed), "remote": remote_id})
        if kept.rowcount != 1:
            raise OvertakenError("the message has been answered, or is somebody else's")


def _key(claimed: Claimed) -> dict[str, Any]:
    return {"id": claimed.message_id, "token": claimed.token}


def _claimed(row: Mapping[Any, Any], leased: Mapping[Any, Any]) -> Claimed:
    return record(
        Claimed,
        {**row, **leased},
        context=context_of(row["context"]),
        is_taken_over=row["state"] == "running",
    )
