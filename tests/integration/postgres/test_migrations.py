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


JOBS = (
    "CREATE TYPE procrastinate_job_status AS ENUM ('todo')",
    "CREATE TABLE procrastinate_jobs (id bigserial PRIMARY KEY, status procrastinate_job_status)",
    "CREATE TABLE procrastinate_workers (id bigserial PRIMARY KEY)",
    "CREATE FUNCTION procrastinate_notify() RETURNS trigger LANGUAGE plpgsql"
    " AS $$ BEGIN RETURN NULL; END $$",
    "CREATE TRIGGER notify AFTER INSERT ON procrastinate_jobs EXECUTE FUNCTION"
    " procrastinate_notify()",
    "INSERT INTO procrastinate_jobs (status) VALUES ('todo')",
    "INSERT INTO citebound.conversations (id, platform, tenant, channel, thread)"
    " VALUES (gen_random_uuid(), 'p', 't', 'c', '1')",
    "INSERT INTO citebound.inbox (dedupe_key, conversation_id, kind, sent_at, raw, run_salt,"
    " question_id, person, asker, mode, text) SELECT 'k', id, 'message', now(), '{}', '',"
    " gen_random_uuid(), 'U', 'p', 'thread', 'a gift' FROM citebound.conversations",
)
CATALOGUE = text(
    "SELECT oid::regclass::text FROM pg_class"
    " WHERE relnamespace IN ('public'::regnamespace, 'citebound'::regnamespace)"
    " UNION ALL SELECT oid::regprocedure::text FROM pg_proc"
    " WHERE pronamespace IN ('public'::regnamespace, 'citebound'::regnamespace)"
    " UNION ALL SELECT oid::regtype::text FROM pg_type"
    " WHERE typnamespace IN ('public'::regnamespace, 'citebound'::regnamespace)"
    " UNION ALL SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1"
)


async def test_jobs_go_and_what_waits_stays(engine: AsyncEngine) -> None:
    """A database of the release with a job queue becomes like a new one, with its messages."""
    async with engine.connect() as connection:
        fresh = (await connection.scalars(CATALOGUE)).all()
    await migrate(engine, to="0028_lead_ins")
    async with engine.begin() as connection:
        for statement in JOBS:
            await connection.execute(text(statement))
    await migrate(engine)
    async with engine.connect() as connection:
        assert (await connection.scalars(CATALOGUE)).all() == fresh
        waiting = text("SELECT text FROM citebound.inbox WHERE state = 'received'")
        assert (await connection.scalars(waiting)).all() == ["a gift"]
