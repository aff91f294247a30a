"""Whether Teams is set up, and whether the bot gets a token: for `citebound doctor`.

Without `--live` nothing is called; with it, one token is fetched, which proves id, tenant and
secret (or the managed identity), and that the service of tokens can be reached; the keys are read
with which Microsoft signs what Teams sends; and the channels are looked at that must be private.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.audience_config import Rights, read_rights
from bot.doctor_check import Finding, Health, private_case_channel
from bot.teams.actions.press_identity import officers_in
from bot.teams.auth.credentials import TokenError, token_for
from bot.teams.auth.signing_keys import METADATA_URL, signing_keys
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.connector import RestTransport
from bot.teams.connector.http_client import Exchange, open_session
from bot.teams.connector.roster import Rosters
from bot.teams.protocol.conversations import NAME, Reference
from bot.teams.protocol.identity import home_of
from bot.teams.setup import TeamsSetup, teams_setup
from core.adapters.officers import read_officers
from core.adapters.postgres.engine.database import engine_for, newest_revision, server_facts
from core.adapters.postgres.platforms.references import PostgresReferences
from core.bootstrap import database_url
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.errors import CiteboundError, ConfigError, TransientError
from core.domain.officers import Officers

LOOKED_AT_WITHIN_S = 20.0
"""What a start waits for Teams."""
USE_PRIVATE = "use a private channel or a group chat, or take its audience from the file"
OFFICERS_ALONE = (
    "let CITEBOUND_CASE_CHANNEL name a private channel or a group chat, and write to the app there;"
    " until then cards go directly to an officer on call"
)
_NOT_KNOWN = "nobody has written to the app there"
_NOT_TOLD = "Teams does not say that it is private"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What is known of a tenant's conversations."""

    tenants: Collection[str]
    """Ids of the tenants that we serve."""
    addresses: Addresses
    """Where they are, and what kind."""
    rosters: Rosters
    """Who is in them."""


async def require_private(site: Site, rights: Rights, officers: Officers) -> None:
    """Look at the channels at a start; what is not known is a warning.

    Raises:
        ConfigError: A channel that has an audience is known not to be private.
    """
    try:
        async with asyncio.timeout(LOOKED_AT_WITHIN_S):
            for channel in _with_audience(rights):
                reference = await _known(site, channel)
                if reference is not None and reference.is_private:
                    continue
                if reference is not None and reference.kind is not None:
                    raise ConfigError(
                        f"CITEBOUND_TEAMS_CONFIG: channels.{channel}.audience: that channel is"
                        f" {reference.kind}, so others may come to read it: {USE_PRIVATE}"
                    )
                why = _NOT_KNOWN if reference is None else _NOT_TOLD
                logger.warning(
                    "CITEBOUND_TEAMS_CONFIG: the audience of channel %s does not count: %s",
                    channel,
                    why,
                )
            found = await _case_channel(site, officers)
    except (TimeoutError, TransientError):
        logger.warning("it can't be told in time which channels of Teams are private")
        return
    if found is not None and found.health is Health.BROKEN:
        logger.error("CITEBOUND_CASE_CHANNEL: %s: %s", found.found, found.cure)
    elif found is not None and found.health is Health.DOUBTFUL:
        logger.warning("CITEBOUND_CASE_CHANNEL: %s: %s", found.found, found.cure)


async def findings(site: Site, rights: Rights, officers: Officers) -> AsyncGenerator[Finding]:
    """Look at the channels for `doctor --live`."""
    for channel in _with_audience(rights):
        subject = f"Teams, channel {channel}"
        reference = await _known(site, channel)
        if reference is not None and reference.is_private:
            found = "private: its audience counts"
            yield Finding(subject=subject, health=Health.FINE, found=found)
        elif reference is not None and reference.kind is not None:
            found = f"{reference.kind}: its audience does not count, and nothing starts with it"
            yield Finding(subject=subject, health=Health.BROKEN, found=found, cure=USE_PRIVATE)
        else:
            why = _NOT_KNOWN if reference is None else _NOT_TOLD
            found = f"its audience does not count: {why}"
            yield Finding(subject=subject, health=Health.DOUBTFUL, found=found, cure=USE_PRIVATE)
    case_channel = await _case_channel(site, officers)
    if case_channel is not None:
        yield case_channel


def _with_audience(rights: Rights) -> list[str]:
    return sorted(channel for channel, scope in rights.channels.items() if scope.audience)


async def _known(site: Site, channel: str) -> Reference | None:
    """Return what is kept of a channel, of whichever tenant it is."""
    for tenant in sorted(site.tenants):
        found = await site.addresses.reference(_place(tenant, channel))
        if found is not None:
            return found
    return None


async def _case_channel(site: Site, officers: Officers) -> Finding | None:
    """Look at the officers' channel; None: there is none in Teams."""
    channel, subject = officers.channel, "Teams, case channel"
    if channel is None or channel.platform != NAME:
        return None
    place = _place(channel.tenant, channel.person)
    if not await site.addresses.is_private(place):
        reference = await site.addresses.reference(place)
        why = _NOT_KNOWN if reference is None else reference.kind or _NOT_TOLD
        found = f"{channel.person} is not known to be private ({why}): others may read it"
        return Finding(subject=subject, health=Health.BROKEN, found=found, cure=OFFICERS_ALONE)
    try:
        members = (await site.rosters.of(place, kept_s=0.0)).members
    except TransientError:
        found, cure = "private; Teams could not be asked who reads it", "it is asked later"
        return Finding(subject=subject, health=Health.DOUBTFUL, found=found, cure=cure)
    listed = officers_in(place, site.rosters, officers)
    strange = [one.aad or one.id for one in members if one.id not in listed]
    return private_case_channel(subject, members=len(members), strange=strange)


def _place(tenant: str, channel: str) -> Place:
    return Place(platform=NAME, tenant=tenant, channel=channel, thread=channel, mode="channel")


HOW = "see docs/teams.md: from a registration to the first answer"
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
        async for finding in _channels(settings, setup):
            yield finding


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


async def _channels(settings: Settings, setup: TeamsSetup) -> AsyncGenerator[Finding]:
    """Look at the channels that must be private, if there are any."""
    subject = f"{SUBJECT}, channels"
    try:
        rights = read_rights(setup.rights, variable="CITEBOUND_TEAMS_CONFIG")
        officers = read_officers(settings.officers, settings.case_channel)
        if officers.channel is None and not rights.channels:
            return
        async with _site(settings, setup) as site:
            if site is not None:
                async for finding in findings(site, rights, officers):
                    yield finding
    except CiteboundError as error:
        cure = "correct the file, or unset the variable; or see database above"
        yield Finding(subject=subject, health=Health.BROKEN, found=str(error), cure=cure)


@asynccontextmanager
async def _site(settings: Settings, setup: TeamsSetup) -> AsyncGenerator[Site | None]:
    """Return what is kept of conversations; None from a database that is not migrated."""
    home = home_of(setup)
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(open_session())
        engine = engine_for(await database_url(settings), pooled=False)
        stack.push_async_callback(engine.dispose)
        if (await server_facts(engine)).revision != newest_revision():
            yield None
            return
        exchange = Exchange(session, token_for(setup, session), home.service_urls.allows)
        transport = RestTransport(exchange)
        addresses = Addresses(PostgresReferences(engine), home, transport)
        rosters = Rosters(transport, addresses, home)
        yield Site(tenants=home.tenants, addresses=addresses, rosters=rosters)
