"""Every process that works tells for how long the oldest record has waited to be sealed."""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.health import PostgresHealth
from tests.databases import as_role
from tests.integration.record.sealing import SealedLedger


async def test_a_record_ages_until_it_is_sealed(engine: AsyncEngine, database_url: str) -> None:
    """By a login that may not read the record."""
    ledger, app = SealedLedger(engine), engine_for(as_role(database_url, DatabaseRole.APP))
    await ledger.append(2, conversation=UUID(int=1))
    waiting = (await PostgresHealth(app).state()).oldest_unsealed_s
    later = (await PostgresHealth(app).state()).oldest_unsealed_s
    await ledger.sequencer.seal()
    sealed = (await PostgresHealth(app).state()).oldest_unsealed_s
    await app.dispose()
    assert 0 < waiting < later
    assert sealed == 0
