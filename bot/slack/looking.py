"""Find the reply that a button belongs to, and say who may press it (platforms, 4.4).

Everything is looked up by id within the workspace of the request. What a callback says of channels
is only held against what is stored.
"""

from bot.slack.audience import SlackAudience
from bot.slack.interaction import Interaction
from bot.slack.names import target_of
from core.domain.delivery import Readers
from core.domain.policy import EVERYONE
from core.ports.shown import ShownReplies, ShownReply

PLATFORM = "slack"


class Lookup:
    """Finds replies, and checks who presses."""

    def __init__(self, shown: ShownReplies, audience: SlackAudience) -> None:
        """Take who knows the replies, and who knows the people."""
        self._shown = shown
        self._audience = audience

    async def reply(self, interaction: Interaction) -> ShownReply | None:
        """Return the reply of a button; None: there is none, or it stands elsewhere.

        Raises:
            ContractError: The value is none of ours.
        """
        found = await self._shown.find(
            target_of(interaction.value).id, platform=PLATFORM, tenant=interaction.tenant
        )
        if found is None or interaction.channel is None:
            return found
        is_direct = interaction.channel.startswith("D")
        return found if is_direct or interaction.channel == found.place.channel else None

    async def may_read(self, found: ShownReply, person: str) -> bool:
        """Say whether somebody may read what a reply rests on."""
        is_private = found.place.mode == "direct"
        if is_private and person != found.person:
            return False
        readers = await self._audience.readers(found.place, person, is_direct=True)
        if not isinstance(readers, Readers):
            return False
        given = frozenset[str]()
        if not is_private and await self._audience.is_member(found.place.channel, person):
            given = self._audience.scope_of(found.place.channel).audience
        return found.reply.groups <= readers.groups | given | {EVERYONE}
