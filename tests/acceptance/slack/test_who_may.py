"""Who comes later, or from elsewhere: read again at each press, whatever the button is on."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.slack.outbound import audience
from tests.acceptance.slack import treasury
from tests.acceptance.slack.office import QUESTION, REPORT, Office, office, shown
from tests.servers.slack import FakeSlack
from tests.servers.slack.people import User

POLICY = "Gifts and Hospitality Policy"
PRIVATE = "You can't see this here"
RIGHTS = '[groups]\nfinance = ["U0FINN", "U0FAYE"]\n'


@pytest.fixture
async def bureau(slack: FakeSlack, slack_database: str, tmp_path: Path) -> AsyncIterator[Office]:
    """The product, with officers and a policy for Finance."""
    await treasury.publish(slack_database)
    rights = tmp_path / "slack.toml"
    rights.write_text(RIGHTS)
    async with office(slack, slack_database, config=rights) as running:
        yield running


@pytest.mark.parametrize("who", ["colleague", "guest", "outsider", "deactivated"])
async def test_who_joins_later_sees_no_evidence(bureau: Office, who: str) -> None:
    """Of a policy for Finance in Finance's channel: nor may they judge what they may not read."""
    slack = bureau.slack
    finn, faye = map(slack.workspace.user, ("finn", "faye"))
    room = slack.workspace.channel("finance", finn, faye, kind="group")
    said = await slack.people.mention(finn, room, treasury.QUESTION)
    answer = await bureau.served.answer_to(said.message)
    assert treasury.SAYS in shown(answer)
    person = joins(slack, who)
    room.members.append(person.id)
    await slack.presses.click(person, answer, "answer_feedback", positive=True)
    assert PRIVATE in await bureau.whispered(person)
    await slack.presses.click(person, answer, "report_open")
    assert PRIVATE in await bureau.whispered(person, times=2)
    view = await bureau.form(person, answer, "evidence_open")
    await slack.until(lambda: PRIVATE in shown(view), timeout_s=15)
    assert slack.presses.views_of(person) == [view]
    assert await bureau.served.rows("SELECT 1 FROM citebound.feedback") == []
    own = await bureau.form(faye, answer, "evidence_open")
    await slack.until(lambda: treasury.TREASURY in shown(own), timeout_s=15)


def joins(slack: FakeSlack, who: str) -> User:
    """Return somebody who comes into the channel once the answer stands."""
    match who:
        case "guest":
            return slack.workspace.user("gus", is_restricted=True)
        case "outsider":
            return slack.workspace.outsider("eve")
        case "deactivated":
            return slack.workspace.user("dan", deleted=True)
        case _:
            return slack.workspace.user("carl")


async def test_a_button_works_where_its_answer_stands(bureau: Office) -> None:
    """On a copy of the message in another channel it shows nothing, also to who may read both."""
    slack = bureau.slack
    answer = await bureau.answered()
    other = slack.workspace.channel("other", bureau.anna)
    copy = slack.workspace.add(
        replace(answer, channel=other.id, ts=slack.workspace.new_ts(), thread_ts=None)
    )
    view = await bureau.form(bureau.anna, copy, "evidence_open")
    await slack.until(lambda: PRIVATE in shown(view), timeout_s=15)
    assert POLICY not in shown(view)
    await slack.presses.click(bureau.anna, copy, "answer_remove")
    assert PRIVATE in await bureau.whispered(bureau.anna)
    await bureau.served.quiet()
    assert POLICY in shown(answer)


async def test_who_has_left_a_channel_shares_nothing_with_it(bureau: Office) -> None:
    """The channel from which `/policy` was used, and in which its asker is no more."""
    slack = bureau.slack
    await slack.presses.command(bureau.anna, bureau.room, QUESTION)
    await bureau.served.quiet()
    answer = bureau.direct_messages(bureau.anna)[-1]
    bureau.room.members.remove(bureau.anna.id)
    await slack.presses.click(bureau.anna, answer, "share")
    assert "Not everyone" in await bureau.whispered(bureau.anna, times=2)
    await bureau.served.quiet()
    assert [one for one in slack.checks.by_app() if one.channel == bureau.room.id] == []


