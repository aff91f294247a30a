"""Events as the Events API words them, and the envelope around each."""

from typing import Any

from tests.servers.slack.people import User
from tests.servers.slack.posts import Message
from tests.servers.slack.wire import Json
from tests.servers.slack.workspace import Workspace

TYPE = {"channel": "channel", "group": "group", "im": "im", "mpim": "mpim"}
SUBSCRIPTION = {
    "channel": "message.channels",
    "group": "message.groups",
    "im": "message.im",
    "mpim": "message.mpim",
}


class Events:
    """Makes events; sends none."""

    def __init__(self, workspace: Workspace):
        self._workspace = workspace

    def envelope(self, event: Json, **more: Any) -> Json:
        """Put an event, with an id of its own, into its envelope."""
        workspace = self._workspace
        place = event.get("channel") or event.get("item", {}).get("channel")
        channel = workspace.channels.get(place) if isinstance(place, str) else None
        authorization: Json = {"team_id": workspace.team_id, "user_id": workspace.app.bot_user}
        authorization |= {"enterprise_id": workspace.enterprise_id, "is_bot": True}
        authorization["is_enterprise_install"] = workspace.knobs.is_org_install
        told: Json = {
            "token": "legacy",
            "team_id": workspace.team_id,
            "context_team_id": workspace.team_id,
            "context_enterprise_id": workspace.enterprise_id,
            "api_app_id": workspace.app.id,
            "event": event,
            "type": "event_callback",
            "event_id": f"Ev0{workspace.number()}",
            "event_time": int(workspace.clock.now()),
            "authorizations": [authorization],
            "is_ext_shared_channel": bool(channel and channel.is_ext_shared),
            "event_context": f"4-{workspace.number()}",
        }
        if workspace.enterprise_id:
            told["enterprise_id"] = workspace.enterprise_id
        return told | more

    def message(self, message: Message, **more: Any) -> Json:
        """`message.channels`, `.groups`, `.im`, `.mpim`."""
        told = self._said(message)
        told["channel_type"] = TYPE[self._workspace.channels[message.channel].kind]
        return told | more

    def app_mention(self, message: Message, **more: Any) -> Json:
        """The twin of a message that names the app: same `ts`, no `channel_type`."""
        told = self._said(message) | {"type": "app_mention"}
        return told | more

    def changed(self, message: Message, before: Json) -> Json:
        """`message_changed`: of an edit, but also of an unfurled link."""
        after = message.shown()
        told = self._about(message, "message_changed")
        return told | {"message": after, "previous_message": before}

    def gone(self, message: Message) -> Json:
        """`message_deleted`."""
        told = self._about(message, "message_deleted")
        return told | {"deleted_ts": message.ts, "previous_message": message.shown()}

    def joined(self, user: User, channel: str) -> Json:
        """`channel_join`: a message that nobody wrote."""
        ts = self._workspace.new_ts()
        text = f"<@{user.id}> has joined the channel"
        told = {"type": "message", "subtype": "channel_join", "user": user.id, "text": text}
        kind = self._workspace.channels[channel].kind
        return told | {"ts": ts, "event_ts": ts, "channel": channel, "channel_type": TYPE[kind]}

    def home_opened(self, user: User, tab: str) -> Json:
        """`app_home_opened` with `tab` `home` or `messages`."""
        told: Json = {"type": "app_home_opened", "user": user.id, "tab": tab}
        told |= {"channel": self._workspace.direct(user).id}
        workspace, home = self._workspace, self._workspace.homes.get(user.id)
        if tab == "home" and home:
            app = workspace.app
            told["view"] = home.shown(workspace.team_id, app.id, app.bot_id)
        return told | {"event_ts": workspace.new_ts()}

    def context_changed(self, user: User, context: Json) -> Json:
        """`app_context_changed`: what the person looks at, perhaps nothing."""
        channel = self._workspace.direct(user).id
        told: Json = {"type": "app_context_changed", "user": user.id, "channel": channel}
        return told | {"context": context, "event_ts": self._workspace.new_ts()}

    def thread_started(self, user: User, thread_ts: str, context: Json) -> Json:
        """`assistant_thread_started`, of older installations."""
        thread: Json = {"user_id": user.id, "channel_id": self._workspace.direct(user).id}
        thread |= {"thread_ts": thread_ts, "context": context}
        told: Json = {"type": "assistant_thread_started", "assistant_thread": thread}
        return told | {"event_ts": self._workspace.new_ts()}

    def thread_context_changed(self, user: User, thread_ts: str, context: Json) -> Json:
        """`assistant_thread_context_changed`, of older installations."""
        told = self.thread_started(user, thread_ts, context)
        return told | {"type": "assistant_thread_context_changed"}

    def session_stopped(self, user: User, channel: str, thread_ts: str, open_: list[str]) -> Json:
        """`agent_session_stopped`, with the streams that Slack ended."""
        told: Json = {"type": "agent_session_stopped", "channel": channel, "user": user.id}
        told |= {"thread_ts": thread_ts, "streaming_message_ts": open_}
        return told | {"event_ts": self._workspace.new_ts()}

    def tokens_revoked(self) -> Json:
        """`tokens_revoked`."""
        tokens = {"oauth": [], "bot": [self._workspace.app.bot_user]}
        return {"type": "tokens_revoked", "tokens": tokens}

    def uninstalled(self) -> Json:
        """`app_uninstalled`."""
        return {"type": "app_uninstalled"}

    def rate_limited(self) -> Json:
        """`app_rate_limited`: no event, but an envelope; more than 30,000 came in an hour."""
        told: Json = {"type": "app_rate_limited", "token": "legacy"}
        told |= {"team_id": self._workspace.team_id, "api_app_id": self._workspace.app.id}
        minute = int(self._workspace.clock.now()) // 60 * 60
        return told | {"minute_rate_limited": minute}

    def _about(self, message: Message, subtype: str) -> Json:
        ts = self._workspace.new_ts()
        kind = self._workspace.channels[message.channel].kind
        told: Json = {"type": "message", "subtype": subtype, "hidden": True, "ts": ts}
        return told | {"event_ts": ts, "channel": message.channel, "channel_type": TYPE[kind]}

    def _said(self, message: Message) -> Json:
        told = message.shown() | {"channel": message.channel, "event_ts": message.ts}
        if message.thread_ts:
            thread = self._workspace.thread(message.channel, message.thread_ts)
            told["parent_user_id"] = thread[0].user
        user = self._workspace.users.get(message.user)
        if user and not user.is_bot:
            told["client_msg_id"] = f"c-{message.ts}"
        if user and self._workspace.channels[message.channel].is_ext_shared:
            away = user.team_id != self._workspace.team_id
            told["user_team"] = user.enterprise_id if away and user.enterprise_id else user.team_id
            told["source_team"] = user.team_id
            told["user_profile"] = {"name": user.name, "real_name": user.name, "team": user.team_id}
        return told
