"""How to write to a Teams conversation: our own JSON, never an object of the SDK.

Checked when it is stored and again when it is read: posting sends the bot's token to the address
that it holds.
"""

from dataclasses import dataclass

from bot.json_fields import Object, maybe_object, need_object
from bot.teams.protocol.conversations import NAME, Scope, spot_of
from bot.teams.protocol.identity import Home
from bot.teams.protocol.payload import maybe, need
from core.domain.errors import ContractError
from core.domain.reference import ConversationReference
from core.domain.run import Json

CHANNEL_ID = "msteams"
PRIVATE = "private"
"""The kind of a channel that only those of its team read who were added to it."""
_SCOPES: dict[str, Scope] = {"personal": "personal", "groupChat": "groupChat", "channel": "channel"}


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


def reference_of(activity: Object, home: Home) -> Reference:
    """Return how to write to the conversation of an activity.

    Raises:
        ContractError: It lacks what Teams promises, or its service URL is not on the list.
    """
    spot = spot_of(activity)
    sender = maybe_object(activity, "from")
    is_personal = spot.scope == "personal" and not home.is_bot(sender)
    data = maybe_object(activity, "channelData")
    team, channel = maybe_object(data, "team"), maybe_object(data, "channel")
    return Reference(
        conversation=spot.channel,
        scope=spot.scope,
        service_url=home.service_urls.need(need(activity, "serviceUrl")),
        tenant=spot.tenant,
        bot=need(need_object(activity, "recipient"), "id"),
        person=maybe(sender, "id") or None if is_personal else None,
        aad=maybe(sender, "aadObjectId") or None if is_personal else None,
        team=maybe(team, "id") or None,
        kind=maybe(channel, "type").lower() or None if spot.scope == "channel" else None,
        locale=maybe(activity, "locale") or None if is_personal else None,
    )


def read_reference(kept: ConversationReference, home: Home) -> Reference:
    """Return a reference that was kept, checked anew.

    Raises:
        ContractError: Its address or its tenant is not on our lists, or it is none of ours.
    """
    scope = _SCOPES.get(maybe(kept.facts, "scope"))
    if kept.platform != NAME or scope is None or kept.facts.get("channel_id") != CHANNEL_ID:
        raise ContractError("expected a reference to a conversation in Teams")
    if not home.has_tenant(kept.tenant):
        raise ContractError("expected a reference of a tenant that we serve")
    return Reference(
        conversation=kept.conversation,
        scope=scope,
        service_url=home.service_urls.need(need(kept.facts, "service_url")),
        tenant=kept.tenant,
        bot=need(kept.facts, "bot"),
        person=kept.person,
        aad=maybe(kept.facts, "aad") or None,
        team=kept.team,
        kind=maybe(kept.facts, "kind") or None,
        locale=maybe(kept.facts, "locale") or None,
    )
