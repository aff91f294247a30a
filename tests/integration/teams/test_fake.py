"""The fake Teams refuses what Teams refuses: its own rules, through both clients."""

from collections.abc import Mapping

import pytest

from bot.call_results import CallResult, RateLimited, Rejected, Succeeded, Uncertain
from core.domain.json_value import Json
from tests.integration.teams.conftest import Scene
from tests.integration.teams.test_transports import ANSWER, CARD, CITATION, ROOT, part, said


def cited(**more: Json) -> dict[str, Json]:
    return {**said("Yes [1]."), "entities": [{**ROOT, **more}]}


def shown(**more: Json) -> Json:
    appearance = CITATION["appearance"]
    assert isinstance(appearance, Mapping)
    return {**CITATION, "appearance": {**appearance, **more}}


def carded(card: Json) -> dict[str, Json]:
    kind = "application/vnd.microsoft.card.adaptive"
    return said("Card", attachments=[{"contentType": kind, "content": card}])


CONTENT: dict[str, tuple[dict[str, Json], int]] = {
    "empty": ({"type": "message"}, 400),
    "unknown type": ({"type": "shout", "text": "x"}, 400),
    "two roots": ({**said("x"), "entities": [ROOT, ROOT]}, 400),
    "21 citations": (cited(citation=[{**CITATION, "position": n} for n in range(1, 22)]), 400),
    "a position twice": (cited(citation=[CITATION, CITATION]), 400),
    "a long name": (cited(citation=[shown(name="n" * 81)]), 400),
    "a long abstract": (cited(citation=[shown(abstract="n" * 161)]), 400),
    "no abstract": (cited(citation=[shown(abstract="")]), 400),
    "four keywords": (cited(citation=[shown(keywords=["a", "b", "c", "d"])]), 400),
    "usage without ids": (cited(citation=[shown(usageInfo={"name": "Internal"})]), 400),
    "a mention unlike its text": (
        {**said("Hi"), "entities": [{"type": "mention", "text": "<at>Ann</at>"}]},
        400,
    ),
    "a large card": (carded({**CARD, "speak": "x" * 29_000}), 413),
    "no card": (carded({"type": "Nothing"}), 400),
    "both feedbacks": (
        said("x", channelData={"feedbackLoop": {}, "feedbackLoopEnabled": True}),
        400,
    ),
    "actions for all": (
        said("x", suggestedActions={"actions": [{"type": "imBack", "value": "y"}]}),
        400,
    ),
}


@pytest.mark.parametrize("name", CONTENT)
async def test_content_is_looked_at(scene: Scene, name: str) -> None:
    """What our renderers must never make is refused; what they make is taken."""
    activity, status = CONTENT[name]
    told = await scene.transport.post(scene.thread, activity)
    assert isinstance(told, Rejected), told
    assert told.status == status
    assert scene.teams.tenant.by_bot() == []
    assert isinstance(await scene.transport.post(scene.thread, ANSWER), Succeeded)


async def begun(scene: Scene) -> str:
    told = await scene.transport.post(
        scene.at(scene.chat), part("Searching…", "informative", streamSequence=1)
    )
    assert isinstance(told, Succeeded)
    return str(told.body["id"])


async def going(scene: Scene, text: str, kind: str, stream: str, sequence: int) -> CallResult:
    scene.teams.clock.advance(3)
    more: dict[str, Json] = {} if kind == "final" else {"streamSequence": sequence}
    activity = part(text, kind, streamId=stream, **more)
    return await scene.transport.post(scene.at(scene.chat), activity)


def refusal(told: CallResult) -> tuple[int, str, str]:
    assert isinstance(told, Rejected), told
    return told.status, told.code, told.message


async def test_streams_are_for_personal_chats(scene: Scene) -> None:
    """Nowhere else, and one at a time."""
    first = part("Searching…", "informative", streamSequence=1)
    for at in (scene.at(scene.group), scene.thread):
        status, code, message = refusal(await scene.transport.post(at, first))
        assert (status, code) == (403, "ContentStreamNotAllowed")
        assert "not allowed" in message
    await begun(scene)
    scene.teams.clock.advance(3)
    again = await scene.transport.post(scene.at(scene.chat), first)
    assert refusal(again)[1] == "ContentStreamNotAllowed"


async def test_a_stream_keeps_its_order(scene: Scene) -> None:
    """What is late is dropped; progress is not shown after text; text only grows."""
    stream = await begun(scene)
    assert await going(scene, "Yes, you may", "streaming", stream, 5) == Succeeded(body={})
    late = await going(scene, "Yes", "streaming", stream, 4)
    assert isinstance(late, Succeeded)
    assert "PreCondition" in str(late.body)
    assert refusal(await going(scene, "Reading…", "informative", stream, 6))[0] == 400
    assert "previously" in refusal(await going(scene, "No", "streaming", stream, 7))[2]
    assert "previously" in refusal(await going(scene, "No", "final", stream, 0))[2]
    assert isinstance(await going(scene, "Yes, you may.", "final", stream, 0), Succeeded)
    assert "completed" in refusal(await going(scene, "Yes, you may.", "final", stream, 0))[2]


async def test_a_stream_has_its_time(scene: Scene) -> None:
    """Two minutes; and whoever reads may stop it before."""
    stream = await begun(scene)
    scene.teams.clock.advance(121)
    assert "exceeded" in refusal(await going(scene, "x", "streaming", stream, 2))[2]
    second = await begun(scene)
    found = scene.teams.tenant.find(second, scene.chat.id)
    assert found is not None
    scene.teams.people.cancel_stream(found)
    assert "canceled" in refusal(await going(scene, "x", "streaming", second, 2))[2]


async def test_a_stream_says_its_state_twice(scene: Scene) -> None:
    """In the entity and in the channel's data."""
    activity = part("Searching…", "informative", streamSequence=1)
    told = await scene.transport.post(scene.at(scene.chat), {**activity, "channelData": {}})
    assert refusal(told)[0] == 400


@pytest.mark.parametrize(("count", "within_s"), [(7, 0.0), (8, 1.1), (60, 0.45)])
async def test_rates_hold(scene: Scene, count: int, within_s: float) -> None:
    """7 in a second, 8 in two, 60 in thirty; what is too much hears for how long to wait."""
    posted = 0
    told: CallResult = Uncertain(why="none")
    for number in range(count + 1):
        told = await scene.transport.post(scene.at(scene.group), said(f"{number}"))
        posted += isinstance(told, Succeeded)
        if isinstance(told, RateLimited):
            break
        if (within_s > 1 and number == 6) or 0 < within_s < 1:
            scene.teams.clock.advance(within_s)
    assert isinstance(told, RateLimited)
    assert told.after_s >= 1
    assert posted <= count
    scene.teams.clock.advance(told.after_s + 30)
    assert isinstance(await scene.transport.post(scene.at(scene.group), said("x")), Succeeded)
    assert isinstance(await scene.transport.post(scene.thread, said("x")), Succeeded)


async def test_who_left_or_blocked_us_is_not_written_to(scene: Scene) -> None:
    """With Teams' own words."""
    scene.anna.has_blocked_bot = True
    told = await scene.transport.post(scene.at(scene.chat), said("x"))
    assert refusal(told)[:2] == (403, "ConversationBlockedByUser")
    scene.room.has_bot = False
    told = await scene.transport.post(scene.thread, said("x"))
    assert refusal(told)[:2] == (403, "BotNotInConversationRoster")
