"""Migrations: up, down and up again, and equal to `tables.py`."""

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import migrate, newest_revision, server_facts
from core.adapters.postgres.engine.tables import metadata


def _differences(connection: Connection) -> list[object]:
    def ours(name: str | None, kind: str, _parents: object) -> bool:
        return name == "citebound" if kind == "schema" else name != "alembic_version"

    options = {
        "include_schemas": True,
        "include_name": ours,
        "version_table_schema": "citebound",
        "compare_server_default": False,
    }
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


async def test_migrated_schema_equals_the_tables(engine: AsyncEngine) -> None:
    """The migrations build exactly what `tables.py` says."""
    async with engine.connect() as connection:
        assert await connection.run_sync(_differences) == []


async def test_down_and_up_again(engine: AsyncEngine) -> None:
    """Knowledge and conversation tables can be taken back and built again."""
    await migrate(engine, to="0005_delivery")
    async with engine.begin() as connection:
        await connection.execute(text("INSERT INTO citebound.editions VALUES (1, now(), 'first')"))
    await migrate(engine, to="0001_corpus")
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM citebound.editions")) == 1
        assert await connection.scalar(text("SELECT to_regclass('citebound.entities')")) is None
    await migrate(engine)
    assert (await server_facts(engine)).revision == newest_revision()
