"""States of installations under way: random, hashed, used once.

`DELETE ... RETURNING` is what makes it once: of all who delete a row, one gets it back.
"""

import hashlib
import secrets
from datetime import timedelta

from sqlalchemy import delete, func, insert
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.tables import slack_oauth_states

LIFETIME = timedelta(minutes=10)
"""For reading what is asked for, and saying yes: as long as Bolt's cookie lives."""
STATE_BYTES = 32


class PostgresOAuthStates:
    """See `core.ports.installations.OAuthStates`. Only a hash is kept: reading it helps nobody."""

    def __init__(self, engine: AsyncEngine, *, lifetime: timedelta = LIFETIME) -> None:
        """Use a migrated database."""
        self._engine = engine
        self._lifetime = lifetime

    @raises_transient
    async def issue(self) -> str:
        """See `OAuthStates.issue`; those that have expired are thrown away."""
        state = secrets.token_urlsafe(STATE_BYTES)
        kept = slack_oauth_states
        async with self._engine.begin() as connection:
            await connection.execute(delete(kept).where(kept.c.expires_at <= func.now()))
            await connection.execute(
                insert(kept).values(state_hash=_hash(state), expires_at=func.now() + self._lifetime)
            )
        return state

    @raises_transient
    async def consume(self, state: str, /) -> bool:
        """See `OAuthStates.consume`."""
        kept = slack_oauth_states
        used = (
            delete(kept)
            .where(kept.c.state_hash == _hash(state), kept.c.expires_at > func.now())
            .returning(kept.c.state_hash)
        )
        async with self._engine.begin() as connection:
            return (await connection.execute(used)).first() is not None


def _hash(state: str) -> bytes:
    return hashlib.sha256(state.encode()).digest()
