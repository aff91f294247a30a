"""What people do to cases and answers, for every surface: opens cases, and works on them.

Officers are those of our list, whoever else reads their channel; askers are those who asked. All
else is refused, and that is recorded.
"""

from collections.abc import Iterable
from dataclasses import replace

from core.audit.run_events import conflicting_sections
from core.cases.case_codes import new_code, plain_code
from core.cases.opening import CaseOpener
from core.cases.rules import (
    Change,
    changed,
    decide,
    excluded,
    is_own,
    is_superseded,
    may_add,
    news_for_asker,
    storable,
    why_not_begun,
    why_not_opened,
    without_owner,
)
from core.cases.written import LONGEST_WRITTEN, plain
from core.domain.answer import RefusalKind
from core.domain.audit import Tag
from core.domain.case import (
    NO_CLOCK,
    UNSETTLED,
    Case,
    CaseState,
    Opener,
    StoredCase,
    Urgency,
)
from core.domain.case_actions import (
    ASKERS_OWN,
    AUTHORITY,
    NOTE_LIMIT,
    REPLY_LIMIT,
    SAID,
    VERDICTS,
    CaseAction,
    CaseActionKind,
    CaseDone,
    CaseRefused,
    CaseResult,
    Opening,
    Refusal,
)
from core.domain.delivery import AboutCase, CasePart
from core.domain.errors import UsageError
from core.domain.json_value import Json
from core.domain.officers import Account, Officer, Officers
from core.ports import Clock, IdSource
from core.ports.cases import Actor, CaseStore, CaseUnit, SettledFilter

_TAGS = {
    CaseActionKind.CLAIM: Tag.CASE_ASSIGNED,
    CaseActionKind.ANSWER: Tag.CASE_ANSWERED,
    CaseActionKind.ACKNOWLEDGE: Tag.CASE_ACKNOWLEDGED,
    CaseActionKind.MESSAGE: Tag.CASE_MESSAGED,
    CaseActionKind.CLOSE: Tag.CASE_CLOSED,
    **dict.fromkeys(VERDICTS, Tag.ANSWER_REVIEWED),
    CaseActionKind.ACCEPT: Tag.CASE_RESOLVED,
    CaseActionKind.ASK_AGAIN: Tag.CASE_REOPENED,
}
_UNKNOWN = CaseRefused(why=Refusal.UNKNOWN)


