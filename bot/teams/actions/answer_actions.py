"""What an asker does with an answer: take it away. Its record stays."""

from collections.abc import Mapping

from bot.actions.press_rules import REMOVED_BEFORE, why_not_do
from bot.cases import CaseDesk
from bot.replies.lines import ONLY_ASKER, REMOVED
from bot.teams.actions.dispatch import Handler
from bot.teams.actions.ephemeral import Whisper
from bot.teams.actions.reply_lookup import Lookup, account_of
from bot.teams.protocol import action_ids
from bot.teams.protocol.action_ids import target_of
from bot.teams.protocol.interaction import Interaction
from core.domain.officers import Officers
from core.domain.run import Json
from core.ports.shown import ShownDeeds


class GoingOn:
    """Takes what an asker does with an answer."""

    def __init__(
        self,
        lookup: Lookup,
        deeds: ShownDeeds,
        whisper: Whisper,
        *,
        desk: CaseDesk,
        officers: Officers,
    ) -> None:
        """Take who checks, who keeps deeds, who tells, and who officers are."""
        self._lookup = lookup
        self._deeds = deeds
        self._whisper = whisper
        self._desk = desk
        self._officers = officers

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {action_ids.REMOVE: self.remove}

    async def remove(self, interaction: Interaction) -> Mapping[str, Json]:
        """Take an answer away, for its asker or an officer."""
        found = await self._lookup.reply(interaction)
        who = account_of(interaction, self._officers)
        officer = self._desk.officer_of(who)
        told = why_not_do(found, interaction.person, is_outside=interaction.is_outside)
        if told == ONLY_ASKER and officer is not None:
            told = ""
        if not told:
            removed = await self._deeds.remove(
                target_of(interaction.values).id, who, officer=officer
            )
            told = REMOVED if removed else REMOVED_BEFORE
        return self._whisper.say(interaction, told)
