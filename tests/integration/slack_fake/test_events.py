"""Events as a real Bolt app gets them: signed, twice, again, forged."""

import asyncio
from typing import Any

import pytest
from aiohttp import web
from slack_bolt.async_app import AsyncApp

from bot.intake import NotForUs
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.parse import parse
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.app import SlackClient, listening, slack_client
from tests.servers.slack.wire import Json


async def test_a_mention_is_answered_in_its_thread(slack: FakeSlack, app: AsyncApp) -> None:
    """From the event to the message, with the real Bolt in between."""
    heard: list[Json] = []

    @app.event("app_mention")
    async def mentioned(body: Json, say: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        heard.append(body)
        await say(text="Yes.", thread_ts=body["event"]["ts"])

    @app.event("message")
    async def said(body: Json) -> None:  # pyright: ignore[reportUnusedFunction]
        heard.append(body)

    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    async with listening(slack, app):
        asked = await slack.people.mention(anna, room, "May I?")
        assert asked.acknowledged
        await slack.journal.wait_for("chat.postMessage")
        await slack.until(lambda: len(heard) == 2)
    answer = slack.checks.one_answer(asked.message)
    assert answer.text == "Yes."
    slack.checks.nothing_outside(asked.message)
    twins = sorted(heard, key=lambda one: one["event"]["type"])
    assert [one["event"]["type"] for one in twins] == ["app_mention", "message"]
    assert twins[0]["event"]["ts"] == twins[1]["event"]["ts"]
    assert twins[0]["event_id"] != twins[1]["event_id"]
    assert "channel_type" not in twins[0]["event"]
    assert twins[1]["event"]["channel_type"] == "channel"


async def test_a_direct_message_has_no_twin(slack: FakeSlack, app: AsyncApp) -> None:
    """`message.im` alone, and nothing at all where the app is no member."""
    anna = slack.workspace.user("anna")
    away = slack.workspace.channel("away", anna, with_bot=False)

    @app.event("message")
    async def said() -> None:  # pyright: ignore[reportUnusedFunction]
        return None

    async with listening(slack, app):
        asked = await slack.people.ask(anna, f"<@{slack.workspace.app.bot_user}> hello")
        assert [one.body["event"]["channel_type"] for one in asked.deliveries] == ["im"]
        assert (await slack.people.mention(anna, away, "hello")).deliveries == ()


async def test_an_event_without_a_listener_comes_four_times(
    slack: FakeSlack, app: AsyncApp
) -> None:
    """A 404 is no success: at once, after 1 min, after 5 min more, with number and reason."""
    anna = slack.workspace.user("anna")
    async with listening(slack, app):
        (delivery,) = await slack.people.open_home(anna)
    assert [one.status for one in delivery.attempts] == [404] * 4
    times = [one.at - delivery.attempts[0].at for one in delivery.attempts]
    assert times == pytest.approx([0, 0, 60, 360], abs=2)
    assert not delivery.acknowledged


@pytest.mark.parametrize("fault", ["http_error", "http_timeout", "connection_failed", "no_retry"])
async def test_the_reason_of_a_retry_is_told(slack: FakeSlack, fault: str) -> None:
    """An error, no answer within 3 s, no connection; `X-Slack-No-Retry` ends it."""
    seen: list[tuple[str | None, str | None]] = []

    async def app(request: web.Request) -> web.StreamResponse:
        headers = request.headers
        seen.append((headers.get("X-Slack-Retry-Num"), headers.get("X-Slack-Retry-Reason")))
        if len(seen) > 1:
            return web.Response()
        if fault == "http_timeout":
            await asyncio.sleep(1)
        if fault == "connection_failed" and request.transport:
            request.transport.abort()
        stop = {"X-Slack-No-Retry": "1"} if fault == "no_retry" else {}
        return web.Response(status=503, headers=stop)

    slack.sender.ack_timeout_s = 0.2
    anna = slack.workspace.user("anna")
    async with listening(slack, app):
        (delivery,) = await slack.people.open_home(anna)
    expected = [(None, None)] if fault == "no_retry" else [(None, None), ("1", fault)]
    assert seen == expected
    assert delivery.acknowledged is (fault != "no_retry")


async def test_what_slack_never_signed_is_refused(slack: FakeSlack, app: AsyncApp) -> None:
    """Forged, changed, late and early are 401 with Bolt's own check, too."""
    heard: list[str] = []

    @app.event("app_home_opened")
    async def opened(body: Json) -> None:  # pyright: ignore[reportUnusedFunction]
        heard.append(body["event_id"])

    anna = slack.workspace.user("anna")
    envelope = slack.events.envelope(slack.events.home_opened(anna, "home"))
    async with listening(slack, app):
        bad = [
            await slack.attacks.forged(envelope),
            await slack.attacks.changed(envelope, "other"),
            await slack.attacks.late(envelope),
            await slack.attacks.late(envelope, by_s=-301),
            await slack.attacks.with_headers(envelope, signature="v0=0"),
        ]
        assert [one.status for one in bad] == [401] * 5
        assert heard == []
        delivery = await slack.sender.deliver(envelope)
        assert (await slack.attacks.late(envelope, by_s=200)).status == 200
        assert (await slack.attacks.replay(delivery)).status == 200
        await slack.until(lambda: len(heard) == 3)
        assert len(set(heard)) == 1
        verified = await slack.attacks.verify_url("prove it")
        assert (verified.status, "prove it" in verified.text) == (200, True)


@pytest.mark.parametrize(
    ("by_garbage", "status"), [({"timestamp": "abc"}, 500), ({"signature": "v0=\xdf"}, 500)]
)
async def test_bolts_own_check_fails_on_garbage(
    slack: FakeSlack, app: AsyncApp, by_garbage: dict[str, str], status: int
) -> None:
    """Why ours stands before it: a 500 makes Slack send again."""
    anna = slack.workspace.user("anna")
    envelope = slack.events.envelope(slack.events.home_opened(anna, "home"))
    async with listening(slack, app):
        assert (await slack.attacks.with_headers(envelope, **by_garbage)).status == status


async def test_what_people_do_becomes_events(slack: FakeSlack) -> None:
    """Edits, unfurled links, deletions, joins, bots, Home, context, uninstalling."""
    heard: list[Json] = []

    async def app(request: web.Request) -> web.StreamResponse:
        heard.append((await request.json())["event"])
        return web.Response()

    anna = slack.workspace.user("anna")
    room = slack.workspace.channel("general", anna)
    async with listening(slack, app):
        people = slack.people
        said = (await people.say(anna, room, "see https://example.com")).message
        await people.unfurl(said)
        await people.edit(said, "better")
        await people.delete(said)
        await people.join(slack.workspace.user("ben"), room)
        await people.bot_says(room, "beep")
        await people.open_home(anna, tab="messages")
        await people.look_at(anna, room)
        await people.look_at(anna, None)
        await people.start_thread(anna)
        await people.uninstall()
    kinds = [one.get("subtype") or one["type"] for one in heard]
    assert kinds[:6] == [
        "message",
        "message_changed",
        "message_changed",
        "message_deleted",
        "channel_join",
        "bot_message",
    ]
    assert kinds[6:10] == [
        "app_home_opened",
        "app_context_changed",
        "app_context_changed",
        "assistant_thread_started",
    ]
    assert set(kinds[10:]) == {"tokens_revoked", "app_uninstalled"}
    assert "edited" not in heard[1]["message"]
    assert heard[2]["message"]["text"] == "better"
    assert heard[2]["previous_message"]["text"] == "see https://example.com"
    assert heard[3]["deleted_ts"] == said.ts
    assert heard[8]["context"] == {}


async def test_an_outsiders_team_is_told_beside_ours() -> None:
    """`team_id` of the envelope is ours; whose it is stands in `user_team` and `source_team`."""
    heard: list[Json] = []

    async def app(request: web.Request) -> web.StreamResponse:
        heard.append(await request.json())
        return web.Response()

    async with fake_slack(enterprise_id="E0HOME") as slack:
        plain = slack.workspace.outsider("otto")
        grid = slack.workspace.outsider("gerd", team_id="T0GRID", enterprise_id="E0GRID")
        room = slack.workspace.channel("shared", plain, grid, is_ext_shared=True)
        async with listening(slack, app):
            await slack.people.say(plain, room, "hello")
            await slack.people.say(grid, room, "hello")
        assert {one["team_id"] for one in heard} == {"T0HOME"}
        assert all(one["is_ext_shared_channel"] for one in heard)
        assert [one["event"]["user_team"] for one in heard] == ["T0OTHER", "E0GRID"]
        assert heard[0]["enterprise_id"] == "E0HOME"


async def test_stop_ends_streams_and_leaves_the_session(
    slack: FakeSlack, client: SlackClient
) -> None:
    """The event names the streams; whoever goes on is told `stopped_by_user`."""
    heard: list[Json] = []

    async def app(request: web.Request) -> web.StreamResponse:
        heard.append((await request.json())["event"])
        return web.Response()

    anna = slack.workspace.user("anna")
    asked = slack.people.write(anna, slack.workspace.direct(anna), "hello")
    place = {"channel": asked.channel, "thread_ts": asked.ts}
    started = await client.chat_startStream(**place, markdown_text="a")
    await client.agents_sessions_setStatus(
        channel_id=asked.channel, thread_ts=asked.ts, status="processing"
    )
    async with listening(slack, app):
        await slack.people.stop(anna, asked)
    assert heard[0]["streaming_message_ts"] == [started["ts"]]
    assert slack.workspace.sessions[asked.channel, asked.ts]["status"] == "processing"
    with pytest.raises(Exception, match="stopped_by_user"):
        await client.chat_appendStream(channel=asked.channel, ts=started["ts"], markdown_text="b")


async def test_the_apps_own_messages_come_back_as_events(
    slack: FakeSlack, client: SlackClient
) -> None:
    """Posted, changed, streamed, deleted: who answers them answers himself."""
    heard: list[Json] = []

    async def app(request: web.Request) -> web.StreamResponse:
        heard.append(await request.json())
        return web.Response()

    slack.workspace.knobs.echoes = True
    anna = slack.workspace.user("anna")
    asked = slack.people.write(anna, slack.workspace.direct(anna), "hello")
    place = {"channel": asked.channel, "thread_ts": asked.ts}
    async with listening(slack, app):
        ts = (await client.chat_postMessage(**place, text="a"))["ts"]
        await client.chat_update(channel=asked.channel, ts=ts, text="b")
        await client.chat_delete(channel=asked.channel, ts=ts)
        stream = (await client.chat_startStream(**place, markdown_text="a"))["ts"]
        await client.chat_stopStream(channel=asked.channel, ts=stream)
        limited = await slack.sender.deliver(slack.events.rate_limited())
    assert limited.acknowledged
    kinds = [one["event"].get("subtype", "new") for one in heard if "event" in one]
    assert kinds == ["new", "message_changed", "message_deleted", "new", "message_changed"]
    home = SlackIdentity(app_id="A0CITEBOUND", bot_user="U0BOT", teams=frozenset({"T0HOME"}))
    assert {parse(one, home) for one in heard if "event" in one} == {NotForUs(reason="own")}
    assert heard[-1]["type"] == "app_rate_limited"


def test_the_client_of_a_test_never_repeats(slack: FakeSlack) -> None:
    """An empty list, not the SDK's default."""
    assert slack_client(slack).retry_handlers == []
