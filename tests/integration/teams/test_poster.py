"""Where replies land in Teams, once each, whatever goes wrong."""

import asyncio
from dataclasses import replace

import pytest

from bot.delivery import after_post
from bot.teams.cards.progress_blocks import final, informative, streaming
from bot.teams.cards.render import TeamsMessage
from bot.teams.outbound.poster import PART_EVERY_S, Render, TeamsPoster
from bot.teams.outbound.progress import TeamsTimings
from core.domain.case import CaseNews, CaseState
from core.domain.delivery import (
    Abandon,
    Ambiguous,
    CanNotTell,
    ContentRefused,
    Delivery,
    NotFound,
    Notice,
    Permanent,
    Posted,
    RetryAfter,
    StoredReply,
)
from core.domain.json_value import Json
from tests.integration.teams.conftest import Scene
from tests.integration.teams.test_transports import ROOT
from tests.servers.slack import faults
from tests.servers.teams import Conversation, Message

ANSWER = "✅ Yes, up to USD 100 [1]."


def rich(delivery: Delivery) -> TeamsMessage:
    """Render an answer: with its citation, then without."""
    made: dict[str, Json] = {"type": "message", "textFormat": "markdown", "text": ANSWER}
    return TeamsMessage(activity=made | ({"entities": [ROOT]} if delivery.shape == 0 else {}))


def private(_: Delivery) -> TeamsMessage:
    """Render what only the asker may see."""
    return TeamsMessage(activity={"type": "message", "text": "Psst"}, is_for_asker_alone=True)


def poster_of(scene: Scene, *, render: Render = rich) -> TeamsPoster:
    return TeamsPoster(
        scene.transport,
        scene.addresses,
        render=render,
        part_every_s=0.0,
        chance=lambda: 0.0,
    )


def delivery(scene: Scene, conversation: Conversation | None = None) -> Delivery:
    """Return a reply that is to be posted where Anna asked."""
    return Delivery(
        outbox_id=7,
        conversation_id="c",
        cause="message:1",
        reply=StoredReply(notice=Notice.WITHHELD),
        place=scene.place(conversation or scene.room),
        person=scene.anna.id,
        is_direct=False,
        shape=0,
        attempt=1,
        progress_id=None,
        is_doubtful=False,
        is_recorded_doubt=False,
        age_s=0.0,
        token="t",  # noqa: S106  # of a lease
    )


async def placeholder(scene: Scene) -> str:
    told = await scene.transport.post(scene.thread, {"type": "message", "text": "Checking…"})
    return scene.teams.tenant.by_bot()[0].id if told else ""


async def stream(scene: Scene) -> Message:
    """Begin a stream in Anna's chat."""
    told: dict[str, Json] = {"streamType": "informative", "streamSequence": 1}
    await scene.transport.post(
        scene.at(scene.chat),
        {
            "type": "typing",
            "text": "Searching…",
            "entities": [{"type": "streaminfo", **told}],
            "channelData": told,
        },
    )
    return scene.teams.tenant.by_bot()[0]


async def test_an_answer_lands_in_its_thread(scene: Scene) -> None:
    """With its citations; the id is that of the message."""
    result = await poster_of(scene).post(delivery(scene))
    answer = scene.teams.checks.one_answer(scene.question)
    assert result == Posted(remote_id=answer.id)
    assert (answer.text, len(answer.citations)) == (ANSWER, 1)


@pytest.mark.parametrize("kind", ["chat", "group"])
async def test_a_chat_is_its_own_thread(scene: Scene, kind: str) -> None:
    """With one person or with several."""
    conversation: Conversation = getattr(scene, kind)
    await poster_of(scene).post(delivery(scene, conversation))
    (answer,) = scene.teams.tenant.by_bot()
    assert (answer.conversation, answer.text) == (conversation.id, ANSWER)


