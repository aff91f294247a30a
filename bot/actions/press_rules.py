"""What a press means, and who may: the same on every platform (platforms, 4.4).

Everything is looked up by id; what a callback says of texts, people or places is never taken for
it. Refusals are lines for whoever pressed; an empty one refuses nothing.
"""

from collections.abc import Collection
from typing import Protocol

from bot.replies.case_states import already_sent, case_stands, sent_words
from bot.replies.lines import (
    ANSWERED_BEFORE,
    ANSWERED_YOU,
    ANSWERED_YOU_TOO,
    NOT_READABLE,
    OFFICERS_ONLY,
    ONLY_ASKER,
    ONLY_ASKER_SENDS,
    OUTDATED,
    STILL_WITH_COMPLIANCE,
)
from core.domain.answer import Outcome
from core.domain.case import Case, CaseState, Urgency
from core.domain.case_rules import CaseResult, Done, Refusal, Refused
from core.domain.delivery import NoReaders, Readers
from core.domain.feedback import FeedbackKept, FeedbackRefused
from core.domain.place import Place
from core.domain.policy import EVERYONE, VersionId
from core.ports.shown import ShownReplies, ShownReply

ALL = "all"
"""The choice of a clarification that stands for every case."""
EVERY_CASE = "all cases"
REMOVED_BEFORE = "This answer was removed before."
NO_CASE = "There is no such case."
NOTHING_TO_MARK = "The asker got no answer that could be wrong."
POSTED = "Your answer to case {number} goes to the asker{where}. The card shows it."


class Rooms(Protocol):
    """Who is where, as a platform knows it."""

    async def readers(
        self, place: Place, person: str, /, *, is_direct: bool
    ) -> Readers | NoReaders:
        """See `core.ports.Audience.readers`."""
        ...

    async def granted(self, room: str, person: str, /) -> frozenset[str] | None:
        """Return the groups that a channel makes its members count as; None: they are not in it.

        A channel that anybody may join makes nobody count as anything.
        """
        ...


