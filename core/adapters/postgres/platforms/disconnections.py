"""What became of our place in a workspace, in the record."""

from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import raises_transient
from core.adapters.postgres.engine.ledger import Ledger
from core.audit.events import Event
from core.domain.audit import Tag


class PostgresConnections:
    """See `core.ports.installations.Connections`."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger) -> None:
        """Use a migrated database."""
        self._engine = engine
        self._ledger = ledger

    @raises_transient
    async def disconnected(self, *, platform: str, tenant: str, reason: str) -> None:
        """See `Connections.disconnected`."""
        event = Event(
            tag=Tag.WORKSPACE_DISCONNECTED,
            actor=platform,
            actor_kind="system",
            conversation=None,
            seq=None,
            subject=f"{platform}/{tenant}",
            cause=None,
            trace_id=None,
            says={"reason": reason},
        )
        async with self._engine.begin() as connection:
            await self._ledger.event(connection, event, content={})
