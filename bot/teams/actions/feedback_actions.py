"""What people think of an answer: thumbs, and reports of a problem. The last one counts.

Under a closest passage they say that it answers: that is a judgement like a thumb, each person's
own.
"""

import logging
from collections.abc import Mapping

from bot.actions.press_rules import answers_it, is_closest, judged
from bot.cases import FeedbackDesk
from bot.replies.form_words import REPORTED
from bot.teams.actions.dispatch import Handler
from bot.teams.actions.ephemeral import Whisper
from bot.teams.actions.reply_lookup import Lookup, asker_of
from bot.teams.cards import dialogs
from bot.teams.cards.forms import CHOOSE_ONE, REPORT_TITLE, report_card
from bot.teams.protocol import action_ids
from bot.teams.protocol.action_ids import target_of
from bot.teams.protocol.interaction import FEEDBACK, REACTION, Interaction
from core.domain.errors import ContractError
from core.domain.feedback import Rating, Reason
from core.domain.run import Json

COMMENT = "feedbackText"
"""What Teams' own form calls what was written."""
_RATINGS = {"like": Rating.POSITIVE, "dislike": Rating.NEGATIVE}

logger = logging.getLogger(__name__)


class Judging:
    """Takes judgements of answers from whoever may read them."""

    def __init__(self, lookup: Lookup, desk: FeedbackDesk, whisper: Whisper) -> None:
        """Take who checks, who keeps judgements, and who tells."""
        self._lookup = lookup
        self._desk = desk
        self._whisper = whisper

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {
            FEEDBACK: self.rate,
            action_ids.ANSWERS: self.accept,
            action_ids.REPORT: self.open,
            action_ids.REPORT_SUBMIT: self.submit,
        }

    async def rate(self, interaction: Interaction) -> Mapping[str, Json]:
        """Keep a thumb; whatever comes of it, Teams takes nothing but an empty answer."""
        rating = _RATINGS.get(interaction.values.get(REACTION, ""))
        answer_id = await self._lookup.rated(interaction)
        if rating is None or answer_id is None:
            logger.info("a thumb is about no answer of ours")
            return dialogs.NOTHING
        found = await self._lookup.answer(answer_id, interaction)
        if await self._lookup.why_not(found, interaction):
            logger.info("a thumb of who may not read the answer, or about one that is over")
            return dialogs.NOTHING
        await self._desk.give(
            answer_id,
            asker_of(interaction),
            key=interaction.dedupe_key,
            rating=rating,
            comment=interaction.values.get(COMMENT, ""),
            message_id=interaction.message_id,
        )
        return dialogs.NOTHING

    async def accept(self, interaction: Interaction) -> Mapping[str, Json]:
        """Keep that a closest passage answers whoever presses; its message stays as it is."""
        found = await self._lookup.reply(interaction)
        refusal = await self._lookup.why_not(found, interaction)
        if found is None or refusal:
            return self._whisper.say(interaction, refusal)
        if not is_closest(found):
            raise ContractError("expected an answer that shows a closest passage")
        is_asker = found.person == interaction.person
        kept, case = await self._desk.accept(
            target_of(interaction.values).id,
            asker_of(interaction),
            key=interaction.dedupe_key,
            message_id=interaction.message_id,
            is_asker=is_asker,
        )
        return self._whisper.say(interaction, answers_it(kept, is_asker=is_asker, case=case))

    async def open(self, interaction: Interaction) -> Mapping[str, Json]:
        """Open the form that asks what is wrong."""
        refusal = await self._lookup.why_not(await self._lookup.reply(interaction), interaction)
        if refusal:
            return self._whisper.say(interaction, refusal)
        return self._whisper.open(
            interaction, REPORT_TITLE, report_card(target_of(interaction.values).id)
        )

    async def submit(self, interaction: Interaction) -> Mapping[str, Json]:
        """Keep a report."""
        reason = interaction.values.get(action_ids.WHY, "")
        if reason not in set(Reason):
            return self._whisper.refuse(interaction, CHOOSE_ONE)
        answer_id = target_of(interaction.values).id
        refusal = await self._lookup.why_not(await self._lookup.reply(interaction), interaction)
        if not refusal:
            kept = await self._desk.give(
                answer_id,
                asker_of(interaction),
                key=interaction.dedupe_key,
                rating=Rating.NEGATIVE,
                reason=Reason(reason),
                comment=interaction.values.get(action_ids.DETAILS, ""),
            )
            refusal = judged(kept)
        if refusal:
            return self._whisper.refuse(interaction, refusal)
        return self._whisper.say(interaction, REPORTED)