async def test_nobody_shares_or_removes_what_another_asked(bureau: Office) -> None:
    """Also from a copy of the message in a direct conversation of their own."""
    slack = bureau.slack
    await slack.presses.command(bureau.anna, bureau.room, QUESTION)
    await bureau.served.quiet()
    answer = bureau.direct_messages(bureau.anna)[-1]
    theirs = slack.workspace.direct(bureau.ben).id
    copy = slack.workspace.add(
        replace(answer, channel=theirs, ts=slack.workspace.new_ts(), thread_ts=None)
    )
    for times, action in enumerate(("share", "answer_remove", "follow_up:0"), start=1):
        await slack.presses.click(bureau.ben, copy, action)
        assert "Only the person who asked" in await bureau.whispered(bureau.ben, times=times)
    await bureau.served.quiet()
    assert [one for one in slack.checks.by_app() if one.channel == bureau.room.id] == []
    assert len(await bureau.served.rows("SELECT 1 FROM citebound.questions")) == 1


async def test_home_lists_the_policies_that_one_may_read(bureau: Office) -> None:
    """The latest change is Finance's: others don't see that there is such a policy."""
    slack, homes = bureau.slack, bureau.slack.workspace.homes
    finn, gus = slack.workspace.user("finn"), slack.workspace.user("gus", is_restricted=True)
    for person, sees, sees_any in (
        (finn, True, True),
        (bureau.anna, False, True),
        (gus, False, False),
    ):
        await slack.people.open_home(person)
        await slack.until(lambda who=person: who.id in homes, timeout_s=15)
        assert (treasury.TREASURY in shown(homes[person.id])) is sees, person.name
        assert (POLICY in shown(homes[person.id])) is sees_any, person.name


async def test_home_tells_of_a_report_to_those_on_call_alone(bureau: Office) -> None:
    """Other officers see that there is one, and no word of it; nobody else sees even that."""
    slack, homes = bureau.slack, bureau.slack.workspace.homes
    said = await slack.people.ask(bureau.anna, REPORT)
    await bureau.sent(await bureau.served.answer_to(said.message))
    for person, words in ((bureau.olga, True), (bureau.oskar, False), (bureau.ben, False)):
        await slack.people.open_home(person)
        await slack.until(lambda who=person: who.id in homes, timeout_s=15)
        assert (REPORT in shown(homes[person.id])) is words, person.name
        assert ("Case 1" in shown(homes[person.id])) is (person is not bureau.ben), person.name
    assert "for the officer on call" in shown(homes[bureau.oskar.id])


async def test_only_an_answer_is_shared(bureau: Office) -> None:
    """Not a refusal, and not what was asked nowhere else, whatever button somebody makes up."""
    slack = bureau.slack
    await slack.presses.command(bureau.anna, bureau.room, "May I eat soup on Mars?")
    await bureau.served.quiet()
    refusal = bureau.direct_messages(bureau.anna)[-1]
    said = await slack.people.ask(bureau.anna, QUESTION)
    direct = await bureau.served.answer_to(said.message)
    share = {"type": "button", "action_id": "share", "text": {"type": "plain_text", "text": "x"}}
    for times, message in enumerate((refusal, direct), start=2):
        buttons = [one for block in message.blocks for one in block.get("elements", [])]
        value = next(one["value"] for one in buttons if one.get("action_id") == "escalate_open")
        message.blocks = [
            {"type": "actions", "block_id": "f", "elements": [share | {"value": value}]}
        ]
        await slack.presses.click(bureau.anna, message, "share")
        assert "already been settled" in await bureau.whispered(bureau.anna, times=times)
    await bureau.served.quiet()
    assert [one for one in slack.checks.by_app() if one.channel == bureau.room.id] == []


@pytest.mark.parametrize("becomes", ["guest", "gone"])
async def test_who_has_become_a_guest_sees_no_evidence(
    bureau: Office, becomes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even of their own answer: what somebody is, is read again at each press."""
    monkeypatch.setattr(audience, "_AGAIN", audience._Kept(room_s=0.0, person_s=0.0))  # pyright: ignore[reportPrivateUsage]
    slack = bureau.slack
    said = await slack.people.ask(bureau.anna, QUESTION)
    answer = await bureau.served.answer_to(said.message)
    bureau.anna.is_restricted, bureau.anna.deleted = becomes == "guest", becomes == "gone"
    view = await bureau.form(bureau.anna, answer, "evidence_open")
    await slack.until(lambda: PRIVATE in shown(view), timeout_s=15)
    assert POLICY not in shown(view)
