"""Who reads along decides what is answered, and where (platforms, 2.4)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.slack.outbound import audience
from tests.acceptance.slack import treasury
from tests.acceptance.slack.office import QUESTION, shown
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import too_many
from tests.servers.slack.people import User
from tests.servers.slack.places import Channel, Kind
from tests.servers.slack.posts import Message
from tests.slack_product import Product, product

POLICY = "Gifts and Hospitality Policy"
NOT_HERE = "Not available here"
PRIVATELY = "Please ask me in a direct message"
CHANGED = "the people who can read this conversation have changed"
RIGHTS = """
[groups]
finance = ["U0FINN", "U0FAYE"]

[channels.C0VAULT]
audience = ["finance"]

[channels.C0GERMANY]
jurisdiction = "DE"
tags = ["no-such-tag"]
"""


@pytest.fixture
async def running(slack: FakeSlack, slack_database: str, tmp_path: Path) -> AsyncIterator[Product]:
    """The product, with a policy for Finance, groups and scopes of channels."""
    await treasury.publish(slack_database)
    rights = tmp_path / "slack.toml"
    rights.write_text(RIGHTS)
    async with product(slack, slack_database, config=rights) as running:
        yield running


async def asked(
    running: Product, person: User, channel: Channel, question: str = QUESTION
) -> Message:
    """Return the only reply to a mention."""
    said = await running.slack.people.mention(person, channel, question)
    return await running.answer_to(said.message)


async def test_where_others_read_along_nothing_is_answered(
    slack: FakeSlack, running: Product
) -> None:
    """Slack Connect, an invitation that is out, guests, strangers: write to me directly."""
    anna = slack.workspace.user("anna")
    guest = slack.workspace.user("guest", is_restricted=True)
    single = slack.workspace.user("single", is_restricted=True, is_ultra_restricted=True)
    stranger = slack.workspace.outsider("stranger")
    places = [
        slack.workspace.channel("connect", anna, stranger, is_ext_shared=True),
        slack.workspace.channel("pending", anna, is_pending_ext_shared=True),
        slack.workspace.channel(
            "invited", anna, connected_team_ids=["T0OTHER"], is_ext_shared=True
        ),
        slack.workspace.channel("guests", anna, guest),
        slack.workspace.channel("single", anna, single, kind="group"),
        slack.workspace.channel("strange", anna, stranger),
        slack.workspace.channel("group", anna, guest, kind="mpim"),
    ]
    for place in places:
        reply = await asked(running, anna, place)
        assert PRIVATELY in shown(reply), place.name
        assert POLICY not in shown(reply), place.name
    direct = await slack.people.ask(anna, QUESTION)
    assert POLICY in shown(await running.answer_to(direct.message))


async def test_whoever_is_from_outside_is_told_nothing(slack: FakeSlack, running: Product) -> None:
    """In a shared channel, in ours, and directly; whatever the question, in the same words."""
    anna = slack.workspace.user("anna")
    people = [
        slack.workspace.outsider("stranger"),
        slack.workspace.user("partner", team_id="T0OTHER"),
        slack.workspace.user("guest", is_restricted=True),
        slack.workspace.user("single", is_restricted=True, is_ultra_restricted=True),
    ]
    told: set[str] = set()
    for person in people:
        shared = slack.workspace.channel(f"with-{person.name}", anna, person, is_ext_shared=True)
        ours = slack.workspace.channel(f"ours-{person.name}", anna, person)
        for place in (shared, ours, slack.workspace.direct(person)):
            for question in (QUESTION, "May I eat soup on Mars?"):
                said = await slack.people.mention(person, place, question)
                await running.quiet()
                for reply in slack.checks.replies(said.message):
                    assert POLICY not in shown(reply)
                    assert NOT_HERE in shown(reply)
                    told.add(reply.text.partition("Ref ")[0])
    assert len(told) == 1, told
    recorded = await running.rows(
        "SELECT DISTINCT outcome FROM citebound.inbox WHERE outcome IS NOT NULL"
    )
    assert {row["outcome"] for row in recorded} <= {"refused", "ignored"}


async def test_a_channel_answers_what_all_its_members_may_read(
    slack: FakeSlack, running: Product
) -> None:
    """Both of Finance: yes; one who is not: no; a channel that the file makes Finance's: yes."""
    anna, finn, faye = map(slack.workspace.user, ("anna", "finn", "faye"))
    both = slack.workspace.channel("both", finn, faye, kind="group")
    mixed = slack.workspace.channel("mixed", finn, anna, kind="group")
    vault = slack.workspace.channel("vault", finn, anna, kind="group", id="C0VAULT")
    for place, may_read in ((both, True), (mixed, False), (vault, True)):
        reply = await asked(running, finn, place, treasury.QUESTION)
        assert (treasury.SAYS in shown(reply)) is may_read, place.name
        assert (treasury.TREASURY in shown(reply)) is may_read, place.name
    narrow = slack.workspace.channel("germany", anna)
    assert POLICY not in shown(await asked(running, anna, narrow))


