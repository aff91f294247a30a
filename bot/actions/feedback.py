"""What people think of an answer: thumbs, and reports of a problem. The last one counts.

Under a closest passage they say that it answers: that is a judgement like a thumb, each person's
own.
"""

from bot.actions.answers import ReplyAccess
from bot.actions.press import FieldError, OpenForm, Outcome, Press, Say
from bot.forms.forms import DETAILS, REPORTED, WHY, report_form
from bot.replies.case_texts import case_stands
from bot.replies.notices import (
    ANSWERED_BEFORE,
    ANSWERED_YOU,
    ANSWERED_YOU_TOO,
    NOT_READABLE,
    OUTDATED,
    STILL_WITH_COMPLIANCE,
    THANKS_DOWN,
    THANKS_UP,
)
from core.cases.feedback import FeedbackService
from core.domain.case import UNSETTLED, Case
from core.domain.case_actions import Refusal
from core.domain.errors import ContractError
from core.domain.feedback import FeedbackKept, FeedbackRefused, Rating, Reason
from core.language.interface.texts import Text

CHOOSE = Text("Please choose what is wrong.", "Bitte wählen Sie, was nicht stimmt.")
DESCRIBE = Text("Please describe what is wrong.", "Bitte beschreiben Sie, was nicht stimmt.")
_RATINGS = {"up": Rating.POSITIVE, "down": Rating.NEGATIVE}


class FeedbackActions:
    """Takes judgements of answers from whoever may read them."""

    def __init__(self, access: ReplyAccess, desk: FeedbackService) -> None:
        self._access = access
        self._desk = desk

    async def rate(self, press: Press) -> Outcome:
        """Keep a thumb; one that points down is asked for its reason."""
        rating = _RATINGS.get(press.choice)
        if rating is None:
            raise ContractError("expected a thumb that points up or down")
        found = await self._access.read(press)
        if isinstance(found, Say):
            return found
        kept = await self._desk.give(
            press.target,
            press.who,
            key=press.key,
            rating=rating,
            comment=press.entered.text,
            message_id=press.message_id,
        )
        if isinstance(kept, FeedbackRefused):
            return Say(words=_refused(kept))
        if rating is Rating.POSITIVE:
            return Say(words=THANKS_UP)
        otherwise = REPORTED if kept.is_reviewed else THANKS_DOWN
        return OpenForm(form=report_form(press.target), otherwise=otherwise)

    async def accept(self, press: Press) -> Outcome:
        """Keep that a closest passage answers whoever presses; its message stays as it is."""
        found = await self._access.read(press)
        if isinstance(found, Say):
            return found
        if found.reply.answer is None or not found.reply.answer.is_closest:
            raise ContractError("expected an answer that shows a closest passage")
        is_asker = found.person == press.who.person
        kept, case = await self._desk.accept(
            press.target,
            press.who,
            key=press.key,
            message_id=press.message_id,
            is_asker=is_asker,
        )
        return Say(words=answers_it(kept, is_asker=is_asker, case=case))

    async def open(self, press: Press) -> Outcome:
        """Open the form that asks what is wrong."""
        found = await self._access.read(press)
        if isinstance(found, Say):
            return found
        return OpenForm(form=report_form(press.target))

    async def submit(self, press: Press) -> Outcome:
        """Keep a report."""
        if press.entered.reason not in set(Reason):
            return FieldError(words=CHOOSE, field=WHY)
        if press.entered.reason == Reason.OTHER and not press.entered.text.strip():
            return FieldError(words=DESCRIBE, field=DETAILS)
        found = await self._access.read(press)
        if isinstance(found, Say):
            return FieldError(words=found.words)
        kept = await self._desk.give(
            press.target,
            press.who,
            key=press.key,
            rating=Rating.NEGATIVE,
            reason=Reason(press.entered.reason),
            comment=press.entered.text,
        )
        if isinstance(kept, FeedbackRefused):
            return FieldError(words=_refused(kept))
        return Say(words=REPORTED if kept.is_reviewed else THANKS_UP)


def answers_it(kept: FeedbackKept | FeedbackRefused, *, is_asker: bool, case: Case | None) -> Text:
    """Say what came of telling that a closest passage answers.

    Args:
        kept: What became of it.
        is_asker: True: the question is theirs.
        case: The case of their question; None: there is none.
    """
    if isinstance(kept, FeedbackRefused):
        return _refused(kept)
    told = ANSWERED_YOU if is_asker else ANSWERED_YOU_TOO
    told = ANSWERED_BEFORE if kept.is_repeated else told
    is_waiting = case is not None and case.state in UNSETTLED
    if case is None or not is_waiting:
        return told
    more = Text("{told} {stays} {stands}", "{told} {stays} {stands}")
    return more.format(told=told, stays=STILL_WITH_COMPLIANCE, stands=case_stands(case))


def _refused(kept: FeedbackRefused) -> Text:
    return NOT_READABLE if kept.why is Refusal.UNKNOWN else OUTDATED