async def test_a_channel_without_a_thread_gets_a_new_one(scene: Scene) -> None:
    """As an officers' card does; the thread's id is told, by which the card is rewritten."""
    place = replace(scene.place(scene.room), thread=scene.room.id)
    result = await poster_of(scene).post(replace(delivery(scene), place=place))
    (root,) = scene.teams.tenant.by_bot()
    assert result == Posted(remote_id=root.id)
    assert root.root == root.id
    again = replace(delivery(scene), place=place, replaces=root.id, shape=1)
    assert await poster_of(scene).post(again) == Posted(remote_id=root.id)
    assert len(root.history) == 1


async def test_an_answer_takes_the_place_of_its_placeholder(scene: Scene) -> None:
    """One message is left."""
    shown = await placeholder(scene)
    result = await poster_of(scene).post(replace(delivery(scene), progress_id=shown))
    assert result == Posted(remote_id=shown)
    assert scene.teams.checks.one_answer(scene.question).text == ANSWER


async def test_without_its_placeholder_it_is_posted(scene: Scene) -> None:
    """Somebody took it away."""
    shown = await placeholder(scene)
    await scene.transport.delete(scene.thread, shown)
    result = await poster_of(scene).post(replace(delivery(scene), progress_id=shown))
    answer = scene.teams.checks.one_answer(scene.question)
    assert result == Posted(remote_id=answer.id)


async def test_an_answer_ends_its_stream(scene: Scene) -> None:
    """Streamed once whole, then final, with its citations."""
    shown = await stream(scene)
    asked = replace(delivery(scene, scene.chat), progress_id=shown.id)
    assert await poster_of(scene).post(asked) == Posted(remote_id=shown.id)
    (answer,) = scene.teams.tenant.by_bot()
    assert (answer.text, len(answer.citations)) == (ANSWER, 1)
    assert answer.stream is not None
    assert (answer.stream.state, answer.stream.text) == ("done", ANSWER)
    scene.teams.checks.no_open_streams()
    scene.teams.checks.nothing_refused()


@pytest.mark.parametrize("later_s", [0.0, 0.5, 1.0, 1.5])
async def test_an_answer_ends_its_stream_in_time_whenever_it_comes(
    scene: Scene, later_s: float
) -> None:
    """After a line that was drawn as early as may be: no part of the answer is refused."""
    shown, clock = await stream(scene), scene.teams.clock
    at = scene.at(scene.chat)
    clock.advance(TeamsTimings().drawn_every_s)
    await scene.transport.post(at, informative(None, sequence=2, stream_id=shown.id))
    clock.advance(later_s)
    answer: dict[str, Json] = {"type": "message", "text": ANSWER}
    await scene.transport.post(at, streaming(answer, sequence=3, stream_id=shown.id))
    clock.advance(PART_EVERY_S)
    await scene.transport.post(at, final(answer, stream_id=shown.id))
    scene.teams.checks.nothing_refused()
    scene.teams.checks.no_open_streams()


@pytest.mark.parametrize("why", ["too old", "ended"])
async def test_a_stream_that_is_over_is_updated(scene: Scene, why: str) -> None:
    """It is an ordinary message by then."""
    shown = await stream(scene)
    asked = replace(delivery(scene, scene.chat), progress_id=shown.id)
    if why == "too old":
        scene.teams.clock.advance(130)
    else:
        await poster_of(scene).post(asked)
        scene.teams.clock.advance(5)
    assert await poster_of(scene).post(asked) == Posted(remote_id=shown.id)
    (answer,) = scene.teams.tenant.by_bot()
    assert (answer.text, len(answer.citations)) == (ANSWER, 1)


async def test_who_stopped_the_stream_gets_nothing(scene: Scene) -> None:
    """Not there, and nowhere else; the record says that it was given up."""
    shown = await stream(scene)
    scene.teams.people.cancel_stream(shown)
    asked = replace(delivery(scene, scene.chat), progress_id=shown.id)
    result = await poster_of(scene).post(asked)
    assert result == Permanent(code="canceled_by_user", is_unwanted=True)
    answered = replace(asked, reply=StoredReply(news=CaseNews(number=1, state=CaseState.CLAIMED)))
    assert after_post(answered, result, shapes=2) == Abandon(code="canceled_by_user")
    assert len(scene.teams.tenant.by_bot()) == 1


