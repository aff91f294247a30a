"""Askers hand a question to Compliance, and say whether the officer's answer does."""

from collections.abc import Mapping

from bot.actions.press_rules import is_report, sent, settled, urgency_of, why_not_send
from bot.cases import CaseDesk
from bot.replies.case_states import already_sent
from bot.replies.lines import NOT_READABLE
from bot.teams.actions.dispatch import Handler
from bot.teams.actions.ephemeral import Whisper
from bot.teams.actions.reply_lookup import Lookup, account_of, asker_of
from bot.teams.cards.forms import ESCALATE_TITLE, escalate_card
from bot.teams.connector.roster import Rosters
from bot.teams.protocol import action_ids
from bot.teams.protocol.action_ids import target_of
from bot.teams.protocol.interaction import Interaction
from bot.teams.protocol.permalinks import permalink_of
from core.domain.case_rules import Account, Refused
from core.domain.officers import Officers
from core.domain.run import Json
from core.ports.shown import ShownReply

ACCEPTED = "Thank you. Case {number} is closed."
AGAIN = "Case {number} is with Compliance again."


class Escalating:
    """Takes what askers do to cases."""

    def __init__(
        self,
        lookup: Lookup,
        desk: CaseDesk,
        whisper: Whisper,
        *,
        officers: Officers,
        rosters: Rosters,
    ) -> None:
        """Take who finds the answer, who opens cases, who tells, and who people are."""
        self._lookup = lookup
        self._desk = desk
        self._whisper = whisper
        self._officers = officers
        self._rosters = rosters

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {
            action_ids.ESCALATE: self.open,
            action_ids.ESCALATE_SUBMIT: self.submit,
            action_ids.CASE_ACCEPT: self.accept,
            action_ids.CASE_AGAIN: self.ask_again,
        }

    async def open(self, interaction: Interaction) -> Mapping[str, Json]:
        """Open the form, to the asker or an officer."""
        found = await self._lookup.reply(interaction)
        who = self._account(found, interaction)
        refusal = self._refusal(found, interaction)
        if found is None or refusal:
            return self._whisper.say(interaction, refusal or NOT_READABLE)
        answer_id = target_of(interaction.values).id
        known = await self._desk.about(answer_id, who)
        if known is not None and not known.may_be_added_to:
            return self._whisper.say(interaction, already_sent(known))
        number = None if known is None else known.number
        form = escalate_card(answer_id, seen=_seen(found), known=number)
        return self._whisper.open(interaction, ESCALATE_TITLE, form)

    async def submit(self, interaction: Interaction) -> Mapping[str, Json]:
        """Open the case of a form, and say so."""
        answer_id = target_of(interaction.values).id
        found = await self._lookup.reply(interaction)
        refusal = self._refusal(found, interaction)
        if found is None or refusal:
            return self._whisper.refuse(interaction, refusal or NOT_READABLE)
        given = interaction.values
        result = await self._desk.open(
            answer_id,
            self._account(found, interaction),
            key=interaction.dedupe_key,
            note=given.get(action_ids.NOTE, ""),
            urgency=urgency_of(given.get(action_ids.URGENCY, "")),
            is_private=given.get(action_ids.PRIVATE) == action_ids.ON
            or is_report(found)
            or found.is_whispered,
            is_anonymous=given.get(action_ids.ANONYMOUS) == action_ids.ON,
            permalink=permalink_of(found.place),
            asker_name=self._rosters.name_of(found.place, found.person) or None,
        )
        if isinstance(result, Refused):
            return self._whisper.refuse(interaction, sent(result))
        return self._whisper.say(interaction, sent(result))

    async def accept(self, interaction: Interaction) -> Mapping[str, Json]:
        """Close a case whose answer does."""
        case_id = target_of(interaction.values).id
        result = await self._desk.accept(case_id, asker_of(interaction), key=interaction.dedupe_key)
        return self._whisper.say(interaction, settled(result, ACCEPTED))

    async def ask_again(self, interaction: Interaction) -> Mapping[str, Json]:
        """Give a case back to its officer."""
        case_id = target_of(interaction.values).id
        result = await self._desk.ask_again(
            case_id, asker_of(interaction), key=interaction.dedupe_key
        )
        return self._whisper.say(interaction, settled(result, AGAIN))

    def _refusal(self, found: ShownReply | None, interaction: Interaction) -> str:
        """Say why this person may not hand the question over; empty: they may."""
        who = account_of(interaction, self._officers)
        return why_not_send(
            found,
            interaction.person,
            is_outside=interaction.is_outside,
            is_officer=self._desk.is_officer(who),
        )

    def _account(self, found: ShownReply | None, interaction: Interaction) -> Account:
        is_own = found is not None and found.person == interaction.person
        return asker_of(interaction) if is_own else account_of(interaction, self._officers)


def _seen(found: ShownReply) -> str:
    """Return who reads what Compliance says to it: see `names.SEEN`."""
    if is_report(found):
        return action_ids.REPORTED
    return action_ids.ALONE if found.is_whispered or found.place.mode == "direct" else ""
