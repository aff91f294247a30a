"""Our app came into a conversation or left it, or its members changed.

An installation is told twice, by `installationUpdate` and by `conversationUpdate`: both are the
same, and so is the greeting that follows from them, which is kept once.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from bot.json_fields import Object, maybe_object
from bot.teams.protocol.conversations import NAME, Reference, location_of, reference_of, tenant_of
from bot.teams.protocol.identity import TeamsIdentity
from bot.teams.protocol.payload import maybe, objects
from core.domain.conversation import Place
from core.domain.message import InboundMessage, MessageKind

EVENTS = frozenset({"installationUpdate", "conversationUpdate"})
ADDED, REMOVED = frozenset({"add", "add-upgrade"}), frozenset({"remove", "remove-upgrade"})
_READERS = frozenset(
    {"channelShared", "channelUnshared", "channelMemberAdded", "channelMemberRemoved"}
)
"""Events of a channel after which others read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """We are in a conversation: its reference is to be kept, and it is greeted once."""

    reference: Reference
    """How to write there."""
    person: str
    """Who let us in; empty if nobody says."""
    is_outside: bool
    """True: somebody of another company, or nobody knows."""

    def greeting(self, since: datetime) -> InboundMessage:
        """Return what is to be kept so that the conversation is greeted.

        It is the same for all that tells of one installation: that is known `since` then.
        """
        conversation = self.reference.conversation
        is_direct = self.reference.scope == "personal"
        return InboundMessage(
            place=Place(
                platform=NAME,
                tenant=self.reference.tenant,
                channel=conversation,
                thread=conversation,
                mode="direct" if is_direct else "channel",
            ),
            dedupe_key=f"{NAME}:{conversation}:met:{since.isoformat()}",
            kind=MessageKind.HELP,
            person=self.person,
            sent_at=since,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Parted:
    """We were taken from a conversation or a team: what we hold of it is to be deleted."""

    tenant: str
    """Its tenant, lower case."""
    conversation: str
    """The conversation, without a thread; of a team, the channel that was told."""
    team: str | None = None
    """The team, with all its channels; None for a chat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """Others read a conversation now: what is remembered of its members is to be forgotten."""

    reference: Reference
    """How to write there."""


Meeting: TypeAlias = Met | Parted | Changed


def parse_met(activity: Object, identity: TeamsIdentity) -> Meeting | None:
    """Return what an event of an installation or of members means; None: nothing.

    Raises:
        ContractError: It lacks what Teams promises.
    """
    if activity.get("type") == "installationUpdate":
        action = maybe(activity, "action")
        if action in ADDED:
            return _met(activity, identity)
        return _parted(activity) if action in REMOVED else None
    added, removed = objects(activity, "membersAdded"), objects(activity, "membersRemoved")
    if any(identity.is_ours(one, activity) for one in removed):
        return _parted(activity)
    if any(identity.is_ours(one, activity) for one in added):
        return _met(activity, identity)
    event = maybe(maybe_object(activity, "channelData"), "eventType")
    if added or removed or event in _READERS:
        return Changed(reference=reference_of(activity, identity))
    return None


def _met(activity: Object, identity: TeamsIdentity) -> Met:
    sender = maybe_object(activity, "from")
    return Met(
        reference=reference_of(activity, identity),
        person="" if identity.is_bot(sender) else maybe(sender, "id"),
        is_outside=identity.is_outside(sender),
    )


def _parted(activity: Object) -> Parted:
    team = maybe_object(maybe_object(activity, "channelData"), "team")
    return Parted(
        tenant=tenant_of(activity),
        conversation=location_of(activity).channel,
        team=maybe(team, "id") or None,
    )
