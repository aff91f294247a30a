"""What officers do with precedents: propose, approve, refuse, withdraw; and when they may.

Two officers stand behind each: whoever answered the case or proposed it can't approve it. Its
clauses are read from the policies in force, never from what was typed. Whom it is told to is never
wider than who may read them.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from uuid import UUID

from core.agent.conversation.referring import needs_subject
from core.cases.clauses import bound, scope_of
from core.cases.written import plain
from core.domain.audit import Tag
from core.domain.codec import json_of
from core.domain.errors import UsageError
from core.domain.json_value import Json
from core.domain.officers import Officer
from core.language.question_form import question_form
from core.ports import Clock, IdSource
from core.ports.precedents import (
    CLAUSES,
    DEFAULT_DAYS,
    MOST_DAYS,
    UNDECIDED,
    WORDING_LIMIT,
    WORDINGS,
    AnsweredCase,
    BoundClause,
    ClauseName,
    Precedent,
    PrecedentState,
    PrecedentStore,
    PrecedentUnit,
    Proposal,
)


class PrecedentService:
    """Precedents, for every surface.

    Whatever is refused is a `UsageError` that says why; nothing was done then.
    """

    def __init__(self, store: PrecedentStore, *, clock: Clock, ids: IdSource) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids

    def seen_by(self, officer: str) -> "PrecedentService":
        """Return it as an officer may use it: of their units, resting on what they may read."""
        return PrecedentService(self._store.seen_by(officer), clock=self._clock, ids=self._ids)

    async def propose(self, proposal: Proposal) -> Precedent:
        """Propose the officer's answer of a case as a precedent.

        Raises:
            UsageError: It can't be one, as it was proposed.
        """

        async def work(unit: PrecedentUnit) -> Precedent:
            case = _answered(proposal, await unit.answered(proposal.case_number))
            clauses = [await self._clause(unit, name) for name in _named(proposal)]
            proposed = self._proposed(proposal, case, clauses)
            _refuse_repeated(proposed, await unit.of_case(case.case_id))
            precedent = await unit.insert(proposed, case_id=case.case_id)
            await unit.record(
                Tag.PRECEDENT_PROPOSED,
                precedent,
                actor=proposal.by.login,
                cause=case.record_id,
                says=_says(precedent),
                content=_texts(precedent),
            )
            return precedent

        return await self._store.run(work)

    async def approve(self, number: int, by: Officer) -> Precedent:
        """Let a precedent be told, as a second officer.

        Raises:
            UsageError: This officer answered or proposed it, it was decided before, its last day
                has passed, or a clause of it no longer stands.
        """
        today = self._clock.today()

        async def work(unit: PrecedentUnit) -> Precedent:
            precedent = await _undecided(unit, number, by)
            if precedent.expires_on <= today:
                raise UsageError(
                    f"precedent {number} expired on {precedent.expires_on}: propose it again with"
                    " a later day"
                )
            if not precedent.question or not await unit.standing(precedent.clauses, on_day=today):
                raise UsageError(
                    f"a clause of precedent {number} has changed since it was proposed: propose"
                    " it again"
                )
            after = replace(
                precedent,
                state=PrecedentState.APPROVED,
                decided_by=by.login,
                approved_at=self._clock.now(),
                record_id=self._ids.new(),
            )
            await unit.save(after)
            await unit.record(
                Tag.PRECEDENT_APPROVED,
                after,
                actor=by.login,
                cause=precedent.record_id,
                says=_says(after),
            )
            return after

        return await self._store.run(work)

    async def refuse(self, number: int, by: Officer, *, reason: str) -> Precedent:
        """Decide against a precedent, as a second officer.

        Raises:
            UsageError: This officer answered or proposed it, or it was decided before.
        """

        async def work(unit: PrecedentUnit) -> Precedent:
            precedent = await _undecided(unit, number, by)
            return await self._end(
                unit,
                replace(precedent, decided_by=by.login),
                PrecedentState.REFUSED,
                by=by,
                reason=reason,
            )

        return await self._store.run(work)

    async def withdraw(self, number: int, by: Officer, *, reason: str) -> Precedent:
        """Let a precedent be told no more; any officer may.

        Raises:
            UsageError: There is none, or it has ended.
        """

        async def work(unit: PrecedentUnit) -> Precedent:
            precedent = await _locked(unit, number)
            if precedent.state not in UNDECIDED:
                raise UsageError(f"precedent {number} is {precedent.state.value} already")
            return await self._end(unit, precedent, PrecedentState.WITHDRAWN, by=by, reason=reason)

        return await self._store.run(work)

    async def show(self, number: int) -> Precedent:
        """Return a precedent.

        Raises:
            UsageError: There is none.
        """
        found = await self._store.find(number)
        if found is None:
            raise UsageError(f"there is no precedent {number}")
        return found

    async def all(self) -> tuple[Precedent, ...]:
        """Return all, newest first."""
        return await self._store.listed()

    async def of_case(self, case_id: str) -> tuple[Precedent, ...]:
        """Return those of a case, newest first."""
        return await self._store.of_case(case_id)

    async def _end(
        self,
        unit: PrecedentUnit,
        precedent: Precedent,
        state: PrecedentState,
        *,
        by: Officer,
        reason: str,
    ) -> Precedent:
        if not reason.strip():
            raise UsageError("expected the reason")
        after = replace(precedent, state=state, reason=reason, record_id=self._ids.new())
        await unit.save(after)
        await unit.record(
            _ENDS[state],
            after,
            actor=by.login,
            cause=precedent.record_id,
            says={"number": after.number},
            content={"reason": reason},
        )
        return after

    async def _clause(self, unit: PrecedentUnit, name: ClauseName) -> BoundClause:
        on_day = self._clock.today()
        found = await unit.section(name.policy, name.section, on_day=on_day)
        if found is None:
            raise UsageError(
                f"{name.policy}/{name.section}: no policy in force has this key and section"
            )
        return bound(found, name)

    def _proposed(
        self, proposal: Proposal, case: AnsweredCase, clauses: Sequence[BoundClause]
    ) -> Precedent:
        now = self._clock.now()
        question = proposal.question.strip() or case.question
        return Precedent(
            precedent_id=str(UUID(self._ids.new())),
            number=0,
            case_number=case.number,
            state=PrecedentState.PROPOSED,
            question=_wording(question),
            is_askers=question_form(question) == question_form(case.question),
            wordings=_wordings(proposal.wordings, but=case.question),
            answer=plain(case.answer),
            answered_by=case.answered_by,
            clauses=tuple(clauses),
            scope=scope_of(proposal, case, clauses),
            expires_on=_last_day(proposal.expires_on, today=self._clock.day_of(now)),
            proposed_by=proposal.by.login,
            proposed_at=now,
            record_id=self._ids.new(),
        )


_ENDS = {
    PrecedentState.REFUSED: Tag.PRECEDENT_REFUSED,
    PrecedentState.WITHDRAWN: Tag.PRECEDENT_WITHDRAWN,
}


def _answered(proposal: Proposal, case: AnsweredCase | None) -> AnsweredCase:
    if case is None:
        raise UsageError(f"there is no case {proposal.case_number}")
    if case.is_sensitive:
        raise UsageError(f"case {case.number} is about a person, so it can't be a precedent")
    if not case.answer:
        raise UsageError(f"no officer has answered case {case.number} yet")
    if not proposal.question.strip() and not case.question:
        raise UsageError(f"the question of case {case.number} was erased: word one")
    return case


def _refuse_repeated(proposed: Precedent, others: Sequence[Precedent]) -> None:
    for one in others:
        is_same = question_form(one.question) == question_form(proposed.question)
        if is_same and one.state is PrecedentState.PROPOSED:
            raise UsageError(
                f"precedent {one.number} proposes the same and waits for another officer"
            )


def _named(proposal: Proposal) -> tuple[ClauseName, ...]:
    named = tuple(dict.fromkeys(proposal.clauses))
    if not 1 <= len(named) <= CLAUSES:
        raise UsageError(
            f"expected 1 to {CLAUSES} clauses that the answer rests on, got {len(named)}"
        )
    return named


def _wording(typed: str) -> str:
    words = " ".join(typed.replace("\x00", "").split())
    if len(words) > WORDING_LIMIT:
        raise UsageError(
            f"expected a question of at most {WORDING_LIMIT} characters, got {len(words)}: word it"
            " shorter"
        )
    if needs_subject(words):
        raise UsageError(
            f"{words!r} does not say by itself what it is about: word it so that others can ask it"
        )
    return words


def _wordings(typed: Sequence[str], *, but: str) -> tuple[str, ...]:
    """Return further wordings: none is that of who asked, which is kept with their question."""
    given = dict.fromkeys(_wording(one) for one in typed if one.strip())
    found = tuple(one for one in given if question_form(one) != question_form(but))
    if len(found) > WORDINGS:
        raise UsageError(f"expected at most {WORDINGS} further wordings, got {len(found)}")
    return found


def _last_day(given: date | None, *, today: date) -> date:
    until = given or today + timedelta(days=DEFAULT_DAYS)
    if not today < until <= today + timedelta(days=MOST_DAYS):
        raise UsageError(
            f"expected a day after today, within {MOST_DAYS} days, got {until.isoformat()}"
        )
    return until


async def _locked(unit: PrecedentUnit, number: int) -> Precedent:
    precedent = await unit.locked(number)
    if precedent is None:
        raise UsageError(f"there is no precedent {number}")
    return precedent


async def _undecided(unit: PrecedentUnit, number: int, by: Officer) -> Precedent:
    precedent = await _locked(unit, number)
    if by.login in {precedent.answered_by, precedent.proposed_by}:
        raise UsageError(
            f"{by.login} answered or proposed precedent {number}: another officer decides"
        )
    if precedent.state is not PrecedentState.PROPOSED:
        raise UsageError(f"precedent {number} is {precedent.state.value} already")
    return precedent


def _says(precedent: Precedent) -> dict[str, Json]:
    return json_of(
        precedent,
        "number case=case_number answered_by proposed_by scope.groups scope.jurisdictions"
        " expires_on is_askers clauses",
        clauses=[
            json_of(clause, "policy version section span.char_start span.char_end")
            for clause in precedent.clauses
        ],
    )


def _texts(precedent: Precedent) -> dict[str, str]:
    """Return the texts under commitments; the words of who asked stay with their own record."""
    texts = {
        "question": "" if precedent.is_askers else precedent.question,
        "wordings": "\n".join(precedent.wordings),
        "answer": precedent.answer,
    }
    return {field: body for field, body in texts.items() if body}
