"""What people do: write, press, choose, install, leave."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.servers.slack.clock import Clock
from tests.servers.teams.sender import Delivery, Sender
from tests.servers.teams.tenant import Conversation, Message, Person, Tenant
from tests.servers.teams.wire import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of a person, and what became of it at the bot."""

    message: Message
    delivery: Delivery


class People:
    """Their deeds, each sent to the bot."""

    def __init__(self, tenant: Tenant, sender: Sender, clock: Clock):
        self._tenant = tenant
        self._sender = sender
        self._clock = clock
        self.service_url = ""
        self.bot_name = "Citebound"

    async def mention(
        self,
        person: Person,
        conversation: Conversation,
        text: str,
        *,
        thread: Message | None = None,
        **more: Any,
    ) -> Said:
        """Write to the bot by its name."""
        more.setdefault("entities", [self._mention()])
        named = f"{self._tag} {text}"
        return await self.say(person, conversation, named, thread=thread, **more)

    async def say(
        self,
        person: Person,
        conversation: Conversation,
        text: str,
        *,
        thread: Message | None = None,
        **more: Any,
    ) -> Said:
        """Write a message; `more` goes into its activity."""
        message = self._kept(person, conversation, text, thread)
        activity = self._said(message, person, conversation, more)
        return Said(message=message, delivery=await self._sender.send(activity))

    def written(self, person: Person, conversation: Conversation, text: str) -> Json:
        """Write to the bot, by its name where others read; return what is to be sent."""
        more: Json = {}
        if conversation.kind != "personal":
            text, more = f"{self._tag} {text}", {"entities": [self._mention()]}
        message = self._kept(person, conversation, text, None)
        return self._said(message, person, conversation, more)

    @property
    def _tag(self) -> str:
        return f"<at>{self.bot_name}</at>"

    def _mention(self) -> Json:
        bot: Json = {"id": self._tenant.bot_id, "name": self.bot_name}
        return {"type": "mention", "mentioned": bot, "text": self._tag}

    def _said(
        self, message: Message, person: Person, conversation: Conversation, more: Json
    ) -> Json:
        activity = self._activity("message", person, conversation, message.root)
        text = message.activity["text"]
        activity |= {"id": message.id, "text": text, "textFormat": "plain", **more}
        message.activity = activity
        return activity

    async def edit(self, said: Said, text: str) -> Delivery:
        """Change a message."""
        return await self._changed(said, "messageUpdate", "editMessage", text)

    async def delete(self, said: Said) -> Delivery:
        """Take a message back."""
        said.message.deleted = True
        return await self._changed(said, "messageDelete", "softDeleteMessage", None)

    async def submit(self, person: Person, card: Message, data: Json) -> Delivery:
        """Press an `Action.Submit`: it comes as a message with a value."""
        activity = self._about("message", person, card)
        return await self._sender.send(activity | {"value": data})

    async def invoke(self, person: Person, about: Message, name: str, value: Json) -> Delivery:
        """Press what awaits an answer: `task/fetch`, `adaptiveCard/action`, …"""
        activity = self._about("invoke", person, about)
        return await self._sender.send(activity | {"name": name, "value": value})

    async def execute(self, person: Person, card: Message, verb: str, data: Json) -> Delivery:
        """Press an `Action.Execute`; a card in the answer takes the place of the old one."""
        action: Json = {"type": "Action.Execute", "verb": verb, "data": data}
        told = await self.invoke(
            person, card, "adaptiveCard/action", {"action": action, "trigger": "manual"}
        )
        new = told.answer
        if new.get("type") == "application/vnd.microsoft.card.adaptive":
            shown: Json = {"contentType": new["type"], "content": new["value"]}
            card.history.append(card.activity)
            card.activity = card.activity | {"attachments": [shown]}
        return told

    async def rate(
        self, person: Person, answer: Message, reaction: str, *, comment: str = ""
    ) -> Delivery:
        """Press a thumb: `like` or `dislike`."""
        told = f'{{"feedbackText":"{comment}"}}'
        value: Json = {
            "actionName": "feedback",
            "actionValue": {"reaction": reaction, "feedback": told},
        }
        return await self.invoke(person, answer, "message/submitAction", value)

    async def install(self, person: Person, conversation: Conversation) -> Delivery:
        """Add the bot to a chat or a team."""
        conversation.has_bot = True
        activity = self._activity("installationUpdate", person, conversation, None)
        return await self._sender.send(activity | {"action": "add", "id": self._tenant.new_id()})

    async def uninstall(self, person: Person, conversation: Conversation) -> Delivery:
        """Take the bot away."""
        conversation.has_bot = False
        activity = self._activity("installationUpdate", person, conversation, None)
        return await self._sender.send(activity | {"action": "remove", "id": self._tenant.new_id()})

    async def join(self, person: Person, conversation: Conversation) -> Delivery:
        """Become a member."""
        conversation.members.append(person)
        activity = self._activity("conversationUpdate", person, conversation, None)
        told: Json = {"membersAdded": [person.account()], "id": self._tenant.new_id()}
        return await self._sender.send(activity | told)

    def cancel_stream(self, message: Message) -> None:
        """Press Stop while an answer streams: the bot hears of it at its next part."""
        assert message.stream is not None
        message.stream.state = "canceled"

    def _kept(
        self, person: Person, conversation: Conversation, text: str, thread: Message | None
    ) -> Message:
        message_id = self._tenant.new_id()
        root = (thread.root or thread.id) if thread else message_id
        message = Message(
            id=message_id,
            conversation=conversation.id,
            root=root if conversation.kind == "channel" else None,
            activity={"text": text},
            by=person.id,
        )
        self._tenant.messages.append(message)
        return message

    async def _changed(self, said: Said, kind: str, event: str, text: str | None) -> Delivery:
        person = self._tenant.people[said.message.by]
        activity: Json = self._about(kind, person, said.message)
        activity["id"] = said.message.id
        activity["channelData"] = {**activity["channelData"], "eventType": event}
        if text is not None:
            activity |= {"text": text, "entities": said.message.activity.get("entities", [])}
            said.message.history.append(said.message.activity)
            said.message.activity = said.message.activity | {"text": text}
        return await self._sender.send(activity)

    def _about(self, kind: str, person: Person, message: Message) -> Json:
        conversation = self._tenant.conversations[message.conversation]
        activity = self._activity(kind, person, conversation, message.root)
        return activity | {"id": f"f:{self._tenant.new_id()}", "replyToId": message.id}

    def _activity(
        self, kind: str, person: Person, conversation: Conversation, root: str | None
    ) -> Json:
        data: Json = {"tenant": {"id": self._tenant.id}}
        if conversation.team_id:
            channel: Json = {"id": conversation.id}
            channel |= {"type": conversation.channel_type} if conversation.channel_type else {}
            data |= {"team": {"id": conversation.team_id}, "channel": channel}
        now = datetime.fromtimestamp(self._clock.now(), UTC)
        return {
            "type": kind,
            "channelId": "msteams",
            "serviceUrl": self.service_url,
            "timestamp": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "from": person.account(),
            "recipient": {"id": self._tenant.bot_id, "name": self.bot_name},
            "conversation": conversation.described(self._tenant.id, root),
            "channelData": data,
            "locale": person.locale,
        }
