"""Which Slack settings there are, whether they suffice, and who we are in that workspace.

A platform is on if any of its secrets is set; then all that it needs must be there. Fail closed: a
process that could not tell Slack's requests from anybody's does not start.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.call_results import Rejected, Succeeded
from bot.json_fields import maybe_object
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.payload import maybe
from bot.slack.web.calls import Slack
from core.config.settings import Settings
from core.domain.errors import ConfigError
from core.domain.json_value import Json

LEAST_SECRET = 8
"""Characters: Slack's own have 32."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackSetup:
    """The settings of Slack, checked."""

    bot_token: str | None = field(default=None, repr=False)
    """Of the one workspace; None: several install the app, each has its own."""
    signing_secrets: tuple[str, ...] = field(default=(), repr=False)
    """The current one, and the previous one during a rotation; empty without HTTP."""
    app_token: str | None = field(default=None, repr=False)
    """Opens sockets; None: Slack reaches us over HTTP."""
    api_url: str | None = None
    """Another Slack, for tests; None: the real one."""
    rights: Path | None = None
    """See `bot.audience_config`."""

    @property
    def uses_sockets(self) -> bool:
        """True without a public address: only then is a signing secret dispensable."""
        return not self.signing_secrets


def slack_setup(settings: Settings) -> SlackSetup | None:
    """Return the setup of Slack; None if it is off.

    Raises:
        ConfigError: Something is missing or cannot be right; the message names the variable.
    """
    given: Mapping[str, str | None] = {
        "SLACK_CLIENT_ID": settings.slack_client_id,
        "SLACK_BOT_TOKEN": settings.slack_bot_token,
        "SLACK_SIGNING_SECRET": settings.slack_signing_secret,
        "SLACK_SIGNING_SECRET_PREVIOUS": settings.slack_signing_secret_previous,
        "SLACK_APP_TOKEN": settings.slack_app_token,
    }
    if not any(given.values()):
        return None
    token = settings.slack_bot_token
    _check_token(token, has_client=settings.slack_client_id is not None)
    secrets = [settings.slack_signing_secret, settings.slack_signing_secret_previous]
    if not secrets[0] and (secrets[1] or not settings.slack_app_token):
        raise ConfigError(
            "Slack needs SLACK_SIGNING_SECRET to authenticate its requests; without a public"
            " address set SLACK_APP_TOKEN instead"
        )
    if any(one is not None and len(one) < LEAST_SECRET for one in secrets):
        raise ConfigError("SLACK_SIGNING_SECRET: too short to be Slack's; copy it from the app")
    if settings.slack_app_token and not settings.slack_app_token.startswith("xapp-"):
        raise ConfigError("SLACK_APP_TOKEN: expected an app-level token, which begins with xapp-")
    is_production = settings.environment == "production"
    if settings.slack_api_url and is_production:
        raise ConfigError("SLACK_API_URL sends the token elsewhere: unset it in production")
    return SlackSetup(
        bot_token=token,
        signing_secrets=tuple(one for one in secrets if one),
        app_token=settings.slack_app_token,
        api_url=settings.slack_api_url,
        rights=settings.slack_config,
    )


def _check_token(token: str | None, *, has_client: bool) -> None:
    if token is not None and has_client:
        raise ConfigError(
            "SLACK_BOT_TOKEN is of one workspace, SLACK_CLIENT_ID lets several install the app:"
            " unset one of them"
        )
    if token is None and not has_client:
        raise ConfigError(
            "Slack needs SLACK_BOT_TOKEN, the bot token of the app (xoxb-…), or, for several"
            " workspaces, SLACK_CLIENT_ID"
        )
    if token is not None and not token.startswith("xoxb-"):
        raise ConfigError("SLACK_BOT_TOKEN: expected a bot token, which begins with xoxb-")


async def find_identity(slack: Slack) -> SlackIdentity:
    """Ask Slack who we are: once, at the start.

    Raises:
        ConfigError: The token is not taken, or Slack can't be reached.
    """
    who = await _asked(slack, "auth.test")
    bot = await _asked(slack, "bots.info", bot=maybe(who, "bot_id"))
    app = maybe(maybe_object(bot, "bot"), "app_id")
    team, enterprise = maybe(who, "team_id"), maybe(who, "enterprise_id") or None
    is_whole = enterprise is not None and who.get("is_enterprise_install") is True
    if not (app and maybe(who, "user_id") and (team or is_whole)):
        raise ConfigError("Slack does not say which app SLACK_BOT_TOKEN belongs to")
    return SlackIdentity(
        app_id=app,
        bot_user=maybe(who, "user_id"),
        teams=frozenset() if is_whole else frozenset({team}),
        enterprise=enterprise,
        is_whole=is_whole,
    )


async def _asked(slack: Slack, method: str, **given: str) -> Mapping[str, Json]:
    told = await slack.read(method, **given)
    if isinstance(told, Succeeded):
        return told.body
    if isinstance(told, Rejected):
        raise ConfigError(f"Slack refuses SLACK_BOT_TOKEN ({method}): {told.code}")
    raise ConfigError(f"Slack can't be reached ({method}): check the network and SLACK_API_URL")
