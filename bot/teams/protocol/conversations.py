"""Where a Teams conversation takes place, in our words and in theirs.

- A channel's thread is `19:…@thread.tacv2;messageid=<root>`: channel and thread of a `Place`.
- A chat, with one person or with several, has no threads: it is its own.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.json_fields import Object, maybe_object, need_object
from bot.teams.protocol.payload import maybe, need
from core.domain.errors import ContractError
from core.domain.place import Place

NAME = "teams"
"""See `Place.platform`."""
Scope: TypeAlias = Literal["personal", "groupChat", "channel"]
_SCOPES: dict[str, Scope] = {"personal": "personal", "groupChat": "groupChat", "channel": "channel"}
ROOT = ";messageid="
"""What stands before the thread in the id of a channel."""
_CARD = "case:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
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


def spot_of(activity: Object) -> Spot:
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
    return Spot(
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
