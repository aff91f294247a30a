"""A fake Slack for each test, a client of it, and a real Bolt app."""

from collections.abc import AsyncIterator

import pytest
from slack_bolt.async_app import AsyncApp

from tests.servers.slack import FakeSlack, fake_slack
from tests.servers.slack.app import SlackClient, slack_client


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    """A workspace without people."""
    async with fake_slack(speed=6000) as running:
        yield running


@pytest.fixture
def client(slack: FakeSlack) -> SlackClient:
    """The real client."""
    return slack_client(slack)


@pytest.fixture
def app(slack: FakeSlack, client: SlackClient) -> AsyncApp:
    """A real Bolt app without listeners."""
    return AsyncApp(signing_secret=slack.workspace.app.signing_secret, client=client)