async def test_a_stream_that_is_gone_is_no_loss(scene: Scene) -> None:
    """The answer is posted by itself."""
    asked = replace(delivery(scene, scene.chat), progress_id="a-0")
    assert isinstance(await poster_of(scene).post(asked), Posted)
    (answer,) = scene.teams.tenant.by_bot()
    assert answer.text == ANSWER


@pytest.mark.parametrize("knows", [True, False], ids=["chat known", "chat made"])
async def test_what_is_direct_goes_to_the_askers_own_chat(scene: Scene, *, knows: bool) -> None:
    """The one that we know, else a new one."""
    if not knows:
        del scene.references.kept[scene.chat.id]
    result = await poster_of(scene).post(replace(delivery(scene), is_direct=True))
    assert isinstance(result, Posted)
    assert [one.text for one in scene.teams.checks.seen_by(scene.anna, scene.chat)] == [ANSWER]
    assert scene.teams.journal.methods().count("create") == (0 if knows else 1)
    scene.teams.checks.no_answer(scene.question)


async def test_what_is_for_the_asker_is_seen_by_nobody_else(scene: Scene) -> None:
    """In the channel, for one; a placeholder for all goes before."""
    shown = await placeholder(scene)
    asked = replace(delivery(scene), progress_id=shown)
    assert isinstance(await poster_of(scene, render=private).post(asked), Posted)
    checks = scene.teams.checks
    assert [one.text for one in checks.seen_by(scene.ben, scene.room)] == ["May I?"]
    assert [one.text for one in checks.seen_by(scene.anna, scene.room)] == ["May I?", "Psst"]


async def test_where_teams_has_no_targeted_messages_it_goes_directly(scene: Scene) -> None:
    """Never to all."""
    scene.teams.faults.next("post", faults.status(400, {"error": {"code": "BadArgument"}}))
    assert isinstance(await poster_of(scene, render=private).post(delivery(scene)), Posted)
    assert [one.text for one in scene.teams.checks.seen_by(scene.anna, scene.chat)] == ["Psst"]
    scene.teams.checks.no_answer(scene.question)


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (faults.too_many(3), RetryAfter(after_s=3.0)),
        (faults.status(412), RetryAfter(after_s=5.0)),
        (faults.status(401), RetryAfter(after_s=10.0)),
        (faults.status(400), ContentRefused(code="400")),
        (faults.status(413), ContentRefused(code="413")),
        (faults.status(403), Permanent(code="403")),
        (faults.status(404), Permanent(code="404")),
        (faults.status(500), Ambiguous(code="500")),
        (faults.status(502), Ambiguous(code="502")),
        (faults.status(504), Ambiguous(code="504")),
    ],
    ids=lambda one: type(one).__name__ + str(getattr(one, "status", "")),
)
async def test_each_outcome_of_a_post_has_its_result(
    scene: Scene, fault: faults.Fault, expected: object
) -> None:
    """One attempt; nothing was posted."""
    scene.teams.faults.next("post", fault)
    assert await poster_of(scene).post(delivery(scene)) == expected
    assert scene.teams.journal.methods().count("post") == 1


@pytest.mark.parametrize("status", [502, 504])
async def test_an_update_that_a_gateway_lost_is_repeated(scene: Scene, status: int) -> None:
    """It replaces: twice is once."""
    shown = await placeholder(scene)
    scene.teams.faults.next("update", faults.status(status))
    asked = replace(delivery(scene), progress_id=shown)
    assert await poster_of(scene).post(asked) == RetryAfter(after_s=2.0)


async def test_waits_differ(scene: Scene) -> None:
    """Those that were refused together do not come back together."""
    poster = TeamsPoster(scene.transport, scene.addresses, render=rich, chance=lambda: 0.5)
    scene.teams.faults.next("post", faults.too_many(8))
    assert await poster.post(delivery(scene)) == RetryAfter(after_s=9.0)


