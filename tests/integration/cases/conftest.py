"""A deployment with officers, on the test's own database."""

from collections.abc import AsyncIterator

import pytest

from core.adapters.postgres.engine.database import engine_for
from tests.casework import Office, office
from tests.life import prepare


@pytest.fixture
async def bureau(database_url: str) -> AsyncIterator[Office]:
    """Two officers and their channel."""
    engine = engine_for(database_url)
    await prepare(engine)
    yield office(engine)
    await engine.dispose()
