"""An option of a clarification was pressed: the same as if its words had been written."""

from datetime import datetime
from typing import Protocol

from bot.actions.outcomes import Chosen, Outcome, Redraw, Say
from bot.actions.press import Press
from bot.actions.reply_access import ReplyAccess
from bot.intake import Intake
from bot.replies.notices import NOT_READABLE, ONLY_ASKER, OUTDATED
from core.agent.conversation.understanding import ALL
from core.domain.answer import Answer
from core.domain.answer import Outcome as AnswerOutcome
from core.domain.message import Accepted, InboundMessage, MessageKind
from core.domain.place import Place
from core.ports import Clock

EVERY_CASE = "all cases"


class AsMessage(Protocol):
    """Makes the message that a press amounts to, with what its platform needs for the reply."""

    def __call__(
        self,
        *,
        place: Place,
        text: str,
        sent_at: datetime,
        kind: MessageKind,
        message_key: str,
        is_whispered: bool,
    ) -> InboundMessage:
        """Return the message; `text` is from our own tables."""
        ...


class ClarificationActions:
    """Takes options of clarifications."""

    def __init__(self, access: ReplyAccess, intake: Intake, clock: Clock) -> None:
        self._access = access
        self._intake = intake
        self._clock = clock

    async def choose(self, press: Press, as_message: AsMessage) -> Outcome:
        """Keep the choice as a message, once, and show what was chosen."""
        found = await self._access.find(press)
        if found is None or press.is_outside:
            return Say(words=NOT_READABLE)
        if found.person != press.who.person:
            return Say(words=ONLY_ASKER)
        answer = found.reply.answer
        option = _option_of(answer, press.choice)
        if answer is None or option is None or found.is_followed:
            return Say(words=OUTDATED)
        who = press.who
        taken = await self._intake.accept(
            as_message(
                place=found.place,
                text=option,
                sent_at=self._clock.now(),
                kind=MessageKind.CHOICE,
                message_key=f"{who.platform}:{who.tenant}:clarify:{found.reply.answer_id}",
                is_whispered=found.is_whispered,
            )
        )
        if not isinstance(taken, Accepted):
            return Say(words=OUTDATED)
        return Redraw(
            now=Chosen(
                answer=answer,
                option=EVERY_CASE if option == ALL else option,
                is_whispered=found.is_whispered,
            )
        )


def _option_of(answer: Answer | None, choice: str) -> str | None:
    """Return the words of an option of a question back, from our own tables."""
    if answer is None or answer.outcome is not AnswerOutcome.CLARIFICATION:
        return None
    if choice == ALL:
        return ALL
    number = int(choice) if choice.isascii() and choice.isdecimal() else len(answer.options)
    return answer.options[number] if number < len(answer.options) else None
