"""Find the reply that a button belongs to, and say who may press it (platforms, 4.4).

Everything is looked up by id within the workspace of the request. What a callback says of channels
is only held against what is stored.
"""

from bot.actions.press_rules import Reading
from bot.slack.blocks.action_ids import target_of
from bot.slack.inbound.interaction import Interaction
from bot.slack.outbound.audience import PostingAudience, SlackAudience
from core.domain.case_rules import Account
from core.ports.shown import SharedCopy, ShownReplies, ShownReply

PLATFORM = "slack"


def account_of(interaction: Interaction) -> Account:
    """Return who did something, as our lists know them."""
    return Account(platform=PLATFORM, tenant=interaction.tenant, person=interaction.person)


class Lookup(Reading):
    """Finds replies, and checks who presses."""

    def __init__(self, shown: ShownReplies, audience: SlackAudience) -> None:
        """Take who knows the replies, and who knows the people."""
        super().__init__(shown, PostingAudience(audience))
        self._shown = shown

    async def reply(self, interaction: Interaction) -> ShownReply | None:
        """Return the reply of a button; None: there is none, or it stands elsewhere.

        Raises:
            ContractError: The value is none of ours.
        """
        found = await self.answer(target_of(interaction.value).id, interaction)
        if found is None or interaction.channel is None:
            return found
        is_direct = interaction.channel.startswith("D")
        is_there = interaction.channel in {found.place.channel, *found.shared_in}
        return found if is_direct or is_there else None

    async def shared_copy(self, answer_id: str, who: Account, *, channel: str) -> SharedCopy | None:
        """See `ShownReplies.shared_copy`."""
        return await self._shown.shared_copy(answer_id, who, channel=channel)

    async def answer(self, answer_id: str, interaction: Interaction) -> ShownReply | None:
        """Return the reply with an answer, wherever it stands in the workspace of the request."""
        return await self._shown.find(answer_id, platform=PLATFORM, tenant=interaction.tenant)
