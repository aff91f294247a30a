"""Free what a killed worker left behind: its jobs, and rows that nobody is told about.

Three things can be wrong: a job of a worker that gives no sign any more; a job that is marked as
begun by a worker that lives and has lost it (its end could not be written); a row without any job.
A loop in every worker process, of which one at a time has the lease. The lease is a row that ends
by itself: whoever stands still loses it, although its connections stay open. Two at once do no
harm, since each row is freed under its own conditions. It is no job, since a job can stall itself.
It also tells askers whose questions have waited for long that they are kept.
"""

import asyncio
import logging
import secrets
from contextlib import suppress
from datetime import UTC, datetime

from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager
from sqlalchemy import TextClause, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.queue.rate_limits import FORGET, tell_to_wait
from core.adapters.postgres.queue.replies import Defer
from core.cancellation import end_if_cancelled
from core.domain.errors import TransientError
from core.ports import JobKind

EVERY_S = 2.0
GIVEN_BACK_WITHIN_S = 1.0
"""What a shutdown leaves to it: the lease ends by itself."""
AT_ONCE = 500
"""Conversations that one sweep wakes."""

STUCK_AFTER_S = 30.0
"""Longer than any lease: a conversation whose oldest row is due and that nobody holds for so long
has a job that only seems to run."""

TOLD_AFTER_S = 300.0
"""How long a question waits for its turn until its asker is told (`reliability.md`, section 5)."""

logger = logging.getLogger(__name__)

_LEASE = text(
    "INSERT INTO citebound.leases AS l (name, holder, until)"
    " VALUES ('rescue', :holder, clock_timestamp() + make_interval(secs => :lease_s))"
    " ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until"
    " WHERE l.holder = excluded.holder OR l.until < clock_timestamp() RETURNING true"
)
_GIVE_BACK = text("DELETE FROM citebound.leases WHERE name = 'rescue' AND holder = :holder")
_STUCK = text(
    "SELECT j.id FROM procrastinate_jobs j JOIN ("
    "  SELECT 'answer:' || conversation_id AS lock, max(greatest(next_at, lease_until)) AS due_at"
    "  FROM citebound.inbox WHERE state IN ('received', 'running') GROUP BY conversation_id"
    "  UNION ALL"
    "  SELECT 'deliver:' || conversation_id, max(greatest(next_at, lease_until))"
    "  FROM citebound.outbox WHERE settled_at IS NULL GROUP BY conversation_id"
    " ) waiting ON waiting.lock = j.lock"
    " WHERE j.status = 'doing'"
    " AND waiting.due_at < clock_timestamp() - make_interval(secs => :stuck_s) LIMIT :limit"
)
_UNTOLD = text(
    "SELECT DISTINCT ON (conversation_id) id FROM citebound.inbox"
    " WHERE state = 'received' AND NOT is_told"
    " AND received_at < clock_timestamp() - make_interval(secs => :seconds)"
    " ORDER BY conversation_id, id LIMIT :limit"
)
_FORGOTTEN: dict[JobKind, TextClause] = {
    "answer": text(
        "SELECT DISTINCT i.conversation_id::text FROM citebound.inbox i"
        " WHERE i.state IN ('received', 'running') AND NOT EXISTS ("
        "  SELECT FROM procrastinate_jobs j WHERE j.lock = 'answer:' || i.conversation_id"
        "  AND j.status IN ('todo', 'doing')) LIMIT :limit"
    ),
    "deliver": text(
        "SELECT DISTINCT o.conversation_id::text FROM citebound.outbox o"
        " WHERE o.settled_at IS NULL AND NOT EXISTS ("
        "  SELECT FROM procrastinate_jobs j WHERE j.lock = 'deliver:' || o.conversation_id"
        "  AND j.status IN ('todo', 'doing')) LIMIT :limit"
    ),
}


class Rescuer:
    """Looks every 2 s, as long as no other process has the lease."""

    def __init__(
        self, engine: AsyncEngine, manager: JobManager, defer: Defer, *, stalled_after_s: float
    ) -> None:
        """Take what it repairs with.

        A worker, and whoever rescues, is dead without a sign for `stalled_after_s`.
        """
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._transactions = engine
        self._manager = manager
        self._defer = defer
        self._stalled_after_s = stalled_after_s
        self._every_s = min(EVERY_S, stalled_after_s / 3)
        self._holder = secrets.token_hex(8)

    async def run(self) -> None:
        """Rescue until cancelled."""
        try:
            while True:
                try:
                    await self._look()
                except (SQLAlchemyError, ConnectorException, TransientError, OSError):
                    logger.warning("the rescuer lost its database, and begins again", exc_info=True)
                    await self._give_back()
                end_if_cancelled()
                await asyncio.sleep(self._every_s)
        finally:
            await self._give_back()

    async def _look(self) -> None:
        """Rescue, if the lease is ours or free."""
        async with self._engine.connect() as connection:
            terms = {"holder": self._holder, "lease_s": self._stalled_after_s}
            if await connection.scalar(_LEASE, terms):
                await self._rescue(connection)

    async def _give_back(self) -> None:
        """Let another process go on at once."""
        with suppress(SQLAlchemyError, OSError, TimeoutError):
            async with asyncio.timeout(GIVEN_BACK_WITHIN_S), self._engine.connect() as connection:
                await connection.execute(_GIVE_BACK, {"holder": self._holder})

    async def _rescue(self, connection: AsyncConnection) -> None:
        """Free jobs that nobody runs, then wake for each row that has none."""
        stalled = await self._manager.get_stalled_jobs(
            seconds_since_heartbeat=self._stalled_after_s
        )
        bounds = {"stuck_s": STUCK_AFTER_S, "limit": AT_ONCE}
        stuck = (await connection.execute(_STUCK, bounds)).scalars().all()
        for job_id in {*stuck, *(job.id for job in stalled if job.id is not None)}:
            await self._free(job_id)
        for kind, query in _FORGOTTEN.items():
            found = (await connection.execute(query, {"limit": AT_ONCE})).scalars().all()
            for conversation_id in found:
                async with self._transactions.begin() as transaction:
                    await self._defer(transaction, kind, conversation_id)
        await self._tell(connection)
        await connection.execute(FORGET)

    async def _tell(self, connection: AsyncConnection) -> None:
        """Tell those who have waited for long that they are not forgotten."""
        bounds = {"seconds": TOLD_AFTER_S, "limit": AT_ONCE}
        for message_id in (await connection.execute(_UNTOLD, bounds)).scalars().all():
            async with self._transactions.begin() as transaction:
                await tell_to_wait(transaction, message_id, self._defer)

    async def _free(self, job_id: int) -> None:
        """Let a job be begun again."""
        now = datetime.now(UTC)  # noqa: TID251  # the queue's own clock
        try:
            await self._manager.retry_job_by_id_async(job_id, retry_at=now)
        except ConnectorException:
            logger.info("job %s ended before it was freed", job_id)
