"""How cases begin: with an answer that only a person can give, or because somebody asks for it.

In the first case the number is taken before the answer is recorded, so that the answer can name it,
and all of it is committed in one transaction.
"""

import secrets
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from core.agent.reply.compose import not_passed_on, passed_on
from core.cases.rules import (
    PASSED_ON_AT_MOST,
    PASSED_ON_WITHIN_H,
    excluded,
    goes_to_compliance,
    new_case,
    with_note,
)
from core.domain.audit import Tag
from core.domain.case import AskedAnswer, CaseState, Opener, StoredCase
from core.domain.case_actions import Opening
from core.domain.delivery import AboutCase, CasePart
from core.domain.errors import IntegrityError
from core.domain.officers import Account, Officers
from core.domain.run import Run
from core.failpoints import failpoint
from core.ports import Clock, Completion, IdSource, RecordReceipt
from core.ports.cases import Actor, CaseUnit
from core.ports.corrections import Correction
from core.ports.record import RecordStore, RecordUnit

_PIPELINE = Actor(kind="system", ref="pipeline")


class CaseOpener:
    """Opens cases within a transaction that holds the lock of the asker's conversation."""

    def __init__(self, *, officers: Officers, clock: Clock, ids: IdSource) -> None:
        self._officers = officers
        self._clock = clock
        self._ids = ids

    async def open(
        self,
        unit: CaseUnit,
        asked: AskedAnswer,
        opening: Opening,
        actor: Actor,
        *,
        number: int,
        tells_asker: bool = False,
    ) -> StoredCase:
        """Store a case, log and record it, and queue its cards, and the news of it if wanted."""
        case = await unit.rows.insert(
            new_case(
                asked,
                opening,
                case_id=str(UUID(bytes=secrets.token_bytes(16), version=4)),
                number=number,
                record_id=self._ids.new(),
                now=self._clock.now(),
                calendar=self._officers.calendar,
                left_out=excluded(asked, opening, self._officers),
            )
        )
        routes = self._officers.routes(is_sensitive=case.is_sensitive, without=case.excluded)
        await unit.log.add(case, actor, kind="open", key=opening.key, body=opening.note)
        recorded = await unit.log.record(
            Tag.CASE_OPENED,
            case,
            actor,
            content={"note": opening.note},
            says={
                "route": ["direct" if route.is_direct else "channel" for route in routes],
                "is_private": case.is_private,
                "is_anonymous": case.is_anonymous,
                "is_sensitive": case.is_sensitive,
            },
        )
        await unit.posts.first_cards(case, routes)
        if tells_asker:
            news = AboutCase(what=CasePart.NEWS, case_id=case.case_id, state=CaseState.OPEN)
            await unit.posts.tell_asker(case, news, recorded, is_direct=case.goes_directly)
        return case

    async def open_by_person(
        self, unit: CaseUnit, asked: AskedAnswer, opening: Opening
    ) -> StoredCase:
        """Open a case at the wish of its asker, who is told so, or of an officer."""
        is_asker = asked.is_by(opening.by)
        actor = await unit.log.actor(
            opening.by,
            None if is_asker else opening.officer,
            conversation_id=asked.conversation_id,
        )
        number = await unit.rows.next_number()
        tells = is_asker or opening.officer is None
        return await self.open(unit, asked, opening, actor, number=number, tells_asker=tells)

    async def add_note(
        self, unit: CaseUnit, case: StoredCase, opening: Opening, left_out: frozenset[str]
    ) -> StoredCase:
        """Add the asker's note, and the name if they wish, to a case that we opened ourselves.

        A note that tells of somebody takes the card out of the channel: it goes to those on call.
        """
        after = await unit.rows.save(
            with_note(
                case,
                opening,
                now=self._clock.now(),
                calendar=self._officers.calendar,
                left_out=left_out,
            )
        )
        actor = await unit.log.actor(opening.by, None, conversation_id=case.conversation_id)
        await unit.log.add(after, actor, kind="note", key=opening.key, body=opening.note)
        await unit.log.record(
            Tag.CASE_NOTED,
            after,
            actor,
            content={"note": opening.note},
            says={"is_anonymous": after.is_anonymous, "is_sensitive": after.is_sensitive},
        )
        await unit.posts.update_cards(after)
        if after.is_sensitive and not case.is_sensitive:
            routes = self._officers.routes(is_sensitive=True, without=after.excluded)
            await unit.posts.first_cards(after, routes)
        return after


class AnswerRecorder:
    """See `core.ports.AuditLog`: records answers, and passes on what only a person can answer."""

    def __init__(
        self, store: RecordStore, *, officers: Officers, clock: Clock, ids: IdSource
    ) -> None:
        self._store = store
        self._officers = officers
        self._clock = clock
        self._opener = CaseOpener(officers=officers, clock=clock, ids=ids)

    async def record(self, run: Run, /, *, completion: Completion | None = None) -> RecordReceipt:
        """See `AuditLog.record`."""
        failpoint("F6")

        async def work(unit: RecordUnit) -> RecordReceipt:
            return await self._record(unit, run, completion)

        return await self._store.run(work)

    async def _record(
        self, unit: RecordUnit, run: Run, completion: Completion | None
    ) -> RecordReceipt:
        seq = await unit.answers.begin(run)
        if completion is None:
            receipt = await unit.answers.append(run, seq=seq, cause=None)
            await unit.answers.append_events(run, receipt)
            return receipt
        number: int | None = None
        if not completion.is_dead and goes_to_compliance(run, self._officers):
            number = await self._number(unit, run)
            passed = not_passed_on(run.answer) if number is None else passed_on(run.answer, number)
            run = replace(run, answer=passed)
        receipt = await unit.answers.append(run, seq=seq, cause=completion.cause)
        await unit.answers.append_events(run, receipt)
        person = await unit.answers.settle(completion, run, receipt)
        if number is not None:
            await self._open(unit.cases, run, receipt, person=person, number=number)
        return receipt

    async def correct(self, run: Run, correction: Correction) -> RecordReceipt:
        """Record what an answered question is answered today, and queue it for its thread.

        Raises:
            OvertakenError: There is nothing to correct any more; nothing was stored.
            TransientError: Nothing was stored.
        """

        async def work(unit: RecordUnit) -> RecordReceipt:
            seq = await unit.answers.begin(run)
            receipt = await unit.answers.append(run, seq=seq, cause=correction.record_id)
            await unit.answers.correct(correction, run, receipt)
            return receipt

        return await self._store.run(work)

    async def _number(self, unit: RecordUnit, run: Run) -> int | None:
        """Return the number of the case; None: so many of this person's were passed on of late."""
        since = self._clock.now() - timedelta(hours=PASSED_ON_WITHIN_H)
        rows = unit.cases.rows
        before = await rows.count_passed_on(run.question.asker, since=since)
        return None if before >= PASSED_ON_AT_MOST else await rows.next_number()

    async def _open(
        self, unit: CaseUnit, run: Run, receipt: RecordReceipt, *, person: str, number: int
    ) -> None:
        """Open the case of an answer that was just settled: without name and place."""
        place = run.question.place
        opening = Opening(
            answer_id=receipt.answer_id,
            by=Account(platform=place.platform, tenant=place.tenant, person=person),
            key=f"answer:{receipt.answer_id}",
            opener=Opener.PIPELINE,
        )
        asked = await unit.rows.asked(receipt.answer_id, opening.by)
        if asked is None:
            raise IntegrityError(f"expected a message of the answer {receipt.answer_id}, got none")
        await self._opener.open(unit, asked, opening, _PIPELINE, number=number)
