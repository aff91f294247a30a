"""Sockets that die, break and are crowded: what Slack sends again is answered, and once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest
from aiohttp import ClientSession

from bot.json_fields import Object
from bot.slack.app import endpoint
from bot.slack.app.endpoint import CONNECTIONS
from bot.slack.app.workspace import SlackEventIntake
from bot.slack.outbound.timings import SlackTimings
from tests.acceptance.slack.office import QUESTION, shown
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.faults import error
from tests.slack_product import Product, product

POLICY = "Gifts and Hospitality Policy"
SILENT_S = 1.0
FEW, MANY = 2, 12


@pytest.fixture
async def patient() -> AsyncIterator[FakeSlack]:
    """A Slack whose minute takes a second, so that its retries outlive a gap."""
    async with fake_slack(speed=60) as running:
        yield running


def over_sockets(
    slack: FakeSlack, database_url: str, *, silent_s: float = SILENT_S
) -> AbstractAsyncContextManager[Product]:
    """Run the product without an address."""
    return product(
        slack,
        database_url,
        timings=SlackTimings(draw_after_s=0.0, silent_s=silent_s),
        slack_signing_secret=None,
        slack_app_token=slack.workspace.app_token,
    )


async def connected(slack: FakeSlack) -> list[int]:
    """Wait until all sockets are open, and return which."""
    open_ = slack.sockets.connections
    await slack.until(lambda: len(open_) == CONNECTIONS, timeout_s=30)
    return [id(one) for one in open_]


async def ready(running: Product) -> int:
    """Return what readiness says."""
    async with (
        ClientSession() as session,
        session.get(f"{running.operations_url}/readyz") as answer,
    ):
        return answer.status


async def test_a_silent_socket_is_opened_anew(patient: FakeSlack, slack_database: str) -> None:
    """Half of the line is cut: it looks open, and nothing comes back. Then questions come again."""
    async with over_sockets(patient, slack_database) as running:
        before = await connected(patient)
        patient.sockets.deaf = True
        await patient.until(
            lambda: not set(before) & {id(one) for one in patient.sockets.connections},
            timeout_s=30,
        )
        patient.sockets.deaf = False
        said = await patient.people.ask(patient.workspace.user("anna"), QUESTION)
        assert said.acknowledged
        assert POLICY in shown(await running.answer_to(said.message))


async def test_in_a_gap_slack_sends_again(patient: FakeSlack, slack_database: str) -> None:
    """Both sockets break while something is said: kept at a later try, answered once."""
    async with over_sockets(patient, slack_database) as running:
        await connected(patient)
        anna = patient.workspace.user("anna")
        patient.sockets.cut()
        await patient.until(lambda: not patient.sockets.connections, timeout_s=30)
        said = await patient.people.ask(anna, QUESTION)
        assert said.acknowledged
        assert max(len(one.attempts) for one in said.deliveries) > 1
        assert POLICY in shown(await running.answer_to(said.message))
        patient.checks.nothing_twice()
        await connected(patient)
        assert await ready(running) == 200


async def test_a_crowd_waits_for_its_turn(
    patient: FakeSlack, slack_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many at a time and no more; each is acknowledged once it is kept, and answered once."""
    monkeypatch.setattr(endpoint, "AT_ONCE", FEW)
    gate, inside, most = asyncio.Event(), 0, 0
    keep = SlackEventIntake.keep

    async def watched(self: SlackEventIntake, body: Object) -> object:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        try:
            await gate.wait()
            return await keep(self, body)
        finally:
            inside -= 1

    monkeypatch.setattr(SlackEventIntake, "keep", watched)
    # A busy machine is silent for a second: sockets opened anew would lose who waits at the gate.
    async with over_sockets(patient, slack_database, silent_s=60.0) as running:
        await connected(patient)
        people = [patient.workspace.user(f"p{n}") for n in range(MANY)]
        patient.sender.ack_timeout_s = 30.0
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(patient.people.ask(one, QUESTION)) for one in people]
            await patient.until(lambda: inside == FEW, timeout_s=60)
            assert [one for one in asked if one.done()] == []
            gate.set()
        assert most == FEW
        await running.quiet(within_s=120)
        for task in asked:
            assert task.result().acknowledged
            patient.checks.one_answer(task.result().message)
        patient.checks.nothing_twice()


async def test_without_any_socket_it_is_not_ready(patient: FakeSlack, slack_database: str) -> None:
    """Slack opens none: said in readiness, until it does."""
    patient.faults.always("apps.connections.open", error("internal_error"))
    async with over_sockets(patient, slack_database) as running:
        await patient.journal.wait_for("apps.connections.open", times=2)
        assert await ready(running) == 503
        patient.faults.heal("apps.connections.open")
        await connected(patient)
        async with asyncio.timeout(15):
            while await ready(running) != 200:  # noqa: ASYNC110  # another task opens it
                await asyncio.sleep(0.02)
