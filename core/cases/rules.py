"""Decisions about cases: what becomes one, who may do what to it, who is told.

Pure. Whoever calls has read what a decision rests on under the lock of the asker's conversation.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from core.agent.conversation.misconduct import is_report, speaks_of_somebody
from core.agent.conversation.speech import is_asked
from core.agent.reply.duties import is_urgent_duty
from core.cases.named_officers import kept_from
from core.cases.report_clock import Reminder, answered, started
from core.domain.answer import Outcome
from core.domain.case import (
    NO_CLOCK,
    UNSETTLED,
    AskedAnswer,
    Case,
    CaseState,
    NewCase,
    Opener,
    ReviewVerdict,
    StoredCase,
    Urgency,
)
from core.domain.case_actions import (
    ASKERS_OWN,
    VERDICTS,
    WRITES_BACK,
    CaseAction,
    CaseActionKind,
    Opening,
    Refusal,
)
from core.domain.delivery import AboutCase, CasePart
from core.domain.officers import Officer, Officers, Route, WorkingCalendar
from core.domain.run import Run

PASSED_ON_AT_MOST = 5
"""Cases that the questions of one person open by themselves within the hours below."""
PASSED_ON_WITHIN_H = 24
_NO_CASE_FOR = frozenset({Outcome.CLARIFICATION, Outcome.IGNORED})


EVERY_DAY = WorkingCalendar()


def due(urgency: Urgency, *, now: datetime, calendar: WorkingCalendar) -> datetime:
    """Return until when an answer is due: a working day later, or a week of working days."""
    days = 1 if urgency is Urgency.TODAY else len(calendar.days)
    return calendar.after(now, days=days)


def reminder_of(case: StoredCase, *, now: datetime, calendar: WorkingCalendar) -> Reminder | None:
    """Return what officers are to be told of a case now; None: nothing, or they were told."""
    if case.state not in UNSETTLED or case.due_at is None or case.overdue_at is not None:
        return None
    if now >= case.due_at:
        return Reminder.OVERDUE
    is_soon = case.reminded_at is None and now >= calendar.reminds_at(case.due_at)
    return Reminder.SOON if is_soon else None


def reminded(case: StoredCase, reminder: Reminder, *, now: datetime) -> StoredCase:
    """Return a case of which officers were told."""
    if reminder is Reminder.OVERDUE:
        return replace(case, reminded_at=case.reminded_at or now, overdue_at=now)
    return replace(case, reminded_at=now)


def is_confidential(text: str) -> bool:
    """Say whether a text may tell of somebody or of misconduct: then no channel may see it."""
    return is_report(text) or speaks_of_somebody(text)


def goes_to_compliance(run: Run, officers: Officers) -> bool:
    """Say whether the question of an answer becomes a case without a press.

    A mere statement, and what was not addressed to us, opens none: see
    `core.agent.conversation.speech`. Nothing that may tell of somebody is passed on unless its
    asker wants that, and nothing at all where no officer would hear of it.
    """
    question = run.question
    return (
        run.answer.needs_person
        and bool(officers.routes(is_sensitive=False))
        and question.is_addressed
        and is_asked(question)
        and not any(map(is_confidential, (question.text, question.own)))
    )


def excluded(asked: AskedAnswer, opening: Opening, officers: Officers) -> frozenset[str]:
    """Return which officers must not hear of a report: those named in it, and by its asker."""
    told = (asked.question, asked.standalone, opening.note)
    if not asked.was_reported and not any(map(is_confidential, told)):
        return frozenset()
    return kept_from(officers, (*told, *asked.reported_before, opening.without))


def why_not_opened(
    asked: AskedAnswer,
    opening: Opening,
    *,
    is_anybody_left: bool = True,
) -> Refusal | None:
    """Say why this person may not open the case of an answer; None: they may."""
    if not asked.is_by(opening.by) and (opening.officer is None or asked.was_reported):
        return Refusal.NOT_ASKER
    if not is_anybody_left:
        return Refusal.NOBODY_LEFT
    # Whom a report named is not known any more once its words were erased.
    is_empty = asked.was_reported and not asked.question
    return Refusal.NO_CASE if is_empty or asked.outcome in _NO_CASE_FOR else None


def may_add(asked: AskedAnswer, case: StoredCase, opening: Opening) -> bool:
    """Say whether a second opening adds a note and a name to the case that we opened ourselves."""
    return asked.is_by(opening.by) and case.may_be_added_to and opening.opener is Opener.ASKER


def new_case(
    asked: AskedAnswer,
    opening: Opening,
    *,
    case_id: str,
    number: int,
    record_id: str,
    now: datetime,
    calendar: WorkingCalendar = EVERY_DAY,
    left_out: frozenset[str] = frozenset(),
) -> NewCase:
    """Return the case of an answer.

    Where question or note may tell of misconduct no channel sees either. A report names nobody. An
    answer that names a duty of days or less makes it urgent, whatever its asker chose.
    """
    told = asked.question, asked.standalone
    is_sensitive = asked.was_reported or any(map(is_confidential, (*told, opening.note)))
    is_urgent = any(map(is_urgent_duty, asked.claims))
    urgency = Urgency.TODAY if is_urgent else opening.urgency
    return NewCase(
        case_id=case_id,
        number=number,
        asked=asked,
        opened_at=now,
        due_at=due(urgency, now=now, calendar=calendar),
        urgency=urgency,
        opener=_opener(asked, opening),
        record_id=record_id,
        note=opening.note,
        permalink=opening.permalink,
        asker_name=opening.asker_name,
        is_private=opening.is_private or is_sensitive,
        is_anonymous=opening.is_anonymous,
        is_sensitive=is_sensitive,
        excluded=left_out,
        clock=started(now, zone=calendar.zone) if is_sensitive else NO_CLOCK,
    )


def _opener(asked: AskedAnswer, opening: Opening) -> Opener:
    """Return whose idea it was: of a report, always the pipeline's, which names nobody."""
    if not asked.is_by(opening.by):
        return Opener.OFFICER
    told = asked.question, asked.standalone
    was_report = asked.was_reported or any(map(is_report, told))
    return Opener.PIPELINE if was_report else opening.opener


