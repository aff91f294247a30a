"""A question in Slack is answered in its thread, from the policies."""

import asyncio
import json

from tests.servers.slack import FakeSlack, live_links, live_mentions
from tests.servers.slack.posts import Message
from tests.slack_product import Product

QUESTION = "What is the limit for gifts that employees accept from business partners?"


def shown(message: Message) -> str:
    """Return all that a message holds, as text."""
    return f"{message.text} {json.dumps(message.blocks, ensure_ascii=False)}"


def actions(message: Message) -> set[str]:
    """Return what can be pressed."""
    found = (e for block in message.blocks for e in block.get("elements", []))
    return {one["action_id"] for one in found if "action_id" in one}


async def test_a_mention_is_answered_in_its_thread(slack: FakeSlack, served: Product) -> None:
    """Once for both twins: badge, words, sources, buttons; its status gone, its stream ended."""
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    room = slack.workspace.channel("general", anna, ben)
    said = await slack.people.mention(anna, room, QUESTION)
    assert said.acknowledged
    assert len(said.deliveries) == 2
    answer = await served.answer_to(said.message)
    assert answer.thread_ts == said.message.ts
    assert "confidence" in shown(answer)
    assert "Gifts and Hospitality Policy" in shown(answer)
    assert {"evidence_open", "escalate_open", "report_open"} <= actions(answer)
    assert live_mentions(answer) == []
    assert live_links(answer) == []
    assert said.message.reactions == {"eyes": [slack.workspace.app.bot_user]}
    slack.checks.status_cleared()
    slack.checks.no_open_streams()
    slack.checks.nothing_outside(said.message)
    slack.checks.nothing_twice()
    slack.checks.nothing_refused()
    rows = await served.rows("SELECT state, remote_id FROM citebound.outbox")
    assert rows == [{"state": "posted", "remote_id": answer.ts}]


async def test_a_direct_message_is_answered(slack: FakeSlack, served: Product) -> None:
    """In a thread of its own, without a mark: nobody else reads it."""
    anna = slack.workspace.user("anna")
    said = await slack.people.ask(anna, QUESTION)
    answer = await served.answer_to(said.message)
    assert "Gifts and Hospitality Policy" in shown(answer)
    assert said.message.reactions == {}
    slack.checks.status_cleared()


async def test_a_thread_goes_on_without_a_mention(slack: FakeSlack, served: Product) -> None:
    """Where the app has answered; elsewhere it keeps quiet, and keeps nothing."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    first = await slack.people.mention(anna, room, QUESTION)
    await served.answer_to(first.message)
    second = await slack.people.say(anna, room, "and for contractors?", thread=first.message)
    await served.answer_to(second.message)
    stranger = await slack.people.say(anna, room, "Lunch?")
    aside = await slack.people.say(anna, room, "At noon.", thread=stranger.message)
    await served.quiet()
    slack.checks.no_answer(stranger.message)
    slack.checks.no_answer(aside.message)
    assert await served.rows("SELECT text FROM citebound.inbox ORDER BY id") == [
        {"text": QUESTION},
        {"text": "and for contractors?"},
    ]


async def test_an_option_answers_the_clarification(slack: FakeSlack, served: Product) -> None:
    """Its button, pressed by the asker, once; others are refused, and see it alone."""
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    room = slack.workspace.channel("general", anna, ben)
    said = await slack.people.mention(anna, room, "Can I accept gifts?")
    asked = await served.answer_to(said.message)
    assert "clarify:0" in actions(asked)
    await slack.presses.click(ben, asked, "clarify:0")
    await slack.until(lambda: bool(slack.checks.seen_by(ben.id)))
    assert [one.text for one in slack.checks.seen_by(ben.id)] == [
        f"<@{anna.id}> asked this. Only the person who asked can do this."
    ]
    assert (await slack.presses.click(anna, asked, "clarify:0")).acknowledged
    await served.quiet()
    again = await served.rows("SELECT kind FROM citebound.inbox ORDER BY id")
    assert again == [{"kind": "message"}, {"kind": "choice"}]
    replies = slack.checks.replies(said.message)
    assert len(replies) == 2
    assert f"<@{anna.id}> chose *" in replies[0].text
    assert not actions(replies[0])
    slack.checks.nothing_twice()


async def test_an_option_is_settled_once_the_asker_has_replied(
    slack: FakeSlack, served: Product
) -> None:
    """Pressed after a reply in words, it would ask a second time."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    said = await slack.people.mention(anna, room, "Can I accept gifts?")
    asked = await served.answer_to(said.message)
    before = list(asked.blocks)
    await slack.people.say(anna, room, "from a supplier", thread=said.message)
    await served.quiet()
    assert f"<@{anna.id}> chose *from a supplier*" in slack.checks.replies(said.message)[0].text
    assert not actions(slack.checks.replies(said.message)[0])
    asked.blocks = before  # as a client shows it that has not heard of the change
    assert (await slack.presses.click(anna, asked, "clarify:0")).acknowledged
    await slack.until(lambda: bool(slack.checks.seen_by(anna.id)))
    assert "settled" in slack.checks.seen_by(anna.id)[-1].text
    kinds = await served.rows("SELECT kind FROM citebound.inbox ORDER BY id")
    assert kinds == [{"kind": "message"}, {"kind": "message"}]


async def test_two_options_at_once_are_one(slack: FakeSlack, served: Product) -> None:
    """The one that counts is shown, whichever it is; whoever pressed is told of the other."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    said = await slack.people.mention(anna, room, "Can I accept gifts?")
    asked = await served.answer_to(said.message)
    async with asyncio.TaskGroup() as group:
        for option in ("clarify:0", "clarify:1"):
            group.create_task(slack.presses.click(anna, asked, option))
    await served.quiet()
    await slack.until(lambda: bool(slack.checks.seen_by(anna.id)))
    assert "settled" in slack.checks.seen_by(anna.id)[-1].text
    (kept,) = await served.rows("SELECT text FROM citebound.inbox WHERE kind = 'choice'")
    assert f" chose *{kept['text']}*" in slack.checks.replies(said.message)[0].text
    assert len([one for one in slack.journal.of("chat.update") if " chose " in str(one.args)]) == 1
