"""An option of a clarification was pressed: the same as if its words had been written."""

from collections.abc import Mapping

from bot.actions.press_rules import ALL, EVERY_CASE, option_of, why_not_choose
from bot.intake import Intake
from bot.replies.lines import OUTDATED
from bot.teams.actions.dispatch import Handler
from bot.teams.actions.ephemeral import Whisper
from bot.teams.actions.reply_lookup import Lookup
from bot.teams.cards import dialogs
from bot.teams.cards.clarification import chosen_card
from bot.teams.cards.elements import Card, attached
from bot.teams.connector.background_tasks import Background
from bot.teams.connector.connector import Address, Transport
from bot.teams.inbound.question_from_action import asked
from bot.teams.protocol.action_ids import CLARIFY, target_of
from bot.teams.protocol.conversation_ids import NAME
from bot.teams.protocol.interaction import Interaction
from core.domain.message import Accepted, MessageKind
from core.domain.run import Json
from core.ports import Clock


class Choosing:
    """Takes options of clarifications."""

    def __init__(
        self,
        lookup: Lookup,
        intake: Intake,
        whisper: Whisper,
        *,
        transport: Transport,
        background: Background,
        clock: Clock,
    ) -> None:
        """Take who finds the clarification, who keeps the choice, and where to show it."""
        self._lookup = lookup
        self._intake = intake
        self._whisper = whisper
        self._transport = transport
        self._background = background
        self._clock = clock

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {CLARIFY: self.choose}

    async def choose(self, interaction: Interaction) -> Mapping[str, Json]:
        """Keep the choice as a message, once, and show what was chosen."""
        found = await self._lookup.reply(interaction)
        refusal = why_not_choose(found, interaction.person, is_outside=interaction.is_outside)
        option = option_of(found, target_of(interaction.values).choice)
        if found is None or refusal or option is None:
            return self._whisper.say(interaction, refusal or OUTDATED)
        taken = await self._intake.accept(
            asked(
                interaction,
                place=found.place,
                text=option,
                sent_at=self._clock.now(),
                kind=MessageKind.CHOICE,
                message_key=f"{NAME}:{interaction.spot.tenant}:clarify:{found.reply.answer_id}",
                is_whispered=found.is_whispered,
            )
        )
        if not isinstance(taken, Accepted):
            return self._whisper.say(interaction, OUTDATED)
        shown = chosen_card(EVERY_CASE if option == ALL else option)
        if interaction.kind != "press":
            return dialogs.replaced(shown)
        self._background.begin(self._redraw(interaction, shown, is_whispered=found.is_whispered))
        return dialogs.NOTHING

    async def _redraw(self, interaction: Interaction, shown: Card, *, is_whispered: bool) -> None:
        """Take the buttons away where the client does not do it by itself."""
        shown_in = interaction.message_id
        if shown_in is None:
            return
        at = Address(
            service_url=interaction.reference.service_url,
            conversation=interaction.spot.conversation,
        )
        message: Card = {"type": "message", "attachments": [attached(shown)]}
        await self._background.insist(
            lambda: self._transport.update(at, shown_in, message, is_targeted=is_whispered)
        )