def with_note(
    case: StoredCase,
    opening: Opening,
    *,
    now: datetime,
    calendar: WorkingCalendar = EVERY_DAY,
    left_out: frozenset[str] = frozenset(),
) -> StoredCase:
    """Return a case that we opened ourselves with what its asker adds: it is theirs from now on.

    An officer whom the note names no longer has it.
    """
    case = without_owner(case) if case.owner in left_out else case
    due_at = due(opening.urgency, now=now, calendar=calendar)
    is_sensitive = is_confidential(opening.note)
    is_received = is_sensitive and case.clock == NO_CLOCK
    return replace(
        case,
        opener=Opener.ASKER,
        note=opening.note,
        urgency=opening.urgency,
        due_at=min(case.due_at or due_at, due_at),
        asker_name=opening.asker_name,
        permalink=opening.permalink,
        is_private=case.is_private or opening.is_private or is_sensitive,
        is_anonymous=opening.is_anonymous,
        is_sensitive=case.is_sensitive or is_sensitive,
        excluded=case.excluded | left_out,
        clock=started(now, zone=calendar.zone) if is_received else case.clock,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an action makes of a case."""

    state: CaseState
    """Its state from now on."""
    owner: Officer | None = None
    """Its officer from now on; None: as before."""


def decide(case: StoredCase, action: CaseAction) -> Change | Refusal | None:
    """Say what an action makes of a case; None: nothing, it is so already."""
    if action.kind in ASKERS_OWN:
        return _by_asker(case, action) if action.by == case.account else Refusal.NOT_ASKER
    if action.officer is None:
        return Refusal.NOT_OFFICER
    if action.is_beyond or action.officer.login in case.excluded:
        return Refusal.OTHER_UNIT
    is_moot = action.verdict is not None and not may_be_judged(case)
    return Refusal.NOTHING_TO_MARK if is_moot else _by_officer(case, action)


def _by_asker(case: StoredCase, action: CaseAction) -> Change | Refusal | None:
    accepts = action.kind is CaseActionKind.ACCEPT
    match case.state:
        case CaseState.OPEN | CaseState.CLAIMED:
            return Refusal.NOT_ANSWERED if accepts else None
        case CaseState.ANSWERED:
            return Change(state=CaseState.CLOSED if accepts else CaseState.CLAIMED)
        case CaseState.CLOSED:
            return None if accepts else Refusal.CLOSED
        case _:
            assert_never(case.state)


def _by_officer(case: StoredCase, action: CaseAction) -> Change | Refusal | None:
    is_others = is_of_another(case, action.officer)
    match action.kind:
        case kind if kind in VERDICTS:
            return None if case.verdict is action.verdict else Change(state=case.state)
        case CaseActionKind.CLOSE:
            return _closed(case, is_others=is_others)
        case CaseActionKind.ACKNOWLEDGE | CaseActionKind.MESSAGE if case.clock == NO_CLOCK:
            return Refusal.NO_REPORT
        case CaseActionKind.ACKNOWLEDGE if case.clock.acknowledged_at:
            return None
        case CaseActionKind.CLAIM if case.state is CaseState.CLAIMED and not is_others:
            return None
        case _:
            return _taken_up(case, action, is_others=is_others)


def _closed(case: StoredCase, *, is_others: bool) -> Change | Refusal | None:
    if case.state is CaseState.CLOSED:
        return None
    if is_others and case.state is CaseState.CLAIMED:
        return Refusal.CLAIMED
    # Closed without a word, the writer of a report would wait for ever.
    return Refusal.NO_FEEDBACK if case.clock.owed else Change(state=CaseState.CLOSED)


def may_be_judged(case: StoredCase | Case) -> bool:
    """Say whether the asker got an answer, which may be right or wrong."""
    return case.answer is not None and case.answer.outcome is Outcome.ANSWERED


def _taken_up(case: StoredCase, action: CaseAction, *, is_others: bool) -> Change | Refusal:
    """Decide about a claim or an answer: both make the officer the owner."""
    claims = action.kind is CaseActionKind.CLAIM
    if is_own(case, action.officer) and not action.is_sole_officer:
        return Refusal.OWN_QUESTION
    if action.kind is CaseActionKind.ACKNOWLEDGE:
        return Change(state=case.state)
    takes_over = claims and (action.takes_over or case.clock.is_escalated)
    refusal = _why_not_answered(
        case, is_others=is_others and not takes_over, goes_on=_goes_on(case) and not claims
    )
    if refusal is not None:
        return refusal
    is_answer = action.kind is CaseActionKind.ANSWER or case.state is CaseState.ANSWERED
    return Change(
        state=CaseState.ANSWERED if is_answer else CaseState.CLAIMED, owner=action.officer
    )


def _goes_on(case: StoredCase) -> bool:
    """Say whether officers may write again after an answer: to the writer of a report."""
    return case.clock != NO_CLOCK


def is_of_another(case: StoredCase, officer: Officer | None) -> bool:
    """Say whether an officer other than this one owns a case."""
    return case.owner is not None and (officer is None or case.owner != officer.login)


def is_own(case: StoredCase, officer: Officer | None) -> bool:
    """Say whether an officer asked the question of a case, by whichever account."""
    return officer is not None and case.account in officer.accounts


def why_not_begun(case: StoredCase, officer: Officer, *, is_sole_officer: bool) -> Refusal | None:
    """Say why an officer may not write an answer to a case; None: they may."""
    if is_own(case, officer) and not is_sole_officer:
        return Refusal.OWN_QUESTION
    is_others = is_of_another(case, officer)
    return _why_not_answered(case, is_others=is_others, goes_on=_goes_on(case))


def _why_not_answered(
    case: StoredCase, *, is_others: bool, goes_on: bool = False
) -> Refusal | None:
    """Say why an officer may not answer a case now; None: they may."""
    match case.state:
        case CaseState.CLOSED:
            return Refusal.CLOSED
        case CaseState.ANSWERED if not goes_on:
            return Refusal.ANSWERED
        case CaseState.ANSWERED | CaseState.CLAIMED:
            return Refusal.CLAIMED if is_others else None
        case CaseState.OPEN:
            return None
        case _:
            assert_never(case.state)


def changed(
    case: StoredCase,
    action: CaseAction,
    change: Change,
    *,
    now: datetime,
    calendar: WorkingCalendar = EVERY_DAY,
) -> StoredCase:
    """Return a case after an action; one that is asked again falls due anew."""
    is_again = action.kind is CaseActionKind.ASK_AGAIN
    is_answer = action.kind is CaseActionKind.ANSWER
    clock = case.clock
    if action.kind in WRITES_BACK:
        clock = answered(clock, now, zone=calendar.zone, is_feedback=is_answer)
    owner, verdict = change.owner, action.verdict or case.verdict
    is_new_owner = owner is not None and owner.login != case.owner
    return replace(
        case,
        state=change.state,
        owner=owner.login if owner else case.owner,
        owner_name=owner.name if owner else case.owner_name,
        claimed_at=now if is_new_owner else case.claimed_at,
        answered_at=now if is_answer else case.answered_at,
        due_at=due(case.urgency, now=now, calendar=calendar) if is_again else case.due_at,
        reminded_at=None if is_again else case.reminded_at,
        overdue_at=None if is_again else case.overdue_at,
        is_wrong=verdict is ReviewVerdict.WRONG,
        verdict=verdict,
        clock=clock,
    )


def written_to(
    case: StoredCase, *, now: datetime, calendar: WorkingCalendar, left_out: frozenset[str]
) -> StoredCase:
    """Return a report to which its writer has added: officers have to look at it again.

    One whom that names no longer has it.
    """
    case = replace(case, excluded=case.excluded | left_out)
    case = without_owner(case) if case.owner in left_out else case
    if case.state in UNSETTLED:
        return case
    state = CaseState.CLAIMED if case.owner else CaseState.OPEN
    due_at = due(case.urgency, now=now, calendar=calendar)
    return replace(case, state=state, due_at=due_at, reminded_at=None, overdue_at=None)


def without_owner(case: StoredCase) -> StoredCase:
    """Return a case that waits for an officer again."""
    return replace(case, state=CaseState.OPEN, owner=None, owner_name=None, claimed_at=None)


def routes_of(case: StoredCase, officers: Officers) -> tuple[Route, ...]:
    """Return where officers hear of a case: its owner alone, as long as that is one."""
    own = officers.route_to(case.owner) if case.owner is not None else None
    every = officers.routes(is_sensitive=case.is_sensitive, without=case.excluded)
    return (own,) if own else every


def news_for_asker(case: StoredCase, action: CaseAction) -> AboutCase | None:
    """Return what the asker is told after an action, besides an answer itself; None: nothing."""
    match action.kind:
        case CaseActionKind.ACKNOWLEDGE:
            return AboutCase(what=CasePart.ACKNOWLEDGED, case_id=case.case_id)
        case CaseActionKind.CLAIM:
            state = CaseState.CLAIMED
        case CaseActionKind.CLOSE if case.answered_at is None:
            state = CaseState.CLOSED
        case _:
            return None
    return AboutCase(what=CasePart.NEWS, case_id=case.case_id, state=state)


def is_superseded(case: StoredCase) -> bool:
    """Say whether an officer's answer replaces what the asker got.

    The reply to a report was no answer, and stays as it is: nothing there hints at a case. One that
    an officer has found right holds, and theirs adds to it.
    """
    is_right = case.verdict is ReviewVerdict.RIGHT
    return case.answer is not None and not case.answer.is_report and not is_right


def storable(text: str, *, limit: int | None = None) -> str:
    """Return text as typed, but for what Postgres can't keep: NUL and halves of surrogate pairs."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")[:limit]
