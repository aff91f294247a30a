"""The evidence of an answer in a dialog, to whoever may read every policy that it cites."""

from collections.abc import Mapping

from bot.replies.evidence import AROUND, TITLE, Around
from bot.replies.lines import NOT_READABLE
from bot.teams.actions.dispatch import Handler
from bot.teams.actions.ephemeral import Whisper
from bot.teams.actions.reply_lookup import Lookup
from bot.teams.cards.answer import whole_card
from bot.teams.cards.evidence_view import evidence_card
from bot.teams.cards.render_context import Setting
from bot.teams.protocol.action_ids import EVIDENCE, EVIDENCE_PAGE, SHOW, target_of
from bot.teams.protocol.interaction import Interaction
from core.domain.answer import Answer
from core.domain.run import Json
from core.ports.shown import ShownReplies

WHOLE_TITLE = "Your answer"


class Evidence:
    """Shows evidence, and answers that may not have arrived."""

    def __init__(
        self, lookup: Lookup, shown: ShownReplies, whisper: Whisper, setting: Setting
    ) -> None:
        """Take who checks, who knows the policies' words, who refuses, and their links."""
        self._lookup = lookup
        self._shown = shown
        self._whisper = whisper
        self._setting = setting

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {EVIDENCE: self.show, EVIDENCE_PAGE: self.show, SHOW: self.show_answer}

    async def show_answer(self, interaction: Interaction) -> Mapping[str, Json]:
        """Open a dialog with an answer that may not have arrived; a report to its asker alone."""
        found = await self._lookup.reply(interaction)
        refusal = await self._lookup.why_not(found, interaction)
        answer = None if found is None else found.reply.answer
        if refusal or found is None or answer is None:
            return self._whisper.say(interaction, refusal or NOT_READABLE)
        if answer.is_report and found.person != interaction.person:
            return self._whisper.say(interaction, NOT_READABLE)
        return self._whisper.open(
            interaction, WHOLE_TITLE, whole_card(answer, self._setting), is_large=True
        )

    async def show(self, interaction: Interaction) -> Mapping[str, Json]:
        """Open the dialog, or show another page in it."""
        found = await self._lookup.reply(interaction)
        refusal = await self._lookup.why_not(found, interaction)
        answer = None if found is None else found.reply.answer
        if refusal or answer is None:
            return self._whisper.say(interaction, refusal or NOT_READABLE)
        target = target_of(interaction.values)
        made = evidence_card(
            answer,
            target.id,
            self._setting,
            around=await self._around(answer),
            page=target.number or 0,
        )
        return self._whisper.open(interaction, TITLE, made, is_large=True)

    async def _around(self, answer: Answer) -> dict[int, Around]:
        spans = [one.span for one in answer.citations]
        around = await self._shown.around(spans, characters=AROUND + 1)
        return {
            one.number: Around(before=around[one.span].before, after=around[one.span].after)
            for one in answer.citations
            if one.span in around
        }
