"""Calls of language models: replies are kept, so that none is paid for twice, and a day's cost.

The budget of a day holds over all processes: it is compared with the sum of what the day's calls
have cost. A day is one of UTC, by the database's clock. Calls under way when the budget is spent
are finished; one that broke off is not counted, since nobody tells what it cost.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.cases.case_posts import tell_officers
from core.adapters.postgres.engine.database import EngineStore, database_store, raises_transient
from core.adapters.postgres.engine.tables import model_calls
from core.adapters.postgres.engine.transactions import begun_again
from core.domain.delivery import Notice
from core.domain.errors import DayBudgetSpentError, TransientError
from core.domain.officers import Officers
from core.domain.run import TokenUse
from core.ports import IdSource, StoredCall

READ_WITHIN_S = 3.0
"""Longest wait for the sum; the question's deadline runs."""
TODAY = "date_trunc('day', clock_timestamp(), 'UTC')"
_SPENT = text(
    f"SELECT coalesce(sum(cost_usd), 0)::float FROM citebound.model_calls WHERE at >= {TODAY}"  # noqa: S608  # a constant
)
_NOTE = text(
    "INSERT INTO citebound.overspent_days (day, budget_usd, spent_usd)"  # noqa: S608  # a constant
    f" VALUES (CAST({TODAY} AT TIME ZONE 'UTC' AS date), :budget, :spent)"
    " ON CONFLICT DO NOTHING RETURNING day::text"
)

logger = logging.getLogger(__name__)


@database_store
class PostgresModelCallLog(EngineStore):
    """See `core.ports.ModelCallLog`. Safe from many processes."""

    @begun_again
    async def find(self, question_id: str, request_hash: bytes, /) -> StoredCall | None:
        """See `ModelCallLog.find`."""
        query = select(model_calls.c.response, model_calls.c.usage, model_calls.c.latency_ms).where(
            model_calls.c.question_id == question_id,
            model_calls.c.request_hash == request_hash,
        )
        async with self._engine.connect() as connection:
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            return None
        return StoredCall(
            response=row.response, tokens=TokenUse(**row.usage), latency_ms=row.latency_ms
        )

    @begun_again
    async def all_of(self, question_id: str) -> Mapping[str, StoredCall]:
        """Return the stored calls of a question by the hash of the request, in hex."""
        query = select(
            model_calls.c.request_hash,
            model_calls.c.response,
            model_calls.c.usage,
            model_calls.c.latency_ms,
        ).where(model_calls.c.question_id == question_id)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query)).all()
        return {
            bytes(row.request_hash).hex(): StoredCall(
                response=row.response, tokens=TokenUse(**row.usage), latency_ms=row.latency_ms
            )
            for row in rows
        }

    @begun_again
    async def store(
        self,
        question_id: str,
        request_hash: bytes,
        call: StoredCall,
        /,
        *,
        purpose: str,
        model: str,
        cost_usd: float | None,
        attempts: int,
    ) -> None:
        """See `ModelCallLog.store`."""
        row = insert(model_calls).values(
            question_id=question_id,
            request_hash=request_hash,
            purpose=purpose,
            model=model,
            response=call.response,
            usage=asdict(call.tokens),
            latency_ms=call.latency_ms,
            cost_usd=cost_usd,
            attempts=attempts,
        )
        async with self._engine.begin() as connection:
            await connection.execute(row.on_conflict_do_nothing())


class ForgetfulCallLog:
    """See `core.ports.ModelCallLog`; keeps nothing, for answers that are only looked at."""

    async def find(self, _question_id: str, _request_hash: bytes, /) -> StoredCall | None:
        """Return nothing."""
        return None

    async def store(
        self, _question_id: str, _hash: bytes, _call: StoredCall, /, **_: object
    ) -> None:
        """Store nothing."""


@dataclass(frozen=True, slots=True)
class PostgresSpending:
    """See `core.ports.Spending`. Safe from many processes.

    `officers` hear of a day on which the budget is spent.
    """

    engine: AsyncEngine
    _: KW_ONLY
    budget_usd: float
    officers: Officers
    ids: IdSource

    async def check(self) -> None:
        """See `Spending.check`."""
        try:
            async with asyncio.timeout(READ_WITHIN_S):
                spent_usd = await self._read()
        except (TransientError, TimeoutError) as error:
            raise DayBudgetSpentError("what the day has cost can't be read") from error
        if spent_usd >= self.budget_usd:
            await self._tell(spent_usd)
            raise DayBudgetSpentError(
                f"the day has cost USD {spent_usd:.2f} of {self.budget_usd:.2f}"
            )

    @raises_transient
    @begun_again
    async def _read(self) -> float:
        async with self.engine.connect() as connection:
            return float(await connection.scalar(_SPENT) or 0.0)

    async def _tell(self, spent_usd: float) -> None:
        """Tell officers, once a day; a question is not lost if they can't be told just now."""
        try:
            async with asyncio.timeout(READ_WITHIN_S):
                await self._told(spent_usd)
        except (TransientError, TimeoutError):
            logger.warning("officers could not be told that the day's budget is spent")

    @raises_transient
    @begun_again
    async def _told(self, spent_usd: float) -> None:
        async with self.engine.begin() as connection:
            given = {"budget": self.budget_usd, "spent": spent_usd}
            day = await connection.scalar(_NOTE, given)
            if day is not None:
                logger.error("the day's budget for language models is spent: the rules answer")
                await tell_officers(
                    connection,
                    Notice.DAY_BUDGET_SPENT,
                    cause=f"budget:{day}",
                    officers=self.officers,
                    ids=self.ids,
                )
