"""Everything that the tenant knows: people, conversations, messages."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal
from uuid import NAMESPACE_DNS, uuid5

from tests.servers.slack.clock import Clock
from tests.servers.teams.wire import Json

HOME = "11111111-2222-4333-8444-555555555555"
OTHER = "99999999-2222-4333-8444-555555555555"
"""Another company's tenant."""
Kind = Literal["personal", "groupChat", "channel"]
StreamState = Literal["open", "done", "canceled", "expired"]


@dataclass(slots=True, kw_only=True)
class Person:
    """Somebody, as the roster tells of them."""

    id: str
    name: str
    aad: str
    tenant_id: str = HOME
    user_role: str | None = "user"
    """`user`, `guest`, `anonymous`; None: not told."""
    locale: str = "en-US"
    has_blocked_bot: bool = False

    def account(self) -> Json:
        """Return the sender of an activity."""
        return {"id": self.id, "name": self.name, "aadObjectId": self.aad}

    def member(self) -> Json:
        """Return the entry of a roster."""
        told: Json = {
            "id": self.id,
            "objectId": self.aad,
            "aadObjectId": self.aad,
            "name": self.name,
            "givenName": self.name,
            "surname": "Test",
            "email": f"{self.name}@example.com",
            "userPrincipalName": f"{self.name}@example.com",
            "tenantId": self.tenant_id,
        }
        return told | ({"userRole": self.user_role} if self.user_role else {})


@dataclass(slots=True, kw_only=True)
class Conversation:
    """A chat, a group chat, or a channel of a team."""

    id: str
    kind: Kind
    name: str
    members: list[Person] = field(default_factory=list[Person])
    team_id: str | None = None
    channel_type: str | None = None
    """`standard`, `private`, `shared`; None: Teams does not say, or it is no channel."""
    has_bot: bool = True
    refuses: tuple[int, str, str] | None = None
    """Status, code and message of every post; None: it takes them."""

    def described(self, tenant_id: str, root: str | None) -> Json:
        """Return the `conversation` of an activity."""
        told: Json = {"conversationType": self.kind, "tenantId": tenant_id}
        told["id"] = f"{self.id};messageid={root}" if root and self.kind == "channel" else self.id
        return told | ({} if self.kind == "personal" else {"isGroup": True})


@dataclass(slots=True, kw_only=True)
class Stream:
    """The streaming state of a message."""

    started_at: float
    sequence: int = 0
    text: str = ""
    """Of the last part that streamed; empty while it only informs."""
    informative: list[str] = field(default_factory=list[str])
    state: StreamState = "open"
    is_busy: bool = False
    """A request of it is being answered."""
    overlaps: int = 0
    """Requests that came before the last one was answered."""


@dataclass(slots=True, kw_only=True)
class Message:
    """One message, as it stands."""

    id: str
    conversation: str
    """Without the thread."""
    root: str | None
    """The thread in a channel; None elsewhere."""
    activity: Json
    by: str
    """Id of who wrote it."""
    only_for: str | None = None
    """Id of the one person who sees it."""
    deleted: bool = False
    stream: Stream | None = None
    history: list[Json] = field(default_factory=list[Json])
    """What it said before each change."""

    @property
    def text(self) -> str:
        """What it says."""
        return str(self.activity.get("text") or "")

    @property
    def cards(self) -> list[Json]:
        """The contents of its Adaptive Cards."""
        return [one["content"] for one in self.activity.get("attachments") or ()]

    def entity(self, kind: str) -> Json | None:
        """Return the first entity of a type."""
        found = [one for one in self.activity.get("entities") or () if one.get("type") == kind]
        return found[0] if found else None

    @property
    def citations(self) -> list[Json]:
        """The citations of its Message entity."""
        return (self.entity("https://schema.org/Message") or {}).get("citation") or []


class Tenant:
    """One company with our bot."""

    def __init__(self, clock: Clock):
        self.clock = clock
        self.id = HOME
        self.app_id = "aaaaaaaa-0000-4000-8000-000000000001"
        self.app_password = "".join(("bot", "-", "password"))
        self.requires_token = True
        """False: as in the Agents Playground."""
        self.people: dict[str, Person] = {}
        self.conversations: dict[str, Conversation] = {}
        self.messages: list[Message] = []
        self.typing: list[tuple[str, float]] = []
        """Where typing was shown, with its thread, and when."""
        self._numbers = count(1)
        self._last_id = 0

    @property
    def bot_id(self) -> str:
        """The id under which our bot writes."""
        return f"28:{self.app_id}"

    def new_id(self) -> str:
        """Return an id later than any before: milliseconds."""
        self._last_id = max(self._last_id + 1, int(self.clock.now() * 1000))
        return str(self._last_id)

    def person(self, name: str, **more: Any) -> Person:
        """Add a person; `more` are the fields of `Person`."""
        more.setdefault("aad", str(uuid5(NAMESPACE_DNS, name)))
        person = Person(id=f"29:1{name}-{next(self._numbers)}", name=name, **more)
        self.people[person.id] = person
        return person

    def personal(self, person: Person) -> Conversation:
        """Return the chat of a person with the bot; made at its first use."""
        for one in self.conversations.values():
            if one.kind == "personal" and one.members == [person]:
                return one
        return self._add(f"a:1{person.name}", "personal", person.name, [person])

    def group_chat(self, name: str, *members: Person, **more: Any) -> Conversation:
        """Add a chat of several."""
        return self._add(f"19:{name}@thread.v2", "groupChat", name, list(members), **more)

    def channel(self, name: str, *members: Person, **more: Any) -> Conversation:
        """Add a channel of a team with these members."""
        more.setdefault("team_id", f"19:team-{name}@thread.tacv2")
        return self._add(f"19:{name}@thread.tacv2", "channel", name, list(members), **more)

    def _add(
        self, conversation_id: str, kind: Kind, name: str, members: list[Person], **more: Any
    ) -> Conversation:
        one = Conversation(id=conversation_id, kind=kind, name=name, members=members, **more)
        self.conversations[conversation_id] = one
        return one

    def find(self, message_id: str, conversation: str) -> Message | None:
        """Return a message that stands."""
        for one in self.messages:
            if (one.id, one.conversation) == (message_id, conversation) and not one.deleted:
                return one
        return None

    def by_bot(self) -> list[Message]:
        """Return what the bot wrote and did not take back."""
        return [one for one in self.messages if one.by == self.bot_id and not one.deleted]
