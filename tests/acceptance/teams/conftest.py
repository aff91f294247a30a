"""The whole product between a fake Teams and Postgres: nothing of ours is replaced."""

from collections.abc import AsyncIterator

import pytest

from tests.servers.teams import FakeTeams, fake_teams
from tests.servers.teams.openid import OpenId, openid
from tests.teams_product import Product, product


@pytest.fixture
async def teams() -> AsyncIterator[FakeTeams]:
    """A tenant without people; a minute of its waits takes 0.1 s."""
    async with fake_teams(speed=600) as running:
        yield running


@pytest.fixture
async def microsoft() -> AsyncIterator[OpenId]:
    """Whose keys sign what Teams sends."""
    async with openid() as running:
        yield running


@pytest.fixture(params=["botbuilder", "rest"])
async def served(
    request: pytest.FixtureRequest, teams: FakeTeams, microsoft: OpenId, policies_database: str
) -> AsyncIterator[Product]:
    """The product, serving and working, calling Teams in either way."""
    transport = str(request.param)
    async with product(teams, microsoft, policies_database, teams_transport=transport) as running:
        yield running
