"""Who reads what is posted in Teams: guests and strangers empty it, whatever is unknown too."""

from dataclasses import replace

import pytest

from bot.audience_config import AudienceConfig, ChannelScope
from bot.teams.connector import roster
from bot.teams.connector.roster import Rosters
from bot.teams.outbound.audience import TeamsAudience
from core.domain.delivery import NoReaders, Readers
from core.domain.errors import TransientError
from core.domain.json_value import Json
from tests.integration.teams.conftest import Scene
from tests.servers.slack import faults
from tests.servers.teams import Conversation
from tests.servers.teams.tenant import OTHER


def audience_of(scene: Scene, rights: AudienceConfig | None = None) -> TeamsAudience:
    rosters = Rosters(scene.transport, scene.addresses, scene.home)
    return TeamsAudience(rosters, rights or rights_of(scene))


def rights_of(scene: Scene) -> AudienceConfig:
    """Anna and Ben are in finance, Anna alone on the board: by either id, in either case."""
    return AudienceConfig(
        groups={
            "finance": frozenset({scene.anna.aad.upper(), scene.ben.id}),
            "board": frozenset({scene.anna.aad}),
        },
        channels={
            scene.room.id: ChannelScope(
                audience=frozenset({"team"}), jurisdiction="DE", tags=frozenset({"gifts"})
            )
        },
    )


async def look(
    scene: Scene, conversation: Conversation, *, is_direct: bool = False
) -> Readers | NoReaders:
    place = scene.place(conversation)
    return await audience_of(scene).readers(place, scene.anna.id, is_direct=is_direct)


async def test_in_ones_own_chat_ones_own_groups_count(scene: Scene) -> None:
    """All of them."""
    assert await look(scene, scene.chat) == Readers(
        groups=frozenset({"finance", "board"}), is_private=True
    )


async def test_in_a_private_channel_what_all_may_read_counts(scene: Scene) -> None:
    """And what the deployment says of the channel; in a group chat, too."""
    assert await look(scene, scene.room) == Readers(
        groups=frozenset({"finance", "team"}),
        jurisdiction="DE",
        tags=frozenset({"gifts"}),
        is_private=True,
    )
    assert await look(scene, scene.group) == Readers(groups=frozenset({"finance"}), is_private=True)
    granted = await audience_of(scene).granted(scene.place(scene.room), scene.anna.id)
    assert granted == {"team"}


@pytest.mark.parametrize("kind", ["standard", "shared", "privately", None])
async def test_in_any_other_channel_what_everyone_may_read_counts(
    scene: Scene, kind: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    """Others may join its team, or come by theirs; whatever the file says, which is told once."""
    kept = scene.references.kept[scene.room.id]
    facts: dict[str, Json] = {key: told for key, told in kept.facts.items() if key != "kind"}
    facts |= {"kind": kind} if kind else {}
    scene.references.kept[scene.room.id] = replace(kept, facts=facts)
    audience, place = audience_of(scene), scene.place(scene.room)
    for _ in range(2):
        told = await audience.readers(place, scene.anna.id, is_direct=False)
        assert told == Readers(
            groups=frozenset(), jurisdiction="DE", tags=frozenset({"gifts"}), is_private=False
        )
    named = f"CITEBOUND_TEAMS_CONFIG: the audience of channel {scene.room.id} does not count"
    assert len([one for one in caplog.messages if named in one]) == 1
    assert await audience.granted(place, scene.anna.id) == frozenset()
    assert await audience.granted(place, "29:nobody") is None


async def test_what_is_direct_is_for_the_asker(scene: Scene) -> None:
    """Whoever else is in the channel."""
    scene.ben.user_role = "guest"
    told = await look(scene, scene.room, is_direct=True)
    assert told == Readers(groups=frozenset({"finance", "board"}), is_private=True)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"user_role": "guest"}, "guest_in_channel"),
        ({"user_role": "Guest"}, "guest_in_channel"),
        ({"user_role": "anonymous"}, "outsider_in_channel"),
        ({"tenant_id": OTHER}, "outsider_in_channel"),
        ({"tenant_id": OTHER, "user_role": "guest"}, "outsider_in_channel"),
        ({"tenant_id": ""}, "unknown_in_channel"),
        ({"user_role": None}, "unknown_in_channel"),
        ({"aad": ""}, "unknown_in_channel"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["room", "group"])
