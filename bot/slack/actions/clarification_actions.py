"""An option of a clarification was pressed: the same as if its words had been written."""

from bot.actions.press_rules import EVERY_CASE, option_of, why_not_choose
from bot.intake import Intake
from bot.replies.asking_back import question_of
from bot.replies.lines import OUTDATED
from bot.slack.actions.dispatch import Ack, Handler
from bot.slack.actions.ephemeral import whisper
from bot.slack.actions.reply_lookup import Lookup
from bot.slack.blocks.action_ids import ALL, CLARIFY, target_of
from bot.slack.blocks.notices import chosen_blocks, chosen_text
from bot.slack.inbound.interaction import Interaction
from bot.slack.inbound.question_from_action import asked
from bot.slack.web.calls import Slack
from core.domain.answer import Answer
from core.domain.message import Accepted, MessageKind
from core.ports import Clock


class Choosing:
    """Takes options of clarifications."""

    def __init__(self, slack: Slack, lookup: Lookup, intake: Intake, clock: Clock) -> None:
        """Take where to show it, who finds the clarification, and who keeps the choice."""
        self._slack = slack
        self._lookup = lookup
        self._intake = intake
        self._clock = clock

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {CLARIFY: self.choose}

    async def choose(self, interaction: Interaction, ack: Ack) -> None:
        """Keep the choice as a message, once, and show what was chosen."""
        found = await self._lookup.reply(interaction)
        refusal = why_not_choose(found, interaction.person, is_outside=interaction.is_outside)
        option = option_of(found, target_of(interaction.value).choice)
        if found is None or found.reply.answer is None or refusal or option is None:
            await ack()
            await whisper(self._slack, interaction, refusal or OUTDATED)
            return
        taken = await self._intake.accept(
            asked(
                interaction,
                place=found.place,
                text=option,
                sent_at=self._clock.now(),
                kind=MessageKind.CHOICE,
                message_key=f"slack:{interaction.tenant}:clarify:{found.reply.answer_id}",
            )
        )
        await ack()
        if not isinstance(taken, Accepted):
            await whisper(self._slack, interaction, OUTDATED)
            return
        await self._show(interaction, found.reply.answer, EVERY_CASE if option == ALL else option)

    async def _show(self, interaction: Interaction, answer: Answer, chosen: str) -> None:
        """Take the buttons away; the choice is kept whether or not that works."""
        question = question_of(answer)
        await self._slack.write(
            "chat.update",
            channel=interaction.channel,
            ts=interaction.message_ts,
            text=chosen_text(question, chosen),
            blocks=list(chosen_blocks(question, chosen)),
            parse="none",
            link_names=False,
        )
