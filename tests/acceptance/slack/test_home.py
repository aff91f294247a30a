"""Home, the agent's tab, Stop, and threads in which an officer speaks."""

from collections.abc import AsyncIterator

import pytest

from bot.app.process import Roles
from tests.acceptance import disputed
from tests.acceptance.slack.office import (
    OPEN_QUESTION,
    QUESTION,
    Office,
    office,
    shown,
    typed,
)
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error
from tests.slack_product import product


@pytest.fixture
async def bureau(slack: FakeSlack, slack_database: str) -> AsyncIterator[Office]:
    """The product, with officers."""
    async with office(slack, slack_database) as running:
        yield running


async def test_home_shows_what_is_open(bureau: Office) -> None:
    """To each their own, with links; officers see what waits, and work on it there."""
    slack, homes = bureau.slack, bureau.slack.workspace.homes
    await bureau.sent(await bureau.answered())
    await slack.people.open_home(bureau.anna)
    await slack.until(lambda: bureau.anna.id in homes, timeout_s=15)
    mine = shown(homes[bureau.anna.id])
    for words in (QUESTION, "waiting for Compliance (case 1)", "archives", "added", "How it works"):
        assert words in mine
    assert "Open cases" not in mine
    await slack.people.open_home(bureau.olga)
    await slack.until(lambda: bureau.olga.id in homes, timeout_s=15)
    queue = homes[bureau.olga.id]
    assert "Case 1" in shown(queue)
    await slack.presses.click(bureau.olga, queue, "case_claim")
    await slack.until(lambda: "claimed by Olga O." in shown(queue), timeout_s=15)
    form = await bureau.form(bureau.olga, queue, "case_answer")
    await slack.presses.submit(bureau.olga, form, {"answer": typed("Yes, up to EUR 35.")})
    await slack.until(lambda: "There are no open cases" in shown(queue), timeout_s=15)
    await bureau.served.quiet()
    await slack.people.open_home(bureau.anna)
    await slack.until(lambda: "Nothing is open" in shown(homes[bureau.anna.id]), timeout_s=15)


async def test_home_and_the_command_list_what_waits_for_the_asker(bureau: Office) -> None:
    """A question back, with a link to it, until it is answered; nobody else's."""
    slack, homes = bureau.slack, bureau.slack.workspace.homes
    said = await slack.people.mention(bureau.anna, bureau.room, OPEN_QUESTION)
    back = await bureau.served.answer_to(said.message)
    link = f"archives/{back.channel}/p{back.ts.replace('.', '')}"
    mine = await slack.presses.command(bureau.anna, bureau.room, "mine")
    others = await slack.presses.command(bureau.ben, bureau.room, "mine")
    assert "*Waiting for you*" in mine.answer["text"]
    assert link in mine.answer["text"]
    assert f"|{OPEN_QUESTION}> - asked back: " in mine.answer["text"]
    assert others.answer["text"] == "You have no open questions."
    for person, waits in ((bureau.anna, True), (bureau.ben, False)):
        await slack.people.open_home(person)
        await slack.until(lambda who=person: who.id in homes, timeout_s=15)
        assert ("Waiting for you" in shown(homes[person.id])) is waits
        assert (link in shown(homes[person.id])) is waits
    await slack.presses.click(bureau.anna, back, "clarify:0")
    await bureau.served.quiet()
    await slack.people.open_home(bureau.anna)
    await slack.until(lambda: "Waiting for you" not in shown(homes[bureau.anna.id]), timeout_s=15)
    mine = await slack.presses.command(bureau.anna, bureau.room, "mine")
    assert "Waiting for you" not in mine.answer["text"]


async def test_a_case_that_we_opened_is_linked_for_its_asker_alone(
    bureau: Office, slack_database: str
) -> None:
    """Its place is no secret from who asked; officers see none."""
    await disputed.publish(slack_database)
    slack, homes = bureau.slack, bureau.slack.workspace.homes
    answer = await bureau.answered(disputed.QUESTION)
    link = f"archives/{answer.channel}/p{answer.root.replace('.', '')}"
    for person, is_linked in ((bureau.anna, True), (bureau.olga, False)):
        await slack.people.open_home(person)
        await slack.until(lambda who=person: who.id in homes, timeout_s=15)
        assert disputed.QUESTION in shown(homes[person.id])
        assert (link in shown(homes[person.id])) is is_linked


async def test_home_is_shown_without_links_where_slack_tells_none(bureau: Office) -> None:
    """A link is no reason to show nothing."""
    slack, homes = bureau.slack, bureau.slack.workspace.homes
    said = await slack.people.mention(bureau.anna, bureau.room, OPEN_QUESTION)
    await bureau.served.answer_to(said.message)
    slack.faults.always("chat.getPermalink", error("channel_not_found"))
    await slack.people.open_home(bureau.anna)
    await slack.until(lambda: bureau.anna.id in homes, timeout_s=15)
    assert "Waiting for you" in shown(homes[bureau.anna.id])
    assert "archives" not in shown(homes[bureau.anna.id])


