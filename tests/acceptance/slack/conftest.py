"""The whole product between a fake Slack and Postgres: nothing of ours is replaced."""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.slack.scene import Scene
from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.town import Town, slack_town, workspace_in_town
from tests.slack_product import Product, deployed, product, town_settings


@pytest.fixture
def slack_database(policies_database: str) -> str:
    """A database with policies for one test."""
    return policies_database


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    """A workspace without people; a minute of its waits takes 0.1 s."""
    async with fake_slack(speed=600) as running:
        yield running


@pytest.fixture
async def served(slack: FakeSlack, slack_database: str) -> AsyncIterator[Product]:
    """The product, serving and working."""
    async with product(slack, slack_database) as running:
        yield running


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    """Two workspaces with the same names of people and channels, and an organisation."""
    grid = workspace_in_town("T0GRID", enterprise_id="E0ORG")
    grid.workspace.knobs.is_org_install = True
    async with slack_town(workspace_in_town("T0ONE"), workspace_in_town("T0TWO"), grid) as town:
        yield town


@pytest.fixture
async def scene(town: Town, slack_database: str) -> AsyncIterator[Scene]:
    """The product, which all of them may install."""
    async with deployed(town_settings(town, slack_database), town.slacks[0]) as running:
        town.listen_at(f"{running.base_url}/slack/events")
        one, two, grid = town.slacks
        yield Scene(town=town, one=one, two=two, grid=grid, product=running)
