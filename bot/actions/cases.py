"""What officers do to cases: by our list, whoever else reads their channel.

A card is rewritten from what is committed, by delivery; whoever pressed is told only if nothing
came of it.
"""

from bot.actions.case_desk import CaseDesk
from bot.actions.outcomes import FieldError, OpenForm, Outcome, Redraw, Say
from bot.actions.press import Press
from bot.replies.case_texts import case_stands
from bot.replies.notices import OFFICERS_ONLY
from core.domain.case_rules import CaseResult, Refusal, Refused
from core.domain.errors import UsageError

ANSWER = "answer"
"""The id of the input that holds an officer's answer."""
NO_CASE = "There is no such case."
NOTHING_TO_MARK = "The asker got no answer that could be wrong."
POSTED = "Your answer to case {number} goes to the asker{where}. The card shows it."


class CaseActions:
    """Takes what officers do to cases."""

    def __init__(self, desk: CaseDesk) -> None:
        self._desk = desk

    async def claim(self, press: Press) -> Outcome:
        """Let an officer have a case."""
        return _end(await self._desk.claim(press.target, press.listed, key=press.key))

    async def mark_wrong(self, press: Press) -> Outcome:
        """Record that the answer which the asker got is wrong."""
        return _end(await self._desk.mark_wrong(press.target, press.listed, key=press.key))

    async def close(self, press: Press) -> Outcome:
        """Close a case."""
        return _end(await self._desk.close(press.target, press.listed, key=press.key))

    async def show(self, press: Press) -> Outcome:
        """Show the card as the case stands, to an officer who looks at it."""
        found = await self._desk.show(press.target, press.listed)
        return Say(words=_refused(found)) if isinstance(found, Refused) else Redraw(now=found)

    async def begin_answer(self, press: Press) -> Outcome:
        """Open the form for an answer, if this officer may give one."""
        result = await self._desk.begin_answer(press.target, press.listed, key=press.key)
        if isinstance(result, Refused):
            return Say(words=_refused(result))
        return OpenForm(form=result.case)

    async def submit(self, press: Press) -> Outcome:
        """Send an officer's answer."""
        text, is_private = press.entered.text, press.entered.is_private
        try:
            result = await self._desk.answer(
                press.target, press.listed, key=press.key, text=text, is_private=is_private
            )
        except UsageError as error:
            return FieldError(words=str(error), field=ANSWER)
        if isinstance(result, Refused):
            return FieldError(words=_refused(result))
        is_direct = result.case.is_private or is_private
        where = " alone, in a direct message" if is_direct else "'s thread"
        return Say(words=POSTED.format(number=result.case.number, where=where))


def _end(result: CaseResult) -> Outcome:
    return Say(words=_refused(result)) if isinstance(result, Refused) else Redraw(now=result.case)


def _refused(result: Refused) -> str:
    """Say why an officer's deed came to nothing."""
    match result.why:
        case Refusal.NOT_OFFICER:
            return OFFICERS_ONLY
        case Refusal.NOTHING_TO_MARK:
            return NOTHING_TO_MARK
        case _:
            return NO_CASE if result.case is None else case_stands(result.case)
