"""What officers do to cases: by our list, whoever else reads their channel.

The card is answered as the case stands, and rewritten for all others by delivery.
"""

from collections.abc import Mapping

from bot.actions.press_rules import posted, refused
from bot.cases import CaseDesk
from bot.teams.actions.dispatch import Handler
from bot.teams.actions.ephemeral import Whisper
from bot.teams.actions.reply_lookup import account_of, officers_in
from bot.teams.cards import dialogs
from bot.teams.cards.case_card import case_card
from bot.teams.cards.forms import ANSWER_TITLE, case_answer_card
from bot.teams.cards.render_context import Setting
from bot.teams.connector.roster import Rosters
from bot.teams.protocol import action_ids
from bot.teams.protocol.action_ids import target_of
from bot.teams.protocol.interaction import Interaction
from core.domain.case import Case
from core.domain.case_rules import CaseResult, Refused
from core.domain.errors import UsageError
from core.domain.officers import Officers
from core.domain.run import Json


class CaseWork:
    """Takes what officers do to cases."""

    def __init__(
        self, desk: CaseDesk, whisper: Whisper, *, officers: Officers, rosters: Rosters
    ) -> None:
        """Take who decides, who tells, who officers are, and who is where."""
        self._desk = desk
        self._whisper = whisper
        self._officers = officers
        self._rosters = rosters

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {
            action_ids.CASE_CLAIM: self.claim,
            action_ids.CASE_ANSWER: self.begin_answer,
            action_ids.CASE_ANSWER_SUBMIT: self.submit,
            action_ids.CASE_WRONG: self.mark_wrong,
            action_ids.CASE_CLOSE: self.close,
            action_ids.CASE_REFRESH: self.refresh,
        }

    async def claim(self, interaction: Interaction) -> Mapping[str, Json]:
        """Let an officer have a case."""
        case_id, who = target_of(interaction.values).id, account_of(interaction, self._officers)
        result = await self._desk.claim(case_id, who, key=interaction.dedupe_key)
        return self._end(interaction, result)

    async def mark_wrong(self, interaction: Interaction) -> Mapping[str, Json]:
        """Record that the answer which the asker got is wrong."""
        case_id, who = target_of(interaction.values).id, account_of(interaction, self._officers)
        result = await self._desk.mark_wrong(case_id, who, key=interaction.dedupe_key)
        return self._end(interaction, result)

    async def close(self, interaction: Interaction) -> Mapping[str, Json]:
        """Close a case."""
        case_id, who = target_of(interaction.values).id, account_of(interaction, self._officers)
        result = await self._desk.close(case_id, who, key=interaction.dedupe_key)
        return self._end(interaction, result)

    async def refresh(self, interaction: Interaction) -> Mapping[str, Json]:
        """Show the card as the case stands, to an officer who looks at it."""
        case_id, who = target_of(interaction.values).id, account_of(interaction, self._officers)
        found = await self._desk.show(case_id, who)
        if isinstance(found, Refused):
            return self._whisper.say(interaction, refused(found))
        return self._shown(interaction, found)

    async def begin_answer(self, interaction: Interaction) -> Mapping[str, Json]:
        """Open the form for an answer, if this officer may give one."""
        case_id, who = target_of(interaction.values).id, account_of(interaction, self._officers)
        result = await self._desk.begin_answer(case_id, who, key=interaction.dedupe_key)
        if isinstance(result, Refused):
            return self._whisper.say(interaction, refused(result))
        seen = action_ids.ALONE if result.case.is_private else ""
        form = case_answer_card(result.case.case_id, question=result.case.question, seen=seen)
        return self._whisper.open(interaction, ANSWER_TITLE, form)

    async def submit(self, interaction: Interaction) -> Mapping[str, Json]:
        """Send an officer's answer."""
        case_id, who = target_of(interaction.values).id, account_of(interaction, self._officers)
        wants_direct = interaction.values.get(action_ids.PRIVATE) == action_ids.ON
        try:
            result = await self._desk.answer(
                case_id,
                who,
                key=interaction.dedupe_key,
                text=interaction.values.get(action_ids.ANSWER, ""),
                is_private=wants_direct,
            )
        except UsageError as error:
            return self._whisper.refuse(interaction, str(error))
        if isinstance(result, Refused):
            return self._whisper.refuse(interaction, refused(result))
        return self._whisper.say(interaction, posted(result, wants_direct=wants_direct))

    def _end(self, interaction: Interaction, result: CaseResult) -> Mapping[str, Json]:
        if isinstance(result, Refused):
            return self._whisper.say(interaction, refused(result))
        return self._shown(interaction, result.case)

    def _shown(self, interaction: Interaction, case: Case) -> Mapping[str, Json]:
        if interaction.kind != "execute":
            return dialogs.NOTHING
        setting = Setting(
            is_public=interaction.spot.scope != "personal",
            officers=officers_in(interaction.spot.place, self._rosters, self._officers),
        )
        return dialogs.replaced(case_card(case, setting))
