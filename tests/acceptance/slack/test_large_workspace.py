"""A workspace of 20,000 accounts, under Slack's own limits: nobody waits for all of them."""

from collections.abc import AsyncIterator

import pytest

from bot.slack.outbound.timings import SlackTimings
from tests.acceptance.slack.office import QUESTION, shown
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error, too_many
from tests.servers.slack.people import User
from tests.slack_product import Product, product

POLICY = "Gifts and Hospitality Policy"
ACCOUNTS = 20_000
AT_ONCE = SlackTimings(draw_after_s=0.0, wakes_after_s=0.0, points_after_s=0.3)
"""The status is set before anything is looked up, and the asker is told after 0.3 s, not 10."""
PRIVATELY = "Please ask me in a direct message"
SOONER = "In a direct message you get an answer straight away"


@pytest.fixture
def people(slack: FakeSlack) -> list[User]:
    """All of them, in the order in which Slack lists them."""
    return [slack.workspace.user(f"p{number}") for number in range(ACCOUNTS)]


@pytest.fixture
async def served(
    slack: FakeSlack, slack_database: str, people: list[User]
) -> AsyncIterator[Product]:
    """The product in this workspace."""
    assert slack.limits.on
    assert len(slack.workspace.users) > len(people)
    async with product(slack, slack_database, timings=AT_ONCE) as running:
        yield running


def before_the_answer(slack: FakeSlack) -> list[str]:
    """Return what was called from the question to the first sign of the answer's work."""
    calls = [one.method for one in slack.journal.entries]
    return calls[: calls.index("chat.startStream")]


async def test_a_question_costs_what_its_channel_costs(
    slack: FakeSlack, served: Product, people: list[User]
) -> None:
    """Twelve members are asked for, once for all channels; the workspace is never listed."""
    team = people[-12:]
    for name in ("team", "project"):
        room = slack.workspace.channel(name, *team, kind="group")
        said = await slack.people.mention(team[0], room, QUESTION)
        assert POLICY in shown(await served.answer_to(said.message))
    assert slack.journal.of("users.list") == []
    asked = [one.args["user"] for one in slack.journal.of("users.info")]
    assert sorted(asked) == sorted(one.id for one in team)
    assert slack.limits.refused == 0


async def test_a_sign_of_life_comes_before_anybody_is_looked_up(
    slack: FakeSlack, served: Product, people: list[User]
) -> None:
    """Also of a channel with thousands of members, which is answered in the end."""
    room = slack.workspace.channel("crowd", *people[-3_000:])
    said = await slack.people.mention(people[-1], room, QUESTION)
    assert POLICY in shown(await served.answer_to(said.message))
    calls = before_the_answer(slack)
    assert calls.index("assistant.threads.setStatus") < calls.index("users.list")
    listed = [one for one in slack.journal.of("users.list") if one.outcome == "ok"]
    assert len(listed) == len({one.args.get("cursor") for one in listed})
    assert len(listed) <= ACCOUNTS // 999 + 1
    members = slack.journal.of("conversations.members")
    assert [one.outcome for one in members] == ["ok"] * len(members)
    slack.checks.status_cleared()


async def test_paging_goes_on_where_slack_stopped_it(
    slack: FakeSlack, served: Product, people: list[User]
) -> None:
    """After a 429 of either list no page is read twice, and the asker is told once to write."""
    slack.faults.next("conversations.members", None, too_many(1), None)
    slack.faults.next("users.list", None, None, too_many(1), None, too_many(1))
    room = slack.workspace.channel("crowd", *people[-3_000:], kind="group")
    said = await slack.people.mention(people[-1], room, QUESTION)
    answer = await served.answer_to(said.message)
    assert POLICY in shown(answer)
    for method, times in (("users.list", 1), ("conversations.members", 2)):
        read = [one for one in slack.journal.of(method) if one.outcome == "ok"]
        cursors = [one.args.get("cursor", "") for one in read]
        walk = cursors[: len(cursors) // times]  # members are read once more before the post
        assert len(walk) == len(set(walk)), method
        assert cursors == walk * times
    told = [one.text for one in slack.checks.seen_by(people[-1].id)]
    assert len(told) == 1
    assert SOONER in told[0]
    assert await served.rows("SELECT attempt FROM citebound.inbox") == [{"attempt": 1}]
    slack.checks.status_cleared()


async def test_what_cannot_be_told_in_time_is_refused_there(
    slack: FakeSlack, served: Product, people: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for ever: the asker is asked to write directly, and that is recorded."""
    monkeypatch.setattr("bot.worker.READERS_WITHIN_S", 2.0)
    slack.faults.always("users.list", too_many(1))
    room = slack.workspace.channel("crowd", *people[-3_000:], kind="group")
    said = await slack.people.mention(people[-1], room, QUESTION)
    await served.quiet()
    (told,) = slack.checks.seen_by(people[-1].id)
    assert SOONER in told.text
    reply = slack.checks.one_answer(said.message)
    assert PRIVATELY in shown(reply)
    assert POLICY not in shown(reply)
    closed = await served.rows(
        "SELECT 1 FROM audit.record WHERE doc::text LIKE '%\"readers_unknown\"%'"
    )
    assert len(closed) == 1
    slack.checks.status_cleared()
    direct = await slack.people.ask(people[-1], QUESTION)
    assert POLICY in shown(await served.answer_to(direct.message))


async def test_one_guest_of_thousands_is_found(
    slack: FakeSlack, served: Product, people: list[User]
) -> None:
    """On whichever page; once known, nobody else is asked for."""
    people[-1_500].is_restricted = True
    room = slack.workspace.channel("crowd", *people[-3_000:])
    said = await slack.people.mention(people[-1], room, QUESTION)
    assert PRIVATELY in shown(await served.answer_to(said.message))
    before = len(slack.journal.of("users.list", "users.info"))
    again = await slack.people.mention(people[-2], room, QUESTION)
    assert PRIVATELY in shown(await served.answer_to(again.message))
    assert len(slack.journal.of("users.list", "users.info")) <= before + 2


async def test_without_a_list_people_are_asked_for_one_by_one(
    slack: FakeSlack, served: Product, people: list[User]
) -> None:
    """Where Slack does not list the workspace, it is an error of its own, and nothing leaks."""
    slack.faults.always("users.list", error("missing_scope"))
    room = slack.workspace.channel("team", *people[:30], kind="group")
    said = await slack.people.mention(people[0], room, QUESTION)
    assert POLICY in shown(await served.answer_to(said.message))


async def test_who_is_put_off_at_once_sees_that_somebody_is_at_work(
    slack: FakeSlack, slack_database: str
) -> None:
    """Before Slack may be asked again; and is pointed elsewhere, if that takes too long."""
    crowd = [slack.workspace.user(f"q{number}") for number in range(60)]
    room = slack.workspace.channel("crowd", *crowd, kind="group")
    slack.faults.next("users.list", too_many(2))
    timings = SlackTimings(draw_after_s=0.0, wakes_after_s=30.0, points_after_s=1.0)
    async with product(slack, slack_database, timings=timings) as running:
        said = await slack.people.mention(crowd[0], room, QUESTION)
        assert POLICY in shown(await running.answer_to(said.message))
    calls = [one.method for one in slack.journal.entries]
    first = calls.index("users.list")
    meanwhile = calls[first + 1 : calls.index("users.list", first + 1)]
    assert meanwhile == ["assistant.threads.setStatus", "chat.postEphemeral"]
