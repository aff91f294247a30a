"""Time passes for the limits alone: what waits for its turn has it."""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

LONGER_S = 660.0
"""Than any limit looks back."""

_AGE = (
    "UPDATE citebound.turns SET taken = ARRAY(SELECT at - make_interval(secs => :s)"
    " FROM unnest(taken) AS at ORDER BY at)",
    "UPDATE citebound.inbox SET next_at = next_at - make_interval(secs => :s)"
    " WHERE state = 'received'",
)


async def let_turns_come(engine: AsyncEngine) -> None:
    """Let the time of all limits pass; processes may run meanwhile, and are not waited for."""
    for statement in _AGE:
        async with engine.begin() as connection:
            await connection.execute(text(statement), {"s": LONGER_S})
