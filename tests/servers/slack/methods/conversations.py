"""conversations.* and users.*: who is where, and what was said."""

from tests.servers.slack.methods.call import Call
from tests.servers.slack.places import SCOPE_OF, TYPE_OF
from tests.servers.slack.posts import Message
from tests.servers.slack.wire import Json, RefusedError


def info(call: Call) -> Json:
    """Return what a place is."""
    channel = call.readable("read")
    told = channel.info(
        bot_id=call.workspace.app.bot_user,
        team_id=call.workspace.team_id,
        with_count=call.arguments.flag("include_num_members"),
    )
    return {"ok": True, "channel": told}


def members(call: Call) -> Json:
    """Return who is in a place, page by page."""
    channel = call.readable("read")
    found: list[Json] = [{"id": one} for one in channel.members]
    page, cursor = call.page(found, most=999, default=100)
    metadata = {"next_cursor": cursor}
    return {"ok": True, "members": [one["id"] for one in page], "response_metadata": metadata}


def replies(call: Call) -> Json:
    """Return a thread, its root first; any message of it names it."""
    channel = call.readable("history")
    ts = call.arguments.need("ts")
    named = call.workspace.peek(channel.id, ts)
    found = call.workspace.thread(channel.id, named.root) if named else []
    if not found:
        raise RefusedError("thread_not_found")
    return _messages(call, found, default=1000)


def history(call: Call) -> Json:
    """Return what stands in a place outside threads, the latest first."""
    channel = call.readable("history")
    return _messages(call, call.workspace.tops(channel.id), default=100)


def _messages(call: Call, found: list[Message], *, default: int) -> Json:
    given = call.arguments
    oldest, latest = given.text("oldest", "0"), given.text("latest", "9999999999")
    inclusive = given.flag("inclusive")
    with_metadata = given.flag("include_all_metadata")
    shown: list[Json] = []
    for message in found:
        at, first, last = float(message.ts), float(oldest), float(latest)
        if first < at < last or (inclusive and at in {first, last}):
            shown.append(_shown(call, message, with_metadata=with_metadata))
    page, cursor = call.page(shown, most=1000, default=default)
    answer: Json = {"ok": True, "messages": page, "has_more": bool(cursor)}
    return answer | {"response_metadata": {"next_cursor": cursor}}


def _shown(call: Call, message: Message, *, with_metadata: bool) -> Json:
    told = message.shown()
    replies = call.workspace.thread(message.channel, message.ts)[1:]
    if replies:
        told |= {"reply_count": len(replies), "latest_reply": replies[-1].ts}
        told |= {"thread_ts": message.ts, "reply_users": sorted({one.user for one in replies})}
    elif message.thread_ts and message.thread_ts != message.ts:
        root = call.workspace.peek(message.channel, message.thread_ts)
        told["parent_user_id"] = root.user if root else ""
    if message.metadata and with_metadata:
        told["metadata"] = message.metadata
    return told


def open_(call: Call) -> Json:
    """Open a direct message, or one of a group."""
    workspace = call.workspace
    if "channel" in call.arguments:
        return {"ok": True, "channel": {"id": call.channel().id}}
    ids = [one for one in call.arguments.text("users").split(",") if one]
    if not ids:
        raise RefusedError("users_list_not_supplied")
    if any(one not in workspace.users for one in ids):
        raise RefusedError("user_not_found")
    call.need_scope("im:write" if len(ids) == 1 else "mpim:write")
    people = [workspace.users[one] for one in ids]
    if any(one.is_bot for one in people):
        raise RefusedError("cannot_dm_bot")
    if len(people) == 1:
        return {"ok": True, "channel": {"id": workspace.direct(people[0]).id}}
    name = f"mpdm-{'-'.join(sorted(one.name for one in people))}"
    found = next((c for c in workspace.channels.values() if c.name == name), None)
    channel = found or workspace.channel(name, *people, kind="mpim")
    return {"ok": True, "channel": {"id": channel.id}}


def user_info(call: Call) -> Json:
    """Return who somebody is."""
    user = call.workspace.users.get(call.arguments.need("user"))
    if user is None:
        raise RefusedError("user_not_found")
    return {"ok": True, "user": user.info(with_locale=call.arguments.flag("include_locale"))}


def user_list(call: Call) -> Json:
    """Return everybody of the workspace, page by page; people of other companies are not in it."""
    here = [one for one in call.workspace.users.values() if not one.is_stranger]
    if call.workspace.knobs.is_org_install:
        team = call.arguments.text("team_id")
        if not team:
            raise RefusedError("missing_argument", "team_id")
        here = [one for one in here if one.team_id == team]
    ids: list[Json] = [{"id": one.id} for one in here]
    page, cursor = call.page(ids, most=1000, default=100)
    told = [call.workspace.users[one["id"]].info() for one in page]
    return {"ok": True, "members": told, "response_metadata": {"next_cursor": cursor}}


def bot_info(call: Call) -> Json:
    """Return which app a bot belongs to."""
    app = call.workspace.app
    if call.arguments.text("bot") != app.bot_id:
        raise RefusedError("bot_not_found")
    told: Json = {"id": app.bot_id, "app_id": app.id, "user_id": app.bot_user, "deleted": False}
    return {"ok": True, "bot": told | {"name": "citebound"}}


def user_conversations(call: Call) -> Json:
    """Return where somebody, or else the app, is."""
    workspace, given = call.workspace, call.arguments
    if workspace.knobs.is_org_install and not given.text("team_id"):
        raise RefusedError("missing_argument", "team_id")
    user = given.text("user") or workspace.app.bot_user
    kinds = (given.text("types") or "public_channel").replace(" ", "").split(",")
    found: list[Json] = []
    for channel in workspace.channels.values():
        if TYPE_OF[channel.kind] not in kinds or user not in channel.members:
            continue
        call.need_scope(f"{SCOPE_OF[channel.kind]}:read")
        seen = workspace.app.bot_user in channel.members or channel.kind == "channel"
        if seen and not (channel.is_archived and given.flag("exclude_archived")):
            found.append(channel.info(bot_id=workspace.app.bot_user, team_id=workspace.team_id))
    page, cursor = call.page(found, most=999, default=100)
    return {"ok": True, "channels": page, "response_metadata": {"next_cursor": cursor}}
