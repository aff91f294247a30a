"""The primary is lost under load and the standby takes over: nothing is lost or said twice."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from time import monotonic

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from tests.kills import balance, quiet
from tests.servers.postgres_pair import Pair, postgres_pair
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.deeds import Said
from tests.slack_processes import Forks, Running, forks

pytestmark = pytest.mark.nightly

QUESTION = "What is the limit for gifts that employees accept from business partners?"
ASKED, EVERY_S = 24, 0.25
LOST_AFTER = 10
"""Questions until the primary is lost."""
NOTICED_S = 3.0
"""Until whoever watches over the pair promotes the standby."""
READY_WITHIN_S, ANSWERED_WITHIN_S = 5.0, 60.0
SLACKS_MINUTE = 60.0
"""Its retries come at once, after 1 s and after 5 s."""


@pytest.fixture(scope="module")
def serving() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


@pytest.fixture
def pair(slack_database: str) -> Iterator[Pair]:
    """Two servers with the policies."""
    with postgres_pair(slack_database) as running:
        yield running


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    """A Slack whose minute takes a second."""
    async with fake_slack(speed=SLACKS_MINUTE) as running:
        yield running


async def tables(url: str) -> AsyncIterator[AsyncEngine]:
    """Look at what is left."""
    engine = engine_for(url, pooled=False)
    yield engine
    await engine.dispose()


async def asked_while(slack: FakeSlack, losing: asyncio.Event) -> list[Said]:
    """Ask one question after the other, each in a thread; tell when to lose the primary."""
    people = [slack.workspace.user(f"person{number}") for number in range(ASKED)]
    room = slack.workspace.channel("general", *people)
    asking: list[asyncio.Task[Said]] = []
    async with asyncio.TaskGroup() as group:
        for number, person in enumerate(people):
            asking.append(group.create_task(slack.people.mention(person, room, QUESTION)))
            if number == LOST_AFTER:
                losing.set()
            await asyncio.sleep(EVERY_S)
    return [one.result() for one in asking]


async def started(serving: Forks, slack: FakeSlack, pair: Pair) -> list[Running]:
    """Start two processes; Slack knows the first."""
    running = [serving.start(slack, pair.url) for _ in range(2)]
    for one in running:
        await one.ready(within_s=ANSWERED_WITHIN_S)
    slack.app_url = f"http://127.0.0.1:{running[0].port}/slack/events"
    return running


async def each_answered_once(slack: FakeSlack, pair: Pair, said: list[Said]) -> None:
    """Assert that what Slack was told is kept has one answer, and as many rows of each kind."""
    engine = engine_for(pair.standby.url(), pooled=False)
    await quiet(engine, within_s=ANSWERED_WITHIN_S)
    kept = [one for one in said if one.acknowledged]
    for one in kept:
        slack.checks.one_answer(one.message)
    slack.checks.nothing_twice()
    counts = await balance(engine)
    assert len(kept) <= counts["messages"] <= ASKED
    assert len(set(counts.values())) == 1, counts
    await engine.dispose()


async def test_the_primary_is_killed(serving: Forks, slack: FakeSlack, pair: Pair) -> None:
    """Both processes go on with the standby, by themselves."""
    running = await started(serving, slack, pair)
    losing = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(asked_while(slack, losing))
        await losing.wait()
        pair.primary.kill()
        await asyncio.sleep(NOTICED_S)
        await asyncio.to_thread(pair.standby.promote)
        began = monotonic()
        for one in running:
            await one.ready(within_s=READY_WITHIN_S)
        print(f"ready {monotonic() - began:.2f} s after promotion")  # noqa: T201
    await each_answered_once(slack, pair, asking.result())
    for one in running:
        one.signal(9)
        await one.ended()


async def test_the_primary_hangs(serving: Forks, slack: FakeSlack, pair: Pair) -> None:
    """Its connections stay open and say nothing more: they are given up."""
    running = await started(serving, slack, pair)
    losing = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(asked_while(slack, losing))
        await losing.wait()
        pair.primary.hang()
        await asyncio.sleep(NOTICED_S)
        await asyncio.to_thread(pair.standby.promote)
    for one in running:
        await one.ready(within_s=ANSWERED_WITHIN_S)
    await each_answered_once(slack, pair, asking.result())
    for one in running:
        one.signal(9)
        await one.ended()
