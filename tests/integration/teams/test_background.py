"""What follows from a press: sent until Teams takes it, or the process stops."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.background_tasks import BackgroundTasks
from bot.call_results import CallResult, RateLimited, Succeeded
from core.domain.json_value import Json
from tests.integration.teams.conftest import Scene
from tests.servers.slack import faults

AT_ONCE = (0.0, 0.0, 0.0)
NEVER = (3_600.0,) * 3
"""Nothing but a stop ends these rests."""
LINE: dict[str, Json] = {"type": "message", "textFormat": "plain", "text": "Settled."}


@pytest.fixture
async def group() -> AsyncIterator[asyncio.TaskGroup]:
    """Waits for what goes on."""
    async with asyncio.TaskGroup() as running:
        yield running


def begin(background: BackgroundTasks, scene: Scene) -> None:
    """Begin to tell Anna a line."""

    async def told() -> None:
        await background.retry(lambda: scene.transport.post(scene.at(scene.chat), LINE))

    background.begin(told())


FAULTS = {
    "a broken service": faults.status(500),
    "a gateway": faults.status(502),
    "too many": faults.too_many(0),
    "a lost connection": faults.lost(),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_one_fault_leaves_nobody_without_a_word(
    scene: Scene, group: asyncio.TaskGroup, name: str
) -> None:
    """It is sent again."""
    scene.teams.faults.next("post", FAULTS[name])
    background = BackgroundTasks(group, retry_after_s=AT_ONCE)
    begin(background, scene)
    await scene.teams.until(lambda: len(scene.teams.tenant.by_bot()) == 1)
    await background.ended()
    assert len(scene.teams.journal.of("post")) == 2


async def test_what_may_have_arrived_is_sent_once_more(
    scene: Scene, group: asyncio.TaskGroup
) -> None:
    """Not for as long as nobody knows."""
    scene.teams.faults.always("post", faults.processed_then_reset())
    background = BackgroundTasks(group, retry_after_s=AT_ONCE)
    begin(background, scene)
    await scene.teams.journal.wait_for("post", times=2)
    await background.ended()
    assert len(scene.teams.tenant.by_bot()) == 2


async def test_what_is_never_taken_is_given_up(scene: Scene, group: asyncio.TaskGroup) -> None:
    """After some attempts."""
    scene.teams.faults.always("post", faults.too_many(0))
    background = BackgroundTasks(group, retry_after_s=AT_ONCE)
    begin(background, scene)
    await scene.teams.journal.wait_for("post", times=4)
    await background.ended()
    assert len(scene.teams.journal.of("post")) == 4


async def test_a_stop_does_not_leave_out_what_waits(scene: Scene, group: asyncio.TaskGroup) -> None:
    """It is tried at once, for the last time."""
    scene.teams.faults.next("post", faults.status(500))
    background = BackgroundTasks(group, retry_after_s=NEVER)
    begin(background, scene)
    await scene.teams.journal.wait_for("post", outcome="500")
    await background.ended()
    assert len(scene.teams.tenant.by_bot()) == 1


async def test_a_stop_during_an_attempt_leaves_one_more(group: asyncio.TaskGroup) -> None:
    """What is just being refused is sent again."""
    background = BackgroundTasks(group, retry_after_s=NEVER)
    stopped, results = asyncio.Event(), iter((RateLimited(after_s=0.0), Succeeded(body={})))
    sent: list[CallResult] = []

    async def send() -> CallResult:
        await stopped.wait()
        sent.append(next(results))
        return sent[-1]

    async def told() -> None:
        await background.retry(send)

    background.begin(told())
    end = group.create_task(background.ended())
    await asyncio.sleep(0)
    stopped.set()
    await end
    assert [type(one) for one in sent] == [RateLimited, Succeeded]


async def test_a_stop_tries_no_longer(scene: Scene, group: asyncio.TaskGroup) -> None:
    """Once, however it ends."""
    scene.teams.faults.always("post", faults.status(500))
    background = BackgroundTasks(group, retry_after_s=NEVER)
    begin(background, scene)
    await scene.teams.journal.wait_for("post", outcome="500")
    await background.ended()
    assert len(scene.teams.journal.of("post")) == 2


async def test_a_stop_waits_for_a_while(
    scene: Scene, group: asyncio.TaskGroup, caplog: pytest.LogCaptureFixture
) -> None:
    """What hangs is cancelled, and the log says so."""
    scene.teams.faults.always("post", faults.slow(3_600.0))
    background = BackgroundTasks(group, retry_after_s=NEVER)
    begin(background, scene)
    await scene.teams.until(lambda: bool(scene.teams.journal.of("post")))
    await background.ended(within_s=0.05)
    assert "did not wait" in caplog.text
    assert scene.teams.tenant.by_bot() == []
