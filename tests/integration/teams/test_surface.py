"""What people see while an answer is made in Teams, and that nothing of it ever fails a run."""

import asyncio
from dataclasses import replace
from datetime import date

import pytest

from bot.replies.notices import IN_THREAD, STOPPED
from bot.teams.outbound.progress import TeamsSurface, TeamsTimings
from core.domain.errors import OvertakenError
from core.domain.message import Claimed
from core.language.interface.texts import as_it_is
from core.ports import Progressed
from tests.integration.teams.conftest import Scene
from tests.servers.slack import faults
from tests.servers.teams import Conversation, Message

HASTY = TeamsTimings(
    drawn_every_s=0.01, typing_every_s=0.02, placeholder_after_s=0.15, wakes_after_s=0.0
)
LATE = TeamsTimings(drawn_every_s=0.01, typing_every_s=0.02, placeholder_after_s=60.0)
SEARCHING = Progressed(stage="retrieve", words=as_it_is("Searching 214 sections"))
DRAFTING = Progressed(stage="draft", words=as_it_is("Drafting"))


@pytest.fixture(autouse=True)
def unlimited(scene: Scene) -> None:
    """Here somebody types a hundred times as often as in life."""
    scene.teams.limits.on = False


class Keeper:
    """Keeps ids, or says that the run is overtaken."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.is_overtaken = False

    async def keep(self, remote_id: str) -> None:
        if self.is_overtaken:
            raise OvertakenError
        self.ids.append(remote_id)


def claimed(scene: Scene, conversation: Conversation) -> Claimed:
    return Claimed(
        message_id=1,
        conversation_id="c",
        question_id="q",
        record_id=None,
        place=scene.place(conversation),
        person=scene.anna.id,
        asker="pseudonym",
        text="May I?",
        waited_s=0.0,
        attempt=1,
        token="t",  # noqa: S106  # of a lease
        edition=1,
        as_of=date(2026, 1, 1),
        progress_id=None,
        raw={},
    )


def surface_of(scene: Scene, timings: TeamsTimings = HASTY) -> TeamsSurface:
    return TeamsSurface(scene.transport, scene.addresses, timings=timings)


def only(scene: Scene) -> Message:
    (shown,) = scene.teams.tenant.by_bot()
    return shown


async def test_in_ones_own_chat_the_real_steps_are_seen(scene: Scene) -> None:
    """As lines of one stream, whose id is kept at once; it is left open for the answer."""
    keeper = Keeper()
    async with surface_of(scene).showing(claimed(scene, scene.chat), keeper.keep) as progress:
        await scene.teams.until(lambda: bool(keeper.ids))
        progress.report(SEARCHING)
        await scene.teams.journal.wait_for("post", times=2)
        progress.report(DRAFTING)
        await scene.teams.journal.wait_for("post", times=3)
    stream = only(scene).stream
    assert stream is not None
    assert stream.informative[1:] == ["Searching 214 sections…", "Drafting…"]
    assert keeper.ids == [only(scene).id]
    assert stream.state == "open"
    scene.teams.checks.nothing_refused()


async def test_steps_that_come_too_fast_are_left_out(scene: Scene) -> None:
    """About one a second; the newest is shown."""
    slow = TeamsTimings(drawn_every_s=0.2, typing_every_s=9.0, placeholder_after_s=9.0)
    keeper = Keeper()
    async with surface_of(scene, slow).showing(claimed(scene, scene.chat), keeper.keep) as progress:
        await scene.teams.until(lambda: bool(keeper.ids))
        for number in range(20):
            progress.report(Progressed(stage="draft", words=as_it_is(f"Step {number}")))
        await scene.teams.journal.wait_for("post", times=2)
    stream = only(scene).stream
    assert stream is not None
    assert stream.informative[1:] == ["Step 19…"]


async def test_nothing_comes_after_the_end(scene: Scene) -> None:
    """What was in flight is awaited; what was not yet drawn never is."""
    keeper = Keeper()
    scene.teams.faults.next("post", None, faults.slow_answer(0.1))
    async with surface_of(scene).showing(claimed(scene, scene.chat), keeper.keep) as progress:
        await scene.teams.until(lambda: bool(keeper.ids))
        progress.report(SEARCHING)
        await scene.teams.until(lambda: len(scene.teams.journal.of("post")) == 2)
        progress.report(DRAFTING)
    calls = len(scene.teams.journal.entries)
    assert scene.teams.journal.of("post")[-1].outcome == "ok"
    await asyncio.sleep(0.1)
    assert len(scene.teams.journal.entries) == calls


@pytest.mark.parametrize("kind", ["group", "room"])
async def test_elsewhere_somebody_types(scene: Scene, kind: str) -> None:
    """At once, and again and again, in the thread."""
    conversation: Conversation = getattr(scene, kind)
    async with surface_of(scene, LATE).showing(claimed(scene, conversation), Keeper().keep):
        await scene.teams.until(lambda: len(scene.teams.tenant.typing) >= 3)
    places = {place for place, _ in scene.teams.tenant.typing}
    root = f";messageid={scene.question.id}" if kind == "room" else ""
    assert places == {f"{conversation.id}{root}"}
    assert scene.teams.tenant.by_bot() == []


async def test_who_waits_long_in_a_channel_sees_where_the_answer_will_be(scene: Scene) -> None:
    """One message, whose id is kept; typing goes on."""
    keeper = Keeper()
    async with surface_of(scene).showing(claimed(scene, scene.room), keeper.keep):
        await scene.teams.until(lambda: bool(keeper.ids))
        typed = len(scene.teams.tenant.typing)
        await scene.teams.until(lambda: len(scene.teams.tenant.typing) > typed)
    shown = scene.teams.checks.one_answer(scene.question)
    assert keeper.ids == [shown.id]


async def overtaken(scene: Scene, conversation: Conversation) -> None:
    """Run until something stands, and be overtaken."""
    keeper = Keeper()
    async with surface_of(scene).showing(claimed(scene, conversation), keeper.keep):
        await scene.teams.until(lambda: bool(keeper.ids))
        raise OvertakenError


async def test_a_run_that_was_overtaken_leaves_nothing_open(scene: Scene) -> None:
    """Its stream says so; its placeholder goes."""
    with pytest.raises(OvertakenError):
        await overtaken(scene, scene.chat)
    assert only(scene).text == STOPPED.en
    scene.teams.checks.no_open_streams()
    with pytest.raises(OvertakenError):
        await overtaken(scene, scene.room)
    scene.teams.checks.no_answer(scene.question)


@pytest.mark.parametrize("kind", ["chat", "room"])
async def test_what_the_reply_does_not_know_goes(scene: Scene, kind: str) -> None:
    """The run was recorded before its progress was kept."""
    conversation: Conversation = getattr(scene, kind)
    keeper = Keeper()
    keeper.is_overtaken = True
    async with surface_of(scene).showing(claimed(scene, conversation), keeper.keep):
        await scene.teams.journal.wait_for("delete")
    assert scene.teams.tenant.by_bot() == []


async def test_a_second_attempt_goes_on_with_the_stream(scene: Scene) -> None:
    """Its parts come later than all of the first."""
    keeper = Keeper()
    first = claimed(scene, scene.chat)
    async with surface_of(scene).showing(first, keeper.keep):
        await scene.teams.until(lambda: bool(keeper.ids))
    again = replace(first, attempt=2, progress_id=keeper.ids[0])
    async with surface_of(scene).showing(again, keeper.keep) as progress:
        progress.report(SEARCHING)
        await scene.teams.journal.wait_for("post", times=3, outcome="ok")
    stream = only(scene).stream
    assert stream is not None
    assert stream.informative[-1] == "Searching 214 sections…"


async def test_without_streams_somebody_types(scene: Scene) -> None:
    """Also in one's own chat: `informative` is refused there by some clients."""
    told = {"error": {"code": "ContentStreamNotAllowed", "message": "not allowed"}}
    scene.teams.faults.next("post", faults.status(403, told))
    async with surface_of(scene, LATE).showing(claimed(scene, scene.chat), Keeper().keep):
        await scene.teams.until(lambda: len(scene.teams.tenant.typing) >= 2)
    assert scene.teams.tenant.by_bot() == []


