"""Whether the database takes writes, in the schema that this release knows, and what it holds."""

import logging

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import EngineStore, database_store, server_now
from core.adapters.postgres.engine.failover import OutdatedServerError
from core.adapters.postgres.engine.pool import connection_use
from core.adapters.postgres.engine.schema import newest_revision, suits
from core.adapters.postgres.record.model_calls import TODAY
from core.ports import Clock
from core.ports.operations import ConnectionUse, DatabaseState

CLOCK_OFF_S = 5.0
"""From then on a difference between our clock and the database's is told: machines that are set by
NTP differ by fractions of a second."""
LOCKED = "55P03"
"""SQLSTATE of a lock that did not come in time (Postgres manual, appendix A)."""
_WRITE = text("""
WITH messages AS (INSERT INTO citebound.inbox (dedupe_key) SELECT '' WHERE false),
     replies AS (INSERT INTO citebound.outbox (cause) SELECT '' WHERE false),
     records AS (INSERT INTO audit.record (canonical, leaf_hash) SELECT '', '' WHERE false)
INSERT INTO citebound.channel_paces (platform, tenant, channel, free_at)
VALUES ('health', 'health', 'health', now())
""")
"""Takes the locks and needs the rights that storing a message, an answer and their records does."""
_LOCK_LIMIT = text("SELECT set_config('lock_timeout', '2s', true)")
_REVISION = text(
    "SELECT version_num, oldest_release FROM citebound.alembic_version"
    " LEFT JOIN citebound.schema_compatibility ON revision = version_num"
)
_STATE = text(
    "SELECT * FROM"  # noqa: S608  # a constant
    " (SELECT count(*) AS messages, coalesce(extract(epoch FROM"
    "   clock_timestamp() - min(received_at)), 0)::float AS oldest_message_s"
    "  FROM citebound.inbox WHERE state IN ('received', 'running')) AS inbox,"
    " (SELECT count(*) AS replies, coalesce(extract(epoch FROM"
    "   clock_timestamp() - min(queued_at)), 0)::float AS oldest_reply_s"
    "  FROM citebound.outbox WHERE settled_at IS NULL) AS outbox,"
    " (SELECT coalesce(sum(cost_usd), 0)::float AS model_cost_usd"
    f"  FROM citebound.model_calls WHERE at >= {TODAY}) AS spent,"
    " (SELECT EXISTS (SELECT FROM citebound.overspent_days"
    f"   WHERE day = CAST({TODAY} AT TIME ZONE 'UTC' AS date)) AS is_overspent) AS overspent,"
    " (SELECT audit.unsealed_seconds() AS oldest_unsealed_s) AS unsealed,"
    " (SELECT coalesce(max(number), 0) AS edition FROM citebound.editions) AS newest,"
    f" ({_REVISION}) AS schema"
)


logger = logging.getLogger(__name__)


@database_store
class PostgresHealth(EngineStore):
    """Looks, and leaves nothing behind."""

    def __init__(self, engine: AsyncEngine, *, clock: Clock | None = None) -> None:
        """Use any database; `clock` is that of this process, None: it is not compared."""
        super().__init__(engine)
        self._clock = clock
        self.clock_ahead_s = 0.0
        """How far our clock was ahead of the database's at the last look; negative: behind."""

    async def trouble(self) -> str | None:
        """Say what keeps us from working, in a line; None: nothing.

        Raises:
            TransientError: The database can't be reached, or takes no writes.
        """
        try:
            async with self._engine.connect() as connection:
                revision, oldest_release = (await connection.execute(_REVISION)).one()
                await self._compare_clocks(connection)
                await connection.execute(_LOCK_LIMIT)
                await connection.execute(_WRITE)
                await connection.rollback()
        except DBAPIError as error:
            if isinstance(error.orig, OutdatedServerError):
                return str(error.orig)
            if getattr(error.orig, "sqlstate", None) == LOCKED:
                return "a lock on a table keeps messages and answers from being stored"
            raise
        if not suits(revision, oldest_release):
            return f"the database is at migration {revision}, expected {newest_revision()}"
        return None

    async def state(self) -> DatabaseState:
        """Say how much is unfinished, what models have cost today, and what is published.

        Raises:
            TransientError: The database can't be reached.
        """
        async with self._engine.connect() as connection:
            found = dict((await connection.execute(_STATE)).mappings().one())
            await self._compare_clocks(connection)
        revision, oldest_release = found.pop("version_num"), found.pop("oldest_release")
        return DatabaseState(
            **found,
            migration=int(revision.partition("_")[0]),
            is_known_schema=suits(revision, oldest_release),
        )

    def clock_off(self) -> str | None:
        """Say that our clock and the database's differ; None: they did not at the last look."""
        if abs(self.clock_ahead_s) < CLOCK_OFF_S:
            return None
        way = "ahead of" if self.clock_ahead_s > 0 else "behind"
        return f"this machine's clock is {abs(self.clock_ahead_s):.0f} s {way} the database's"

    async def _compare_clocks(self, connection: AsyncConnection) -> None:
        """Measure by how much the clocks differ for certain: less than the look took is nothing."""
        if self._clock is None:
            return
        was_off, before_s = self.clock_off(), self._clock.now().timestamp()
        at_s = (await server_now(connection)).timestamp()
        after_s = self._clock.now().timestamp()
        self.clock_ahead_s = max(0.0, before_s - at_s) - max(0.0, at_s - after_s)
        if (off := self.clock_off()) and not was_off:
            logger.warning("%s: set both by NTP", off)

    def connections(self) -> ConnectionUse | None:
        """Say how the connections of this process are used; None: it keeps none."""
        return connection_use(self._engine)
