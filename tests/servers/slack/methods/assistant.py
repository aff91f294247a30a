"""assistant.threads.* and agents.sessions.*: status, prompts, titles, sessions."""

from tests.servers.slack.methods.call import Call
from tests.servers.slack.places import Channel
from tests.servers.slack.wire import Json, RefusedError, objects
from tests.servers.slack.workspace import Status

SESSION = frozenset({"active", "processing", "suspended", "closed"})
MOST_PROMPTS = 4
MOST_LOADING_MESSAGES = 10
TITLE = 200


def set_status(call: Call) -> Json:
    """Show a status in a thread, or with `""` take it away."""
    channel, thread_ts = _thread(call)
    given = call.arguments
    if "status" not in given:
        raise RefusedError("invalid_arguments", "missing required field: status")
    loading = given.array("loading_messages") or []
    if len(loading) > MOST_LOADING_MESSAGES:
        raise RefusedError("invalid_arguments", "no more than 10 loading_messages")
    place = (channel.id, thread_ts)
    call.workspace.statuses.pop(place, None)
    if given.text("status"):
        call.workspace.statuses[place] = Status(
            text=given.text("status"),
            loading_messages=[str(one) for one in loading],
            set_at=call.workspace.clock.now(),
        )
    return {"ok": True}


def set_suggested_prompts(call: Call) -> Json:
    """Offer up to four prompts, in a thread or in the whole direct message."""
    channel = call.writable("channel_id")
    given = call.arguments
    prompts = given.array("prompts")
    if not prompts or len(prompts) > MOST_PROMPTS:
        raise RefusedError("invalid_arguments", "prompts: 1 to 4")
    for prompt in objects(prompts):
        if not (prompt.get("title") and prompt.get("message")) or len(prompt) != 2:
            raise RefusedError("invalid_arguments", "a prompt has a title and a message")
    if not channel.is_direct:
        raise RefusedError("channel_not_found")
    if not given.text("thread_ts") and not call.workspace.app.is_agent:
        raise RefusedError("missing_thread_ts")
    told: Json = {"title": given.text("title"), "prompts": prompts}
    call.workspace.prompts[channel.id, given.text("thread_ts") or None] = told
    return {"ok": True}


def set_title(call: Call) -> Json:
    """Name a thread of the direct message."""
    channel, thread_ts = _thread(call)
    if not channel.is_direct:
        raise RefusedError("channel_type_not_supported")
    call.workspace.titles[channel.id, thread_ts] = call.arguments.need("title")
    return {"ok": True}


def session_status(call: Call) -> Json:
    """Set the status of a session; the first call makes it, and alone can name it."""
    if not call.arguments.text("thread_ts"):
        raise RefusedError("thread_ts_required")
    channel, thread_ts = _thread(call)
    if not call.workspace.app.is_agent:
        raise RefusedError("feature_disabled")
    status, title = call.arguments.need("status"), call.arguments.text("title")
    session = set_session(call, channel.id, thread_ts, status, title=title)
    answer: Json = {"ok": True, "status": status, "agent_status": status}
    answer["title"] = session["title"]
    if status == "processing" and "agent_session_stopped" not in call.workspace.app.events:
        answer["warning"] = "missing_agent_session_stopped_event_subscription"
    return answer


def set_session(call: Call, channel: str, thread_ts: str, status: str, *, title: str) -> Json:
    """Keep the status of a session, here or at the end of a stream."""
    if status not in SESSION:
        raise RefusedError("invalid_status")
    if len(title) > TITLE:
        raise RefusedError("invalid_arguments", "title: no more than 200 characters")
    session = call.workspace.sessions.setdefault(
        (channel, thread_ts), {"title": title, "statuses": []}
    )
    session["status"] = status
    session["statuses"].append(status)
    return session


def _thread(call: Call) -> tuple[Channel, str]:
    channel = call.writable("channel_id")
    call.arguments.need("thread_ts")
    thread_ts = call.thread(channel)
    if thread_ts is None:
        raise RefusedError("invalid_thread_ts")
    return channel, thread_ts
