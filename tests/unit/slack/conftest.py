"""A workspace that sends nothing, and who we are in it."""

import pytest

from bot.slack.inbound.identity import SlackIdentity
from tests.servers.slack import FakeSlack
from tests.servers.slack.clock import Clock


@pytest.fixture
def slack() -> FakeSlack:
    """A Slack without a server: what it would send stands in `sender.deliveries`."""
    slack = FakeSlack(Clock(frozen=True))
    slack.sender.ack_timeout_s = 0.0
    return slack


@pytest.fixture
def home(slack: FakeSlack) -> SlackIdentity:
    """Our app in its only workspace."""
    workspace = slack.workspace
    return SlackIdentity(
        app_id=workspace.app.id,
        bot_user=workspace.app.bot_user,
        teams=frozenset({workspace.team_id}),
    )
