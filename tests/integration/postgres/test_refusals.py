"""Refused credentials in the database, which `doctor` reads."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.platforms.refusals import PostgresRefusals


async def test_a_refusal_is_kept_since_it_began(engine: AsyncEngine) -> None:
    """Noted again it is as old as it was; a success ends it."""
    store = PostgresRefusals(engine)
    (first,) = await store.exchange({"claude": "authentication_error (401)"})
    (again,) = await store.exchange({"claude": "permission_error (403)", "voyage": None})
    assert (again.name, again.cause) == ("claude", "permission_error (403)")
    assert again.since == first.since
    assert await store.exchange({}) == [again]
    assert await store.exchange({"claude": None}) == []
    async with engine.connect() as connection:
        left = await connection.scalar(text("SELECT count(*) FROM citebound.refused_credentials"))
    assert left == 0
