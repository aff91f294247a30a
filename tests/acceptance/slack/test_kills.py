"""Killed at each step by `kill -9`, started again: each question has one answer that is seen."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from tests.kills import LONGEST_LEASE_S, balance, quiet
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.deeds import Said
from tests.servers.slack.faults import slow_answer
from tests.slack_processes import KILLED, Forks, Running, forks, let_pass

QUESTION = "What is the limit for gifts that employees accept from business partners?"
SLACKS_MINUTE = 60.0
"""Its retries come at once, after 1 s and after 5 s."""


@pytest.fixture(scope="module")
def serving() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


@pytest.fixture
async def slow_slack() -> AsyncIterator[FakeSlack]:
    """A Slack whose minute takes a second: time enough to start again between two retries."""
    async with fake_slack(speed=SLACKS_MINUTE) as running:
        yield running


@pytest.fixture
async def tables(slack_database: str) -> AsyncIterator[AsyncEngine]:
    """To look at what is left."""
    engine = engine_for(slack_database, pooled=False)
    yield engine
    await engine.dispose()


async def started_again(
    serving: Forks, slack: FakeSlack, tables: AsyncEngine, killed: Running
) -> Running:
    """Wait for the kill, let the leases of the dead end, and start anew on the same port."""
    assert await killed.ended() == KILLED
    await let_pass(tables, seconds=LONGEST_LEASE_S)
    url = tables.url.set(drivername="postgresql").render_as_string(hide_password=False)
    return serving.start(slack, url, port=killed.port)


async def first(serving: Forks, slack: FakeSlack, url: str, failpoint: str, **more: Any) -> Running:
    """Start the process that will be killed."""
    running = serving.start(slack, url, failpoint=failpoint, **more)
    await running.ready()
    slack.app_url = f"http://127.0.0.1:{running.port}/slack/events"
    return running


async def holds(slack: FakeSlack, tables: AsyncEngine, said: Said) -> None:
    """Assert one visible answer, its record, and nothing left of the work."""
    await quiet(tables)
    answer = slack.checks.one_answer(said.message)
    assert "Gifts and Hospitality Policy" in str(answer.blocks)
    slack.checks.nothing_twice()
    slack.checks.nothing_outside(said.message)
    slack.checks.status_cleared()
    assert set((await balance(tables)).values()) == {1}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("failpoint", ["F1", "F2", "F3"])
@pytest.mark.parametrize("named", [True, False])
async def test_killed_before_slack_was_told(
    serving: Forks,
    slow_slack: FakeSlack,
    slack_database: str,
    tables: AsyncEngine,
    failpoint: str,
    *,
    named: bool,
) -> None:
    """Slack heard nothing, and sends it again on its schedule: kept once, answered once."""
    slack = slow_slack
    running = await first(serving, slack, slack_database, failpoint)
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    asking = (
        slack.people.mention(anna, room, QUESTION) if named else slack.people.ask(anna, QUESTION)
    )
    async with asyncio.TaskGroup() as group:
        telling = group.create_task(asking)
        again = await started_again(serving, slack, tables, running)
    said = telling.result()
    assert said.acknowledged
    assert max(len(one.attempts) for one in said.deliveries) > 1
    await holds(slack, tables, said)
    again.signal(9)
    await again.ended()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("failpoint", ["F4", "F5", "F6", "F7", "F8", "F9"])
async def test_killed_at_work(
    serving: Forks, slow_slack: FakeSlack, slack_database: str, tables: AsyncEngine, failpoint: str
) -> None:
    """Another process takes over, finds what the dead one posted, and posts nothing twice."""
    slack, more = slow_slack, dict[str, Any]()
    if failpoint == "F5":
        more = {"anthropic_api_key": "sk-ant-none", "anthropic_base_url": "http://127.0.0.1:9"}
    running = await first(serving, slack, slack_database, failpoint, **more)
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    said = await slack.people.mention(anna, room, QUESTION)
    again = await started_again(serving, slack, tables, running)
    await holds(slack, tables, said)
    again.signal(9)
    await again.ended()


async def test_killed_while_slack_begins_a_stream(
    serving: Forks, slow_slack: FakeSlack, slack_database: str, tables: AsyncEngine
) -> None:
    """Nobody was told which message it is: whoever goes on finds it, and answers in its place."""
    slack = slow_slack
    slack.faults.without("assistant.threads.setStatus")
    slack.faults.next("chat.startStream", slow_answer(seconds=60.0))
    running = await first(serving, slack, slack_database, "F6")
    said = await slack.people.ask(slack.workspace.user("anna"), QUESTION)
    again = await started_again(serving, slack, tables, running)
    await holds(slack, tables, said)
    slack.checks.no_open_streams()
    (answer,) = slack.checks.by_app()
    assert answer.stream is not None
    again.signal(9)
    await again.ended()
