"""A connection that died while it rested is not used again."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine import pool
from core.adapters.postgres.engine.database import engine_for

OTHERS = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def one(engine: AsyncEngine) -> int:
    """Return 1, by way of the pool."""
    async with engine.connect() as connection:
        return int(await connection.scalar(text("SELECT 1")) or 0)


async def ended(url: str) -> None:
    """End every other connection to the database, as a restart does."""
    killer = engine_for(url, pooled=False)
    async with killer.connect() as connection:
        assert await connection.scalar(text(OTHERS))
    await killer.dispose()


async def test_a_connection_that_rested_is_asked_first(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody notices that it had died."""
    monkeypatch.setattr(pool, "RESTED_S", 0.0)
    engine = engine_for(database_url)
    assert await one(engine) == 1
    await ended(database_url)
    assert await one(engine) == 1
    await engine.dispose()


async def test_one_that_was_just_used_is_not_asked(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails once, and is replaced."""
    monkeypatch.setattr(pool, "RESTED_S", 3_600.0)
    engine = engine_for(database_url)
    assert await one(engine) == 1
    await ended(database_url)
    with pytest.raises(DBAPIError):
        await one(engine)
    assert await one(engine) == 1
    await engine.dispose()