@pytest.mark.parametrize("kind", ["chat", "group", "room"])
async def test_teams_is_left_alone_for_as_long_as_it_asks(scene: Scene, kind: str) -> None:
    """Whatever is due: the next call comes a second later, before and during the run."""
    conversation: Conversation = getattr(scene, kind)
    surface, one = surface_of(scene), claimed(scene, conversation)
    scene.teams.faults.next("post", faults.too_many(1))
    async with surface.waking(one):
        await scene.teams.journal.wait_for("post")
        saying = surface._saying  # pyright: ignore[reportPrivateUsage]
        await scene.teams.until(lambda: bool(saying._rests))  # pyright: ignore[reportPrivateUsage]
    began = asyncio.get_running_loop().time()
    async with surface.showing(one, Keeper().keep) as progress:
        progress.report(SEARCHING)
        await asyncio.sleep(0.5)
        assert len(scene.teams.journal.of("post")) == 1
        scene.teams.faults.next("post", faults.too_many(1))
        await scene.teams.journal.wait_for("post", times=2)
        await asyncio.sleep(0.5)
        assert len(scene.teams.journal.of("post")) == 2
        await scene.teams.journal.wait_for("post", times=3)
    assert asyncio.get_running_loop().time() - began >= 1.8


async def test_a_message_that_may_stand_is_not_posted_again(scene: Scene) -> None:
    """Nobody could find the first, and take it away."""
    scene.teams.faults.always("post", faults.processed_then_reset())
    async with surface_of(scene).showing(claimed(scene, scene.room), Keeper().keep):
        await scene.teams.until(lambda: bool(scene.teams.tenant.by_bot()))
        await asyncio.sleep(0.2)
    assert len(scene.teams.tenant.by_bot()) == 1


