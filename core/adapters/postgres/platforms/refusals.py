"""Credentials that services refuse, in the database. See `core.service_access.refusals`."""

from collections.abc import Mapping

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import database_store
from core.adapters.postgres.engine.rows import record
from core.service_access.refusals import RefusedCredential

_REFUSED = text(
    "INSERT INTO citebound.refused_credentials AS known (name, cause) VALUES (:name, :cause)"
    " ON CONFLICT (name) DO UPDATE SET cause = excluded.cause WHERE known.cause <> excluded.cause"
)
_TAKEN = text("DELETE FROM citebound.refused_credentials WHERE name = :name")
_ALL = text("SELECT name, cause, since FROM citebound.refused_credentials ORDER BY name")


@database_store
class PostgresRefusals:
    """Safe from many processes."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def exchange(self, noted: Mapping[str, str | None], /) -> list[RefusedCredential]:
        """See `core.service_access.refusals.Exchange`."""
        async with self._engine.begin() as connection:
            for name, cause in sorted(noted.items()):
                given = {"name": name, "cause": cause}
                await connection.execute(_TAKEN if cause is None else _REFUSED, given)
            rows = (await connection.execute(_ALL)).all()
        return [record(RefusedCredential, row) for row in rows]