async def test_one_stranger_empties_the_audience(
    scene: Scene, kind: str, changes: dict[str, str | None], reason: str
) -> None:
    """The asker may still ask directly."""
    conversation: Conversation = getattr(scene, kind)
    for name, value in changes.items():
        setattr(scene.ben, name, value)
    told = await look(scene, conversation)
    assert told == NoReaders(may_read_direct=True, reason=reason)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"user_role": "guest"}, "guest"), ({"tenant_id": OTHER}, "outsider")],
    ids=str,
)
@pytest.mark.parametrize("kind", ["room", "group", "chat"])
async def test_a_stranger_is_answered_nowhere(
    scene: Scene, kind: str, changes: dict[str, str], reason: str
) -> None:
    """Not directly either."""
    conversation: Conversation = getattr(scene, kind)
    for name, value in changes.items():
        setattr(scene.anna, name, value)
    for is_direct in (True, False):
        told = await look(scene, conversation, is_direct=is_direct)
        assert told == NoReaders(may_read_direct=False, reason=reason)


async def test_who_is_not_there_is_unknown(scene: Scene) -> None:
    """They left, or the list is empty, or we are not in the conversation."""
    scene.room.members.remove(scene.anna)
    nobody = NoReaders(may_read_direct=False, reason="unknown")
    assert await look(scene, scene.room) == nobody
    scene.group.members.clear()
    assert await look(scene, scene.group) == nobody
    del scene.references.kept[scene.chat.id]
    assert await look(scene, scene.chat) == nobody


async def test_the_whole_list_counts(scene: Scene) -> None:
    """The guest may stand on the last page."""
    scene.teams.connector.page = 2
    scene.teams.limits.on = False
    staff = [scene.teams.tenant.person(f"p{number}") for number in range(9)]
    scene.room.members += staff
    scene.room.members.append(scene.teams.tenant.person("guest", user_role="guest"))
    told = await look(scene, scene.room)
    assert told == NoReaders(may_read_direct=True, reason="guest_in_channel")
    assert scene.teams.journal.methods().count("members") == 6


@pytest.mark.parametrize(
    "fault",
    [faults.status(403), faults.status(404), faults.too_many(), faults.status(500), faults.lost()],
    ids=["403", "404", "429", "500", "lost"],
)
async def test_if_teams_does_not_say_the_run_waits(scene: Scene, fault: faults.Fault) -> None:
    """Nobody is answered on a guess."""
    scene.teams.faults.always("members", fault)
    with pytest.raises(TransientError):
        await look(scene, scene.room)


async def test_members_are_kept_and_read_again_before_a_post(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between question and reply a guest may have come."""
    audience, place = audience_of(scene), scene.place(scene.room)
    for _ in range(3):
        await audience.readers(place, scene.anna.id, is_direct=False)
    assert scene.teams.journal.methods().count("members") == 1
    scene.room.members.append(scene.teams.tenant.person("guest", user_role="guest"))
    told = await audience.readers(place, scene.anna.id, is_direct=False)
    assert isinstance(told, Readers), "kept for ten minutes"
    monkeypatch.setattr("bot.teams.outbound.audience.AGAIN_S", 0.0)
    told = await audience.when_posting().readers(place, scene.anna.id, is_direct=False)
    assert told == NoReaders(may_read_direct=True, reason="guest_in_channel")


async def test_a_chat_with_another_in_it_is_nobodys_own(scene: Scene) -> None:
    """It is called personal, and is not."""
    scene.chat.members.append(scene.ben)
    assert await look(scene, scene.chat) == NoReaders(may_read_direct=False, reason="crowded")


async def test_no_more_are_remembered_than_has_room(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that was first read goes: who is there is read again when somebody asks."""
    monkeypatch.setattr(roster, "MOST_KNOWN", 1)
    rosters = Rosters(scene.transport, scene.addresses, scene.home)
    for conversation in (scene.room, scene.chat):
        await rosters.of(scene.place(conversation), kept_s=60.0)
    assert rosters.known(scene.place(scene.room)) == ()
    assert rosters.known(scene.place(scene.chat))
