"""Whether the database takes writes, in the schema that this release knows, and what it holds."""

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from core.adapters.postgres.engine.database import EngineStore, database_store
from core.adapters.postgres.engine.failover import OutdatedServerError
from core.adapters.postgres.engine.pool import connection_use
from core.adapters.postgres.engine.schema import newest_revision, suits
from core.adapters.postgres.record.model_calls import TODAY
from core.ports.operations import ConnectionUse, DatabaseState

_WRITE = text(
    "INSERT INTO citebound.channel_paces (platform, tenant, channel, free_at)"
    " VALUES ('health', 'health', 'health', now())"
)
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


@database_store
class PostgresHealth(EngineStore):
    """Looks, and leaves nothing behind."""

    async def trouble(self) -> str | None:
        """Say what keeps us from working, in a line; None: nothing.

        Raises:
            TransientError: The database can't be reached, or takes no writes.
        """
        try:
            async with self._engine.connect() as connection:
                revision, oldest_release = (await connection.execute(_REVISION)).one()
                await connection.execute(_WRITE)
                await connection.rollback()
        except DBAPIError as error:
            if isinstance(error.orig, OutdatedServerError):
                return str(error.orig)
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
        revision, oldest_release = found.pop("version_num"), found.pop("oldest_release")
        return DatabaseState(
            **found,
            migration=int(revision.partition("_")[0]),
            is_known_schema=suits(revision, oldest_release),
        )

    def connections(self) -> ConnectionUse | None:
        """Say how the connections of this process are used; None: it keeps none."""
        return connection_use(self._engine)
