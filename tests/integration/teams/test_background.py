"""A greeting and the answer to `help`: sent until Teams takes them, or the process stops."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.teams.background import Background
from bot.teams.greeting import Greeting
from bot.teams.met import Met
from bot.teams.parse import HelpWanted
from bot.teams.places import Spot
from bot.teams.reference import read_reference
from tests.integration.teams.conftest import Scene
from tests.servers.slack import faults
from tests.servers.teams import Conversation

AT_ONCE = (0.0, 0.0, 0.0)
NEVER = (3_600.0,) * 3
"""Nothing but a stop ends these rests."""
REFUSED = {"error": {"code": "BadArgument", "message": "no"}}


@pytest.fixture
async def group() -> AsyncIterator[asyncio.TaskGroup]:
    """Waits for what goes on."""
    async with asyncio.TaskGroup() as running:
        yield running


def met(scene: Scene, conversation: Conversation) -> Met:
    reference = read_reference(scene.references.kept[conversation.id], scene.home)
    return Met(reference=reference, person=scene.anna.id, is_outside=False)


def asked(scene: Scene, *, key: str = "k", is_targeted: bool = False) -> HelpWanted:
    """Anna asks for help in the channel."""
    room = scene.room.id
    spot = Spot(
        conversation=f"{room};messageid={scene.question.id}",
        channel=room,
        root=scene.question.id,
        scope="channel",
        tenant=scene.teams.tenant.id,
        is_root=True,
    )
    return HelpWanted(
        spot=spot,
        reference=met(scene, scene.room).reference,
        person=scene.anna.id,
        is_targeted=is_targeted,
        dedupe_key=key,
    )


def greeting(scene: Scene, background: Background) -> Greeting:
    return Greeting(scene.transport, background)


FAULTS = {
    "a broken service": faults.status(500),
    "a gateway": faults.status(502),
    "too many": faults.too_many(0),
    "a lost connection": faults.lost(),
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("kind", ["chat", "group", "room"])
async def test_one_fault_leaves_nobody_without_a_greeting(
    scene: Scene, group: asyncio.TaskGroup, kind: str, name: str
) -> None:
    """It is sent again."""
    conversation: Conversation = getattr(scene, kind)
    call = "create" if kind == "room" else "post"
    scene.teams.faults.next(call, FAULTS[name])
    background = Background(group, tried_again_after_s=AT_ONCE)
    await greeting(scene, background).greet(met(scene, conversation))
    await scene.teams.until(lambda: len(scene.teams.tenant.by_bot()) == 1)
    await background.ended()
    assert len(scene.teams.journal.of(call)) == 2


@pytest.mark.parametrize("is_targeted", [False, True])
async def test_who_asks_for_help_gets_it_once(
    scene: Scene, group: asyncio.TaskGroup, is_targeted: bool
) -> None:
    """In the thread, to the asker alone if it was asked so; Teams may deliver it again."""
    scene.teams.faults.next("post", faults.status(500))
    background = Background(group, tried_again_after_s=AT_ONCE)
    helping = greeting(scene, background)
    for key in ("k", "k", "other"):
        await helping.greet(asked(scene, key=key, is_targeted=is_targeted))
    await scene.teams.until(lambda: len(scene.teams.tenant.by_bot()) == 2)
    await background.ended()
    shown = scene.teams.tenant.by_bot()
    assert [one.only_for for one in shown] == [scene.anna.id if is_targeted else None] * 2
    assert [one.root for one in shown] == [scene.question.id] * 2


async def test_what_may_have_arrived_is_sent_once_more(
    scene: Scene, group: asyncio.TaskGroup
) -> None:
    """Not for as long as nobody knows."""
    scene.teams.faults.always("post", faults.processed_then_reset())
    background = Background(group, tried_again_after_s=AT_ONCE)
    await greeting(scene, background).greet(met(scene, scene.chat))
    await scene.teams.journal.wait_for("post", times=2)
    await background.ended()
    assert len(scene.teams.tenant.by_bot()) == 2


async def test_what_is_never_taken_is_given_up(scene: Scene, group: asyncio.TaskGroup) -> None:
    """After some attempts."""
    scene.teams.faults.always("post", faults.too_many(0))
    background = Background(group, tried_again_after_s=AT_ONCE)
    await greeting(scene, background).greet(met(scene, scene.chat))
    await scene.teams.journal.wait_for("post", times=4)
    await background.ended()
    assert len(scene.teams.journal.of("post")) == 4


async def test_a_refused_card_is_followed_by_text(scene: Scene, group: asyncio.TaskGroup) -> None:
    """A fault in between changes nothing of that."""
    scene.teams.faults.next("post", faults.status(400, REFUSED), faults.status(500))
    background = Background(group, tried_again_after_s=AT_ONCE)
    await greeting(scene, background).greet(met(scene, scene.chat))
    await scene.teams.until(lambda: len(scene.teams.tenant.by_bot()) == 1)
    (shown,) = scene.teams.tenant.by_bot()
    assert shown.activity["textFormat"] == "plain"


async def test_a_stop_does_not_leave_out_what_waits(scene: Scene, group: asyncio.TaskGroup) -> None:
    """It is tried at once, for the last time."""
    scene.teams.faults.next("post", faults.status(500))
    background = Background(group, tried_again_after_s=NEVER)
    await greeting(scene, background).greet(met(scene, scene.chat))
    await scene.teams.journal.wait_for("post", outcome="500")
    await background.ended()
    assert len(scene.teams.tenant.by_bot()) == 1


async def test_a_stop_tries_no_longer(scene: Scene, group: asyncio.TaskGroup) -> None:
    """Once, however it ends."""
    scene.teams.faults.always("post", faults.status(500))
    background = Background(group, tried_again_after_s=NEVER)
    await greeting(scene, background).greet(met(scene, scene.chat))
    await scene.teams.journal.wait_for("post", outcome="500")
    await background.ended()
    assert len(scene.teams.journal.of("post")) == 2


async def test_a_stop_waits_for_a_while(
    scene: Scene, group: asyncio.TaskGroup, caplog: pytest.LogCaptureFixture
) -> None:
    """What hangs is cancelled, and the log says so."""
    scene.teams.faults.always("post", faults.slow(3_600.0))
    background = Background(group, tried_again_after_s=NEVER)
    await greeting(scene, background).greet(met(scene, scene.chat))
    await scene.teams.until(lambda: bool(scene.teams.journal.of("post")))
    await background.ended(within_s=0.05)
    assert "did not wait" in caplog.text
    assert scene.teams.tenant.by_bot() == []
