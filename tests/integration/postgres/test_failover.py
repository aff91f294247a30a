"""A server that stands still is given up, and one whose place another took is refused."""

import asyncio
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine import pool
from core.adapters.postgres.engine.database import Limits, engine_for
from core.adapters.postgres.engine.failover import OutdatedServerError, Servers, servers_of
from core.adapters.postgres.engine.schema import open_database
from core.adapters.postgres.health import PostgresHealth
from core.domain.errors import ConfigError

SILENT = Limits(silent_ms=300)
NEWER = 99
"""The timeline of a server that was promoted often."""


@contextmanager
def still(process_id: int) -> Generator[None]:
    """Let a process of the server stand still: the kernel goes on for it."""
    os.kill(process_id, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process_id, signal.SIGCONT)


async def process_of(connection: AsyncConnection) -> int:
    """Return which process of the server serves a connection."""
    return int(await connection.scalar(text("SELECT pg_backend_pid()")) or 0)


async def one(engine: AsyncEngine) -> int:
    """Return 1, by way of the pool."""
    async with engine.connect() as connection:
        return int(await connection.scalar(text("SELECT 1")) or 0)


async def test_a_statement_that_nobody_answers_ends(database_url: str) -> None:
    """It is as if the connection had broken, and the pool goes on with another."""
    engine = engine_for(database_url, limits=SILENT)
    async with engine.connect() as connection:
        process_id = await process_of(connection)
        with still(process_id), pytest.raises(DBAPIError, match=r"said nothing for 0\.3 s"):
            await connection.execute(text("SELECT 1"))
        assert connection.invalidated
    async with engine.connect() as connection:
        assert await process_of(connection) != process_id
    await engine.dispose()


async def test_a_cancelled_statement_does_not_wait_for_the_server(database_url: str) -> None:
    """A probe that gives up after its own time does so."""
    engine = engine_for(database_url, limits=Limits(silent_ms=3_600_000))
    async with engine.connect() as connection:
        with still(await process_of(connection)), pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await connection.execute(text("SELECT 1"))
    await engine.dispose()


async def test_one_that_rested_is_not_waited_for(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ping has less time than a statement."""
    monkeypatch.setattr(pool, "RESTED_S", 0.0)
    monkeypatch.setattr(pool, "PINGED_WITHIN_S", 0.2)
    engine = engine_for(database_url, limits=Limits(silent_ms=3_600_000))
    async with engine.connect() as connection:
        process_id = await process_of(connection)
    with still(process_id):
        assert await one(engine) == 1
    await engine.dispose()


async def test_a_command_waits_as_long_as_it_takes(database_url: str) -> None:
    """An index is built for minutes."""
    engine = engine_for(database_url)
    async with engine.connect() as connection:
        process_id = await process_of(connection)
        asyncio.get_running_loop().call_later(0.5, os.kill, process_id, signal.SIGCONT)
        os.kill(process_id, signal.SIGSTOP)
        assert await connection.scalar(text("SELECT 1")) == 1
    await engine.dispose()


async def test_a_server_of_an_older_timeline_is_refused(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is asked of it; it is said once, and readiness says it as well."""
    servers = Servers()
    servers.newest_timeline = NEWER
    engine = engine_for(database_url, servers=servers)
    for _ in range(2):
        with pytest.raises(DBAPIError, match="until another one was promoted") as refused:
            await one(engine)
        assert isinstance(refused.value.orig, OutdatedServerError)
    assert "another one was promoted" in (await PostgresHealth(engine).trouble() or "")
    assert caplog.text.count("fence it") == 1
    await engine.dispose()


async def test_a_session_ends_when_another_server_was_promoted(database_url: str) -> None:
    """The old server may still take its transaction."""
    servers = Servers()
    engine = engine_for(database_url, servers=servers)
    async with engine.connect() as connection:
        await connection.execute(text("CREATE TABLE written (n int)"))
        assert servers.newest_timeline == 1
        servers.newest_timeline = NEWER
        with pytest.raises(DBAPIError, match="until another one was promoted"):
            await connection.commit()
    servers.newest_timeline = 1
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT to_regclass('written')")) is None
    await engine.dispose()


async def test_a_server_that_has_no_timeline_is_used(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service with storage of its own refuses the function, or grants it to nobody."""
    forbidden = "DO $$BEGIN RAISE insufficient_privilege; END$$"
    monkeypatch.setattr("core.adapters.postgres.engine.failover._TIMELINE", forbidden)
    servers = Servers()
    servers.newest_timeline = NEWER
    engine = engine_for(database_url, servers=servers)
    assert await one(engine) == 1
    await engine.dispose()


def test_the_server_that_failed_last_is_tried_last() -> None:
    """The order of the URL counts among those that never failed."""
    named = {"host": "a,b,c", "port": "1,2,"}
    a, b, c = servers_of(named)
    assert (a, b, c) == (
        {"host": "a", "port": 1},
        {"host": "b", "port": 2},
        {"host": "c", "port": 5432},
    )
    assert servers_of({"host": "a,b", "port": "7"})[1] == {"host": "b", "port": 7}
    assert servers_of({"host": "alone"}) == servers_of({}) == [{}]
    servers = Servers()
    assert servers._in_order(named) == [a, b, c]  # pyright: ignore[reportPrivateUsage]
    servers.failed(a)
    servers.failed(c)
    servers.failed(a)
    assert servers._in_order(named) == [b, c, a]  # pyright: ignore[reportPrivateUsage]


async def test_none_of_several_servers_is_there() -> None:
    """The line says so, and not which password was used."""
    url = "postgresql://citebound:s3cret@127.0.0.1:1,127.0.0.1:2/citebound"
    with pytest.raises(ConfigError, match="can't be reached") as refused:
        async with open_database(url):
            pass
    assert "s3cret" not in str(refused.value)
