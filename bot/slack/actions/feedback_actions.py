"""What people think of an answer: thumbs, and reports of a problem. The last one counts.

Under a closest passage they say that it answers: that is a judgement like a thumb, each person's
own.
"""

from bot.actions.press_rules import answers_it, is_closest, judged
from bot.cases import FeedbackDesk
from bot.replies.lines import THANKS_DOWN, THANKS_UP
from bot.slack.actions.dispatch import Ack, Handler
from bot.slack.actions.ephemeral import NOT_NOW, whisper
from bot.slack.actions.reply_lookup import Lookup, account_of
from bot.slack.blocks.action_ids import ANSWERS, FEEDBACK, REPORT, VIEW_REPORT, target_of
from bot.slack.blocks.forms import DETAILS, WHY, report_modal, reported_modal
from bot.slack.blocks.modals import errors, ids_in, message_modal, updated
from bot.slack.inbound.interaction import Interaction
from bot.slack.web.calls import Slack, Told
from core.domain.errors import ContractError
from core.domain.feedback import Rating, Reason
from core.ports.shown import ShownReply

TITLE = "Report a problem"
CHOOSE = "Please choose what is wrong."
_RATINGS = {"up": Rating.POSITIVE, "down": Rating.NEGATIVE}


class Judging:
    """Takes judgements of answers from whoever may read them."""

    def __init__(self, slack: Slack, lookup: Lookup, desk: FeedbackDesk) -> None:
        """Take where to show it, who checks, and who keeps judgements."""
        self._slack = slack
        self._lookup = lookup
        self._desk = desk

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {
            ANSWERS: self.accept,
            FEEDBACK: self.rate,
            REPORT: self.open,
            VIEW_REPORT: self.submit,
        }

    async def rate(self, interaction: Interaction, ack: Ack) -> None:
        """Keep a thumb; one that points down is asked for its reason."""
        target = target_of(interaction.value)
        rating = _RATINGS.get(target.choice)
        if rating is None:
            raise ContractError("expected a thumb that points up or down")
        refusal = await self._refusal(await self._lookup.reply(interaction), interaction)
        if not refusal:
            kept = await self._desk.give(
                target.id,
                account_of(interaction),
                key=interaction.dedupe_key,
                rating=rating,
                message_id=interaction.message_ts,
            )
            refusal = judged(kept)
        await ack()
        if refusal:
            await whisper(self._slack, interaction, refusal)
        elif rating is Rating.POSITIVE or not await self._ask_why(interaction, target.id):
            thanks = THANKS_UP if rating is Rating.POSITIVE else THANKS_DOWN
            await whisper(self._slack, interaction, thanks)

    async def accept(self, interaction: Interaction, ack: Ack) -> None:
        """Keep that a closest passage answers whoever presses; its message stays as it is."""
        found = await self._lookup.reply(interaction)
        refusal = await self._refusal(found, interaction)
        if found is None or refusal:
            await ack()
            await whisper(self._slack, interaction, refusal)
            return
        if not is_closest(found):
            raise ContractError("expected an answer that shows a closest passage")
        is_asker = found.person == interaction.person
        kept, case = await self._desk.accept(
            target_of(interaction.value).id,
            account_of(interaction),
            key=interaction.dedupe_key,
            message_id=interaction.message_ts,
            is_asker=is_asker,
        )
        await ack()
        await whisper(self._slack, interaction, answers_it(kept, is_asker=is_asker, case=case))

    async def open(self, interaction: Interaction, ack: Ack) -> None:
        """Open the form that asks what is wrong."""
        refusal = await self._refusal(await self._lookup.reply(interaction), interaction)
        await ack()
        if refusal:
            await whisper(self._slack, interaction, refusal)
        elif not await self._ask_why(interaction, target_of(interaction.value).id):
            await whisper(self._slack, interaction, NOT_NOW)

    async def submit(self, interaction: Interaction, ack: Ack) -> None:
        """Keep a report."""
        reason = interaction.values.get(WHY, "")
        if reason not in set(Reason):
            await ack(**errors({WHY: CHOOSE}))
            return
        answer_id = ids_in(interaction.context).get("a", "")
        found = await self._lookup.answer(answer_id, interaction)
        refusal = await self._refusal(found, interaction)
        if not refusal:
            kept = await self._desk.give(
                answer_id,
                account_of(interaction),
                key=interaction.dedupe_key,
                rating=Rating.NEGATIVE,
                reason=Reason(reason),
                comment=interaction.values.get(DETAILS, ""),
            )
            refusal = judged(kept)
        view = message_modal(TITLE, refusal) if refusal else reported_modal()
        await ack(**updated(view))

    async def _ask_why(self, interaction: Interaction, answer_id: str) -> bool:
        """Open the form; say whether Slack did."""
        opened = await self._slack.write(
            "views.open", trigger_id=interaction.trigger, view=report_modal(answer_id)
        )
        return isinstance(opened, Told)

    async def _refusal(self, found: ShownReply | None, interaction: Interaction) -> str:
        """Say why this person may not judge an answer; empty: they may."""
        return await self._lookup.why_not(
            found, interaction.person, is_outside=interaction.is_outside
        )
