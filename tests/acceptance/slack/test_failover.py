"""The primary is lost under load and the standby takes over: nothing is lost or said twice.

Every test has processes that serve, and a pair of which one follows the other synchronously.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from time import monotonic

import pytest
from sqlalchemy import text

from core.adapters.postgres.engine.database import engine_for
from tests.kills import balance, quiet
from tests.servers.postgres_pair import Node, Pair, postgres_pair
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.deeds import Said
from tests.slack_processes import Forks, Running, forks

pytestmark = pytest.mark.nightly

QUESTION = "What is the limit for gifts that employees accept from business partners?"
ASKED, EVERY_S = 24, 0.25
ROOMS = 6
"""In one alone the last answer stood behind 23 others: Slack takes one message a second."""
LOST_AFTER = 10
"""Questions until the primary is lost."""
NOTICED_S = 3.0
"""Until whoever watches over the pair promotes the standby."""
READY_WITHIN_S, STARTED_WITHIN_S, SETTLED_WITHIN_S = 5.0, 60.0, 60.0
ANSWERED_WITHIN_S = 30.0
"""From when a question was stored to its post."""
_OTHERS = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
)
SLACKS_MINUTE = 60.0
"""Its retries come at once, after 1 s and after 5 s."""
_WORST = (
    "SELECT extract(epoch FROM max(o.settled_at - i.received_at))::float FROM citebound.outbox o"
    " JOIN citebound.inbox i ON o.cause = 'message:' || i.id"
)


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


async def asked_while(
    slack: FakeSlack, losing: asyncio.Event, *, group_of: str = "first"
) -> list[Said]:
    """Ask one question after the other, each in a thread; tell when to lose the primary."""
    people = [slack.workspace.user(f"{group_of}{number}") for number in range(ASKED)]
    rooms = [slack.workspace.channel(f"{group_of}-room{n}", *people) for n in range(ROOMS)]
    asking: list[asyncio.Task[Said]] = []
    async with asyncio.TaskGroup() as group:
        for number, person in enumerate(people):
            room = rooms[number % ROOMS]
            asking.append(group.create_task(slack.people.mention(person, room, QUESTION)))
            if number == LOST_AFTER:
                losing.set()
            await asyncio.sleep(EVERY_S)
    return [one.result() for one in asking]


async def started(serving: Forks, slack: FakeSlack, pair: Pair) -> list[Running]:
    """Start one process that serves, which Slack knows, and two that work."""
    roles = ({"works": False}, {"serves": False}, {"serves": False})
    running = [serving.start(slack, pair.url, roles=one) for one in roles]
    for one in running:
        await one.ready(within_s=STARTED_WITHIN_S)
    slack.app_url = f"http://127.0.0.1:{running[0].port}/slack/events"
    return running


async def ready_again(running: list[Running]) -> None:
    """Assert that all take messages again soon after the promotion."""
    began = monotonic()
    for one in running:
        await one.ready(within_s=READY_WITHIN_S)
    print(f"ready {monotonic() - began:.2f} s after promotion")  # noqa: T201


async def each_answered_once(slack: FakeSlack, server: Node, said: list[Said]) -> None:
    """Assert that what Slack was told is kept has one answer in time, and its rows."""
    engine = engine_for(server.url(), pooled=False)
    await quiet(engine, within_s=SETTLED_WITHIN_S)
    kept = [one for one in said if one.acknowledged]
    for one in kept:
        slack.checks.one_answer(one.message)
    slack.checks.nothing_twice()
    counts = await balance(engine)
    assert len(kept) <= counts["messages"] <= len(said)
    assert len(set(counts.values())) == 1, counts
    async with engine.connect() as connection:
        worst_s = await connection.scalar(text(_WORST)) or 0.0
    await engine.dispose()
    print(f"{len(kept)} of {len(said)} kept; the last answer came after {worst_s:.1f} s")  # noqa: T201
    assert worst_s <= ANSWERED_WITHIN_S


async def ended(running: list[Running]) -> None:
    """End them."""
    for one in running:
        one.signal(9)
        await one.ended()


async def test_the_primary_is_killed(serving: Forks, slack: FakeSlack, pair: Pair) -> None:
    """All processes go on with the standby, by themselves."""
    running = await started(serving, slack, pair)
    losing = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(asked_while(slack, losing))
        await losing.wait()
        pair.primary.kill()
        await asyncio.sleep(NOTICED_S)
        await asyncio.to_thread(pair.standby.promote)
        await ready_again(running)
    await each_answered_once(slack, pair.standby, asking.result())
    await ended(running)


async def test_the_primary_hangs(serving: Forks, slack: FakeSlack, pair: Pair) -> None:
    """Its connections stay open and say nothing more: they are given up, also once it goes on."""
    running = await started(serving, slack, pair)
    losing = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(asked_while(slack, losing))
        await losing.wait()
        pair.primary.hang()
        await asyncio.sleep(NOTICED_S)
        await asyncio.to_thread(pair.standby.promote)
        await ready_again(running)
    pair.primary.go_on()
    await each_answered_once(slack, pair.standby, asking.result())
    await ended(running)


async def test_the_old_primary_returns(serving: Forks, slack: FakeSlack, pair: Pair) -> None:
    """It takes writes, and the new one is away for a moment: nobody writes to the old one.

    A process that starts while both are there uses the new one, which its URL names last.
    """
    running = await started(serving, slack, pair)
    pair.primary.kill()
    await asyncio.to_thread(pair.standby.promote)
    await ready_again(running)
    await asyncio.to_thread(pair.primary.start)
    for statement in ("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"):
        await asyncio.to_thread(pair.primary.run, statement)
    later = serving.start(slack, pair.url)
    await later.ready(within_s=STARTED_WITHIN_S)
    old = engine_for(pair.primary.url(), pooled=False)
    async with old.connect() as connection:
        assert await connection.scalar(text(_OTHERS)) == 0
    losing = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(asked_while(slack, losing))
        await losing.wait()
        pair.standby.kill()
        await asyncio.sleep(NOTICED_S)
        told = await running[0].told("readyz")
        await asyncio.to_thread(pair.standby.start)
        await ready_again([*running, later])
    assert told[0] == 503
    assert "another one was promoted" in told[1]
    await each_answered_once(slack, pair.standby, asking.result())
    assert (await balance(old))["messages"] == 0
    await old.dispose()
    await ended([*running, later])
