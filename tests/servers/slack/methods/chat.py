"""chat.*: messages that stand, change, and go."""

from tests.servers.slack.methods.call import Call
from tests.servers.slack.methods.content import read_content
from tests.servers.slack.methods.streams import settle
from tests.servers.slack.places import Channel
from tests.servers.slack.posts import Ephemeral, Message
from tests.servers.slack.wire import Json, RefusedError

POST_TEXT = 40_000
UPDATE_TEXT = 4_000


def post_message(call: Call) -> Json:
    """Post. A person's id instead of a channel's is the direct message with that person."""
    workspace = call.workspace
    target = call.arguments.text("channel")
    if target in workspace.users:
        call.arguments.given["channel"] = workspace.direct(workspace.users[target]).id
    channel = call.writable()
    content = read_content(call, longest=POST_TEXT)
    thread_ts = call.thread(channel)
    message = Message(
        channel=channel.id,
        ts=workspace.new_ts(),
        user=workspace.app.bot_user,
        team=workspace.team_id,
        bot_id=workspace.app.bot_id,
        app_id=workspace.app.id,
        thread_ts=thread_ts,
        text=content.text or "",
        blocks=content.blocks or [],
        attachments=content.attachments or [],
        metadata=content.metadata,
        sent=content.sent,
    )
    workspace.add(message)
    return {"ok": True, "channel": channel.id, "ts": message.ts, "message": message.shown()}


def update(call: Call) -> Json:
    """Change a message of ours.

    Text without blocks takes the blocks away; `parse` falls back to `client`; metadata that is
    not named stays, `{}` removes it. A change by blocks does not show as edited.
    """
    channel = call.channel()
    message = call.workspace.find(channel.id, call.arguments.need("ts"))
    if message.app_id != call.workspace.app.id:
        raise RefusedError("cant_update_message")
    if channel.is_archived:
        raise RefusedError("is_inactive")
    if message.stream:
        settle(message.stream, call.workspace.clock.now())
    if message.is_streaming and not call.workspace.knobs.updates_open_streams:
        raise RefusedError("streaming_state_conflict")
    content = read_content(call, longest=UPDATE_TEXT)
    message.history.append(message.shown())
    if content.text is not None:
        message.text = content.text
    if content.blocks is not None or content.text is not None:
        message.blocks = content.blocks or []
    if content.attachments is not None:
        message.attachments = content.attachments
    if content.metadata is not None:
        message.metadata = content.metadata or None
    if not content.blocks:
        edited_at = call.workspace.new_ts()
        message.edited = {"user": call.workspace.app.bot_user, "ts": edited_at}
    message.sent = message.sent | {"parse": "client", "link_names": False} | content.sent
    answer: Json = {"ok": True, "channel": channel.id, "ts": message.ts, "text": message.text}
    return answer | {"message": message.shown()}


def delete(call: Call) -> Json:
    """Delete a message of ours."""
    channel = call.channel()
    message = call.workspace.find(channel.id, call.arguments.need("ts"))
    if message.app_id != call.workspace.app.id:
        raise RefusedError("cant_delete_message")
    message.deleted = True
    return {"ok": True, "channel": channel.id, "ts": message.ts}


def post_ephemeral(call: Call) -> Json:
    """Show something to one person."""
    channel = call.writable()
    user = call.arguments.need("user")
    if user not in call.workspace.users:
        raise RefusedError("user_not_found")
    if user not in channel.members:
        raise RefusedError("user_not_in_channel")
    content = read_content(call, longest=POST_TEXT)
    shown = Ephemeral(
        channel=channel.id,
        ts=call.workspace.new_ts(),
        user=user,
        text=content.text or "",
        thread_ts=call.thread(channel),
        blocks=content.blocks or [],
        attachments=content.attachments or [],
        sent=content.sent,
    )
    call.workspace.show(shown)
    return {"ok": True, "message_ts": shown.ts}


def get_permalink(call: Call) -> Json:
    """Return the address of a message."""
    channel = call.channel()
    message = call.workspace.find(channel.id, call.arguments.need("message_ts"))
    return {"ok": True, "channel": channel.id, "permalink": permalink(call, channel, message)}


def permalink(call: Call, channel: Channel, message: Message) -> str:
    """Return the address under which clients open a message."""
    url = f"https://{call.workspace.domain}.slack.com/archives/{channel.id}/"
    url += "p" + message.ts.replace(".", "")
    if message.thread_ts:
        url += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return url
