"""Streams, statuses, sessions: what ends them, what they block."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from tests.servers.slack import FakeSlack
from tests.servers.slack.app import SlackClient
from tests.servers.slack.posts import Message
from tests.servers.slack.wire import Json

TASK: Json = {"type": "task_update", "id": "t", "title": "Searching", "status": "in_progress"}
DIVIDER: Json = {"type": "divider"}


@pytest.fixture
def question(slack: FakeSlack) -> Message:
    """A question in a channel."""
    anna = slack.workspace.user("anna")
    return slack.people.write(anna, slack.workspace.channel("general", anna), "May I?")


def streamed(question: Message, **more: Any) -> Json:
    """Return the arguments of a good `chat.startStream`."""
    place: Json = {"channel": question.channel, "thread_ts": question.ts, "chunks": [TASK]}
    return place | {"recipient_team_id": "T0HOME", "recipient_user_id": question.user} | more


async def test_a_stream_shows_progress_and_ends_with_the_answer(
    slack: FakeSlack, client: SlackClient, question: Message
) -> None:
    """Tasks grow in place; the blocks of the end come last, with metadata and the session."""
    started = await client.chat_startStream(**streamed(question, task_display_mode="plan"))
    place = {"channel": question.channel, "ts": started["ts"]}
    done = TASK | {"title": "Found 6", "status": "complete"}
    await client.chat_appendStream(**place, chunks=[done, {"type": "blocks", "blocks": [DIVIDER]}])
    with pytest.raises(AssertionError, match="nobody ended"):
        slack.checks.one_answer(question)
    metadata = {"event_type": "answer", "event_payload": {"outbox": "o1"}}
    header = {"type": "header", "text": {"type": "plain_text", "text": "Yes"}}
    await client.chat_stopStream(
        **place, blocks=[header], metadata=metadata, session_status="active"
    )
    answer = slack.checks.one_answer(question)
    assert [block["type"] for block in answer.blocks] == ["divider", "header"]
    assert answer.metadata == metadata
    assert answer.stream is not None
    assert answer.stream.tasks["t"]["title"] == "Found 6"
    assert slack.workspace.sessions[question.channel, question.ts]["status"] == "active"
    slack.checks.no_open_streams()


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"recipient_team_id": None}, "missing_recipient_team_id"),
        ({"recipient_user_id": None}, "missing_recipient_user_id"),
        ({"recipient_team_id": "T404"}, "team_not_found"),
        ({"recipient_user_id": "U404"}, "user_not_found"),
        ({"channel": "C404"}, "channel_not_found"),
        ({"chunks": [{"type": "task_update", "id": "t"}]}, "invalid_chunks"),
        ({"chunks": [TASK | {"status": "done"}]}, "invalid_chunks"),
        ({"chunks": [{"type": "unknown"}]}, "invalid_chunks"),
        ({"chunks": [{"type": "markdown_text", "text": "x" * 12_001}]}, "invalid_chunks"),
        ({"chunks": [{"type": "blocks", "blocks": [DIVIDER] * 51}]}, "invalid_chunks"),
        ({"task_display_mode": "list"}, "invalid_arguments"),
    ],
)
async def test_what_a_stream_cannot_begin_with(
    client: SlackClient, question: Message, changed: Json, error: str
) -> None:
    """Recipients in channels, known places, good chunks."""
    with pytest.raises(SlackApiError, match=f"'error': '{error}'"):
        await client.chat_startStream(**streamed(question, **changed))


async def test_a_direct_message_needs_no_recipient(slack: FakeSlack, client: SlackClient) -> None:
    """The person is known; other places may take no streams at all."""
    anna = slack.workspace.user("anna")
    direct = slack.workspace.direct(anna)
    asked = slack.people.write(anna, direct, "hello")
    await client.chat_startStream(channel=direct.id, thread_ts=asked.ts, markdown_text="a")
    direct.takes_streams = False
    with pytest.raises(SlackApiError, match="channel_type_not_supported"):
        await client.chat_startStream(channel=direct.id, thread_ts=asked.ts, markdown_text="a")


@pytest.mark.parametrize(
    ("waits", "error"), [([25], None), ([31], "not_in_streaming"), ([25] * 13, "not_in_streaming")]
)
async def test_a_quiet_or_old_stream_dies(
    slack: FakeSlack, client: SlackClient, question: Message, waits: list[int], error: str | None
) -> None:
    """After 30 s without a word, or 5 min in all; then the message may be updated."""
    started = await client.chat_startStream(**streamed(question))
    place = {"channel": question.channel, "ts": started["ts"]}
    try:
        for seconds in waits:
            slack.clock.advance(seconds)
            await client.chat_appendStream(**place, chunks=[TASK])
    except SlackApiError as caught:
        assert error is not None
        assert error in str(caught)  # noqa: PT017
        await client.chat_update(**place, text="The answer.")
        assert slack.checks.one_answer(question).text == "The answer."
    else:
        assert error is None


async def test_an_open_stream_cannot_be_updated(
    slack: FakeSlack, client: SlackClient, question: Message
) -> None:
    """`streaming_state_conflict`, unless the knob says otherwise."""
    started = await client.chat_startStream(**streamed(question))
    place = {"channel": question.channel, "ts": started["ts"]}
    with pytest.raises(SlackApiError, match="streaming_state_conflict"):
        await client.chat_update(**place, text="now")
    slack.workspace.knobs.updates_open_streams = True
    await client.chat_update(**place, text="now")


async def test_at_most_50_blocks_by_chunks_and_50_at_the_end(
    slack: FakeSlack, client: SlackClient, question: Message
) -> None:
    """One more is refused, and the stream stays open."""
    full: Json = {"type": "blocks", "blocks": [DIVIDER] * 50}
    started = await client.chat_startStream(**streamed(question, chunks=[full]))
    place = {"channel": question.channel, "ts": started["ts"]}
    one: Json = {"type": "blocks", "blocks": [DIVIDER]}
    with pytest.raises(SlackApiError, match="msg_blocks_too_many"):
        await client.chat_appendStream(**place, chunks=[one])
    with pytest.raises(SlackApiError, match="msg_blocks_too_many"):
        await client.chat_stopStream(**place, blocks=[DIVIDER] * 51)
    await client.chat_stopStream(**place, blocks=[DIVIDER] * 50)
    assert len(slack.checks.one_answer(question).blocks) == 100
    with pytest.raises(SlackApiError, match="message_not_in_streaming_state"):
        await client.chat_stopStream(**place)


async def test_the_end_of_a_stream_makes_a_session_active_unless_it_says_otherwise(
    slack: FakeSlack, client: SlackClient, question: Message
) -> None:
    """A clarification that waits has to say `suspended` here, too."""
    session = {"channel_id": question.channel, "thread_ts": question.ts}
    await client.agents_sessions_setStatus(**session, status="suspended")
    for given, expected in (({}, "active"), ({"session_status": "suspended"}, "suspended")):
        started = await client.chat_startStream(**streamed(question))
        await client.chat_stopStream(channel=question.channel, ts=started["ts"], **given)
        found = slack.workspace.sessions[question.channel, question.ts]["status"]
        assert found == expected


async def test_text_and_chunks_do_not_mix(client: SlackClient, question: Message) -> None:
    """A stream keeps to what it began with."""
    started = await client.chat_startStream(**streamed(question))
    place = {"channel": question.channel, "ts": started["ts"]}
    with pytest.raises(SlackApiError, match="streaming_mode_mismatch"):
        await client.chat_appendStream(**place, markdown_text="text")
    with pytest.raises(SlackApiError, match="cannot_provide_both"):
        await client.chat_appendStream(**place, markdown_text="text", chunks=[TASK])


async def test_a_status_ends_with_a_message_or_after_two_minutes(
    slack: FakeSlack, client: SlackClient, question: Message
) -> None:
    """Or when it is set to nothing; with the knob it lingers."""
    place = {"channel_id": question.channel, "thread_ts": question.ts}
    post = {"channel": question.channel, "thread_ts": question.ts, "text": "a"}

    async def show() -> None:
        await client.assistant_threads_setStatus(**place, status="is checking…")
        with pytest.raises(AssertionError, match="is checking"):
            slack.checks.status_cleared(question)

    await show()
    await client.chat_postMessage(**post)
    slack.checks.status_cleared()
    await show()
    slack.clock.advance(121)
    slack.checks.status_cleared()
    slack.workspace.knobs.status_lingers = True
    await show()
    await client.chat_postMessage(**post)
    with pytest.raises(AssertionError):
        slack.checks.status_cleared()
    await client.assistant_threads_setStatus(**place, status="")
    slack.checks.status_cleared()


async def test_limits_of_statuses_prompts_titles_and_sessions(
    slack: FakeSlack, client: SlackClient
) -> None:
    """10 loading messages, 4 prompts, titles of 200 characters, four words for a session."""
    anna = slack.workspace.user("anna")
    direct = slack.workspace.direct(anna)
    asked = slack.people.write(anna, direct, "hello")
    place = {"channel_id": direct.id, "thread_ts": asked.ts}
    prompt = {"title": "a", "message": "b"}
    bad = (
        client.assistant_threads_setStatus(**place, status="a", loading_messages=["x"] * 11),
        client.assistant_threads_setSuggestedPrompts(channel_id=direct.id, prompts=[prompt] * 5),
        client.assistant_threads_setSuggestedPrompts(channel_id=direct.id, prompts=[{"title": ""}]),
        client.agents_sessions_setStatus(**place, status="active", title="x" * 201),
    )
    for call in bad:
        with pytest.raises(SlackApiError, match="invalid_arguments"):
            await call
    with pytest.raises(SlackApiError, match="invalid_status"):
        await client.agents_sessions_setStatus(**place, status="busy")
    with pytest.raises(SlackApiError, match="thread_ts_required"):
        await client.agents_sessions_setStatus(channel_id=direct.id, status="active")
    await client.assistant_threads_setStatus(**place, status="a", loading_messages=["x"] * 10)
    await client.assistant_threads_setSuggestedPrompts(channel_id=direct.id, prompts=[prompt] * 4)
    await client.assistant_threads_setTitle(**place, title="Gifts")
    first = await client.agents_sessions_setStatus(**place, status="processing", title="Gifts")
    assert "warning" not in first
    again = await client.agents_sessions_setStatus(**place, status="closed", title="Other")
    assert again["title"] == "Gifts"
    slack.workspace.app.events.discard("agent_session_stopped")
    warned = await client.agents_sessions_setStatus(**place, status="processing")
    assert warned["warning"] == "missing_agent_session_stopped_event_subscription"
    with pytest.raises(SlackApiError, match="invalid_thread_ts"):
        await client.assistant_threads_setStatus(
            channel_id=direct.id, thread_ts="1.000001", status="a"
        )