@pytest.mark.parametrize("kind", ["chat", "room"])
async def test_after_an_attempt_that_died_nothing_is_added_to_what_it_left(
    scene: Scene, kind: str
) -> None:
    """It did not keep the id, and nobody can look: somebody types, and what stands stays true."""
    conversation: Conversation = getattr(scene, kind)
    dead = replace(claimed(scene, conversation), attempt=1)
    lost = Keeper()
    async with surface_of(scene).showing(dead, lost.keep):
        await scene.teams.until(lambda: bool(lost.ids))
    async with surface_of(scene).showing(replace(dead, attempt=2), Keeper().keep):
        typed = len(scene.teams.tenant.typing)
        await scene.teams.until(lambda: len(scene.teams.tenant.typing) > typed + 8)
    assert [one.id for one in scene.teams.tenant.by_bot()] == lost.ids
    if kind == "room":
        assert only(scene).text == IN_THREAD.en


FAULTS = [
    faults.status(500),
    faults.status(429),
    faults.status(403),
    faults.status(404),
    faults.lost(),
    faults.garbled(),
    faults.processed_then_reset(),
]


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("fault", FAULTS, ids=range(len(FAULTS)))
@pytest.mark.parametrize("kind", ["chat", "room"])
async def test_no_fault_fails_a_run(scene: Scene, kind: str, fault: faults.Fault, at: int) -> None:
    """At whichever call it happens: the run ends as it would."""
    conversation: Conversation = getattr(scene, kind)
    scene.teams.faults.next("post", *[None] * at, fault)
    ran = False
    async with surface_of(scene).showing(claimed(scene, conversation), Keeper().keep) as progress:
        progress.report(SEARCHING)
        await scene.teams.journal.wait_for("post")
        progress.report(DRAFTING)
        ran = True
    assert ran


@pytest.mark.parametrize("kind", ["chat", "room"])
async def test_a_database_that_fails_fails_no_run(scene: Scene, kind: str) -> None:
    """Where the id of what is shown should be kept, or that of the conversation is."""

    async def broken(_: str) -> None:
        raise RuntimeError

    conversation: Conversation = getattr(scene, kind)
    async with surface_of(scene).showing(claimed(scene, conversation), broken):
        await scene.teams.journal.wait_for("post")
    del scene.references.kept[conversation.id]
    async with surface_of(scene).showing(claimed(scene, conversation), Keeper().keep) as progress:
        progress.report(SEARCHING)


async def test_the_runs_own_error_goes_on(scene: Scene) -> None:
    """As it is."""
    with pytest.raises(ValueError, match="mine"):
        async with surface_of(scene).showing(claimed(scene, scene.chat), Keeper().keep):
            raise ValueError("mine")


@pytest.mark.parametrize("kind", ["chat", "group", "room"])
async def test_somebody_types_before_it_is_known_who_reads(scene: Scene, kind: str) -> None:
    """Again and again, and nothing else: a stream or a message would have to be taken away."""
    conversation: Conversation = getattr(scene, kind)
    async with surface_of(scene).waking(claimed(scene, conversation)):
        await scene.teams.until(lambda: len(scene.teams.tenant.typing) >= 3)
    assert scene.teams.tenant.by_bot() == []
    assert {entry.args.get("type") for entry in scene.teams.journal.of("post")} <= {"typing", None}


async def test_who_is_known_at_once_costs_no_call(scene: Scene) -> None:
    """Typing is shown by the run itself."""
    surface = surface_of(scene, TeamsTimings())
    async with surface.waking(claimed(scene, scene.room)):
        await asyncio.sleep(0)
    assert scene.teams.journal.entries == []


@pytest.mark.parametrize("fault", FAULTS, ids=range(len(FAULTS)))
async def test_typing_that_fails_fails_no_run(scene: Scene, fault: faults.Fault) -> None:
    """Nor does its call in flight keep anybody waiting; the block's own error goes on as it is."""
    scene.teams.faults.next("post", fault, faults.slow(60.0))
    with pytest.raises(ValueError, match="mine"):
        await _broken_off(scene)
    del scene.references.kept[scene.room.id]
    async with surface_of(scene).waking(claimed(scene, scene.room)):
        await asyncio.sleep(0.01)
    assert len(scene.teams.journal.of("post")) == 2


async def _broken_off(scene: Scene) -> None:
    """Fail while the second call is under way."""
    async with surface_of(scene).waking(claimed(scene, scene.room)):
        await scene.teams.until(lambda: len(scene.teams.journal.of("post")) == 2)
        raise ValueError("mine")
