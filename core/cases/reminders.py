"""Reminds officers of cases that wait: before one is due, and when it was due, once each.

Who has claimed it is told alone; of what nobody has claimed, officers are told where they hear of
cases. Mark, record and reminder are committed together, under the lock of the asker's conversation:
however many processes look, and wherever one is killed, it is told once.
"""

from datetime import timedelta

from core.cases.rules import Reminder, reminded, reminder_of
from core.domain.audit import Tag
from core.domain.case import StoredCase
from core.domain.delivery import CasePart
from core.domain.officers import Officers, Route
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
}


class CaseReminders:
    """Reminds officers. Safe from many processes."""

    def __init__(self, store: CaseStore, *, officers: Officers, clock: Clock) -> None:
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
            tag, part = _PARTS[reminder]
            after = await unit.rows.save(reminded(case, reminder, now=self._clock.now()))
            routes = self._routes(after)
            recorded = await unit.log.record(tag, after, _CLOCK, says={"told": len(routes)})
            await unit.posts.remind(after, part, recorded, routes)
            failpoint("F13")
            return True

        return await self._store.run(work)

    def _reminder(self, case: StoredCase) -> Reminder | None:
        return reminder_of(case, now=self._clock.now(), calendar=self._officers.calendar)

    def _routes(self, case: StoredCase) -> tuple[Route, ...]:
        own = self._officers.route_to(case.owner) if case.owner is not None else None
        every = self._officers.routes(is_sensitive=case.is_sensitive, without=case.excluded)
        return (own,) if own else every