async def test_an_answer_in_doubt_is_not_sent_again(scene: Scene) -> None:
    """It was posted; nobody can look; it stays one."""
    scene.teams.faults.next("post", faults.processed_then_reset())
    assert isinstance(await poster_of(scene).post(delivery(scene)), Ambiguous)
    assert await poster_of(scene).find(delivery(scene)) == CanNotTell()
    assert scene.teams.checks.one_answer(scene.question).text == ANSWER


@pytest.mark.parametrize("was_done", [True, False])
async def test_a_placeholder_in_doubt_is_updated_again(scene: Scene, *, was_done: bool) -> None:
    """Whether the first update arrived or not, one answer stands."""
    shown = await placeholder(scene)
    asked = replace(delivery(scene), progress_id=shown)
    fault = faults.processed_then_reset() if was_done else faults.status(500)
    # What breaks is sent once more by aiohttp, which may do so with an update.
    scene.teams.faults.next("update", *([fault, fault] if was_done else [fault]))
    assert isinstance(await poster_of(scene).post(asked), Ambiguous)
    assert await poster_of(scene).find(asked) == Posted(remote_id=shown)
    assert scene.teams.checks.one_answer(scene.question).text == ANSWER


@pytest.mark.parametrize("was_done", [True, False])
async def test_a_stream_in_doubt_is_ended_again(scene: Scene, *, was_done: bool) -> None:
    """The same for the end of a stream."""
    shown = await stream(scene)
    asked = replace(delivery(scene, scene.chat), progress_id=shown.id)
    fault = faults.processed_then_reset() if was_done else faults.lost()
    scene.teams.faults.next("post", None, fault)
    assert isinstance(await poster_of(scene).post(asked), Ambiguous)
    scene.teams.clock.advance(5)
    assert await poster_of(scene).find(asked) == Posted(remote_id=shown.id)
    (answer,) = scene.teams.tenant.by_bot()
    assert answer.text == ANSWER
    scene.teams.checks.no_open_streams()


async def test_a_shape_refused_at_the_end_of_a_stream_is_followed_by_a_plainer(
    scene: Scene,
) -> None:
    """The stream still ends."""
    shown = await stream(scene)
    asked = replace(delivery(scene, scene.chat), progress_id=shown.id)
    scene.teams.faults.next("post", None, faults.status(400))
    assert isinstance(await poster_of(scene).post(asked), ContentRefused)
    scene.teams.clock.advance(5)
    plainer = replace(asked, shape=1)
    assert await poster_of(scene).post(plainer) == Posted(remote_id=shown.id)
    scene.teams.checks.no_open_streams()


async def test_what_is_for_one_may_be_shown_twice(scene: Scene) -> None:
    """Better than never."""
    assert await poster_of(scene, render=private).find(delivery(scene)) == NotFound()


async def test_where_we_are_not_nothing_is_posted(scene: Scene) -> None:
    """No reference, or one whose address is not ours to call."""
    kept = scene.references.kept[scene.room.id]
    evil: dict[str, Json] = {**kept.facts, "service_url": "https://evil.example/"}
    scene.references.kept[scene.room.id] = replace(kept, facts=evil)
    nowhere = Permanent(code="no_reference")
    assert await poster_of(scene).post(delivery(scene)) == nowhere
    del scene.references.kept[scene.room.id]
    assert await poster_of(scene).post(delivery(scene)) == nowhere
    assert scene.teams.journal.methods() == []


async def test_a_conversation_takes_what_it_may(scene: Scene) -> None:
    """Seven a second; what is too much waits."""
    results = [await poster_of(scene).post(delivery(scene)) for _ in range(9)]
    assert [isinstance(one, Posted) for one in results].count(True) >= 7
    assert any(isinstance(one, RetryAfter) for one in results)
    scene.teams.clock.advance(3)
    assert isinstance(await poster_of(scene).post(delivery(scene)), Posted)


async def test_two_that_post_at_once_do_not_disturb_each_other(scene: Scene) -> None:
    """Tokens, clients and sessions are shared."""
    async with asyncio.TaskGroup() as group:
        for conversation in (scene.room, scene.group, scene.chat):
            group.create_task(poster_of(scene).post(delivery(scene, conversation)))
    assert len(scene.teams.tenant.by_bot()) == 3
