"""chat.startStream, appendStream, stopStream: a message that grows.

A stream that was quiet for `QUIET_S`, or is `LIFE_S` old, is over without a word: the next call
answers `message_not_in_streaming_state`. Slack documents neither figure; both were seen.
"""

from tests.servers.slack.blocks import MARKDOWN, chunk_faults
from tests.servers.slack.methods.assistant import set_session
from tests.servers.slack.methods.call import Call
from tests.servers.slack.methods.content import named, read_blocks, read_metadata
from tests.servers.slack.posts import Message, Stream
from tests.servers.slack.wire import Json, RefusedError, objects

QUIET_S = 30.0
LIFE_S = 300.0
MOST_BLOCKS = 50
MODES = frozenset({"timeline", "plan", "dense"})


def start(call: Call) -> Json:
    """Open a stream; outside direct messages somebody must be named to receive it."""
    workspace, given = call.workspace, call.arguments
    channel = call.writable()
    if not channel.takes_streams:
        raise RefusedError("channel_type_not_supported")
    thread_ts = call.thread(channel)
    if thread_ts is None and channel.is_direct:
        raise RefusedError("invalid_arguments", "missing required field: thread_ts")
    if not channel.is_direct:
        _check_recipient(call)
    mode = given.text("task_display_mode", "timeline")
    if mode not in MODES:
        raise RefusedError("invalid_arguments", f"task_display_mode: {mode}")
    now = workspace.clock.now()
    message = Message(
        channel=channel.id,
        ts=workspace.new_ts(),
        user=workspace.app.bot_user,
        team=workspace.team_id,
        bot_id=workspace.app.bot_id,
        app_id=workspace.app.id,
        thread_ts=thread_ts,
        sent={"markdown_text": True},
        stream=Stream(
            mode="chunks" if "chunks" in given else "text",
            task_display_mode=mode,
            started_at=now,
            touched_at=now,
        ),
    )
    _grow(call, message)
    workspace.add(message)
    return {"ok": True, "channel": channel.id, "ts": message.ts}


def append(call: Call) -> Json:
    """Add to an open stream."""
    message = _open_stream(call)
    if not ("chunks" in call.arguments or "markdown_text" in call.arguments):
        raise RefusedError("no_text")
    _grow(call, message)
    return {"ok": True, "channel": message.channel, "ts": message.ts}


def stop(call: Call) -> Json:
    """End a stream; blocks given here come last, and a session is `active` unless said."""
    message = _open_stream(call)
    assert message.stream is not None
    if len(call.arguments.array("blocks") or ()) > MOST_BLOCKS:
        raise RefusedError("msg_blocks_too_many")
    blocks = read_blocks(call)
    metadata = read_metadata(call.arguments.raw("metadata"))
    _grow(call, message)
    message.stream.state = "stopped"
    message.blocks = [*message.blocks, *(blocks or [])]
    message.metadata = metadata or None
    workspace, given = call.workspace, call.arguments
    if "session_status" in given or (message.channel, message.root) in workspace.sessions:
        status = given.text("session_status", "active")
        set_session(call, message.channel, message.root, status, title="")
    if not workspace.knobs.status_lingers:
        workspace.statuses.pop((message.channel, message.root), None)
    answer: Json = {"ok": True, "channel": message.channel, "ts": message.ts}
    return answer | {"message": message.shown()}


def _check_recipient(call: Call) -> None:
    team, user = (call.arguments.text(f"recipient_{one}_id") for one in ("team", "user"))
    if not team:
        raise RefusedError("missing_recipient_team_id")
    if not user:
        raise RefusedError("missing_recipient_user_id")
    if team not in call.workspace.teams:
        raise RefusedError("team_not_found")
    if user not in call.workspace.users:
        raise RefusedError("user_not_found")


def _open_stream(call: Call) -> Message:
    channel = call.channel()
    message = call.workspace.find(channel.id, call.arguments.need("ts"))
    if message.app_id != call.workspace.app.id:
        raise RefusedError("message_not_owned_by_app")
    stream, now = message.stream, call.workspace.clock.now()
    if stream is None:
        raise RefusedError("message_not_in_streaming_state")
    settle(stream, now)
    if stream.state == "stopped_by_user":
        raise RefusedError("stopped_by_user")
    if stream.state != "open":
        raise RefusedError("message_not_in_streaming_state")
    stream.touched_at = now
    return message


def settle(stream: Stream, now: float) -> None:
    """End a stream that has been quiet, or open, for too long."""
    if stream.state != "open":
        return
    if now - stream.touched_at > QUIET_S or now - stream.started_at > LIFE_S:
        stream.state = "expired"


def _grow(call: Call, message: Message) -> None:
    given, stream = call.arguments, message.stream
    assert stream is not None
    text, chunks = given.text("markdown_text"), given.array("chunks", "invalid_chunks")
    if text and chunks:
        raise RefusedError("cannot_provide_both_markdown_text_and_chunks")
    if (text and stream.mode == "chunks") or (chunks and stream.mode == "text"):
        raise RefusedError("streaming_mode_mismatch")
    if len(text) > MARKDOWN:
        raise RefusedError("msg_too_long")
    message.text += text
    if chunks is not None:
        faults = chunk_faults(chunks)
        if faults:
            raise RefusedError("invalid_chunks", *faults, errors=faults)
        for chunk in objects(chunks):
            _take(call, message, stream, chunk)


def _take(call: Call, message: Message, stream: Stream, chunk: Json) -> None:
    stream.chunks.append(chunk)
    match chunk["type"]:
        case "markdown_text":
            message.text += chunk["text"]
        case "plan_update":
            stream.plan_title = chunk["title"]
        case "task_update":
            if chunk["id"] not in stream.tasks and len(stream.tasks) >= MOST_BLOCKS:
                raise RefusedError("invalid_chunks", "no more than 50 tasks")
            stream.tasks[chunk["id"]] = stream.tasks.get(chunk["id"], {}) | chunk
        case _:
            blocks = named(objects(chunk["blocks"]), call)
            stream.block_count += len(blocks)
            if stream.block_count > MOST_BLOCKS:
                raise RefusedError("msg_blocks_too_many")
            message.blocks = [*message.blocks, *blocks]
