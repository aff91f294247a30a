"""Whether Teams is set up, and whether the bot gets a token: for `citebound doctor`.

Without `--live` nothing is called; with it, one token is fetched, which proves id, tenant and
secret (or the managed identity), and that the service of tokens can be reached; and the keys are
read with which Microsoft signs what Teams sends.
"""

from collections.abc import AsyncGenerator
from urllib.parse import urlsplit

from bot.finding import Finding, Health
from bot.teams.credentials import TokenError, token_for
from bot.teams.exchange import open_session
from bot.teams.keys import METADATA_URL, signing_keys
from bot.teams.setup import TeamsSetup, teams_setup
from core.config import Settings
from core.domain.errors import ConfigError

HOW = "README, section Microsoft Teams: from a registration to the first answer"
SUBJECT = "Teams"


async def check(settings: Settings, *, is_live: bool) -> AsyncGenerator[Finding]:
    """Look at Teams, and yield what was found."""
    try:
        setup = teams_setup(settings)
    except ConfigError as error:
        yield Finding(subject=SUBJECT, health=Health.BROKEN, found=str(error), cure=HOW)
        return
    if setup is None:
        yield Finding(subject=SUBJECT, health=Health.MISSING, found="not set up", cure=HOW)
        return
    yield Finding(subject=SUBJECT, health=Health.FINE, found=f"{_kind(setup)}; not called")
    if is_live and not setup.is_anonymous:
        yield await _called(setup)
        yield await _keys(setup)


def _kind(setup: TeamsSetup) -> str:
    if setup.is_anonymous:
        return "set up without authentication, for the Agents Playground on this machine"
    proof = "a client secret" if setup.password else "a managed identity"
    return f"set up with {proof}, over {setup.transport}"


async def _called(setup: TeamsSetup) -> Finding:
    subject = f"{SUBJECT}, called"
    async with open_session() as session:
        try:
            await token_for(setup, session).current()
        except TokenError as error:
            cure = "check APP_ID, APP_TENANTID and APP_PASSWORD against the bot's registration"
            if setup.password is None:
                cure = "check that the identity APP_ID is assigned to this machine"
            if str(error).startswith("no_answer"):
                cure = "check the network, and whether a proxy is needed"
            found = f"no token: {error}"
            return Finding(subject=subject, health=Health.BROKEN, found=found, cure=cure)
    return Finding(subject=subject, health=Health.FINE, found="the bot gets its token")


async def _keys(setup: TeamsSetup) -> Finding:
    subject = f"{SUBJECT}, signing keys"
    url = setup.openid_url or METADATA_URL
    async with signing_keys(url) as keys:
        if keys.are_warm:
            return Finding(subject=subject, health=Health.FINE, found="read")
    cure = (
        f"check that {urlsplit(url).hostname} can be reached; until then Teams is told to send"
        " again (503), and /readyz names it; Slack goes on"
    )
    found = "can't be read: nothing that Teams sends can be believed"
    return Finding(subject=subject, health=Health.BROKEN, found=found, cure=cure)