async def test_home_asks(bureau: Office) -> None:
    """A form, and the answer directly."""
    slack, homes = bureau.slack, bureau.slack.workspace.homes
    await slack.people.open_home(bureau.anna)
    await slack.until(lambda: bureau.anna.id in homes, timeout_s=15)
    form = await bureau.form(bureau.anna, homes[bureau.anna.id], "home_ask")
    await slack.presses.submit(bureau.anna, form, {"question": typed(QUESTION)})
    await bureau.served.quiet()
    assert "Gifts and Hospitality Policy" in shown(bureau.direct_messages(bureau.anna)[-1])


async def test_the_agents_tab_suggests_nothing_before_anything_was_chosen(bureau: Office) -> None:
    """Slack takes no empty list; looking elsewhere changes nothing."""
    slack = bureau.slack
    assert all(
        one.acknowledged for one in await slack.people.open_home(bureau.anna, tab="messages")
    )
    assert all(one.acknowledged for one in await slack.people.look_at(bureau.anna, bureau.room))
    assert all(one.acknowledged for one in await slack.people.look_at(bureau.anna, None))
    await bureau.served.quiet()
    assert slack.workspace.prompts == {}


async def test_a_session_says_who_is_waited_for(bureau: Office) -> None:
    """At work, waiting for the asker or for Compliance, and closed by the officer's answer."""
    slack = bureau.slack
    said = await slack.people.ask(bureau.anna, "Can I accept gifts?")
    await bureau.served.answer_to(said.message)
    place = (said.message.channel, said.message.ts)
    await slack.until(
        lambda: slack.workspace.sessions[place]["status"] == "suspended", timeout_s=15
    )
    said = await slack.people.ask(bureau.anna, QUESTION)
    answer = await bureau.served.answer_to(said.message)
    await bureau.sent(answer)
    (card,) = bureau.cards()
    form = await bureau.form(bureau.olga, card, "case_answer")
    await slack.presses.submit(bureau.olga, form, {"answer": typed("Yes.")})
    await bureau.served.quiet()
    session = slack.workspace.sessions[said.message.channel, said.message.ts]
    await slack.until(lambda: session["status"] == "closed", timeout_s=15)
    assert session["title"] == QUESTION
    told = [one for one in session["statuses"] if one != "active"]
    assert told == ["processing", "suspended", "closed"]


async def test_a_slack_without_sessions_answers_all_the_same(bureau: Office) -> None:
    """An older installation."""
    bureau.slack.workspace.app.is_agent = False
    said = await bureau.slack.people.ask(bureau.anna, QUESTION)
    assert "Gifts and Hospitality" in shown(await bureau.served.answer_to(said.message))


async def test_stop_is_said_once_and_nothing_after_it(
    slack: FakeSlack, slack_database: str
) -> None:
    """What waits for an answer is dropped; pressed again it changes nothing."""
    async with office(slack, slack_database, roles=Roles(works=False)) as waiting:
        said = await slack.people.ask(waiting.anna, QUESTION)
        for _ in range(2):
            assert all(
                one.acknowledged for one in await slack.people.stop(waiting.anna, said.message)
            )
        outcomes = await waiting.served.rows(
            "SELECT outcome FROM citebound.inbox WHERE kind = 'message'"
        )
        assert outcomes == [{"outcome": "ignored"}]
    async with product(slack, slack_database) as served:
        await served.quiet()
        answer = slack.checks.one_answer(said.message)
        assert answer.text.startswith("Stopped.")


async def test_while_an_officer_speaks_we_are_quiet(bureau: Office) -> None:
    """Until somebody names us again; the asker's own thread is never taken over by the asker."""
    slack = bureau.slack
    answer = await bureau.answered()
    root = slack.workspace.find(answer.channel, answer.root)
    for who, words in (
        (bureau.olga, "Let me explain this one."),
        (bureau.anna, "And what is the limit for hospitality?"),
    ):
        await slack.people.say(who, bureau.room, words, thread=root)
    await bureau.served.quiet()
    assert len(bureau.thread(answer)) == 1
    assert await bureau.tags("message:ignored") == ["message:ignored"] * 2
    await slack.people.mention(bureau.anna, bureau.room, QUESTION, thread=root)
    await bureau.served.quiet()
    assert len(bureau.thread(answer)) == 2
    await slack.people.say(bureau.anna, bureau.room, "and for contractors?", thread=root)
    await bureau.served.quiet()
    assert len(bureau.thread(answer)) == 3
    own = await slack.people.mention(bureau.olga, bureau.room, QUESTION)
    await bureau.served.quiet()
    more = await slack.people.say(bureau.olga, bureau.room, "And in cash?", thread=own.message)
    await bureau.served.answer_to(more.message)


async def test_a_first_message_is_marked_where_that_is_allowed(bureau: Office) -> None:
    """Without the scope it is answered all the same."""
    bureau.slack.workspace.narrow("reactions:write")
    answer = await bureau.answered()
    assert "Gifts and Hospitality" in shown(answer)
    root = bureau.slack.workspace.find(answer.channel, answer.root)
    assert root.reactions == {}
    bureau.slack.checks.nothing_refused(but=["missing_scope"])
