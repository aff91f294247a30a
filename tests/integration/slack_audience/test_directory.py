"""Who people are: what it costs to find out, and what is remembered of it."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.slack.inbound.identity import SlackIdentity
from bot.slack.web import directory
from bot.slack.web.calls import Slack, client_for
from bot.slack.web.channels import Channels
from bot.slack.web.directory import ALONE, Directory
from core.domain.errors import BusyError, TransientError
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.faults import error, lost, too_many

HOME = SlackIdentity(app_id="A0CITEBOUND", bot_user="U0BOT", teams=frozenset({"T0HOME"}))
KEPT_S = 600.0


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    """A workspace of 3,500 accounts, with Slack's limits."""
    async with fake_slack() as running:
        for number in range(3_500):
            running.workspace.user(f"p{number}")
        yield running


def calls_of(slack: FakeSlack) -> Slack:
    return Slack(client_for(slack.workspace.bot_token, api_url=slack.api_url))


@pytest.fixture
def people(slack: FakeSlack) -> Directory:
    """What is asked."""
    return Directory(calls_of(slack), HOME)


def ids(first: int, last: int) -> list[str]:
    return [f"U0P{number}" for number in range(first, last)]


def asked(slack: FakeSlack) -> tuple[int, int]:
    """Return how many people were asked for, and how many pages."""
    return len(slack.journal.of("users.info")), len(slack.journal.of("users.list"))


async def test_few_are_asked_for_and_many_are_listed(people: Directory, slack: FakeSlack) -> None:
    """The list is read as far as is needed, and on from there; what is known costs nothing."""
    told = await people.kinds_of(ids(0, ALONE), team="", kept_s=KEPT_S)
    assert set(told.values()) == {"employee"}
    assert asked(slack) == (ALONE, 0)
    await people.kinds_of(ids(0, 900), team="", kept_s=KEPT_S)
    assert asked(slack) == (ALONE, 1)
    await people.kinds_of(ids(1_000, 1_900), team="", kept_s=KEPT_S)
    assert asked(slack) == (ALONE, 2)
    await people.kinds_of(ids(0, 1_900), team="", kept_s=KEPT_S)
    assert asked(slack) == (ALONE, 2)


async def test_two_who_need_the_list_read_it_once(people: Directory, slack: FakeSlack) -> None:
    """Whoever waited finds what the other one read."""
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(people.kinds_of(ids(0, 3_500), team="", kept_s=KEPT_S))
    assert asked(slack) == (0, 4)


async def test_who_is_not_listed_is_asked_for_alone(people: Directory, slack: FakeSlack) -> None:
    """Strangers; and the list is not read again for their sake, however many they are."""
    strangers = [slack.workspace.outsider(f"s{n}").id for n in range(2 * ALONE)]
    slack.faults.next("users.info", *[None] * 20, too_many(1))
    with pytest.raises(BusyError):
        await people.kinds_of([*ids(0, 10), *strangers], team="", kept_s=KEPT_S)
    slack.limits.on = False
    told = await people.kinds_of([*ids(0, 10), *strangers], team="", kept_s=KEPT_S)
    assert {told[one] for one in strangers} == {"outsider"}
    assert len(slack.journal.of("users.list")) == 4
    done = [one.args["user"] for one in slack.journal.of("users.info") if one.outcome == "ok"]
    assert sorted(done) == sorted(strangers)


@pytest.mark.parametrize("fault", [too_many(1), lost(), error("internal_error")])
async def test_a_page_that_fails_is_asked_for_again(
    people: Directory, slack: FakeSlack, fault: object
) -> None:
    """And none that was read before."""
    slack.faults.next("users.list", None, None, fault)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TransientError):
        await people.kinds_of(ids(0, 3_500), team="", kept_s=KEPT_S)
    await people.kinds_of(ids(0, 3_500), team="", kept_s=KEPT_S)
    cursors = [one.args["cursor"] for one in slack.journal.of("users.list")]
    assert cursors == ["", "next:999", "next:1998", "next:1998", "next:2997"]


async def test_a_cursor_that_slack_no_longer_takes_ends_the_listing(
    people: Directory, slack: FakeSlack
) -> None:
    """The next one begins anew."""
    slack.faults.next("users.list", None, error("invalid_cursor"))
    with pytest.raises(TransientError):
        await people.kinds_of(ids(0, 3_500), team="", kept_s=KEPT_S)
    await people.kinds_of(ids(0, 3_500), team="", kept_s=KEPT_S)
    cursors = [one.args["cursor"] for one in slack.journal.of("users.list")]
    assert cursors == ["", "next:999", "", "next:999", "next:1998", "next:2997"]


async def test_a_list_that_never_ends_is_an_error(
    people: Directory, slack: FakeSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is taken for known because the reading stopped."""
    monkeypatch.setattr("bot.slack.web.calls.LONGEST", 3)
    with pytest.raises(TransientError, match="does not end"):
        await people.kinds_of(ids(0, 3_500), team="", kept_s=KEPT_S)
    room = slack.workspace.channel("crowd", *list(slack.workspace.users.values())[1:])
    with pytest.raises(TransientError, match="does not end"):
        await Channels(calls_of(slack)).of(room.id, kept_s=KEPT_S)


async def test_members_are_read_on_where_slack_stopped(slack: FakeSlack) -> None:
    """And whether the channel is private is asked again with them."""
    room = slack.workspace.channel("crowd", *list(slack.workspace.users.values())[1:], kind="group")
    slack.faults.next("conversations.members", None, None, too_many(1))
    rooms = Channels(calls_of(slack))
    with pytest.raises(BusyError):
        await rooms.of(room.id, kept_s=KEPT_S)
    room.kind = "channel"
    found = await rooms.of(room.id, kept_s=KEPT_S)
    assert (len(found.members), found.kind) == (3_501, "public")
    cursors = [one.args["cursor"] for one in slack.journal.of("conversations.members")]
    assert cursors == ["", "next:999", "next:1998", "next:1998", "next:2997"]


async def test_no_more_are_remembered_than_has_room(
    people: Directory, slack: FakeSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is forgotten while many are read is nobody that is known: unknown, not an employee."""
    monkeypatch.setattr(directory, "MOST_KNOWN", 100)
    slack.limits.on = False
    told = await people.kinds_of(ids(0, 120), team="", kept_s=KEPT_S)
    assert set(told) == set(ids(0, 120))
    assert set(told.values()) == {"employee", "unknown"}
    assert len(people.known(ids(0, 3_500), kept_s=KEPT_S)) <= 100
