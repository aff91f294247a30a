"""Both platforms, between which one process of the product stands."""

from collections.abc import AsyncIterator

import pytest

from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.teams import FakeTeams, fake_teams
from tests.servers.teams.openid import OpenId, openid


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    """A workspace without people; a minute of its waits takes 0.1 s."""
    async with fake_slack(speed=600) as running:
        yield running


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
