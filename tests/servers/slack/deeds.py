"""What people do in the workspace, and the events that follow from it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.servers.slack.delivery import Delivery, Sender
from tests.servers.slack.events import SUBSCRIPTION, Events
from tests.servers.slack.people import User
from tests.servers.slack.places import Channel
from tests.servers.slack.posts import Message
from tests.servers.slack.wire import Json
from tests.servers.slack.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message and what was sent to the app because of it."""

    message: Message
    deliveries: tuple[Delivery, ...]

    @property
    def acknowledged(self) -> bool:
        """Everything that was sent was acknowledged."""
        return all(one.acknowledged for one in self.deliveries)


class Deeds:
    """Writes, changes and opens things in people's names."""

    def __init__(self, workspace: Workspace, events: Events, sender: Sender):
        self._workspace = workspace
        self._events = events
        self._sender = sender

    def write(
        self,
        user: User,
        channel: Channel,
        text: str,
        *,
        thread: Message | str | None = None,
        **more: Any,
    ) -> Message:
        """Put a message into the workspace and tell nobody; `more` are fields of `Message`."""
        root = thread.root if isinstance(thread, Message) else thread
        inner: list[Json] = [{"type": "text", "text": text}]
        section: Json = {"type": "rich_text_section", "elements": inner}
        block: Json = {"type": "rich_text", "block_id": "b0", "elements": [section]}
        fields: Json = {"blocks": [block]} | more
        message = Message(
            channel=channel.id,
            ts=self._workspace.new_ts(),
            user=user.id,
            team=user.team_id,
            text=text,
            thread_ts=root,
            **fields,
        )
        return self._workspace.add(message)

    async def say(
        self,
        user: User,
        channel: Channel,
        text: str,
        *,
        thread: Message | str | None = None,
        retries: int = 3,
        **more: Any,
    ) -> Said:
        """Write a message, and send the events that the app has subscribed to.

        A message that names the app comes twice: `app_mention` and `message.*`, two event ids,
        one `ts`, at the same time.
        """
        message = self.write(user, channel, text, thread=thread, **more)
        return await self.announce(message, retries=retries)

    async def mention(
        self,
        user: User,
        channel: Channel,
        text: str,
        *,
        thread: Message | str | None = None,
        retries: int = 3,
    ) -> Said:
        """Say something to the app by its name."""
        named = f"<@{self._workspace.app.bot_user}> {text}"
        return await self.say(user, channel, named, thread=thread, retries=retries)

    async def ask(self, user: User, text: str, *, thread: Message | str | None = None) -> Said:
        """Say something in the direct message with the app."""
        return await self.say(user, self._workspace.direct(user), text, thread=thread)

    async def announce(self, message: Message, *, retries: int = 3) -> Said:
        """Send the events of a message that stands already."""
        events = self.events_of(message)
        return Said(message=message, deliveries=await self.deliver(*events, retries=retries))

    def events_of(self, message: Message) -> list[Json]:
        """Return the events that the app would get of a message."""
        workspace, channel = self._workspace, self._workspace.channels[message.channel]
        if workspace.app.bot_user not in channel.members:
            return []
        events: list[Json] = []
        named = f"<@{workspace.app.bot_user}>" in message.text and channel.kind != "im"
        named = named and (channel.kind != "mpim" or workspace.knobs.names_app_in_mpim)
        if named and "app_mention" in workspace.app.events:
            events.append(self._events.app_mention(message))
        if SUBSCRIPTION[channel.kind] in workspace.app.events:
            events.append(self._events.message(message))
        return events

    async def deliver(self, *events: Json, retries: int = 3) -> tuple[Delivery, ...]:
        """Send events at the same time, each in an envelope of its own."""
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(
                    self._sender.deliver(self._events.envelope(event), retries=retries)
                )
                for event in events
            ]
        return tuple(task.result() for task in tasks)

    async def edit(self, message: Message, text: str) -> Said:
        """Change what a message says."""
        before = message.shown()
        message.history.append(before)
        message.text = text
        message.edited = {"user": message.user, "ts": self._workspace.new_ts()}
        return await self._tell(message, self._events.changed(message, before))

    async def unfurl(self, message: Message) -> Said:
        """Let Slack show what is behind a link: `message_changed` although nobody edited."""
        before = message.shown()
        message.attachments = [{"from_url": "https://example.com/", "fallback": "a page"}]
        return await self._tell(message, self._events.changed(message, before))

    async def delete(self, message: Message) -> Said:
        """Delete a message."""
        event = self._events.gone(message)
        message.deleted = True
        return await self._tell(message, event)

    async def join(self, user: User, channel: Channel) -> tuple[Delivery, ...]:
        """Join a channel."""
        channel.members.append(user.id)
        return await self.deliver(self._events.joined(user, channel.id))

    async def echo(self, message: Message) -> Said:
        """Send the app a message of its own, as Slack does in channels."""
        return await self._tell(message, self._events.message(message))

    async def echo_of(self, method: str, channel: str, ts: str) -> None:
        """Send the app what it has just done itself, where `knobs.echoes` says so."""
        message = self._workspace.peek(channel, ts)
        place = self._workspace.channels.get(channel)
        if not self._workspace.knobs.echoes or message is None or place is None:
            return
        if SUBSCRIPTION[place.kind] not in self._workspace.app.events:
            return
        before = message.history[-1] if message.history else message.shown()
        events: dict[str, Callable[[], Json]] = {
            "chat.postMessage": lambda: self._events.message(message),
            "chat.startStream": lambda: self._events.message(message),
            "chat.update": lambda: self._events.changed(message, before),
            "chat.stopStream": lambda: self._events.changed(message, before),
            "chat.delete": lambda: self._events.gone(message),
        }
        if method in events:
            await self.deliver(events[method](), retries=0)

    async def bot_says(
        self, channel: Channel, text: str, *, thread: Message | None = None, **more: Any
    ) -> Said:
        """Let another app or a workflow say something."""
        given: Json = {"bot_id": "B0OTHER", "app_id": "A0OTHER", "subtype": "bot_message"} | more
        other = User(id="U0OTHERBOT", name="other", team_id=self._workspace.team_id, is_bot=True)
        return await self.say(other, channel, text, thread=thread, **given)

    async def open_home(self, user: User, *, tab: str = "home") -> tuple[Delivery, ...]:
        """Open the app: its Home, or its Messages tab."""
        return await self.deliver(self._events.home_opened(user, tab))

    async def look_at(self, user: User, channel: Channel | None) -> tuple[Delivery, ...]:
        """Look at a channel beside the agent, or at nothing."""
        context: Json = {}
        if channel:
            entity: Json = {"type": "slack#/types/channel_id", "value": channel.id}
            entity["team_id"] = self._workspace.team_id
            context = {"entities": [entity]}
        return await self.deliver(self._events.context_changed(user, context))

    async def start_thread(self, user: User, context: Json | None = None) -> Said:
        """Open a thread with the assistant of an older installation: its root is the app's."""
        channel = self._workspace.direct(user)
        bot = self._workspace.users[self._workspace.app.bot_user]
        app = {"bot_id": self._workspace.app.bot_id, "app_id": self._workspace.app.id}
        root = self.write(bot, channel, "New Assistant Thread", **app)
        event = self._events.thread_started(user, root.ts, context or {})
        return Said(message=root, deliveries=await self.deliver(event))

    async def stop(self, user: User, message: Message) -> tuple[Delivery, ...]:
        """Press Stop in a message's thread. Slack ends the open streams; the session stays."""
        streams = [
            one for one in self._workspace.thread(message.channel, message.root) if one.is_streaming
        ]
        for one in streams:
            assert one.stream is not None
            one.stream.state = "stopped_by_user"
        if "agent_session_stopped" not in self._workspace.app.events:
            return ()
        open_ = [one.ts for one in streams]
        event = self._events.session_stopped(user, message.channel, message.root, open_)
        return await self.deliver(event)

    async def uninstall(self) -> tuple[Delivery, ...]:
        """Take the app away: `tokens_revoked` and `app_uninstalled`, in no order."""
        self._workspace.uninstall()
        return await self.deliver(self._events.tokens_revoked(), self._events.uninstalled())

    async def _tell(self, message: Message, event: Json) -> Said:
        return Said(message=message, deliveries=await self.deliver(event))