class Reading:
    """Says who may read an answer."""

    def __init__(self, shown: ShownReplies, rooms: Rooms) -> None:
        """Take who knows the policies' audiences, and who knows the people."""
        self._shown = shown
        self._rooms = rooms

    async def may_read(self, found: ShownReply, person: str) -> bool:
        """Say whether somebody reads where a reply stands, and may read each policy it cites."""
        rooms = set(found.shared_in)
        if found.place.mode != "direct":
            rooms.add(found.place.channel)
        told = [await self._rooms.granted(room, person) for room in rooms]
        seen = [groups for groups in told if groups is not None]
        if person != found.person and not seen:
            return False
        readers = await self._rooms.readers(found.place, person, is_direct=True)
        if not isinstance(readers, Readers):
            return False
        return await self.may_be_read(found, readers.groups.union(*seen)) is not None

    async def may_be_read(
        self, found: ShownReply, groups: Collection[str]
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

    async def why_not(self, found: ShownReply | None, person: str, *, is_outside: bool) -> str:
        """Refuse evidence and judgement to who may not read an answer, and of one that is over."""
        if found is None or is_outside or not await self.may_read(found, person):
            return NOT_READABLE
        return OUTDATED if found.is_settled else ""


def why_not_choose(found: ShownReply | None, person: str, *, is_outside: bool) -> str:
    """Refuse an option of a clarification to all but the asker, and once it was answered."""
    if found is None or is_outside:
        return NOT_READABLE
    if found.person != person:
        return ONLY_ASKER
    answer = found.reply.answer
    is_open = answer is not None and answer.outcome is Outcome.CLARIFICATION
    return "" if is_open and not found.is_followed else OUTDATED


def option_of(found: ShownReply | None, choice: str) -> str | None:
    """Return the words of an option, from our own tables."""
    if found is None or found.reply.answer is None:
        return None
    options = found.reply.answer.options
    if choice == ALL:
        return ALL
    number = int(choice) if choice.isascii() and choice.isdecimal() else len(options)
    return options[number] if number < len(options) else None


def why_not_send(
    found: ShownReply | None, person: str, *, is_outside: bool, is_officer: bool
) -> str:
    """Refuse to hand a question over to all but its asker and officers; a report to them, too."""
    if found is None or is_outside:
        return NOT_READABLE
    if found.person != person and (is_report(found) or not is_officer):
        return ONLY_ASKER_SENDS
    return OUTDATED if found.is_removed else ""


def why_not_do(found: ShownReply | None, person: str, *, is_outside: bool) -> str:
    """Refuse what an asker alone does with an answer."""
    if found is None or is_outside:
        return NOT_READABLE
    if found.is_removed:
        return REMOVED_BEFORE
    if found.person != person:
        return ONLY_ASKER
    return OUTDATED if found.is_settled else ""


def is_closest(found: ShownReply) -> bool:
    """Say whether a reply shows a closest passage, of which may be said that it answers."""
    answer = found.reply.answer
    return answer is not None and answer.is_closest


def is_report(found: ShownReply) -> bool:
    """Say whether a reply is the one to a report, which goes to Compliance in private."""
    answer = found.reply.answer
    return answer is not None and answer.is_report


def urgency_of(given: str) -> Urgency:
    """Return what was chosen in a form."""
    return Urgency.TODAY if given == Urgency.TODAY.value else Urgency.WEEK


def sent(result: CaseResult) -> str:
    """Say what came of handing a question over."""
    match result:
        case Done():
            return sent_words(result.case) if result.is_new else already_sent(result.case)
        case Refused(why=Refusal.NOT_ASKER):
            return ONLY_ASKER_SENDS
        case Refused(why=Refusal.NO_CASE):
            return OUTDATED
        case Refused():
            return NOT_READABLE


def settled(result: CaseResult, words: str) -> str:
    """Say what came of a press under an officer's answer; `words` are those of success."""
    if isinstance(result, Done):
        return words.format(number=result.case.number)
    if result.why is Refusal.NOT_ASKER:
        return ONLY_ASKER
    return NOT_READABLE if result.case is None else case_stands(result.case)


def refused(result: Refused) -> str:
    """Say why an officer's deed came to nothing."""
    match result.why:
        case Refusal.NOT_OFFICER:
            return OFFICERS_ONLY
        case Refusal.NOTHING_TO_MARK:
            return NOTHING_TO_MARK
        case _:
            return NO_CASE if result.case is None else case_stands(result.case)


def posted(result: CaseResult, *, wants_direct: bool) -> str:
    """Say where an officer's answer goes."""
    if isinstance(result, Refused):
        return refused(result)
    is_direct = result.case.is_private or wants_direct
    where = " alone, in a direct message" if is_direct else "'s thread"
    return POSTED.format(number=result.case.number, where=where)


def judged(kept: FeedbackKept | FeedbackRefused) -> str:
    """Refuse what was not kept."""
    if isinstance(kept, FeedbackKept):
        return ""
    return NOT_READABLE if kept.why is Refusal.UNKNOWN else OUTDATED


def answers_it(kept: FeedbackKept | FeedbackRefused, *, is_asker: bool, case: Case | None) -> str:
    """Say what came of telling that a closest passage answers.

    Args:
        kept: What became of it.
        is_asker: True: the question is theirs.
        case: The case of their question; None: there is none.
    """
    if isinstance(kept, FeedbackRefused):
        return judged(kept)
    told = ANSWERED_YOU if is_asker else ANSWERED_YOU_TOO
    told = ANSWERED_BEFORE if kept.is_repeated else told
    is_waiting = case is not None and case.state in {CaseState.OPEN, CaseState.CLAIMED}
    return f"{told} {STILL_WITH_COMPLIANCE} {case_stands(case)}" if case and is_waiting else told