class CaseService:
    """Opens cases and works on them. `key` is the identity of a click, the same if it is repeated.

    Actions return `CaseDone`, which shows the case as it now stands, or `CaseRefused`.
    """

    def __init__(
        self, store: CaseStore, *, officers: Officers, clock: Clock, ids: IdSource
    ) -> None:
        self._store = store
        self._officers = officers
        self._clock = clock
        self._opener = CaseOpener(officers=officers, clock=clock, ids=ids)

    def officer_of(self, who: Account) -> Officer | None:
        """Return the officer behind an account; None: no officer."""
        return self._officers.find(who)

    def is_officer(self, who: Account) -> bool:
        """Say whether somebody is on our list."""
        return self.officer_of(who) is not None

    def _is_sole(self, officer: Officer | None) -> bool:
        return self._officers.all == (officer,)

    def is_on_call(self, who: Account) -> bool:
        """Say whether somebody gets what must not stand in a channel."""
        return self.officer_of(who) in self._officers.on_call

    def _store_for(self, who: Account) -> CaseStore:
        """Return cases as somebody may see them: others read along in chat, where officers are."""
        officer = self.officer_of(who)
        if officer is None:
            return self._store
        others = () if who == officer.at_console else self._officers.logins
        return self._store.seen_by(officer.login, *others)

    async def open(
        self,
        answer_id: str,
        who: Account,
        *,
        key: str,
        note: str = "",
        urgency: Urgency = Urgency.WEEK,
        opener: Opener = Opener.ASKER,
        is_private: bool = False,
        is_anonymous: bool = False,
        permalink: str | None = None,
        asker_name: str | None = None,
        without: str = "",
    ) -> CaseResult:
        """Send a question to Compliance, because its asker or an officer wants that.

        An answer has one case at most: later calls return the first. To a case that was opened
        without its asker they add their note and name, once.

        Args:
            answer_id: what the asker got.
            who: who presses.
            key: identity of the click.
            note: what they should know; what is longer than the limit is cut.
            urgency: when it is needed.
            opener: `ASKER` if they were told that officers see the name, else `PIPELINE`.
            is_private: the reply is to come directly.
            is_anonymous: no name and no place for the officers; the reply comes directly.
            permalink: where it was asked, from the platform itself.
            asker_name: the name to be shown, from the platform itself.
            without: officers who must not hear of a report, as the asker names them.
        """
        opening = Opening(
            answer_id=answer_id,
            by=who,
            officer=self.officer_of(who),
            key=key,
            note=storable(note, limit=NOTE_LIMIT),
            urgency=urgency,
            opener=opener,
            is_private=is_private,
            is_anonymous=is_anonymous,
            permalink=permalink,
            asker_name=asker_name,
            without=without,
        )

        async def work(unit: CaseUnit) -> CaseResult:
            return await self._open(unit, opening)

        return await self._store.run(work)

    async def claim(
        self, case_id: str, who: Account, *, key: str, takes_over: bool = False
    ) -> CaseResult:
        """Let an officer have a case; another one's only if it is taken over on purpose."""
        return await self._act(CaseActionKind.CLAIM, case_id, who, key=key, takes_over=takes_over)

    async def begin_answer(self, case_id: str, who: Account, *, key: str) -> CaseResult:
        """Say whether somebody may answer a case, before they write: `CaseDone` if they may."""
        officer = self.officer_of(who)
        case = await self._store_for(who).find(case_id) if officer else None
        if officer is None or case is None or officer.login in case.excluded:
            return await self._act(CaseActionKind.ANSWER, case_id, who, key=key)
        refusal = why_not_begun(case, officer, is_sole_officer=self._is_sole(officer))
        if refusal is not None:
            return CaseRefused(why=refusal, case=case.shown())
        return CaseDone(case=case.shown(), is_new=False)

    async def answer(
        self,
        case_id: str,
        who: Account,
        *,
        key: str,
        text: str,
        is_private: bool = False,
        confirms: bool = False,
        is_feedback: bool = True,
    ) -> CaseResult:
        """Send an officer's words to the asker, and say at the earlier answer that they hold.

        `text` has the form of `core.cases.written`. With `confirms` the earlier answer is right and
        stands; `text`, which may be empty, adds to it. Without `is_feedback` it only asks the
        writer of a report, or tells them, something.

        Raises:
            UsageError: The text is empty or too long: nothing of it is cut.
        """
        told = storable(text)
        if not told.strip() and not confirms:
            raise UsageError("expected the text of an answer")
        length = len(plain(told)) if len(told) <= LONGEST_WRITTEN else len(told)
        if length > REPLY_LIMIT:
            raise UsageError(
                f"an answer has at most {REPLY_LIMIT} characters, this one has {length}"
            )
        return await self._act(
            CaseActionKind.ANSWER if is_feedback else CaseActionKind.MESSAGE,
            case_id,
            who,
            key=key,
            text=told.strip() and told,
            is_private=is_private,
            confirms=confirms,
        )

    async def acknowledge(self, case_id: str, who: Account, *, key: str) -> CaseResult:
        """Tell the writer of a report that it was received."""
        return await self._act(CaseActionKind.ACKNOWLEDGE, case_id, who, key=key)

    async def close(self, case_id: str, who: Account, *, key: str) -> CaseResult:
        """Close a case, answered or not."""
        return await self._act(CaseActionKind.CLOSE, case_id, who, key=key)

    async def judge(
        self, kind: CaseActionKind, case_id: str, who: Account, *, key: str, reason: str = ""
    ) -> CaseResult:
        """Record what an officer finds of the answer which the asker got; see `VERDICTS`."""
        told = storable(reason, limit=NOTE_LIMIT)
        return await self._act(kind, case_id, who, key=key, text=told)

    async def accept(self, case_id: str, who: Account, *, key: str) -> CaseResult:
        """Close a case because the officer's answer is enough for its asker."""
        return await self._act(CaseActionKind.ACCEPT, case_id, who, key=key)

    async def ask_again(self, case_id: str, who: Account, *, key: str) -> CaseResult:
        """Return a case to its officer because the answer is not enough for its asker."""
        return await self._act(CaseActionKind.ASK_AGAIN, case_id, who, key=key)

    async def about(self, answer_id: str, who: Account) -> Case | None:
        """Return the case of an answer, to those who might open it; None: there is none."""
        case = await self._store.of_answer(answer_id)
        if case is None or not case.account.shares_workspace(who):
            return None
        return _seen(case, is_asker=case.account == who)

    async def queue(self, who: Account) -> tuple[Case, ...] | CaseRefused:
        """Return the cases that wait for an officer, to officers."""
        if not self.is_officer(who):
            return CaseRefused(why=Refusal.NOT_OFFICER)
        return self._shown(await self._store_for(who).listed(UNSETTLED), who)

    async def settled(
        self, who: Account, wanted: SettledFilter, *, most: int
    ) -> tuple[Case, ...] | CaseRefused:
        """Return cases that were answered or closed, to officers."""
        if not self.is_officer(who):
            return CaseRefused(why=Refusal.NOT_OFFICER)
        return self._shown(await self._store_for(who).settled(wanted, most=most), who)

    def _shown(self, cases: Iterable[StoredCase], who: Account) -> tuple[Case, ...]:
        """Return cases without reports that name this officer, which the database leaves out too.

        It can't where its login is an administrator's, as in a trial.
        """
        officer = self.officer_of(who)
        return tuple(
            case.shown() for case in cases if officer and officer.login not in case.excluded
        )

    async def show(self, case_id: str, who: Account) -> Case | CaseRefused:
        """Return a case, to officers."""
        if not self.is_officer(who):
            return CaseRefused(why=Refusal.NOT_OFFICER)
        case = await self._store_for(who).find(case_id)
        if case is not None and self._shown([case], who):
            return case.shown()
        is_there = await self._store.find(case_id)
        return CaseRefused(why=Refusal.OTHER_UNIT if is_there else Refusal.UNKNOWN)

    async def mine(self, who: Account) -> tuple[Case, ...]:
        """Return the cases of a person that are not closed."""
        return tuple(case.shown_to_asker() for case in await self._store.of_asker(who))

    async def new_code(self, answer_id: str, who: Account) -> str:
        """Return a code for the writer of a report, in place of an earlier one; empty: for none."""

        async def work(unit: CaseUnit) -> str:
            asked = await unit.rows.asked(answer_id, who)
            case = await unit.rows.of_question(asked.question_id) if asked else None
            if case is None or case.account != who:
                return ""
            await unit.rows.lock(case.conversation_id)
            return await _code_of(unit, case)

        return await self._store.run(work)

    async def _open(self, unit: CaseUnit, opening: Opening) -> CaseResult:
        asked = await unit.rows.asked(opening.answer_id, opening.by)
        if asked is None:
            return CaseRefused(why=Refusal.UNKNOWN)
        await unit.rows.lock(asked.conversation_id)
        left_out = excluded(asked, opening, self._officers)
        routes = self._officers.routes(is_sensitive=True, without=left_out)
        refusal = why_not_opened(asked, opening, is_anybody_left=bool(routes or not left_out))
        if refusal is not None:
            actor = await unit.log.actor(
                opening.by, opening.officer, conversation_id=asked.conversation_id
            )
            await unit.log.record_refused_opening(asked, actor, refusal)
            return CaseRefused(why=refusal)
        case = await unit.rows.of_question(asked.question_id)
        is_new = True
        if case is None:
            case = await self._opener.open_by_person(unit, asked, opening)
        elif may_add(asked, case, opening):
            case = await self._opener.add_note(unit, case, opening, left_out)
        else:
            is_new = False
        is_asker = asked.is_by(opening.by)
        code = await _code_of(unit, case) if is_new and is_asker else ""
        return CaseDone(case=_seen(case, is_asker=is_asker), is_new=is_new, code=code)

    async def _act(
        self,
        kind: CaseActionKind,
        case_id: str,
        who: Account,
        *,
        key: str,
        text: str = "",
        is_private: bool = False,
        takes_over: bool = False,
        confirms: bool = False,
    ) -> CaseResult:
        action = CaseAction(
            kind=kind,
            case_id=case_id,
            by=who,
            officer=self.officer_of(who),
            key=key,
            text=text,
            is_private=is_private,
            takes_over=takes_over,
            confirms=confirms,
            is_sole_officer=self._is_sole(self.officer_of(who)),
        )

        store = self._store if kind in ASKERS_OWN else self._store_for(who)
        result = await self._act_on(store, action)
        if result == _UNKNOWN and store is not self._store:
            return await self._act_on(self._store, replace(action, is_beyond=True))
        return result

    async def _act_on(self, store: CaseStore, action: CaseAction) -> CaseResult:
        async def work(unit: CaseUnit) -> CaseResult:
            case = await unit.rows.find(action.case_id)
            if case is None:
                return _UNKNOWN
            await unit.rows.lock(case.conversation_id)
            # Read again: until now others could change it.
            return await self._decide(unit, await unit.rows.find(action.case_id) or case, action)

        return await store.run(work)

    async def _decide(self, unit: CaseUnit, case: StoredCase, action: CaseAction) -> CaseResult:
        if case.state is CaseState.CLAIMED and case.owner not in self._officers.logins:
            case = without_owner(case)  # who was removed since
        verdict = decide(case, action)
        is_asker = action.kind in ASKERS_OWN
        actor = await unit.log.actor(
            action.by,
            None if is_asker else action.officer,
            conversation_id=case.conversation_id,
        )
        before = await unit.log.find(case, actor, action.key)
        if before is not None and verdict not in AUTHORITY:
            verdict = before.refusal
        if isinstance(verdict, Refusal):
            if before is None:
                await _refuse(unit, case, actor, action, verdict)
            is_hidden = verdict in AUTHORITY
            shown = None if is_hidden else _seen(case, is_asker=is_asker)
            return CaseRefused(why=verdict, case=shown)
        if verdict is not None:
            case = await self._change(unit, case, actor, action, verdict)
        return CaseDone(case=_seen(case, is_asker=is_asker), is_new=verdict is not None)

    async def _change(
        self, unit: CaseUnit, case: StoredCase, actor: Actor, action: CaseAction, change: Change
    ) -> StoredCase:
        is_direct = action.is_private or case.goes_directly
        message_id = await unit.log.add(
            case,
            actor,
            kind=action.kind.value,
            key=action.key,
            body=action.text,
            officer=action.officer,
            is_direct=is_direct,
        )
        is_answer, verdict = action.kind in SAID, action.verdict
        says: dict[str, Json] = {"is_direct": is_direct} if is_answer else {}
        says |= {} if verdict is None else {"verdict": verdict.value}
        if action.kind not in ASKERS_OWN and is_own(case, action.officer):
            says = {**says, "own_question": True}
        elif verdict is not None:
            await unit.log.keep_verdict(case, actor, verdict, key=action.key)
        after = await unit.rows.save(
            changed(case, action, change, now=self._clock.now(), calendar=self._officers.calendar)
        )
        content = {"reply" if is_answer else "reason": action.text}
        tag = _TAGS[action.kind]
        recorded = await unit.log.record(tag, after, actor, content=content, says=says)
        if is_answer and verdict is not None:
            await unit.log.record(Tag.ANSWER_REVIEWED, after, actor, says=says)
        about = news_for_asker(after, action)
        if about is not None:
            await unit.posts.tell_asker(after, about, recorded, is_direct=after.goes_directly)
        if is_answer:
            reply = AboutCase(what=CasePart.REPLY, case_id=case.case_id, message_id=message_id)
            await unit.posts.tell_asker(after, reply, recorded, is_direct=is_direct)
            await _mark_earlier(unit, after, actor, message_id)
        await unit.posts.update_cards(after)
        return after


