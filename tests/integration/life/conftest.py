"""A deployment on the test's own database, with a pool as in production."""

from collections.abc import AsyncIterator

import pytest

from core.adapters.postgres.engine.database import engine_for
from tests.life import Deployment, deploy, prepare


@pytest.fixture
async def deployment(database_url: str) -> AsyncIterator[Deployment]:
    """Everything wired, nothing running."""
    engine = engine_for(database_url)
    await prepare(engine)
    yield deploy(engine)
    await engine.dispose()
