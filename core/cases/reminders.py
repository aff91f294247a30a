"""Reminds officers of cases that wait: before one is due, and when it was due, once each.

And of what the writers of reports are owed; a day after that was due, other officers hear of it
than those who have the report, and may take it over. Where there are none, its writer is told whom
else to turn to.

Who has claimed it is told alone; of what nobody has claimed, officers are told where they hear of
cases. Mark, record and reminder are committed together, under the lock of the asker's conversation:
however many processes look, and wherever one is killed, it is told once.
"""

from dataclasses import replace
from datetime import timedelta

from core.cases.report_clock import ClockStep, Reminder, step_of
from core.cases.rules import reminded, reminder_of, routes_of
from core.domain.audit import Tag
from core.domain.case import StoredCase
from core.domain.delivery import AboutCase, CasePart
from core.domain.json_value import Json
from core.domain.officers import Officers, Route, SpeakUpContacts
from core.failpoints import failpoint
from core.ports import Clock
from core.ports.cases import Actor, CaseStore, CaseUnit

LOOKED_AHEAD = timedelta(days=30)
"""No reminder comes longer before a case is due, whatever holidays lie between."""
WORDS_KEPT = timedelta(days=30)
"""How long the words of a report are kept that nobody passed on; its writer is told so."""
_CLOCK = Actor(kind="system", ref="calendar")
_PARTS = {
    Reminder.SOON: (Tag.CASE_REMINDED, CasePart.REMINDER),
    Reminder.OVERDUE: (Tag.CASE_OVERDUE, CasePart.OVERDUE),
    Reminder.ESCALATED: (Tag.CASE_ESCALATED, CasePart.ESCALATED),
}


class CaseReminders:
    """Reminds officers. Safe from many processes."""

    def __init__(
        self,
        store: CaseStore,
        *,
        officers: Officers,
        clock: Clock,
        contacts: SpeakUpContacts,
    ) -> None:
        self._contacts = contacts
        self._store = store
        self._officers = officers
        self._clock = clock

    async def once(self) -> int:
        """Remind of each case of which officers are to be told now; return how many there were.

        And forget the words of old reports that nobody passed on.

        Raises:
            TransientError: The database failed; what was not told is told next time.
        """
        now = self._clock.now()
        await self._store.forget_reports(before=now - WORDS_KEPT)
        found = await self._store.due(now=now, until=now + LOOKED_AHEAD)
        told = 0
        for case_id in found:
            told += await self._remind(case_id)
        return told

    async def _remind(self, case_id: str) -> bool:
        async def work(unit: CaseUnit) -> bool:
            case = await unit.rows.find(case_id)
            if case is None:
                return False
            reminder = self._reminder(case)
            if reminder is None:
                return False
            await unit.rows.lock(case.conversation_id)
            # Read again: until now another process could tell of it, or an officer answer it.
            case = await unit.rows.find(case_id) or case
            reminder = self._reminder(case)
            if reminder is None:
                return False
            await self._tell(unit, case, reminder)
            failpoint("F13")
            return True

        return await self._store.run(work)

    def _reminder(self, case: StoredCase) -> Reminder | ClockStep | None:
        now = self._clock.now()
        reminder = reminder_of(case, now=now, calendar=self._officers.calendar)
        return reminder or step_of(case.clock, now=now)

    async def _tell(self, unit: CaseUnit, case: StoredCase, due: Reminder | ClockStep) -> None:
        now = self._clock.now()
        if isinstance(due, Reminder):
            reminder, owed, after = due, None, reminded(case, due, now=now)
        else:
            reminder, owed = due.reminder, due.due
            after = replace(case, clock=replace(case.clock, clocked_until=now))
        tag, part = _PARTS[reminder]
        after = await unit.rows.save(after)
        routes = self._routes(after, reminder)
        says: dict[str, Json] = {"told": len(routes), **({"due": owed.value} if owed else {})}
        recorded = await unit.log.record(tag, after, _CLOCK, says=says)
        if reminder is Reminder.ESCALATED:
            await unit.posts.first_cards(after, routes)
        about = AboutCase(what=part, case_id=after.case_id, clock=owed)
        await unit.posts.remind(after, about, recorded, routes)
        if owed and not routes:
            ways = "; ".join(self._contacts.ways)
            unheard = AboutCase(what=CasePart.UNHEARD, case_id=after.case_id, ways=ways)
            await unit.posts.tell_asker(after, unheard, recorded, is_direct=True)

    def _routes(self, case: StoredCase, reminder: Reminder) -> tuple[Route, ...]:
        having = routes_of(case, self._officers)
        if reminder is not Reminder.ESCALATED:
            return having
        everybody = self._officers.reached(without=case.excluded)
        return tuple(route for route in everybody if route not in having)
