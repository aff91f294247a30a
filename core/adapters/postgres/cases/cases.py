"""Cases in Postgres: transactions over them, and what is read without one."""

from collections.abc import Awaitable, Callable, Collection
from datetime import datetime
from typing import TypeVar

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from core.adapters.postgres.cases.case_codes import PostgresCaseCodes
from core.adapters.postgres.cases.case_log import PostgresCaseLog
from core.adapters.postgres.cases.case_posts import PostgresCasePosts
from core.adapters.postgres.cases.case_rows import PostgresCaseRows
from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.officer_stores import ReadsForOfficers
from core.adapters.postgres.engine.transactions import begun_again
from core.domain.case import CaseState, StoredCase
from core.domain.officers import Account
from core.ports.cases import CaseUnit, SettledFilter

_T = TypeVar("_T")
_FORGET = text(
    "SELECT citebound.forget_words(array_agg(e.id)) FROM citebound.answers a"
    " JOIN citebound.inbox i ON i.question_id = a.question_id AND i.text <> ''"
    " JOIN citebound.inbox e ON e.conversation_id = i.conversation_id"
    "  AND (e.id = i.id OR starts_with(e.message_key, i.message_key || ':edited:'))"
    " WHERE a.outcome = 'escalated' AND a.refusal IS NULL AND a.answered_at < :before"
)


def case_unit(connection: AsyncConnection, *, ledger: Ledger) -> CaseUnit:
    """Return the transaction of a connection, for work on cases."""
    return CaseUnit(
        rows=PostgresCaseRows(connection),
        log=PostgresCaseLog(connection, ledger),
        posts=PostgresCasePosts(connection, ids=ledger.ids),
        codes=PostgresCaseCodes(connection, ledger.pseudonyms),
    )


class PostgresCases(ReadsForOfficers):
    """See `core.ports.CaseStore`; the database is migrated."""

    @raises_transient
    @begun_again
    async def run(self, work: Callable[[CaseUnit], Awaitable[_T]], /) -> _T:
        """See `CaseStore.run`."""
        async with self._engine.begin() as connection:
            return await work(case_unit(connection, ledger=self._ledger))

    async def find(self, case_id: str, /) -> StoredCase | None:
        """See `CaseStore.find`."""
        return await self._read(lambda rows: rows.find(case_id))

    async def of_answer(self, answer_id: str, /) -> StoredCase | None:
        """See `CaseStore.of_answer`."""
        return await self._read(lambda rows: rows.of_answer(answer_id))

    async def listed(self, states: Collection[CaseState], /) -> tuple[StoredCase, ...]:
        """See `CaseStore.listed`."""
        return await self._read(lambda rows: rows.listed(states))

    async def settled(self, wanted: SettledFilter, /, *, most: int) -> tuple[StoredCase, ...]:
        """See `CaseStore.settled`."""
        return await self._read(lambda rows: rows.settled(wanted, most=most))

    async def due(self, *, now: datetime, until: datetime) -> tuple[str, ...]:
        """See `CaseStore.due`."""
        return await self._read(lambda rows: rows.due(now=now, until=until))

    @raises_transient
    @begun_again
    async def forget_reports(self, *, before: datetime) -> None:
        """See `CaseStore.forget_reports`."""
        async with self._engine.begin() as connection:
            await connection.execute(_FORGET, {"before": before})

    async def of_asker(self, account: Account, /) -> tuple[StoredCase, ...]:
        """See `CaseStore.of_asker`."""
        return await self._read(lambda rows: rows.of_asker(account))

    @raises_transient
    @begun_again
    async def _read(self, query: Callable[[PostgresCaseRows], Awaitable[_T]]) -> _T:
        async with self._engine.connect() as connection:
            return await query(PostgresCaseRows(connection))
