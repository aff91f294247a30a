"""What lasts: a channel that is limited, a root that is gone, processes that die, a dead token."""

import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.slack.outbound import audience
from bot.worker import MAX_ATTEMPTS
from core.adapters.postgres.engine.database import engine_for
from tests.acceptance.slack.office import QUESTION, shown
from tests.kills import LONGEST_LEASE_S, balance, quiet
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.faults import error, too_many
from tests.slack_processes import KILLED, Forks, forks, let_pass
from tests.slack_product import Product

POLICY = "Gifts and Hospitality Policy"
POSTS = ("chat.startStream", "chat.appendStream", "chat.stopStream", "chat.update")
THREAD = (
    "What is the limit for gifts that employees accept from business partners?",
    "Who approves gifts above the limit?",
    "When must a conflict of interest be disclosed?",
    "What is the limit for hospitality?",
    "How long are records kept?",
    "Who may release a payment?",
)
REPLACES = text("SELECT id, replaces FROM citebound.outbox WHERE replaces IS NOT NULL")
"""A question back that was answered is rewritten by a later reply."""


@pytest.fixture(scope="module")
def serving() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


async def test_a_limited_channel_waits_and_another_goes_on(
    slack: FakeSlack, served: Product
) -> None:
    """However long Slack says 429 of one: the other is answered, and at last the first is, once."""
    anna, ben = slack.workspace.user("anna"), slack.workspace.user("ben")
    full = slack.workspace.channel("full", anna, ben)
    free = slack.workspace.channel("free", anna, ben)
    for method in (*POSTS, "chat.postMessage"):
        slack.faults.in_channel(method, full.id, too_many(1))
    waits = [await slack.people.mention(one, full, QUESTION) for one in (anna, ben)]
    await slack.until(
        lambda: any(one.outcome == "429" for one in slack.journal.of("chat.postMessage", *POSTS)),
        timeout_s=30,
    )
    other = await slack.people.mention(anna, free, QUESTION)
    await slack.until(lambda: len(slack.checks.replies(other.message)) == 1, timeout_s=30)
    for one in waits:
        slack.checks.no_answer(one.message)
    slack.faults.heal(*POSTS, "chat.postMessage")
    await served.quiet(within_s=90)
    for one in (*waits, other):
        assert POLICY in shown(slack.checks.one_answer(one.message))
    slack.checks.nothing_twice()
    slack.checks.status_cleared()
    slack.checks.no_open_streams()


async def test_who_reads_is_asked_again_when_slack_says(slack: FakeSlack, served: Product) -> None:
    """However often Slack says 429 of that: no attempt is spent, and at last the answer comes."""
    anna = slack.workspace.user("anna")
    slack.faults.next("users.info", *(too_many(1) for _ in range(MAX_ATTEMPTS + 2)))
    said = await slack.people.ask(anna, QUESTION)
    answer = await served.answer_to(said.message)
    assert POLICY in shown(answer)
    refused = [one for one in slack.journal.of("users.info") if one.outcome == "429"]
    assert len(refused) == MAX_ATTEMPTS + 2
    assert await served.rows("SELECT attempt FROM citebound.inbox") == [{"attempt": 1}]


