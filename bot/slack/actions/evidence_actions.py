"""The evidence of an answer in a modal: opened at once, then filled, since a trigger lives 3 s."""

from bot.payload import maybe_object
from bot.replies.evidence import AROUND, TITLE, Around
from bot.replies.lines import NOT_READABLE, OUTDATED
from bot.slack.actions.dispatch import Ack, Handler
from bot.slack.actions.ephemeral import whisper
from bot.slack.actions.reply_lookup import Lookup
from bot.slack.blocks.action_ids import EVIDENCE, EVIDENCE_PAGE, OPEN_POLICY, target_of
from bot.slack.blocks.elements import Block
from bot.slack.blocks.evidence_view import evidence_modal, loading_modal
from bot.slack.blocks.modals import message_modal
from bot.slack.blocks.render_context import Setting
from bot.slack.inbound.interaction import Interaction
from bot.slack.web.calls import Slack, Told
from bot.slack.web.payload import maybe
from core.domain.errors import TransientError
from core.ports.shown import ShownReplies, ShownReply

NOT_OPENED = "Slack did not open the evidence. Please press the button again."
FAILED = "The evidence can't be read at the moment. Please press the button again."


class Evidence:
    """Shows evidence to whoever may read it."""

    def __init__(self, slack: Slack, lookup: Lookup, shown: ShownReplies, setting: Setting) -> None:
        """Take where to show it, who checks, who knows the policies' words, and their links."""
        self._slack = slack
        self._lookup = lookup
        self._shown = shown
        self._setting = setting

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {EVIDENCE: self.open, EVIDENCE_PAGE: self.turn, OPEN_POLICY: self.follow}

    async def open(self, interaction: Interaction, ack: Ack) -> None:
        """Open the modal and fill it."""
        await ack()
        answer_id = target_of(interaction.value).id
        opened = await self._slack.write(
            "views.open", trigger_id=interaction.trigger, view=loading_modal(answer_id)
        )
        if not isinstance(opened, Told):
            await whisper(self._slack, interaction, NOT_OPENED)
            return
        view = maybe_object(opened.body, "view")
        await self._fill(interaction, maybe(view, "id"), maybe(view, "hash"), page=0)

    async def turn(self, interaction: Interaction, ack: Ack) -> None:
        """Show another page in the same modal."""
        await ack()
        page = target_of(interaction.value).number or 0
        if interaction.view is not None:
            await self._fill(interaction, interaction.view, interaction.view_hash or "", page=page)

    async def follow(self, _: Interaction, ack: Ack) -> None:
        """A link was opened: Slack wants to hear that we heard."""
        await ack()

    async def _fill(self, interaction: Interaction, view: str, mark: str, *, page: int) -> None:
        try:
            made = await self._made(interaction, page)
        except TransientError:
            made = message_modal(TITLE, FAILED)
        await self._slack.write("views.update", view_id=view, hash=mark or None, view=made)

    async def _made(self, interaction: Interaction, page: int) -> Block:
        found = await self._lookup.reply(interaction)
        if found is None or found.reply.answer is None:
            return message_modal(TITLE, NOT_READABLE)
        if interaction.is_outside or not await self._lookup.may_read(found, interaction.person):
            return message_modal(TITLE, NOT_READABLE)
        if found.is_settled:
            return message_modal(TITLE, OUTDATED)
        return evidence_modal(
            found.reply.answer,
            target_of(interaction.value).id,
            self._setting,
            around=await self._around(found),
            page=page,
        )

    async def _around(self, found: ShownReply) -> dict[int, Around]:
        citations = found.reply.answer.citations if found.reply.answer else ()
        around = await self._shown.around([one.span for one in citations], characters=AROUND + 1)
        return {
            one.number: Around(before=around[one.span].before, after=around[one.span].after)
            for one in citations
            if one.span in around
        }
