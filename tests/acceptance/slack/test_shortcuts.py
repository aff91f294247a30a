"""Questions that are asked by a shortcut: about a message, or from anywhere."""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.slack.office import QUESTION, Office, office, shown, typed
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error
from tests.servers.slack.people import User
from tests.servers.slack.posts import Message
from tests.servers.slack.workspace import View

POLICY = "Gifts and Hospitality Policy"
WORDS = "A supplier sent me a basket worth 80 euros, @channel"


@pytest.fixture
async def bureau(slack: FakeSlack, slack_database: str) -> AsyncIterator[Office]:
    """The product, with officers."""
    async with office(slack, slack_database) as running:
        yield running


async def about(bureau: Office, who: User, message: Message) -> View:
    """Use the shortcut on a message, and return the form."""
    before = len(bureau.slack.presses.views_of(who))
    used = await bureau.slack.presses.message_action(who, message, "ask_about_message")
    assert used.acknowledged
    views = bureau.slack.presses.views_of
    await bureau.slack.until(lambda: len(views(who)) > before, timeout_s=15)
    return views(who)[-1]


async def test_a_message_is_asked_about_in_private(bureau: Office) -> None:
    """The form quotes it as it stands, and the answer comes directly; the channel sees nothing."""
    slack = bureau.slack
    message = slack.people.write(bureau.ben, bureau.room, WORDS)
    form = await about(bureau, bureau.anna, message)
    assert "basket worth 80 euros" in shown(form)
    sent = await slack.presses.submit(bureau.anna, form, {"question": typed(QUESTION)})
    assert sent.acknowledged
    assert "direct messages" in shown(form)
    await bureau.served.quiet()
    assert POLICY in shown(bureau.direct_messages(bureau.anna)[-1])
    assert [one for one in slack.checks.by_app() if one.channel == bureau.room.id] == []


async def test_a_message_is_asked_about_in_its_thread(bureau: Office) -> None:
    """The question stands there in the asker's name, with one answer."""
    slack = bureau.slack
    message = slack.people.write(bureau.ben, bureau.room, WORDS)
    form = await about(bureau, bureau.anna, message)
    where = {"selected_option": {"value": "thread"}}
    await slack.presses.submit(bureau.anna, form, {"question": typed(QUESTION), "where": where})
    assert "in the thread" in shown(form)
    await bureau.served.quiet()
    quoted, answer = slack.checks.replies(message)
    assert QUESTION in shown(quoted)
    assert POLICY in shown(answer)
    slack.checks.nothing_outside(message)


async def test_a_thread_is_for_those_who_are_in_its_channel(bureau: Office) -> None:
    """A form opened by a member and sent by somebody else posts nothing where that one is not."""
    slack = bureau.slack
    message = slack.people.write(bureau.ben, bureau.room, WORDS)
    form = await about(bureau, bureau.anna, message)
    where = {"selected_option": {"value": "thread"}}
    given = {"question": typed(QUESTION), "where": where}
    await slack.presses.submit(bureau.oskar, form, given)
    assert "I can't answer there" in shown(form)
    await bureau.served.quiet()
    assert slack.checks.by_app() == []
    assert await bureau.served.rows("SELECT 1 FROM citebound.inbox") == []


async def test_a_question_from_anywhere(bureau: Office) -> None:
    """A form, an answer directly; an empty question stays in the form with an error."""
    slack, views = bureau.slack, bureau.slack.presses.views_of
    assert (await slack.presses.shortcut(bureau.anna, "ask_global")).acknowledged
    await slack.until(lambda: bool(views(bureau.anna)), timeout_s=15)
    (form,) = views(bureau.anna)
    sent = await slack.presses.submit(bureau.anna, form, {"question": typed("   ")})
    assert sent.answer["response_action"] == "errors"
    await slack.presses.submit(bureau.anna, form, {"question": typed(QUESTION)})
    await bureau.served.quiet()
    assert POLICY in shown(bureau.direct_messages(bureau.anna)[-1])
    assert len(await bureau.served.rows("SELECT 1 FROM citebound.questions")) == 1


async def test_a_form_that_slack_does_not_open_is_said(bureau: Office) -> None:
    """In the channel to that one alone; from anywhere in a direct message."""
    slack = bureau.slack
    message = slack.people.write(bureau.ben, bureau.room, WORDS)
    slack.faults.always("views.open", error("expired_trigger_id"))
    await slack.presses.message_action(bureau.anna, message, "ask_about_message")
    assert "did not open the form" in await bureau.whispered(bureau.anna)
    await slack.presses.shortcut(bureau.anna, "ask_global")
    await slack.until(lambda: bool(bureau.direct_messages(bureau.anna)), timeout_s=15)
    assert "did not open the form" in bureau.direct_messages(bureau.anna)[-1].text


async def test_who_is_from_outside_asks_nothing_by_a_form(bureau: Office) -> None:
    """Told so, and nothing is kept."""
    slack, views = bureau.slack, bureau.slack.presses.views_of
    eve = slack.workspace.outsider("eve")
    await slack.presses.shortcut(eve, "ask_global")
    await slack.until(lambda: bool(views(eve)), timeout_s=15)
    (form,) = views(eve)
    await slack.presses.submit(eve, form, {"question": typed(QUESTION)})
    assert "questions from this company's employees" in shown(form)
    await bureau.served.quiet()
    assert await bureau.served.rows("SELECT 1 FROM citebound.inbox") == []
