"""Find the reply that a button belongs to, and say who pressed it (platforms, 4.4).

Everything is looked up by id within the tenant of the request.
"""

from bot.actions.press_rules import Reading
from bot.teams.connector.roster import Rosters
from bot.teams.outbound.audience import TeamsAudience
from bot.teams.protocol.action_ids import target_of
from bot.teams.protocol.conversation_ids import NAME
from bot.teams.protocol.interaction import Interaction
from core.domain.case_rules import Account
from core.domain.delivery import NoReaders, Readers
from core.domain.officers import Officers
from core.domain.place import Place
from core.ports.shown import ShownReplies, ShownReply


def asker_of(interaction: Interaction) -> Account:
    """Return who did something, as askers are known: by Teams' own id."""
    return Account(platform=NAME, tenant=interaction.spot.tenant, person=interaction.person)


def account_of(interaction: Interaction, officers: Officers) -> Account:
    """Return who did something, as our list knows them: officers by the directory's id, too."""
    own = asker_of(interaction)
    if not interaction.aad or officers.find(own) is not None:
        return own
    named = Account(platform=NAME, tenant=own.tenant, person=interaction.aad.lower())
    return own if officers.find(named) is None else named


def officers_in(place: Place, rosters: Rosters, officers: Officers) -> tuple[str, ...]:
    """Return Teams' own ids of officers in a conversation, as its list was last read."""

    def is_officer(person: str) -> bool:
        account = Account(platform=NAME, tenant=place.tenant, person=person)
        return bool(person) and officers.find(account) is not None

    known = rosters.known(place)
    return tuple(one.id for one in known if is_officer(one.id) or is_officer(one.aad))


class _Rooms:
    """See `bot.actions.press_rules.Rooms`: the audience, within one tenant."""

    def __init__(self, audience: TeamsAudience, tenant: str) -> None:
        self._audience = audience
        self._tenant = tenant

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        return await self._audience.readers(place, person, is_direct=is_direct)

    async def granted(self, room: str, person: str, /) -> frozenset[str] | None:
        place = Place(platform=NAME, tenant=self._tenant, channel=room, thread=room, mode="channel")
        return await self._audience.granted(place, person)


class Lookup:
    """Finds replies, and checks who presses."""

    def __init__(self, shown: ShownReplies, audience: TeamsAudience) -> None:
        """Take who knows the replies, and who knows the people."""
        self._shown = shown
        self._audience = audience

    async def reply(self, interaction: Interaction) -> ShownReply | None:
        """Return the reply of a button; None: there is none, or it stands elsewhere.

        Raises:
            ContractError: The value is none of ours.
        """
        found = await self.answer(target_of(interaction.values).id, interaction)
        if found is None or interaction.spot.scope == "personal":
            return found
        is_there = interaction.spot.channel in {found.place.channel, *found.shared_in}
        return found if is_there else None

    async def answer(self, answer_id: str, interaction: Interaction) -> ShownReply | None:
        """Return the reply with an answer, wherever it stands in the tenant of the request."""
        return await self._shown.find(answer_id, platform=NAME, tenant=interaction.spot.tenant)

    async def rated(self, interaction: Interaction) -> str | None:
        """Return the answer under whose message a thumb was pressed; None: it is none."""
        return await self._shown.answer_in(
            interaction.message_id,
            platform=NAME,
            tenant=interaction.spot.tenant,
            channel=interaction.spot.channel,
            person=interaction.person,
        )

    async def why_not(self, found: ShownReply | None, interaction: Interaction) -> str:
        """See `Reading.why_not`."""
        rooms = _Rooms(self._audience, interaction.spot.tenant)
        return await Reading(self._shown, rooms).why_not(
            found, interaction.person, is_outside=interaction.is_outside
        )