async def _code_of(unit: CaseUnit, case: StoredCase) -> str:
    """Return a new code of a report, of which no more than a hash is kept; empty: of no report."""
    if case.clock == NO_CLOCK:
        return ""
    code = new_code()
    await unit.codes.keep(case.case_id, plain_code(code))
    return code


async def _refuse(
    unit: CaseUnit, case: StoredCase, actor: Actor, action: CaseAction, why: Refusal
) -> None:
    kind = action.kind.value
    await unit.log.add(case, actor, kind=kind, key=action.key, refusal=why)
    says: dict[str, Json] = {"deed": kind, "refusal": why.value}
    await unit.log.record(Tag.CASE_REFUSED, case, actor, says=says)


async def _mark_earlier(unit: CaseUnit, case: StoredCase, actor: Actor, message_id: int) -> None:
    """Mark the answer that an officer's replaces."""
    if case.answer is not None and case.answer.refusal is RefusalKind.CONFLICT:
        sections = conflicting_sections(case.answer.citations)
        await unit.log.record(Tag.CONFLICT_RESOLVED, case, actor, says={"sections": sections})
    if is_superseded(case):
        recorded = await unit.log.record(Tag.ANSWER_SUPERSEDED, case, actor)
        await unit.posts.supersede(case, message_id, recorded)


def _seen(case: StoredCase, *, is_asker: bool) -> Case:
    return case.shown_to_asker() if is_asker else case.shown()
