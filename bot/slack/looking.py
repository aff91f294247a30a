"""Find the reply that a button belongs to, and say who may press it (platforms, 4.4).

Everything is looked up by id within the workspace of the request. What a callback says of channels
is only held against what is stored.
"""

from bot.slack.audience import SlackAudience
from bot.slack.interaction import Interaction
from bot.slack.names import target_of
from core.domain.casework import Account
from core.domain.delivery import Readers
from core.domain.policy import EVERYONE, VersionId
from core.ports.shown import ShownReplies, ShownReply

PLATFORM = "slack"


def account_of(interaction: Interaction) -> Account:
    """Return who did something, as our lists know them."""
    return Account(platform=PLATFORM, tenant=interaction.tenant, person=interaction.person)


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
        found = await self.answer(target_of(interaction.value).id, interaction)
        if found is None or interaction.channel is None:
            return found
        is_direct = interaction.channel.startswith("D")
        is_there = interaction.channel in {found.place.channel, *found.shared_in}
        return found if is_direct or is_there else None

    async def answer(self, answer_id: str, interaction: Interaction) -> ShownReply | None:
        """Return the reply with an answer, wherever it stands in the workspace of the request."""
        return await self._shown.find(answer_id, platform=PLATFORM, tenant=interaction.tenant)

    async def may_read(self, found: ShownReply, person: str) -> bool:
        """Say whether somebody reads where a reply stands, and may read each policy it cites."""
        rooms = set(found.shared_in)
        if found.place.mode != "direct":
            rooms.add(found.place.channel)
        seen = [room for room in rooms if await self._audience.is_member(room, person)]
        if person != found.person and not seen:
            return False
        readers = await self._audience.readers(found.place, person, is_direct=True)
        if not isinstance(readers, Readers):
            return False
        given = (self._audience.scope_of(room).audience for room in seen)
        return await self.may_be_read(found, readers.groups.union(*given)) is not None

    async def may_be_read(self, found: ShownReply, groups: frozenset[str]) -> frozenset[str] | None:
        """Return which groups are needed to read each policy cited; None: these do not suffice."""
        answer = found.reply.answer
        cited = {one.span.version_id for one in answer.citations} if answer else set[VersionId]()
        audiences = await self._shown.audiences(cited)
        needed: set[str] = set()
        for version in cited:
            enough = audiences.get(version, frozenset()) & (groups | {EVERYONE})
            if not enough:
                return None
            needed.add(EVERYONE if EVERYONE in enough else min(enough))
        return frozenset(needed)