async def test_who_reads_is_asked_again_before_a_post(
    slack: FakeSlack,
    served: Product,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A reply is put off by what Slack says, and no job breaks."""
    caplog.set_level(logging.ERROR)
    monkeypatch.setattr(audience, "_AGAIN", replace(audience._AGAIN, room_s=0.0))  # pyright: ignore[reportPrivateUsage]  # or two seconds must pass
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    slack.faults.next("conversations.info", None, too_many(3), too_many(1))
    slack.faults.always("chat.startStream", error("unknown_method"))
    said = await slack.people.mention(anna, room, QUESTION)
    assert POLICY in shown(await served.answer_to(said.message))
    asked = [one.outcome for one in slack.journal.of("conversations.info")]
    assert asked == ["ok", "429", "429", "ok"]
    assert not [one for one in caplog.messages if "ended with status: Error" in one]


@pytest.mark.parametrize("has_streams", [True, False])
async def test_a_root_that_is_gone_is_answered_directly(
    slack: FakeSlack, served: Product, *, has_streams: bool
) -> None:
    """Slack would put the reply into the channel, and say `ok`: it is taken back, and sent on."""
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    if not has_streams:
        slack.faults.without("chat.startStream")
    message = slack.people.write(anna, room, f"<@{slack.workspace.app.bot_user}> {QUESTION}")
    events = slack.people.events_of(message)
    message.deleted = True
    await slack.people.deliver(*events)
    await served.quiet(within_s=60)
    slack.checks.no_answer(message)
    (told,) = slack.checks.by_app()
    assert told.channel == slack.workspace.direct(anna).id
    assert POLICY in shown(told)
    slack.checks.nothing_twice()


async def test_a_dead_token_is_an_alarm(
    slack: FakeSlack, served: Product, caplog: pytest.LogCaptureFixture
) -> None:
    """Once in the log as an error, with its cure; in the record; and the reply is abandoned."""
    caplog.set_level(logging.ERROR)
    for method in (*POSTS, "chat.postMessage", "conversations.open"):
        slack.faults.always(method, error("token_revoked"))
    for name in ("anna", "ben"):
        await slack.people.ask(slack.workspace.user(name), QUESTION)
    await served.quiet(within_s=60)
    alarms = [one for one in caplog.messages if "no longer takes the token" in one]
    assert len(alarms) == 1
    assert "until the app is installed again" in alarms[0]
    assert slack.workspace.bot_token not in caplog.text
    told = await served.rows(
        "SELECT tag, doc->>'reason' AS reason FROM audit.record"
        " WHERE tag IN ('workspace:disconnected', 'reply:abandoned') ORDER BY tag DESC"
    )
    assert {(one["tag"], one["reason"]) for one in told} == {
        ("workspace:disconnected", "token_revoked"),
        ("reply:abandoned", "token_revoked"),
    }
    assert len(told) == 3


async def test_order_is_kept_while_workers_die(serving: Forks, slack_database: str) -> None:
    """Two processes answer one thread, and each is killed: answers stand as they were asked."""
    engine = engine_for(slack_database, pooled=False)
    async with fake_slack(speed=60) as slack:
        await _order(serving, slack, slack_database, engine)
    await engine.dispose()


async def _order(serving: Forks, slack: FakeSlack, url: str, engine: AsyncEngine) -> None:
    more = {"replies_per_conversation": 100}
    both = [serving.start(slack, url, **more) for _ in range(2)]
    for one in both:
        await one.ready()
    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    slack.app_url = f"http://127.0.0.1:{both[1].port}/slack/events"
    first = await slack.people.mention(anna, room, THREAD[0])
    asked = [first.message]
    for number, question in enumerate(THREAD[1:], start=1):
        said = await slack.people.mention(anna, room, question, thread=first.message)
        assert said.acknowledged
        asked.append(said.message)
        if number in {2, 4}:
            dead = both.pop(0)
            dead.signal(9)
            assert await dead.ended() == KILLED
            both.append(serving.start(slack, url, **more))
            await both[-1].ready()
            slack.app_url = f"http://127.0.0.1:{both[-1].port}/slack/events"
    await let_pass(engine, seconds=LONGEST_LEASE_S)
    await quiet(engine)
    replies = [
        one for one in slack.workspace.thread(room.id, first.message.ts) if one.bot_id is not None
    ]
    marked = [one.metadata["event_payload"]["outbox"] for one in replies if one.metadata]
    assert len(marked) == len(replies) == len(THREAD)
    async with engine.connect() as connection:
        rewrites = {row.id: row.replaces for row in await connection.execute(REPLACES)}
    first_posted = [rewrites.get(int(one), int(one)) for one in marked]
    assert first_posted == sorted(first_posted)
    slack.checks.nothing_twice()
    assert set((await balance(engine)).values()) == {len(THREAD)}
    for one in both:
        one.signal(9)
        await one.ended()
