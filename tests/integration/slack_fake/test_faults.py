"""What goes wrong on demand, and how often one may call."""

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError

from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.app import SlackClient, slack_client
from tests.servers.slack.faults import (
    error,
    garbled,
    lost,
    processed_then_reset,
    slow,
    slow_answer,
    status,
    too_many,
)


async def test_processed_then_reset_leaves_the_message_behind(
    slack: FakeSlack, client: SlackClient
) -> None:
    """The caller hears nothing, and everybody sees the message."""
    room = slack.workspace.channel("general")
    slack.faults.next("chat.postMessage", processed_then_reset())
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=room.id, text="once")
    assert [one.text for one in slack.checks.by_app()] == ["once"]
    entry = slack.journal.of("chat.postMessage")[0]
    assert (entry.outcome, entry.was_done) == ("dropped after", True)


async def test_the_clients_own_retries_post_twice(slack: FakeSlack) -> None:
    """Why ours has none: the default handler repeats a post whose answer was lost."""
    room = slack.workspace.channel("general")
    slack.faults.next("chat.postMessage", processed_then_reset())
    eager = slack_client(slack, retry_handlers=None)
    metadata = {"event_type": "answer", "event_payload": {"outbox": "o1"}}
    await eager.chat_postMessage(channel=room.id, text="twice", metadata=metadata)
    assert [one.text for one in slack.checks.by_app()] == ["twice", "twice"]
    with pytest.raises(AssertionError, match="o1 stands twice"):
        slack.checks.nothing_twice()


async def test_a_lost_call_is_not_done(slack: FakeSlack, client: SlackClient) -> None:
    """The connection is cut before anything happens."""
    room = slack.workspace.channel("general")
    slack.faults.next("chat.postMessage", lost(), None)
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=room.id, text="never")
    await client.chat_postMessage(channel=room.id, text="then")
    assert [one.text for one in slack.checks.by_app()] == ["then"]


async def test_slow_calls_run_into_the_clients_limit(slack: FakeSlack, client: SlackClient) -> None:
    """Before or after the work was done."""
    room = slack.workspace.channel("general")
    hasty = slack_client(slack, timeout=1)
    slack.faults.next("chat.postMessage", slow_answer(1.3), slow(0.05))
    with pytest.raises(TimeoutError):
        await hasty.chat_postMessage(channel=room.id, text="done")
    await client.chat_postMessage(channel=room.id, text="late")
    assert [one.text for one in slack.checks.by_app()] == ["done", "late"]


async def test_answers_that_are_no_answers(slack: FakeSlack, client: SlackClient) -> None:
    """Half of a JSON, a page of a proxy, an error of Slack's."""
    slack.faults.next("auth.test", garbled(), status(502, "<html>"), error("fatal_error"))
    with pytest.raises(SlackApiError, match="JSON"):
        await client.auth_test()
    with pytest.raises((SlackApiError, AttributeError)):
        await client.auth_test()
    with pytest.raises(SlackApiError, match="fatal_error"):
        await client.auth_test()
    await client.auth_test()


@pytest.mark.parametrize("code", [200, 404])
async def test_a_method_can_be_absent(slack: FakeSlack, client: SlackClient, code: int) -> None:
    """As in an older Slack, or one that does not know the method."""
    slack.faults.without("chat.startStream", status=code)
    with pytest.raises(SlackApiError) as caught:
        await client.chat_startStream(channel="C1", thread_ts="1.1")
    assert caught.value.response.status_code == code
    assert caught.value.response["error"] == "unknown_method"
    slack.faults.heal()
    with pytest.raises(SlackApiError, match="channel_not_found"):
        await client.chat_startStream(channel="C1", thread_ts="1.1")
    with pytest.raises(SlackApiError, match="unknown_method"):
        await client.api_call("chat.unheardOf")


async def test_a_channel_takes_about_one_message_a_second() -> None:
    """Beyond the burst 429 with Retry-After; another channel goes on."""
    async with fake_slack(frozen=True) as slack:
        client = slack_client(slack)
        room, other = slack.workspace.channel("general"), slack.workspace.channel("other")
        for _ in range(3):
            await client.chat_postMessage(channel=room.id, text="a")
        with pytest.raises(SlackApiError) as caught:
            await client.chat_postMessage(channel=room.id, text="a")
        assert caught.value.response.status_code == 429
        assert caught.value.response.headers["Retry-After"] == "1"
        await client.chat_postMessage(channel=other.id, text="a")
        slack.clock.advance(1)
        await client.chat_postMessage(channel=room.id, text="a")
        assert slack.limits.refused == 1


async def test_tiers_hold_for_a_minute() -> None:
    """`views.open` is of tier 4; with cut history a thread is read once a minute."""
    async with fake_slack(frozen=True) as slack:
        client = slack_client(slack)
        room = slack.workspace.channel("general")
        slack.limits.cut_history = True
        await client.conversations_history(channel=room.id)
        with pytest.raises(SlackApiError, match="ratelimited"):
            await client.conversations_history(channel=room.id)
        slack.clock.advance(60)
        await client.conversations_history(channel=room.id)
        for _ in range(20):
            with pytest.raises(SlackApiError, match="channel_not_found"):
                await client.chat_startStream(channel="C1", thread_ts="1.1")
        with pytest.raises(SlackApiError, match="ratelimited"):
            await client.chat_startStream(channel="C1", thread_ts="1.1")


async def test_a_storm_of_429_ends_when_it_is_healed(slack: FakeSlack, client: SlackClient) -> None:
    """Every method, until then."""
    slack.faults.always("*", too_many(7))
    with pytest.raises(SlackApiError) as caught:
        await client.auth_test()
    assert caught.value.response.headers["Retry-After"] == "7"
    slack.faults.heal()
    await client.auth_test()
