"""Whether the database takes writes, in the schema that this release knows."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.database import newest_revision, raises_transient

_WRITE = text(
    "INSERT INTO citebound.channel_paces (platform, tenant, channel, free_at)"
    " VALUES ('health', 'health', 'health', now())"
)
_REVISION = text("SELECT version_num FROM citebound.alembic_version")


class PostgresHealth:
    """Looks, and leaves nothing behind."""

    def __init__(self, engine: AsyncEngine) -> None:
        """Use any database."""
        self._engine = engine
        self._newest = newest_revision()

    @raises_transient
    async def trouble(self) -> str | None:
        """Say what keeps us from working, in a line; None: nothing.

        Raises:
            TransientError: The database can't be reached, or takes no writes.
        """
        async with self._engine.connect() as connection:
            revision = await connection.scalar(_REVISION)
            await connection.execute(_WRITE)
            await connection.rollback()
        if revision != self._newest:
            return f"the database is at migration {revision}, expected {self._newest}"
        return None
