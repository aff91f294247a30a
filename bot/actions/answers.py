"""What people do with an answer that stands in a thread: look at its evidence, take it away."""

from bot.actions.case_desk import CaseDesk
from bot.actions.outcomes import EvidencePage, Nothing, OpenForm, Outcome, Say
from bot.actions.press import Press
from bot.actions.reply_access import REMOVED_BEFORE, ReplyAccess, is_report, why_not_asker
from bot.replies.evidence import AROUND, Around
from bot.replies.notices import NOT_READABLE, ONLY_ASKER
from core.domain.answer import Answer
from core.ports.shown import ShownDeeds, ShownReplies


class AnswerActions:
    """Shows evidence to whoever may read it, and takes answers away."""

    def __init__(
        self, access: ReplyAccess, shown: ShownReplies, deeds: ShownDeeds, desk: CaseDesk
    ) -> None:
        self._access = access
        self._shown = shown
        self._deeds = deeds
        self._desk = desk

    async def evidence(self, press: Press) -> OpenForm | Say:
        """Open the page of the evidence that was chosen, the first one if none was."""
        found = await self._access.read(press)
        if isinstance(found, Say):
            return found
        answer = found.reply.answer
        if answer is None:
            return Say(words=NOT_READABLE)
        around = await self._around(answer)
        return OpenForm(
            form=EvidencePage(answer=answer, answer_id=press.target, page=press.page, around=around)
        )

    async def whole(self, press: Press) -> Answer | Say:
        """Return an answer that may not have arrived; one to a report to its asker alone."""
        found = await self._access.read(press)
        if isinstance(found, Say):
            return found
        is_alien = is_report(found) and found.person != press.who.person
        if is_alien or found.reply.answer is None:
            return Say(words=NOT_READABLE)
        return found.reply.answer

    async def remove(self, press: Press) -> Outcome:
        """Take an answer away, for its asker or an officer; its record stays."""
        found = await self._access.find(press)
        officer = self._desk.officer_of(press.listed)
        told = why_not_asker(found, press)
        if told == ONLY_ASKER and officer is not None:
            told = ""
        if not told:
            removed = await self._deeds.remove(press.target, press.listed, officer=officer)
            told = "" if removed else REMOVED_BEFORE
        return Say(words=told) if told else Nothing()

    async def _around(self, answer: Answer) -> dict[int, Around]:
        spans = [one.span for one in answer.citations]
        around = await self._shown.around(spans, characters=AROUND + 1)
        return {
            one.number: Around(before=around[one.span].before, after=around[one.span].after)
            for one in answer.citations
            if one.span in around
        }
