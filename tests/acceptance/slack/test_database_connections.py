"""How many connections a process takes of the database, whatever is asked of it."""

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from tests.kills import quiet
from tests.servers.slack import FakeSlack
from tests.slack_processes import Forks, forks

QUESTION = "What is the limit for gifts that employees accept from business partners?"
AT_MOST = 16
"""Of a process; docs/operate.md tells operators."""
PEOPLE = 24
_CONNECTED = text(
    "SELECT application_name AS process, count(*) AS connections FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid() GROUP BY 1"
)


@pytest.fixture(scope="module")
def serving() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


async def counted(engine: AsyncEngine, most: Counter[str]) -> None:
    """Look until cancelled, and keep the most of each process."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        while True:
            for row in await connection.execute(_CONNECTED):
                most[row.process] = max(most[row.process], row.connections)
            await asyncio.sleep(0.02)


async def test_a_burst_takes_no_more_than_the_pool(
    serving: Forks, slack: FakeSlack, slack_database: str
) -> None:
    """Also with more people at once than a pool has connections; each is answered."""
    mark = "&" if "?" in slack_database else "?"
    named = f"{slack_database}{mark}application_name="
    serve = serving.start(slack, f"{named}serve", roles={"works": False})
    work = serving.start(slack, f"{named}work", roles={"serves": False})
    for one in (serve, work):
        await one.ready(within_s=60.0)
    slack.app_url = f"http://127.0.0.1:{serve.port}/slack/events"
    engine, most = engine_for(slack_database, pooled=False), Counter[str]()
    async with asyncio.TaskGroup() as group:
        counting = group.create_task(counted(engine, most))
        async with asyncio.TaskGroup() as burst:
            asking = [
                burst.create_task(slack.people.ask(slack.workspace.user(f"person{n}"), QUESTION))
                for n in range(PEOPLE)
            ]
        await quiet(engine, within_s=120.0)
        counting.cancel()
    print(f"connections at most: {dict(most)}")  # noqa: T201
    for one in asking:
        slack.checks.one_answer(one.result().message)
    assert set(most) >= {"serve", "work"}
    assert 1 < most["work"] <= AT_MOST
    assert 1 <= most["serve"] <= AT_MOST
    await engine.dispose()
    for one in (serve, work):
        one.signal(15)
        assert await one.ended() == 0
