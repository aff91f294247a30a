"""A Teams conversation: its ids in our words and in theirs, and how to write to it.

- A channel's thread is `19:…@thread.tacv2;messageid=<root>`: channel and thread of a `Place`.
- A chat, with one person or with several, has no threads: it is its own.
- A reference is our own JSON, never an object of the SDK. It is checked when it is stored and again
  when it is read: posting sends the bot's token to the address that it holds.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import quote

from bot.json_fields import Object, maybe_object, need_object
from bot.teams.protocol.identity import TeamsIdentity
from bot.teams.protocol.payload import maybe, need
from core.domain.conversation import ConversationReference, Place
from core.domain.errors import ContractError
from core.domain.json_value import Json

NAME = "teams"
"""See `Place.platform`."""
Scope: TypeAlias = Literal["personal", "groupChat", "channel"]
_SCOPES: dict[str, Scope] = {"personal": "personal", "groupChat": "groupChat", "channel": "channel"}
ROOT = ";messageid="
"""What stands before the thread in the id of a channel."""
_CARD = "case:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where an activity was written."""

    conversation: str
    """As Teams names it, with the thread."""
    channel: str
    """The same without the thread: where a new thread begins."""
    root: str
    """Of the thread in a channel: id of its first message; of a chat the chat itself."""
    scope: Scope
    """What kind of conversation it is."""
    tenant: str
    """Id of its tenant, lower case."""
    is_root: bool
    """True: it begins a thread of a channel."""

    @property
    def place(self) -> Place:
        """The same in our words."""
        is_direct = self.scope == "personal"
        in_thread = self.scope == "channel" and not self.is_root
        return Place(
            platform=NAME,
            tenant=self.tenant,
            channel=self.channel,
            thread=self.root,
            mode="direct" if is_direct else "thread" if in_thread else "channel",
        )


def location_of(activity: Object) -> Location:
    """Return where an activity was written.

    Raises:
        ContractError: It lacks what Teams promises.
    """
    conversation = need_object(activity, "conversation")
    held = need(conversation, "id")
    channel, _, root = held.partition(ROOT)
    if not channel:
        raise ContractError("expected the id of a conversation before its thread")
    scope = _scope(conversation, activity)
    own = maybe(activity, "id")
    root = root or maybe(activity, "replyToId") or own or channel
    if scope != "channel":
        root = channel
    return Location(
        conversation=held,
        channel=channel,
        root=root,
        scope=scope,
        tenant=tenant_of(activity),
        is_root=root == own,
    )


def _scope(conversation: Object, activity: Object) -> Scope:
    """Return the kind: as told; else by what is a team's, a group's, or nobody's."""
    told = _SCOPES.get(maybe(conversation, "conversationType"))
    if told is not None:
        return told
    if maybe_object(maybe_object(activity, "channelData"), "team"):
        return "channel"
    return "groupChat" if conversation.get("isGroup") is True else "personal"


def tenant_of(activity: Object) -> str:
    """Return the tenant of the conversation, lower case.

    Raises:
        ContractError: None is stated.
    """
    told = maybe(maybe_object(activity, "conversation"), "tenantId")
    return (told or need(tenant_stated(activity), "id")).lower()


def tenant_stated(activity: Object) -> Object:
    """Return what the channel's own data says of the tenant."""
    return maybe_object(maybe_object(activity, "channelData"), "tenant")


def conversation_of(place: Place) -> str:
    """Return the conversation in which a reply to a place goes, as Teams names it.

    The card of a case begins a thread of its own: see `Route.place`.
    """
    is_whole = place.thread == place.channel or place.thread.startswith(_CARD)
    return place.channel if is_whole else f"{place.channel}{ROOT}{place.thread}"


def scope_of(place: Place) -> Scope:
    """Return what kind of conversation a place is."""
    if place.mode == "direct":
        return "personal"
    return "groupChat" if place.thread == place.channel else "channel"


