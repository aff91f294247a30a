"""States of installations under way: used once, in time, and of no use to who reads them."""

import asyncio
from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.platforms.installations import PostgresOAuthStates


async def test_of_a_hundred_one_wins(database_url: str) -> None:
    """Ten times over: the state is used up by exactly one."""
    engine = engine_for(database_url)
    states = PostgresOAuthStates(engine)
    try:
        for _ in range(10):
            state = await states.issue()
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(states.consume(state)) for _ in range(100)]
            assert sum(task.result() for task in tasks) == 1
    finally:
        await engine.dispose()


async def test_what_was_never_issued_is_refused(engine: AsyncEngine) -> None:
    """Also empty, and also in place of one that was."""
    states = PostgresOAuthStates(engine)
    state = await states.issue()
    for guessed in ("", "a" * 10_000, state[:-1], state + "a", "\x00"):
        assert not await states.consume(guessed)
    assert await states.consume(state)
    assert not await states.consume(state)


async def test_what_has_expired_is_refused_and_thrown_away(engine: AsyncEngine) -> None:
    """At the next installation, so that none pile up."""
    late = PostgresOAuthStates(engine, lifetime=timedelta(0))
    states = PostgresOAuthStates(engine)
    expired = [await late.issue() for _ in range(3)]
    assert not await states.consume(expired[-1])
    state = await states.issue()
    async with engine.connect() as connection:
        held = (await connection.execute(text("SELECT * FROM citebound.slack_oauth_states"))).all()
    assert len(held) == 1
    assert state not in str(held)
