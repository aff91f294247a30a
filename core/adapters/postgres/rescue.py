"""Free what a killed worker left behind: its jobs, and rows that nobody is told about.

A loop in every worker process, of which one at a time holds the lock. It is no job, since a job can
stall itself.
"""

import asyncio
import logging
from datetime import UTC, datetime
from typing import Literal, Protocol

from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager
from sqlalchemy import TextClause, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine


class Defer(Protocol):
    """Defers a job within the transaction of a connection."""

    async def __call__(
        self, connection: AsyncConnection, kind: Literal["answer", "deliver"], conversation_id: str
    ) -> None:
        """Defer it for now."""
        ...


EVERY_S = 2.0
ADVISORY_LOCK = 7_203_114_027
"""Any constant: it only has to be ours, and not that of the migrations."""
AT_ONCE = 500
"""Conversations that one sweep wakes."""

logger = logging.getLogger(__name__)

_FORGOTTEN: dict[Literal["answer", "deliver"], TextClause] = {
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
    """Looks every 2 s, as long as no other process does."""

    def __init__(
        self, engine: AsyncEngine, manager: JobManager, defer: Defer, *, stalled_after_s: float
    ) -> None:
        """Take what it repairs with; a worker is dead without a sign for `stalled_after_s`."""
        self._engine = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._transactions = engine
        self._manager = manager
        self._defer = defer
        self._stalled_after_s = stalled_after_s
        self._every_s = min(EVERY_S, stalled_after_s / 3)

    async def run(self) -> None:
        """Rescue until cancelled."""
        while True:
            try:
                await self._run_locked()
            except (DBAPIError, ConnectorException, OSError):
                logger.warning("the rescuer lost its database, and begins again", exc_info=True)
            await asyncio.sleep(self._every_s)

    async def _run_locked(self) -> None:
        """Rescue as long as this connection holds the lock; return at once without it."""
        async with self._engine.connect() as connection:
            key = {"key": ADVISORY_LOCK}
            if not await connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), key):
                return
            try:
                while True:
                    await self.rescue(connection)
                    await asyncio.sleep(self._every_s)
            finally:
                await connection.scalar(text("SELECT pg_advisory_unlock(:key)"), key)

    async def rescue(self, connection: AsyncConnection) -> None:
        """Free stalled jobs, then wake for each row that has none."""
        for job in await self._manager.get_stalled_jobs(
            seconds_since_heartbeat=self._stalled_after_s
        ):
            try:
                await self._manager.retry_job(job, retry_at=datetime.now(UTC))  # noqa: TID251  # the queue's own clock
            except ConnectorException:
                logger.info("job %s ended before it was rescued", job.id)
        for kind, query in _FORGOTTEN.items():
            found = (await connection.execute(query, {"limit": AT_ONCE})).scalars().all()
            for conversation_id in found:
                async with self._transactions.begin() as transaction:
                    await self._defer(transaction, kind, conversation_id)
