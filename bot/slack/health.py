"""Whether Slack is set up, and whether it lets us do what we need: for `citebound doctor`.

Without `--live` nothing is called; with it, `auth.test` says whose token it is and what it may do,
and over sockets `apps.connections.open` whether the app token opens one.
"""

from collections.abc import AsyncGenerator

from bot.finding import Finding, Health
from bot.slack.calls import Outcome, Refused, Slack, Told, client_for
from bot.slack.handled import scopes
from bot.slack.oauth import INSTALL_PATH
from bot.slack.payload import maybe
from bot.slack.setup import SlackSetup, slack_setup
from core.config import Settings
from core.domain.errors import ConfigError

HOW = "README, section Slack: `citebound slack manifest` prints what the app is made from"


async def check(settings: Settings, *, is_live: bool) -> AsyncGenerator[Finding]:
    """Look at Slack, and yield what was found."""
    try:
        setup = slack_setup(settings)
    except ConfigError as error:
        yield Finding(subject="Slack", health=Health.BROKEN, found=str(error), cure=HOW)
        return
    if setup is None:
        yield Finding(subject="Slack", health=Health.MISSING, found="not set up", cure=HOW)
        return
    how = (
        "over sockets, without a public address"
        if setup.uses_sockets
        else f"over HTTP, port {settings.port}"
    )
    whose = f"{len(settings.installable)} workspaces or organisations may install it"
    several = "" if setup.bot_token else f"; {whose} at {settings.public_url}{INSTALL_PATH}"
    found = f"set up, {how}{several}; not called"
    yield Finding(subject="Slack", health=Health.FINE, found=found)
    if is_live:
        if setup.bot_token:
            yield await _bot(setup)
        if setup.uses_sockets and setup.app_token:
            yield await _socket(setup.app_token, setup.api_url)


async def _bot(setup: SlackSetup) -> Finding:
    subject = "Slack, called"
    told = await Slack(client_for(setup.bot_token, api_url=setup.api_url)).read("auth.test")
    if not isinstance(told, Told):
        return _not_told(subject, "SLACK_BOT_TOKEN", told)
    place = maybe(told.body, "team") or maybe(told.body, "team_id")
    found = f"{maybe(told.body, 'user') or 'the bot'} in {place}"
    missing = sorted(set(scopes()) - set(told.scopes))
    if told.scopes and missing:
        cure = "add them to the app (the manifest has them all) and install it again"
        found = f"{found}, without {', '.join(missing)}"
        return Finding(subject=subject, health=Health.BROKEN, found=found, cure=cure)
    return Finding(subject=subject, health=Health.FINE, found=f"{found}, with all scopes")


async def _socket(app_token: str, api_url: str | None) -> Finding:
    subject = "Slack, socket"
    told = await Slack(client_for(app_token, api_url=api_url)).write("apps.connections.open")
    if not isinstance(told, Told):
        return _not_told(subject, "SLACK_APP_TOKEN", told)
    return Finding(subject=subject, health=Health.FINE, found="Slack opens one")


def _not_told(subject: str, variable: str, told: Outcome) -> Finding:
    if isinstance(told, Refused):
        found, cure = f"Slack refuses {variable}: {told.code}", "copy it from the app again"
        if told.needed:
            cure = f"give the token the scope {told.needed}"
    else:
        found, cure = "Slack can't be reached", "check the network, and whether a proxy is needed"
    return Finding(subject=subject, health=Health.BROKEN, found=found, cure=cure)
