"""The ledger of model calls: by question and request, once."""

import asyncio
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.tables import model_calls
from core.adapters.postgres.record.model_calls import PostgresModelCallLog
from core.domain.run import TokenUse
from core.ports import StoredCall

QUESTION = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER = "01890a5d-ac96-774b-bcce-b302099a8058"
CALL = StoredCall(
    response={"content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn"},
    tokens=TokenUse(fresh=10, cache_read=200, cache_write=30, output=4),
    latency_ms=812.5,
)


async def _store(log: PostgresModelCallLog, call: StoredCall = CALL) -> None:
    await log.store(
        QUESTION, b"h" * 32, call, purpose="answer", model="m", cost_usd=0.25, attempts=2
    )


async def test_a_reply_is_found_again(engine: AsyncEngine) -> None:
    """What was stored comes back whole, for this question and this request alone."""
    log = PostgresModelCallLog(engine)
    assert await log.find(QUESTION, b"h" * 32) is None
    await _store(log)
    assert await log.find(QUESTION, b"h" * 32) == CALL
    assert await log.find(QUESTION, b"i" * 32) is None
    assert await log.find(OTHER, b"h" * 32) is None


async def test_the_first_reply_stays(engine: AsyncEngine) -> None:
    """A second reply to the same request is dropped, also when both are stored at once."""
    log = PostgresModelCallLog(engine)
    await _store(log)
    async with asyncio.TaskGroup() as group:
        for latency_ms in (1.0, 2.0, 3.0):
            group.create_task(_store(log, replace(CALL, latency_ms=latency_ms)))
    assert await log.find(QUESTION, b"h" * 32) == CALL


async def test_cost_and_attempts_are_kept(engine: AsyncEngine) -> None:
    """Operators see what was spent; a price that is not known is null, not 0."""
    log = PostgresModelCallLog(engine)
    await _store(log)
    await log.store(OTHER, b"h", CALL, purpose="judge", model="n", cost_usd=None, attempts=1)
    query = select(model_calls.c.purpose, model_calls.c.cost_usd, model_calls.c.attempts)
    async with engine.connect() as connection:
        rows = {tuple(row) for row in await connection.execute(query)}
    assert rows == {("answer", 0.25, 2), ("judge", None, 1)}
