"""Whatever goes wrong with a call of Slack's: one answer, no status left, no stream left open."""

import pytest

from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import (
    Fault,
    error,
    lost,
    processed_then_reset,
    status,
    too_many,
)
from tests.slack_product import Product

QUESTION = "What is the limit for gifts that employees accept from business partners?"
LOOKED_FOR_S = 45.0
"""A post in doubt is looked for after 5 s, and waits are Slack's."""

SHOWN = ("assistant.threads.setStatus", "reactions.add", "chat.startStream", "chat.stopStream")
READ = ("conversations.info", "conversations.members")
FAULTS = {"429": too_many(1), "reset": processed_then_reset(), "lost": lost(), "500": status(500)}


async def answered(slack: FakeSlack, served: Product) -> None:
    """Ask in a channel, and assert what must hold at the end."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    said = await slack.people.mention(anna, room, QUESTION)
    await served.quiet(within_s=LOOKED_FOR_S)
    answer = slack.checks.one_answer(said.message)
    assert "Gifts and Hospitality Policy" in f"{answer.blocks} {answer.text}"
    slack.checks.nothing_twice()
    slack.checks.nothing_outside(said.message)
    slack.checks.status_cleared()
    slack.checks.no_open_streams()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("method", [*SHOWN, *READ])
async def test_a_call_that_fails_once(
    slack: FakeSlack, served: Product, method: str, fault: str
) -> None:
    """Limited, done and not told, never arrived, broken: progress may suffer, the answer not."""
    slack.faults.next(method, FAULTS[fault])
    await answered(slack, served)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_post_that_fails_once(slack: FakeSlack, served: Product, fault: str) -> None:
    """Without streams the answer is posted: found again by its metadata, or posted anew."""
    slack.faults.without("chat.startStream")
    slack.faults.next("chat.postMessage", FAULTS[fault])
    await answered(slack, served)


@pytest.mark.parametrize(
    "fault", [error("invalid_blocks"), error("msg_too_long"), error("invalid_arguments")]
)
async def test_a_refused_shape_is_followed_by_a_plainer_one(
    slack: FakeSlack, served: Product, fault: Fault
) -> None:
    """At last it is text with its sources."""
    slack.faults.without("chat.startStream")
    slack.faults.next("chat.postMessage", fault, fault)
    await answered(slack, served)


@pytest.mark.parametrize("after", [0, 1, 2])
async def test_no_status_is_left_where_clearing_fails(
    slack: FakeSlack, served: Product, after: int
) -> None:
    """The first call for it, the second or the third is lost: the post ends it anyway."""
    slack.faults.next("assistant.threads.setStatus", *[None] * after, lost())
    await answered(slack, served)


@pytest.mark.parametrize("code", ["not_in_channel", "is_archived", "restricted_action"])
async def test_a_place_that_is_closed_is_answered_directly(
    slack: FakeSlack, served: Product, code: str
) -> None:
    """The asker gets it in a direct message, once."""
    slack.faults.without("chat.startStream")
    slack.faults.next("chat.postMessage", error(code))
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    said = await slack.people.mention(anna, room, QUESTION)
    await served.quiet(within_s=LOOKED_FOR_S)
    slack.checks.no_answer(said.message)
    (told,) = slack.checks.by_app()
    assert told.channel == slack.workspace.direct(anna).id
    assert "Gifts and Hospitality Policy" in str(told.blocks)
    slack.checks.status_cleared()


async def test_a_revoked_token_ends_it(slack: FakeSlack, served: Product) -> None:
    """Nothing can be posted anywhere: given up, with a record, and not tried for ever."""
    slack.faults.without("chat.startStream")
    slack.faults.always("chat.postMessage", error("token_revoked"))
    slack.faults.always("conversations.open", error("token_revoked"))
    await slack.people.ask(slack.workspace.user("anna"), QUESTION)
    await served.quiet(within_s=LOOKED_FOR_S)
    assert await served.rows("SELECT state FROM citebound.outbox") == [{"state": "dead"}]
    assert {"tag": "reply:abandoned"} in await served.rows("SELECT tag FROM audit.record")


async def test_nobody_answers_a_bot(slack: FakeSlack, served: Product) -> None:
    """However often it names us: two bots could go on for ever."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    for n in range(4):
        said = await slack.people.bot_says(room, f"<@{slack.workspace.app.bot_user}> {n}?")
        assert said.acknowledged
    await served.quiet()
    assert slack.checks.by_app() == []


async def test_nothing_stands_above_a_reply_that_is_still_to_come(
    slack: FakeSlack, served: Product
) -> None:
    """While a channel has to wait, the next answer of a thread shows no steps of its own."""
    slack.faults.without("chat.startStream")
    slack.faults.next("chat.postMessage", too_many(retry_after_s=3))
    anna = slack.workspace.user("anna")
    first = await slack.people.ask(anna, QUESTION)
    await slack.until(lambda: bool(slack.journal.of("chat.postMessage")), timeout_s=LOOKED_FOR_S)
    slack.faults.heal("chat.startStream")
    again = await slack.people.ask(anna, "And for contractors?", thread=first.message)
    assert again.acknowledged
    await served.quiet(within_s=LOOKED_FOR_S)
    shown = [one.metadata["event_payload"] for one in slack.checks.by_app() if one.metadata]
    replies = await served.rows("SELECT id::text AS outbox FROM citebound.outbox ORDER BY id")
    assert [one["outbox"] for one in shown] == [one["outbox"] for one in replies]
    slack.checks.no_open_streams()
