"""The writer of a report comes back with its code, from any account, which nobody learns.

Neither the account nor the code is stored, logged or recorded: what a code is typed with is kept
with the case as its writer's, and its delivery under a hash that nobody can make without the code.
Whoever tries codes learns nothing: a wrong code, and any code after some wrong ones, are answered
alike.
"""

import hashlib
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.cases.case_codes import TypedCode
from core.cases.named_officers import kept_from
from core.cases.rules import is_confidential, routes_of, storable, written_to
from core.domain.audit import Tag
from core.domain.case import Case, StoredCase
from core.domain.delivery import AboutCase, CasePart
from core.domain.officers import Account, Officers, SpeakUpContacts
from core.ports import Clock
from core.ports.cases import Actor, CaseStore, CaseUnit

WRONG_AT_MOST = 10
"""Wrong codes of one account, after which none is looked up for a while."""
WRONG_WITHIN = timedelta(minutes=15)
MOST_WATCHED = 10_000
"""Accounts of which a process remembers wrong codes, in memory alone."""
_WRITER = Actor(kind="system", ref="case-code")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportStatus:
    """What the writer of a report learns of it."""

    case: Case
    """How far it is; of what it tells, its words are for officers alone."""
    ways: tuple[str, ...]
    """Whom else a report can be made to, where it is overdue, or nobody can be told of it."""


class ReturningWriters:
    """Shows reports to whoever has their codes. Safe from many tasks."""

    def __init__(
        self, store: CaseStore, *, officers: Officers, clock: Clock, contacts: SpeakUpContacts
    ) -> None:
        self._store = store
        self._officers = officers
        self._clock = clock
        self._contacts = contacts
        self._wrong: dict[Account, deque[datetime]] = {}

    async def use(self, typed: TypedCode, who: Account, *, key: str) -> ReportStatus | None:
        """Return how far a report is, to which what was typed with its code is added first.

        Args:
            typed: The code, and what was typed with it.
            who: Who typed it: only to slow down whoever tries codes.
            key: Identity of the message: what comes again is added once.

        Returns:
            None: the code is wrong, or this account has had too many wrong ones.

        Raises:
            TransientError: The database failed.
        """
        tries, now = self._tries(who), self._clock.now()
        if len(tries) == WRONG_AT_MOST and tries[0] > now - WRONG_WITHIN:
            return None
        tries.append(now)  # before it is looked up, so that many at once are counted
        once = hashlib.sha256(f"{typed.code} {key}".encode()).hexdigest()

        async def work(unit: CaseUnit) -> ReportStatus | None:
            return await self._use(unit, typed, once)

        status = await self._store.run(work)
        if status is not None:
            tries.remove(now)
        return status

    def _tries(self, who: Account) -> deque[datetime]:
        """Return when an account had wrong codes of late; whoever came first is forgotten first."""
        if len(self._wrong) >= MOST_WATCHED and who not in self._wrong:
            del self._wrong[next(iter(self._wrong))]
        return self._wrong.setdefault(who, deque(maxlen=WRONG_AT_MOST))

    async def _use(self, unit: CaseUnit, typed: TypedCode, key: str) -> ReportStatus | None:
        case_id = await unit.codes.find(typed.code)
        case = await unit.rows.find(case_id) if case_id else None
        if case is None:
            return None
        await unit.rows.lock(case.conversation_id)
        # Read again: until now an officer could write, or it could be erased.
        case = await unit.rows.find(case.case_id)
        if case is None or await unit.codes.find(typed.code) is None:
            return None
        words = storable(typed.rest)
        if words and await unit.log.find(case, _WRITER, key) is None:
            case = await self._add(unit, case, words, key)
        owed = case.clock.owed.values()
        is_unheard = any(by < self._clock.now() for by in owed) or not routes_of(
            case, self._officers
        )
        return ReportStatus(case=case.shown(), ways=self._contacts.ways if is_unheard else ())

    async def _add(self, unit: CaseUnit, case: StoredCase, words: str, key: str) -> StoredCase:
        left_out = kept_from(self._officers, [words])
        if left_out.issuperset(self._officers.logins) and not is_confidential(words):
            left_out = frozenset[str]()  # they are thanked or greeted, not accused
        after = written_to(
            case, now=self._clock.now(), calendar=self._officers.calendar, left_out=left_out
        )
        await unit.log.add(case, _WRITER, kind=CasePart.WRITTEN.value, key=key, body=words)
        is_again = after.state is not case.state
        after = await unit.rows.save(after)
        tag = Tag.CASE_REOPENED if is_again else Tag.CASE_MESSAGED
        recorded = await unit.log.record(tag, after, _WRITER)
        await unit.posts.update_cards(after)
        # One notice until an officer writes back, however much is added.
        if not case.messages or case.messages[-1].officer is not None:
            routes = routes_of(after, self._officers)
            about = AboutCase(what=CasePart.WRITTEN, case_id=after.case_id)
            await unit.posts.remind(after, about, recorded, routes)
        return after
