"""Groups that Slack keeps, and guests by the deployment's own rule."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.audience import group_members
from bot.slack.web import user_groups
from tests.acceptance.slack import treasury
from tests.acceptance.slack.office import QUESTION, shown
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error, status, too_many
from tests.servers.slack.people import User
from tests.servers.slack.posts import Message
from tests.slack_product import Product, product

POLICY = "Gifts and Hospitality Policy"
PRIVATELY = "Please ask me in a direct message"
STAFF_ALONE = "company's staff"
UNREAD = "group membership"
NOT_NOW = "whether you may ask me"
FINANCE = "S0FINANCE"
BY_SLACK = f'[user_groups]\nfinance = ["{FINANCE}"]\n'
GUESTS = '[guests]\nmay_ask = true\ngroups = ["contractors"]\n'
CONTRACTORS = '[user_groups]\ncontractors = ["S0CONTRACT"]\n'


@asynccontextmanager
async def served_with(
    slack: FakeSlack, database: str, folder: Path, config: str
) -> AsyncGenerator[Product]:
    """Serve with this file, and with a policy for Finance."""
    await treasury.publish(database)
    file = folder / "slack.toml"
    file.write_text(config)
    async with product(slack, database, config=file) as running:
        yield running


async def told(running: Product, person: User, question: str = treasury.QUESTION) -> Message:
    """Return the only reply to a question that somebody asks directly."""
    said = await running.slack.people.ask(person, question)
    return await running.answer_to(said.message)


def buttons_of(message: Message) -> list[object]:
    """Return what can be pressed below a message."""
    found = [one for one in message.blocks or () if one["type"] in {"actions", "context_actions"}]
    return [element for one in found for element in one["elements"]]


@pytest.fixture
def again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists are read anew for each question, and may be used for ever."""
    monkeypatch.setattr(group_members, "FRESH_S", 0.0)
    monkeypatch.setattr(group_members, "RETRY_S", 0.0)
    monkeypatch.setattr(user_groups, "LISTED_S", 0.0)


@pytest.fixture
def expired(monkeypatch: pytest.MonkeyPatch, again: None) -> None:
    """Lists are too old as soon as they are read by a question before."""
    monkeypatch.setattr(group_members, "OLDEST_S", 0.0)


@pytest.mark.parametrize("is_listed", [True, False])
async def test_a_user_group_of_slack_says_who_may_read(
    slack: FakeSlack, slack_database: str, tmp_path: Path, is_listed: bool
) -> None:
    """Whether Slack lists its people with the groups, or only when it is asked for them."""
    anna, finn, faye = map(slack.workspace.user, ("anna", "finn", "faye"))
    slack.workspace.user_group(FINANCE, finn, faye).lists_users = is_listed
    async with served_with(slack, slack_database, tmp_path, BY_SLACK) as running:
        assert treasury.SAYS in shown(await told(running, finn))
        assert treasury.SAYS not in shown(await told(running, anna))
        both = slack.workspace.channel("both", finn, faye, kind="group")
        mixed = slack.workspace.channel("mixed", finn, anna, kind="group")
        for room, may_read in ((both, True), (mixed, False)):
            said = await slack.people.mention(finn, room, treasury.QUESTION)
            assert (treasury.SAYS in shown(await running.answer_to(said.message))) is may_read
    calls = slack.journal.of("usergroups.list", "usergroups.users.list")
    assert len(calls) == (1 if is_listed else 2), calls


async def test_whoever_is_taken_from_a_group_reads_no_more(
    slack: FakeSlack, slack_database: str, tmp_path: Path, again: None
) -> None:
    """Once the list is read anew; so with a group that is switched off, or another company's."""
    finn = slack.workspace.user("finn")
    group = slack.workspace.user_group(FINANCE, finn)
    async with served_with(slack, slack_database, tmp_path, BY_SLACK) as running:
        assert treasury.SAYS in shown(await told(running, finn))
        for change in ("members", "is_off", "is_external"):
            was = getattr(group, change)
            setattr(group, change, [] if change == "members" else True)
            assert treasury.SAYS not in shown(await told(running, finn)), change
            setattr(group, change, was)
            assert treasury.SAYS in shown(await told(running, finn)), change


