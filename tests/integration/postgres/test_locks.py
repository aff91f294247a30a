"""What only one may do at a time: who waits says so, and doesn't wait for ever."""

import asyncio
import logging
import re
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.cli import EXIT_OCCUPIED, exit_code
from core.adapters.postgres.engine import transactions
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.transactions import (
    AdvisoryLock,
    held_if_free,
    held_meanwhile,
    wait_for,
    wait_for_one,
    wait_for_publishing,
)
from core.domain.errors import OccupiedError
from tests.databases import POLL_S
from tests.servers.postgres_versions import INSTALLED, postgres_of

ROOT = Path(__file__).parents[3]
SPENT = {7_203_114_027, 7_203_114_034}
IN_CODE = "core/adapters/postgres/engine/transactions.py"
IN_THE_DATABASE = ("migrations/versions/0041_privacy.py", "migrations/versions/0047_requests.py")
TAKES = re.compile(r"pg_\w*advisory_(?:xact_)?lock")
NUMBER = re.compile(r"7_?203_?114_?\d{3}")


def _sources() -> dict[str, str]:
    files = [path for part in ("bot", "core", "migrations") for path in (ROOT / part).rglob("*.py")]
    return {str(path.relative_to(ROOT)): path.read_text() for path in files}


def test_no_number_is_used_for_two_things() -> None:
    """The rescuer once held the number of publishing, and nothing could be published."""
    numbers = [lock.value for lock in AdvisoryLock.__members__.values()]
    assert len(numbers) == len(set(numbers)) == 11
    assert SPENT.isdisjoint(numbers)


def test_locks_are_taken_in_one_place() -> None:
    """Whoever needs another one finds the numbers that are taken."""
    sources = _sources()
    taking = {name for name in sources if TAKES.search(sources[name])}
    numbered = {name for name in sources if NUMBER.search(sources[name])}
    assert taking == numbered == {IN_CODE, *IN_THE_DATABASE}
    known = {str(int(lock)) for lock in AdvisoryLock}
    given = {each for name in IN_THE_DATABASE for each in NUMBER.findall(sources[name])}
    assert {each.replace("_", "") for each in given} <= known


def test_no_lock_is_a_session_s() -> None:
    """A hung process would keep it, and a pooler would lose it."""
    sources = _sources()
    places = (IN_CODE, *IN_THE_DATABASE)
    taken = [one for name in places for one in re.findall(r"pg_\w*advisory\w*", sources[name])]
    assert taken
    assert all("_xact_" in name for name in taken)


async def test_who_waits_says_so(engine: AsyncEngine, caplog: pytest.LogCaptureFixture) -> None:
    """And goes on once the other has ended, under the limits from before."""
    waiting = asyncio.Event()

    async def publish() -> object:
        async with engine.begin() as connection:
            await connection.execute(text("SET LOCAL lock_timeout = '1234ms'"))
            waiting.set()
            await wait_for_publishing(connection)
            return await connection.scalar(text("SHOW lock_timeout"))

    async with asyncio.timeout(60), asyncio.TaskGroup() as group, engine.begin() as first:
        await wait_for_publishing(first)
        second = group.create_task(publish())
        await waiting.wait()
        while not caplog.messages:  # noqa: ASYNC110  # said by the other
            await asyncio.sleep(0.01)
        assert not second.done()
    assert second.result() == "1234ms"
    assert caplog.messages == ["another process publishes: waiting for it, 120 s at most"]
    assert caplog.records[0].levelno == logging.WARNING


async def test_who_waits_gives_up(engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one line and an exit code of its own."""
    monkeypatch.setattr(transactions, "PUBLISHED_WITHIN_S", 0.2)
    async with engine.begin() as first:
        await wait_for_publishing(first)
        with pytest.raises(OccupiedError, match=r"another process publishes.*try again") as caught:
            async with engine.begin() as second:
                await wait_for_publishing(second)
    assert exit_code(caught.value) == EXIT_OCCUPIED
    assert "\n" not in str(caught.value)


async def test_nobody_waits_for_who_is_free(
    engine: AsyncEngine, caplog: pytest.LogCaptureFixture
) -> None:
    """Each lock stands alone, and ends with its transaction."""
    for _ in range(2):
        async with engine.begin() as connection:
            for lock in (AdvisoryLock.PUBLISHING, AdvisoryLock.MIGRATING):
                await connection.run_sync(wait_for, lock, within_s=1.0)
            for name in ("anna", "ben"):
                await wait_for_one(connection, AdvisoryLock.COUNTING_CASES, name)
                await wait_for_one(connection, AdvisoryLock.ROTATING, name)
    assert caplog.messages == []


async def test_a_lock_that_is_held_for_long_outlasts_the_server_s_patience(
    engine: AsyncEngine, database_url: str
) -> None:
    """Its transaction idles while other connections work, and is not ended for that."""
    name = database_url.rpartition("/")[2].partition("?")[0]
    async with engine.begin() as connection:
        await connection.execute(
            text(f"ALTER DATABASE {name} SET idle_in_transaction_session_timeout = '100ms'")
        )
    await engine.dispose()  # it holds for new connections
    building = AdvisoryLock.BUILDING_EVALUATION
    async with (
        held_meanwhile(engine, building, within_s=1.0),
        held_if_free(engine, AdvisoryLock.FILLING_SPACES) as is_ours,
    ):
        assert is_ours
        await asyncio.sleep(0.5)
        for lock in (building, AdvisoryLock.FILLING_SPACES):
            async with held_if_free(engine, lock) as is_free:
                assert not is_free


async def silent_s(port: int) -> float:
    """Return how long a server lets its one connection be silent before it asks for a sign of life.

    From the timers of the kernel: state 01 is an open connection, timer 02 its next question.
    """
    while True:
        lines = await asyncio.to_thread(Path("/proc/net/tcp").read_text)
        for _, here, _, state, _, timer, *_ in map(str.split, lines.splitlines()[1:]):
            if (int(here.split(":")[1], 16), state, timer[:2]) == (port, "01", "02"):
                return int(timer[3:], 16) / 100
        await asyncio.sleep(POLL_S)


@pytest.mark.slow
async def test_a_machine_that_is_lost_does_not_hold_a_lock_for_hours() -> None:
    """Its server asks for a sign of life after a minute of silence; elsewhere, as the system does.

    A socket of the same machine, as other tests have it, ends with the process anyway.
    """
    with postgres_of(INSTALLED[max(INSTALLED)]) as server:
        engine = engine_for(server.url("citebound_bot"))
        async with asyncio.timeout(60):
            async with held_if_free(engine, AdvisoryLock.INGESTING, name="a run") as is_ours:
                assert is_ours
                assert await silent_s(server.port) <= 60.0
            assert await silent_s(server.port) > 60.0
        await engine.dispose()


async def test_a_short_wait_is_not_worth_a_line(
    engine: AsyncEngine, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two commands that publish many files meet at each of them."""
    monkeypatch.setattr(transactions, "UNSAID_S", 60.0)

    async def publish(times: int) -> None:
        for _ in range(times):
            async with engine.begin() as connection:
                await wait_for_publishing(connection)
                await connection.execute(text("SELECT pg_sleep(0.01)"))

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(publish(5))
    assert caplog.messages == []