def permalink_of(place: Place) -> str | None:
    """Return a link to where something was asked; None for a chat, which has no such link."""
    if scope_of(place) != "channel":
        return None
    channel, thread = quote(place.channel, safe=""), quote(place.thread, safe="")
    tenant = quote(place.tenant, safe="")
    return f"https://teams.microsoft.com/l/message/{channel}/{thread}?tenantId={tenant}"


CHANNEL_ID = "msteams"
PRIVATE = "private"
"""The kind of a channel that only those of its team read who were added to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One conversation in which our bot is."""

    conversation: str
    """As Teams names it, without a thread."""
    scope: Scope
    """What kind of conversation it is."""
    service_url: str
    """Where its replies go; on the list of hosts."""
    tenant: str
    """Id of its tenant, lower case."""
    bot: str
    """Id of our bot there (`28:…`)."""
    person: str | None = None
    """Whose direct conversation it is (`29:…`); None for any other."""
    aad: str | None = None
    """Directory id of that person."""
    team: str | None = None
    """Id of the team whose channel it is."""
    kind: str | None = None
    """Of a channel: `standard`, `private`, `shared`, which never changes; None: Teams does not say,
    or it is no channel."""
    locale: str | None = None
    """What that person's client speaks (`en-GB`); None for a group, where each one's may differ."""

    @property
    def is_private(self) -> bool:
        """True: nobody reads it who was not let in by name.

        Anybody of the organisation may join a public team, and read its standard channels; whether
        a team is public, Teams tells no app. A shared channel is opened to whole teams.
        """
        return self.scope != "channel" or self.kind == PRIVATE

    def stored(self) -> ConversationReference:
        """Return it as it is kept; a kind that is not told leaves the one that was."""
        facts: dict[str, Json] = {
            "scope": self.scope,
            "service_url": self.service_url,
            "bot": self.bot,
            "aad": self.aad,
            "locale": self.locale,
            "channel_id": CHANNEL_ID,
        }
        if self.kind is not None:
            facts["kind"] = self.kind
        return ConversationReference(
            platform=NAME,
            tenant=self.tenant,
            conversation=self.conversation,
            person=self.person,
            team=self.team,
            facts=facts,
        )


def reference_of(activity: Object, identity: TeamsIdentity) -> Reference:
    """Return how to write to the conversation of an activity.

    Raises:
        ContractError: It lacks what Teams promises, or its service URL is not on the list.
    """
    location = location_of(activity)
    sender = maybe_object(activity, "from")
    is_personal = location.scope == "personal" and not identity.is_bot(sender)
    data = maybe_object(activity, "channelData")
    team, channel = maybe_object(data, "team"), maybe_object(data, "channel")
    return Reference(
        conversation=location.channel,
        scope=location.scope,
        service_url=identity.service_urls.need(need(activity, "serviceUrl")),
        tenant=location.tenant,
        bot=need(need_object(activity, "recipient"), "id"),
        person=maybe(sender, "id") or None if is_personal else None,
        aad=maybe(sender, "aadObjectId") or None if is_personal else None,
        team=maybe(team, "id") or None,
        kind=maybe(channel, "type").lower() or None if location.scope == "channel" else None,
        locale=maybe(activity, "locale") or None if is_personal else None,
    )


def read_reference(kept: ConversationReference, identity: TeamsIdentity) -> Reference:
    """Return a reference that was kept, checked anew.

    Raises:
        ContractError: Its address or its tenant is not on our lists, or it is none of ours.
    """
    scope = _SCOPES.get(maybe(kept.facts, "scope"))
    if kept.platform != NAME or scope is None or kept.facts.get("channel_id") != CHANNEL_ID:
        raise ContractError("expected a reference to a conversation in Teams")
    if not identity.has_tenant(kept.tenant):
        raise ContractError("expected a reference of a tenant that we serve")
    return Reference(
        conversation=kept.conversation,
        scope=scope,
        service_url=identity.service_urls.need(need(kept.facts, "service_url")),
        tenant=kept.tenant,
        bot=need(kept.facts, "bot"),
        person=kept.person,
        aad=maybe(kept.facts, "aad") or None,
        team=kept.team,
        kind=maybe(kept.facts, "kind") or None,
        locale=maybe(kept.facts, "locale") or None,
    )