async def test_a_list_that_cannot_be_read_is_used_until_it_is_too_old(
    slack: FakeSlack,
    slack_database: str,
    tmp_path: Path,
    again: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then nobody counts as of the group, and the answer says that groups can't be read."""
    finn = slack.workspace.user("finn")
    slack.workspace.user_group(FINANCE, finn)
    async with served_with(slack, slack_database, tmp_path, BY_SLACK) as running:
        assert treasury.SAYS in shown(await told(running, finn))
        slack.faults.always("usergroups.list", status(503))
        kept = shown(await told(running, finn))
        assert treasury.SAYS in kept
        assert UNREAD not in kept
        monkeypatch.setattr(group_members, "OLDEST_S", 0.0)
        for fault in (status(503), too_many(1), error("missing_scope"), error("token_expired")):
            slack.faults.always("usergroups.list", fault)
            reply = shown(await told(running, finn))
            assert treasury.SAYS not in reply
            assert UNREAD in reply
        everyones = shown(await told(running, finn, QUESTION))
        assert POLICY in everyones
        assert UNREAD in everyones


async def test_guests_may_ask_where_the_file_says_so(
    slack: FakeSlack, slack_database: str, tmp_path: Path
) -> None:
    """Those of the group that it names, of one channel or of several; no other guest."""
    anna = slack.workspace.user("anna")
    carl = slack.workspace.user("carl", is_restricted=True)
    cora = slack.workspace.user("cora", is_restricted=True, is_ultra_restricted=True)
    gus = slack.workspace.user("gus", is_restricted=True)
    stranger = slack.workspace.outsider("stranger")
    slack.workspace.user_group("S0CONTRACT", carl, cora, stranger)
    async with served_with(slack, slack_database, tmp_path, CONTRACTORS + GUESTS) as running:
        for person, may_ask in ((carl, True), (cora, True), (gus, False), (stranger, False)):
            reply = await told(running, person, QUESTION)
            assert (POLICY in shown(reply)) is may_ask, person.name
            assert (STAFF_ALONE in shown(reply)) is not may_ask, person.name
            assert bool(buttons_of(reply)) is may_ask, person.name
        rooms = (
            (slack.workspace.channel("with-carl", anna, carl), True),
            (slack.workspace.channel("with-gus", anna, carl, gus), False),
            (slack.workspace.channel("with-cora", anna, cora, kind="group"), True),
            (slack.workspace.channel("with-stranger", anna, carl, stranger), False),
        )
        for room, is_answered in rooms:
            said = await slack.people.mention(anna, room, QUESTION)
            reply = await running.answer_to(said.message)
            assert (POLICY in shown(reply)) is is_answered, room.name
            assert (PRIVATELY in shown(reply)) is not is_answered, room.name
            assert bool(buttons_of(reply)) is is_answered, room.name


async def test_a_guest_counts_for_what_a_channel_may_read(
    slack: FakeSlack, slack_database: str, tmp_path: Path
) -> None:
    """No channel makes them of a group, and employees read no more beside them than they may."""
    finn = slack.workspace.user("finn")
    carl = slack.workspace.user("carl", is_restricted=True)
    slack.workspace.user_group(FINANCE, finn)
    room = slack.workspace.channel("vault", finn, carl, kind="group", id="C0VAULT")
    config = BY_SLACK + '[guests]\nmay_ask = true\n[channels.C0VAULT]\naudience = ["finance"]\n'
    async with served_with(slack, slack_database, tmp_path, config) as running:
        for person in (finn, carl):
            said = await slack.people.mention(person, room, treasury.QUESTION)
            assert treasury.SAYS not in shown(await running.answer_to(said.message)), person.name
        room.members.remove(carl.id)
        again = slack.workspace.channel("vault2", finn, kind="group")
        said = await slack.people.mention(finn, again, treasury.QUESTION)
        assert treasury.SAYS in shown(await running.answer_to(said.message))


async def test_guests_of_one_channel_can_be_left_out(
    slack: FakeSlack, slack_database: str, tmp_path: Path
) -> None:
    """And all guests who may ask can count as of a group."""
    carl = slack.workspace.user("carl", is_restricted=True)
    cora = slack.workspace.user("cora", is_ultra_restricted=True)
    config = '[guests]\nmay_ask = "multi_channel"\ncount_as = ["finance"]\n'
    async with served_with(slack, slack_database, tmp_path, config) as running:
        assert treasury.SAYS in shown(await told(running, carl))
        assert STAFF_ALONE in shown(await told(running, cora))


async def test_a_guest_waits_while_groups_cannot_be_read(
    slack: FakeSlack, slack_database: str, tmp_path: Path, expired: None
) -> None:
    """They are told that it can't be told, and not that they may not."""
    carl = slack.workspace.user("carl", is_restricted=True)
    slack.workspace.user_group("S0CONTRACT", carl)
    slack.faults.always("usergroups.list", status(503))
    async with served_with(slack, slack_database, tmp_path, CONTRACTORS + GUESTS) as running:
        reply = await told(running, carl, QUESTION)
        assert NOT_NOW in shown(reply)
        assert POLICY not in shown(reply)
        assert buttons_of(reply) == []


async def test_strangers_are_offered_nothing(
    slack: FakeSlack, slack_database: str, tmp_path: Path
) -> None:
    """Whatever they write: no case can be opened, no help is offered that would not serve them."""
    stranger = slack.workspace.outsider("stranger")
    gus = slack.workspace.user("gus", is_restricted=True)
    async with served_with(slack, slack_database, tmp_path, "") as running:
        for person in (stranger, gus):
            for words in (QUESTION, "x" * 9_000, "May I accept gifts?"):
                reply = await told(running, person, words)
                assert STAFF_ALONE in shown(reply)
                assert "Compliance" not in shown(reply)
                assert buttons_of(reply) == []
            reply = await told(running, person, "help")
            assert STAFF_ALONE in shown(reply)
            assert buttons_of(reply) == []
            assert "quotes" not in shown(reply)
        room = slack.workspace.channel("general", gus)
        await slack.presses.command(gus, room, "help")
        assert STAFF_ALONE in slack.checks.seen_by(gus.id)[-1].text
        assert await running.rows("SELECT 1 FROM citebound.cases") == []


async def test_a_group_of_thousands_costs_one_list(
    slack: FakeSlack, slack_database: str, tmp_path: Path
) -> None:
    """20,000 accounts, half of them of the group: read once, and no account one by one for it."""
    people = [slack.workspace.user(f"p{number}") for number in range(20_000)]
    slack.workspace.user_group(FINANCE, *people[:10_000])
    async with served_with(slack, slack_database, tmp_path, BY_SLACK) as running:
        assert treasury.SAYS in shown(await told(running, people[9_999]))
        assert treasury.SAYS not in shown(await told(running, people[10_000]))
        room = slack.workspace.channel("finance", *people[:2_000], kind="group")
        said = await slack.people.mention(people[0], room, treasury.QUESTION)
        assert treasury.SAYS in shown(await running.answer_to(said.message))
    assert len(slack.journal.of("usergroups.list", "usergroups.users.list")) == 1
