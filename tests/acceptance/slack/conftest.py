"""The whole product between a fake Slack and Postgres: nothing of ours is replaced."""

from collections.abc import AsyncIterator

import pytest

from tests.servers.slack import FakeSlack, fake_slack
from tests.slack_product import Product, product


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