async def test_a_public_channel_answers_what_everyone_may_read(
    slack: FakeSlack, running: Product, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever is in it now, and whatever the file says of it: anybody may join, and search it."""
    finn, faye = map(slack.workspace.user, ("finn", "faye"))
    named = "CITEBOUND_SLACK_CONFIG: the audience of channel C0VAULT does not count"
    for name in ("open", "vault"):
        room = slack.workspace.channel(name, finn, faye)
        for _ in range(2):
            reply = await asked(running, finn, room, treasury.QUESTION)
            assert treasury.SAYS not in shown(reply)
            assert treasury.TREASURY not in shown(reply)
        assert POLICY in shown(await asked(running, finn, room))
    assert len([one for one in caplog.messages if named in one]) == 1
    direct = await slack.people.ask(finn, treasury.QUESTION)
    assert treasury.SAYS in shown(await running.answer_to(direct.message))


async def test_who_comes_into_a_channel_that_became_public_sees_no_evidence(
    slack: FakeSlack, running: Product, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file made its members count as of Finance while it was private; now it makes nobody."""
    monkeypatch.setattr(audience, "AGAIN_S", 0.0)
    finn, carl = map(slack.workspace.user, ("finn", "carl"))
    vault = slack.workspace.channel("vault", finn, kind="group", id="C0VAULT")
    answer = await asked(running, finn, vault, treasury.QUESTION)
    assert treasury.SAYS in shown(answer)
    vault.members.append(carl.id)
    kinds: tuple[tuple[Kind, str], ...] = (
        ("group", treasury.TREASURY),
        ("channel", "You can't see this here"),
    )
    for kind, words in kinds:
        vault.kind = kind
        before = len(slack.presses.views_of(carl))
        await slack.presses.click(carl, answer, "evidence_open")
        await slack.until(lambda n=before: len(slack.presses.views_of(carl)) > n, timeout_s=15)
        view = slack.presses.views_of(carl)[-1]
        await slack.until(lambda v=view, w=words: w in shown(v), timeout_s=15)


@pytest.mark.parametrize("change", ["shared", "guest", "colleague", "public"])
async def test_who_joins_before_it_is_posted_reads_nothing(
    slack: FakeSlack, running: Product, change: str
) -> None:
    """Nor who may join by then: a neutral line; the asker gets it directly; recorded."""
    finn, faye = map(slack.workspace.user, ("finn", "faye"))
    room = slack.workspace.channel("closed", finn, faye, kind="group")
    slack.faults.next("chat.stopStream", too_many(4))
    said = await slack.people.mention(finn, room, treasury.QUESTION)
    await slack.journal.wait_for("chat.stopStream", outcome="429")
    if change == "shared":
        room.is_ext_shared = True
    elif change == "public":
        room.kind = "channel"
    elif change == "guest":
        room.members.append(slack.workspace.user("guest", is_restricted=True).id)
    else:
        room.members.append(slack.workspace.user("anna").id)
    await running.quiet()
    (stands,) = slack.checks.replies(said.message)
    assert CHANGED in shown(stands)
    assert treasury.SAYS not in shown(stands)
    direct = slack.workspace.direct(finn).id
    (own,) = [one for one in slack.checks.by_app() if one.channel == direct]
    assert treasury.SAYS in shown(own)
    rows = await running.rows(
        "SELECT doc->>'reason' AS reason FROM audit.record WHERE tag = 'reply:withheld'"
    )
    assert len(rows) == 1


@pytest.mark.parametrize("becomes", ["guest", "gone"])
async def test_who_becomes_a_guest_before_it_is_posted_reads_nothing(
    slack: FakeSlack, running: Product, becomes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody is, is read again before a reply is posted, and not only who is a member."""
    monkeypatch.setattr(audience, "_AGAIN", audience._Kept(room_s=0.0, person_s=0.0))  # pyright: ignore[reportPrivateUsage]
    finn, faye = map(slack.workspace.user, ("finn", "faye"))
    room = slack.workspace.channel("closed", finn, faye, kind="group")
    slack.faults.next("chat.stopStream", too_many(4))
    said = await slack.people.mention(finn, room, treasury.QUESTION)
    await slack.journal.wait_for("chat.stopStream", outcome="429")
    faye.is_restricted, faye.deleted = becomes == "guest", becomes == "gone"
    await running.quiet()
    (stands,) = slack.checks.replies(said.message)
    assert CHANGED in shown(stands)
    assert treasury.SAYS not in shown(stands)
