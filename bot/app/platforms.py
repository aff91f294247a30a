"""The chat platforms that there are, each by one entry, and those that are set up."""

from collections.abc import Callable

from bot.platform import Connect
from bot.slack.app.platform import slack
from bot.teams.app.platform import teams
from core.config.settings import Settings
from core.domain.errors import ConfigError

PLATFORMS: tuple[Callable[[Settings], Connect | None], ...] = (slack, teams)
"""Each returns how it is connected, or None if nothing of it is set; raises `ConfigError` if some
of it is missing."""


def chosen(settings: Settings) -> tuple[Connect, ...]:
    """Return how the platforms are connected that are set up.

    Raises:
        ConfigError: None is, or one is not wholly.
    """
    found = tuple(connect for one in PLATFORMS if (connect := one(settings)) is not None)
    if not found:
        raise ConfigError(
            "no chat platform is set up: for Slack set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET (or"
            " SLACK_APP_TOKEN, without a public address), or SLACK_CLIENT_ID where several"
            " workspaces install the app; for Microsoft Teams APP_ID, APP_PASSWORD and"
            " APP_TENANTID; `citebound chat` needs none"
        )
    return found
