"""What people do with an answer: choose an option, ask on, look at its evidence, remove it.

The answer that a button belongs to is looked up by id within the tenant of the request. What a
callback says of channels is only held against what is stored.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from bot.actions.press import AskedOn, OpenForm, Outcome, Press, Redraw, Removed, Say
from bot.forms.evidence import EvidenceView
from bot.forms.excerpts import AROUND, Around
from bot.intake import Intake
from bot.replies.buttons import follow_ups
from bot.replies.notices import ASKED_BEFORE, EXPIRED, NOT_READABLE, ONLY_ASKER, OUTDATED
from core.cases.service import CaseService
from core.domain.answer import Answer
from core.domain.answer import Outcome as AnswerOutcome
from core.domain.conversation import Place
from core.domain.delivery import EVERY_CASE, Clarified, NoReaders, Readers
from core.domain.message import Accepted, InboundMessage, MessageKind
from core.domain.policy import EVERYONE
from core.domain.question import ALL
from core.language.interface.texts import Text
from core.language.spans import VersionId
from core.ports import Clock
from core.ports.posted_answers import PostedAnswer, PostedAnswerActions, PostedAnswers

REMOVED_BEFORE = Text(
    "This answer has already been removed.", "Diese Antwort wurde schon entfernt."
)


class Membership(Protocol):
    """Who is where, as a platform knows it."""

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """See `core.ports.Audience.readers`."""
        ...

    async def granted(self, place: Place, person: str, /) -> frozenset[str] | None:
        """Return the groups that a channel makes its members count as; None: they are not in it.

        A channel that anybody may join makes nobody count as anything.
        """
        ...


class ReplyAccess:
    """Finds replies, and checks who may read them."""

    def __init__(self, shown: PostedAnswers, membership: Membership) -> None:
        self._shown = shown
        self._membership = membership

    async def find(self, press: Press) -> PostedAnswer | None:
        """Return the reply of a button; None: there is none, or it does not stand where pressed."""
        found = await self._shown.find(
            press.target, platform=press.who.platform, tenant=press.who.tenant
        )
        if found is None or press.room is None:
            return found
        return found if press.room in {found.place.channel, *found.shared_in} else None

    async def may_be_read(
        self, found: PostedAnswer, groups: Collection[str]
    ) -> frozenset[str] | None:
        """Return which groups are needed to read each policy cited; None: these do not suffice."""
        answer = found.reply.answer
        cited = {one.span.version_id for one in answer.citations} if answer else set[VersionId]()
        audiences = await self._shown.audiences(cited)
        needed: set[str] = set()
        for version in cited:
            for audience in audiences.get(version, (frozenset[str](),)):
                enough = audience & (frozenset(groups) | {EVERYONE})
                if not enough:
                    return None
                needed.add(EVERYONE if EVERYONE in enough else min(enough))
        return frozenset(needed)

    async def read(self, press: Press) -> PostedAnswer | Say:
        """Return the reply of a button to whoever may read it, until something else holds."""
        found = await self.find(press)
        if found is None or press.is_outside or not await self._may_read(found, press.who.person):
            return Say(words=NOT_READABLE)
        return Say(words=OUTDATED) if found.is_settled else found

    async def _may_read(self, found: PostedAnswer, person: str) -> bool:
        """Say whether somebody reads where a reply stands, and may read each policy it cites."""
        rooms = set(found.shared_in)
        if found.place.mode != "direct":
            rooms.add(found.place.channel)
        places = [replace(found.place, channel=one, thread=one, mode="channel") for one in rooms]
        told = [await self._membership.granted(place, person) for place in places]
        seen = [groups for groups in told if groups is not None]
        if person != found.person and not seen:
            return False
        readers = await self._membership.readers(found.place, person, is_direct=True)
        if not isinstance(readers, Readers):
            return False
        return await self.may_be_read(found, readers.groups.union(*seen)) is not None


def why_not_asker(found: PostedAnswer | None, press: Press) -> Text | None:
    """Refuse what an asker alone does with an answer; None: nothing is refused."""
    if found is None or press.is_outside:
        return NOT_READABLE
    if found.is_removed:
        return REMOVED_BEFORE
    if found.person != press.who.person:
        return ONLY_ASKER
    return OUTDATED if found.is_settled else None


def is_report(found: PostedAnswer) -> bool:
    """Say whether a reply is the one to a report, which goes to Compliance in private."""
    answer = found.reply.answer
    return answer is not None and answer.is_report


@dataclass(frozen=True, slots=True)
class AnswerActions:
    """Shows evidence to whoever may read it, and removes answers."""

    access: ReplyAccess
    shown: PostedAnswers
    actions: PostedAnswerActions
    desk: CaseService

    async def evidence(self, press: Press) -> OpenForm | Say:
        """Open the page of the evidence that was chosen, the first one if none was."""
        found = await self.access.read(press)
        if isinstance(found, Say):
            return found
        answer = found.reply.answer
        if answer is None:
            return Say(words=NOT_READABLE)
        around = await self._around(answer)
        return OpenForm(
            form=EvidenceView(
                answer=answer,
                answer_id=press.target,
                page=press.page,
                around=around,
                record_id=found.reply.record_id or "",
                leaf_hash=found.reply.leaf_hash or "",
            )
        )

    async def whole(self, press: Press) -> Answer | Say:
        """Return an answer that may not have arrived; one to a report to its asker alone."""
        found = await self.access.read(press)
        if isinstance(found, Say):
            return found
        is_alien = is_report(found) and found.person != press.who.person
        if is_alien or found.reply.answer is None:
            return Say(words=NOT_READABLE)
        return found.reply.answer

    async def remove(self, press: Press) -> Outcome:
        """Remove an answer, for its asker or an officer; its record stays."""
        found = await self.access.find(press)
        officer = self.desk.officer_of(press.listed)
        told = why_not_asker(found, press)
        if told == ONLY_ASKER and officer is not None:
            told = None
        if told is None:
            removed = await self.actions.remove(press.target, press.listed, officer=officer)
            told = None if removed else REMOVED_BEFORE
        if told is not None and told == ONLY_ASKER and found is not None:
            return Say(words=told, whose=found.person)
        return Removed() if told is None else Say(words=told)

    async def _around(self, answer: Answer) -> dict[int, Around]:
        spans = [one.span for one in answer.citations]
        around = await self.shown.around(spans, characters=AROUND + 1)
        return {
            one.number: Around(before=around[one.span].before, after=around[one.span].after)
            for one in answer.citations
            if one.span in around
        }


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
        answers: str | None,
    ) -> InboundMessage:
        """Return the message; `text` is from our own tables."""
        ...


class ClarificationActions:
    """Takes the options of clarifications, as if their words had been written."""

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
            return Say(words=ONLY_ASKER, whose=found.person)
        answer, answer_id = found.reply.answer, found.reply.answer_id
        option = _option_of(answer, press.choice)
        if answer is None or answer_id is None or option is None or found.is_followed:
            return Say(words=OUTDATED)
        if found.is_expired:
            return Say(words=EXPIRED)
        who = press.who
        taken = await self._intake.accept(
            as_message(
                place=found.place,
                text=option,
                sent_at=self._clock.now(),
                kind=MessageKind.CHOICE,
                message_key=f"{who.platform}:{who.tenant}:clarify:{answer_id}",
                is_whispered=found.is_whispered,
                answers=answer_id,
            )
        )
        if not isinstance(taken, Accepted):
            return Say(words=OUTDATED)
        return Redraw(now=Clarified(asked=answer, chosen=EVERY_CASE if option == ALL else option))


def _option_of(answer: Answer | None, choice: str) -> str | None:
    """Return the words of an option of a question back, from our own tables."""
    if answer is None or answer.outcome is not AnswerOutcome.CLARIFICATION:
        return None
    if choice == ALL:
        return ALL
    number = int(choice) if choice.isascii() and choice.isdecimal() else len(answer.options)
    return answer.options[number] if number < len(answer.options) else None


class FollowUpActions:
    """Asks the questions that answers suggest, as if their asker had written them."""

    def __init__(self, access: ReplyAccess, intake: Intake, clock: Clock) -> None:
        self._access = access
        self._intake = intake
        self._clock = clock

    async def ask_on(self, press: Press, as_message: AsMessage) -> AskedOn | Say:
        """Keep the question, once below each answer."""
        found = await self._access.find(press)
        refusal = why_not_asker(found, press)
        question = "" if refusal else _suggested(found, press.choice)
        if found is None or not question:
            whose = found.person if found is not None and refusal == ONLY_ASKER else ""
            return Say(words=refusal or OUTDATED, whose=whose)
        who = press.who
        taken = await self._intake.accept(
            as_message(
                place=found.place,
                text=question,
                sent_at=self._clock.now(),
                kind=MessageKind.MESSAGE,
                message_key=(
                    f"{who.platform}:{who.tenant}:follow_up:{press.target}|{press.choice}"
                ),
                is_whispered=found.is_whispered,
                answers=None,
            )
        )
        if not isinstance(taken, Accepted):
            return Say(words=ASKED_BEFORE)
        return AskedOn(
            place=found.place,
            person=found.person,
            question=question,
            is_shown=not found.is_whispered,
        )


def _suggested(found: PostedAnswer | None, choice: str) -> str:
    """Return a suggestion by its number, from our own tables; empty: there is none."""
    if found is None or found.reply.answer is None:
        return ""
    suggested = follow_ups(found.reply.answer)
    number = int(choice) if choice.isascii() and choice.isdecimal() else len(suggested)
    return suggested[number] if number < len(suggested) else ""
