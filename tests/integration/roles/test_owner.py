"""What the owner's functions and triggers do for roles that may not do it themselves."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.engine.transactions import connected
from core.adapters.postgres.search.indexes import (
    drop_ann_index,
    ensure_ann_indexes,
    space_id_for,
)
from core.adapters.system import UuidSource
from core.ports import EmbeddingSpace
from tests.databases import as_role
from tests.integration.record.sealing import SealedLedger, append

SPACE = EmbeddingSpace(provider="local", model="m", dimensions=4, revision="1", fusion_weight=1.0)
INDEXES = text(
    "SELECT relname, indisvalid, pg_get_userbyid(relowner) FROM pg_index"
    " JOIN pg_class ON pg_class.oid = indexrelid WHERE relname LIKE '%hnsw' ORDER BY 1"
)

WAITS_S = 20
WAITING = text(
    "SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database"
    " WHERE NOT granted AND datname = current_database()"
    " OR NOT granted AND locktype = 'transactionid'"
)


@pytest.fixture
async def app(database_url: str) -> AsyncIterator[AsyncEngine]:
    """The database as the application has it."""
    engine = engine_for(as_role(database_url, DatabaseRole.APP))
    yield engine
    await engine.dispose()


async def indexes(engine: AsyncEngine) -> list[tuple[str, bool, str]]:
    """Return the indexes of approximate search, whether they are whole, and whose they are."""
    async with engine.connect() as connection:
        return [(row[0], row[1], row[2]) for row in await connection.execute(INDEXES)]


async def test_the_application_has_indexes_built_and_dropped(app: AsyncEngine) -> None:
    """Twice at once it is one index, which is the owner's; it goes with its space."""
    async with app.begin() as connection:
        space_id = await space_id_for(connection, SPACE)
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(ensure_ann_indexes(app, SPACE))
    name = f"chunk_embeddings_{space_id}_hnsw"
    both = [(name, True, "citebound_owner"), ("chunk_terms_weights_hnsw", True, "citebound_owner")]
    assert await indexes(app) == both
    with pytest.raises(Exception, match="is still there"):
        await drop_ann_index(app, space_id)
    async with app.begin() as connection:
        await connection.execute(text("DELETE FROM citebound.embedding_spaces"))
    await drop_ann_index(app, space_id)
    await drop_ann_index(app, space_id)
    assert await indexes(app) == both[1:]


async def test_an_index_that_was_left_unfinished_is_built_anew(
    app: AsyncEngine, engine: AsyncEngine
) -> None:
    """As an earlier release leaves one whose building was interrupted."""
    await ensure_ann_indexes(app, None)
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "UPDATE pg_index SET indisvalid = false"
                " WHERE indexrelid = 'citebound.chunk_terms_weights_hnsw'::regclass"
            )
        )
    await ensure_ann_indexes(app, None)
    assert [whole for _, whole, _ in await indexes(engine)] == [True]


async def test_who_builds_the_same_index_waits_for_it(
    app: AsyncEngine, engine: AsyncEngine, database_url: str
) -> None:
    """And finds it there, instead of failing on its name."""
    with psycopg.connect(as_role(database_url, DatabaseRole.APP)) as builder:
        builder.execute("SELECT citebound.build_term_index()")
        async with asyncio.timeout(WAITS_S), asyncio.TaskGroup() as group:
            group.create_task(ensure_ann_indexes(app, None))
            async with connected(engine, "AUTOCOMMIT") as watching:
                while not await watching.scalar(WAITING):  # noqa: ASYNC110  # another session
                    await asyncio.sleep(0.05)
            builder.commit()
    assert [whole for _, whole, _ in await indexes(engine)] == [True]


async def test_publications_wait_while_an_index_is_built_and_searches_do_not(
    app: AsyncEngine, database_url: str
) -> None:
    """Building locks out who writes vectors, and nobody who reads them."""
    with psycopg.connect(as_role(database_url, DatabaseRole.APP)) as builder:
        builder.execute("SELECT citebound.build_term_index()")
        async with app.connect() as connection:
            await connection.execute(text("SET LOCAL lock_timeout = '100ms'"))
            assert await connection.scalar(text("SELECT count(*) FROM citebound.chunk_terms")) == 0
            with pytest.raises(Exception, match="lock timeout"):
                await connection.execute(text("DELETE FROM citebound.chunk_terms"))


@pytest.mark.parametrize("table", ["record", "citation", "content", "leaf", "checkpoint"])
@pytest.mark.parametrize("statement", ["UPDATE audit.{} SET {} = {}", "DELETE FROM audit.{}"])
async def test_the_owner_is_refused_by_the_triggers(
    engine: AsyncEngine, database_url: str, table: str, statement: str
) -> None:
    """Its policy shows it every row, so that a change is refused, not passed over in silence."""
    async with engine.begin() as connection:
        await append(connection, UUID(UuidSource().new()), 1)
    await SealedLedger(engine).seal(until=1)
    column = "note" if table == "checkpoint" else "leaf_hash" if table != "content" else "body"
    column = "section" if table == "citation" else column
    with psycopg.connect(database_url) as connection:
        connection.execute("SET ROLE citebound_owner")
        with pytest.raises(errors.InsufficientPrivilege, match="append-only"):
            connection.execute(statement.format(table, column, column).encode())


async def test_an_auditor_has_what_texts_hash_to(engine: AsyncEngine, database_url: str) -> None:
    """The digests are those that the records promise; the texts stay closed."""
    async with engine.begin() as connection:
        await append(connection, UUID(UuidSource().new()), 1)
    promised = (
        "SELECT id, key, value FROM audit.record, jsonb_each_text(doc->'content') ORDER BY 1, 2"
    )
    digests = "SELECT * FROM audit.content_digests() ORDER BY 1, 2"
    with psycopg.connect(as_role(database_url, DatabaseRole.AUDITOR)) as connection:
        found = connection.execute(digests).fetchall()
        assert found == connection.execute(promised).fetchall()
        assert len(found) == 2
