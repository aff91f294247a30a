"""A process whose loop stands still, with its connections open: others go on, and it ends itself.

It stands where it has taken a lease on the question, and is the one that rescues.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.app.watchdog import EXIT_STILL
from core.adapters.postgres.engine.database import engine_for
from tests.kills import LONGEST_LEASE_S, balance, quiet
from tests.servers.slack import FakeSlack
from tests.servers.slack.deeds import Said
from tests.slack_processes import Forks, Running, forks, let_pass

QUESTION = "What is the limit for gifts that employees accept from business partners?"
LONG_S = 3_600.0
TAKEN_OVER_WITHIN_S = 30.0
_TAKEN = text("SELECT count(*) FROM citebound.inbox WHERE state = 'running' AND attempt = 1")
_RESCUED = text("SELECT count(*) FROM citebound.leases")
_CONNECTED = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")


@pytest.fixture(scope="module")
def serving() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


@pytest.fixture
async def tables(slack_database: str) -> AsyncIterator[AsyncEngine]:
    """To look at what is left."""
    engine = engine_for(slack_database, pooled=False)
    yield engine
    await engine.dispose()


async def counted(tables: AsyncEngine, query: Any) -> int:
    """Return what a query counts."""
    async with tables.connect() as connection:
        return int(await connection.scalar(query) or 0)


async def hung(
    serving: Forks, slack: FakeSlack, tables: AsyncEngine, how: str, **more: Any
) -> tuple[Running, Said]:
    """Ask a process that then stands still."""
    url = tables.url.set(drivername="postgresql").render_as_string(hide_password=False)
    running = serving.start(slack, url, failpoint="F4", stand_still=how, **more)
    await running.ready()
    slack.app_url = f"http://127.0.0.1:{running.port}/slack/events"
    async with asyncio.timeout(60):
        while not await counted(tables, _RESCUED):  # noqa: ASYNC110  # another process
            await asyncio.sleep(0.05)
        anna = slack.workspace.user("anna")
        said = await slack.people.mention(anna, slack.workspace.channel("general", anna), QUESTION)
        while not await counted(tables, _TAKEN):  # noqa: ASYNC110  # another process
            await asyncio.sleep(0.05)
    return running, said


async def answered_once(slack: FakeSlack, tables: AsyncEngine, said: Said) -> None:
    """Assert one visible answer and one of each record."""
    await quiet(tables, within_s=60.0)
    assert "Gifts and Hospitality Policy" in str(slack.checks.one_answer(said.message).blocks)
    slack.checks.nothing_twice()
    assert set((await balance(tables)).values()) == {1}


async def test_another_process_goes_on_while_it_hangs(
    serving: Forks, slack: FakeSlack, slack_database: str, tables: AsyncEngine
) -> None:
    """It has not ended, and its connections are open: what it held was leased, not locked."""
    still, said = await hung(serving, slack, tables, "sleep", still_after_s=LONG_S)
    await let_pass(tables, seconds=LONGEST_LEASE_S)
    assert await counted(tables, _CONNECTED) > 1
    other = serving.start(slack, slack_database)
    await answered_once(slack, tables, said)
    for running in (still, other):
        running.signal(9)
        assert await running.ended() == -9


@pytest.mark.sampled(1)
@pytest.mark.parametrize("how", ["sleep", "loop", "regex"])
async def test_it_ends_itself_and_is_started_again(
    serving: Forks, slack: FakeSlack, slack_database: str, tables: AsyncEngine, how: str
) -> None:
    """With an exit code of its own; whoever starts it again needs to do nothing else."""
    still, said = await hung(serving, slack, tables, how, still_after_s=2.0)
    assert await still.ended(within_s=60.0) == EXIT_STILL
    await let_pass(tables, seconds=LONGEST_LEASE_S)
    again = serving.start(slack, slack_database, port=still.port)
    await answered_once(slack, tables, said)
    again.signal(9)
    await again.ended()


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["sleep", "loop", "regex"])
async def test_it_is_taken_over_within_half_a_minute(
    serving: Forks, slack: FakeSlack, slack_database: str, tables: AsyncEngine, how: str
) -> None:
    """At the times of production, from the moment on at which it stands still."""
    still, said = await hung(serving, slack, tables, how)
    began = time.monotonic()
    other = serving.start(slack, slack_database)
    await answered_once(slack, tables, said)
    assert time.monotonic() - began <= TAKEN_OVER_WITHIN_S
    assert await still.ended(within_s=60.0) == EXIT_STILL
    other.signal(9)
    await other.ended()
