"""One process at a time rescues, and none for longer than it gives a sign of life."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from tests.life import Deployment, deploy, message, prepare

HUNG = (
    "INSERT INTO citebound.leases VALUES"
    " ('rescue', 'hung', clock_timestamp() + make_interval(secs => :s))"
)
HOLDER = "SELECT holder FROM citebound.leases"
NO_JOBS = "DELETE FROM procrastinate_jobs"


@pytest.fixture
async def quick(database_url: str) -> AsyncIterator[Deployment]:
    """A deployment whose rescuers give others up after half a second."""
    engine = engine_for(database_url)
    await prepare(engine)
    yield deploy(engine, stalled_after_s=0.5)
    await engine.dispose()


async def forgotten(deployment: Deployment) -> None:
    """Store a message whose job was lost."""
    await deployment.intake.accept(message("forgotten"))
    async with deployment.engine.begin() as connection:
        await connection.execute(text(NO_JOBS))


async def hold(engine: AsyncEngine, *, seconds: float) -> None:
    """Let somebody hold the lease who doesn't prolong it."""
    async with engine.begin() as connection:
        await connection.execute(text(HUNG), {"s": seconds})


async def test_a_lease_that_nobody_prolongs_is_taken_over(quick: Deployment) -> None:
    """Its holder stands still, with its connections open: others look after what it held up."""
    await hold(quick.engine, seconds=1.0)
    await forgotten(quick)
    async with quick.working():
        await quick.quiet()
        (row,) = await quick.rows(HOLDER)
        assert row["holder"] != "hung"


async def test_while_it_holds_others_leave_it_to_it(quick: Deployment) -> None:
    """Not each process looks through the tables."""
    await hold(quick.engine, seconds=3_600.0)
    await forgotten(quick)
    async with quick.working():
        await asyncio.sleep(1.5)
        assert await quick.rows(HOLDER) == [{"holder": "hung"}]
        async with quick.engine.begin() as connection:
            left = text("SELECT count(*) FROM citebound.inbox WHERE state = 'received'")
            assert await connection.scalar(left) == 1
            await connection.execute(text("UPDATE citebound.leases SET until = now()"))
        await quick.quiet()


async def test_it_is_prolonged_while_the_holder_lives(quick: Deployment) -> None:
    """Of two processes the same one goes on; told to stop, it leaves the lease to the other."""
    async with quick.working():
        await quick.until(HOLDER)
        (first,) = await quick.rows(HOLDER)
        async with quick.working():
            for _ in range(10):
                await asyncio.sleep(0.15)
                assert await quick.rows(HOLDER) == [first]
    assert await quick.rows(HOLDER) == []
