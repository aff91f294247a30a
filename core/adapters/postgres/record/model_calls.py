"""Replies of language models by question and request, kept so that none is paid for twice."""

from dataclasses import asdict

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.tables import model_calls
from core.adapters.postgres.engine.transactions import begun_again
from core.domain.run import TokenUse
from core.ports import StoredCall


class PostgresModelCallLog:
    """See `core.ports.ModelCallLog`. Safe from many processes."""

    def __init__(self, engine: AsyncEngine) -> None:
        """Use a migrated database."""
        self._engine = engine

    @raises_transient
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

    @raises_transient
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
