"""Migrations: up, down and up again, to one schema, which holds what statements name."""

import pytest
from sqlalchemy import Connection, Table, inspect, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import server_facts
from core.adapters.postgres.engine.schema import migrate, newest_revision
from core.adapters.postgres.engine.tables import metadata

CATALOGUE = text(
    "WITH ours AS (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'citebound', 'audit'))"
    " SELECT format('%s.%s %s %s %s %s', attrelid::regclass, attname,"
    "  format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid),"
    "  col_description(attrelid, attnum))"
    " FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid"
    " LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
    " WHERE relnamespace IN (SELECT oid FROM ours) AND attnum > 0 AND NOT attisdropped"
    " UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))"
    " FROM pg_constraint WHERE connamespace IN (SELECT oid FROM ours)"
    " UNION ALL SELECT pg_get_indexdef(oid) FROM pg_class"
    " WHERE relkind = 'i' AND relnamespace IN (SELECT oid FROM ours)"
    " UNION ALL SELECT format('%s %s', oid::regprocedure, md5(prosrc)) FROM pg_proc"
    " WHERE pronamespace IN (SELECT oid FROM ours)"
    " UNION ALL SELECT oid::regtype::text FROM pg_type"
    " WHERE typnamespace IN (SELECT oid FROM ours)"
    " UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal"
    " ORDER BY 1"
)


async def catalogue(connection: AsyncConnection) -> list[str]:
    """Return all that the schemas hold, a line each."""
    return [str(line) for line in (await connection.scalars(CATALOGUE)).all()]


def _types(connection: Connection, table: Table) -> dict[str, str]:
    """Return the types of a table's columns in the database."""
    columns = inspect(connection).get_columns(table.name, schema=table.schema)
    return {one["name"]: one["type"].compile(postgresql.dialect()) for one in columns}


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
async def test_the_database_holds_what_statements_name(engine: AsyncEngine, table: Table) -> None:
    """Every column, with its type."""
    async with engine.connect() as connection:
        found = await connection.run_sync(_types, table)
    named = {one.name: one.type.compile(postgresql.dialect()) for one in table.columns}
    assert named.items() <= found.items()


async def test_down_and_up_again(engine: AsyncEngine) -> None:
    """Knowledge and conversation tables can be taken back and built again, as they were."""
    async with engine.connect() as connection:
        before = await catalogue(connection)
    await migrate(engine, to="0005_delivery")
    async with engine.begin() as connection:
        await connection.execute(text("INSERT INTO citebound.editions VALUES (1, now(), 'first')"))
    await migrate(engine, to="0001_corpus")
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM citebound.editions")) == 1
        assert await connection.scalar(text("SELECT to_regclass('citebound.entities')")) is None
    await migrate(engine)
    assert (await server_facts(engine)).revision == newest_revision()
    async with engine.connect() as connection:
        assert await catalogue(connection) == before


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


async def test_no_later_schema_suits_a_release_that_an_earlier_one_refuses(
    engine: AsyncEngine,
) -> None:
    """What a release lacks in one schema it lacks in all that follow."""
    query = "SELECT oldest_release FROM citebound.schema_compatibility ORDER BY revision"
    async with engine.connect() as connection:
        oldest = [*(await connection.scalars(text(query))).all()]
    assert oldest == sorted(oldest)
    assert len(oldest) > 10


async def test_jobs_go_and_what_waits_stays(engine: AsyncEngine) -> None:
    """A database of the release with a job queue becomes like a new one, with its messages."""
    async with engine.connect() as connection:
        fresh = await catalogue(connection)
    await migrate(engine, to="0028_lead_ins")
    async with engine.begin() as connection:
        for statement in JOBS:
            await connection.execute(text(statement))
    await migrate(engine)
    async with engine.connect() as connection:
        assert await catalogue(connection) == fresh
        waiting = text("SELECT text FROM citebound.inbox WHERE state = 'received'")
        assert (await connection.scalars(waiting)).all() == ["a gift"]
