"""Whether Slack is set up, and whether it lets us do what we need: for `citebound doctor`.

Without `--live` nothing is called; with it, `auth.test` says whose token it is and what it may do,
of each installation where several workspaces install the app, which channels that must be private
are, and over sockets `apps.connections.open` whether the app token opens one.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from bot.audience_config import Rights, read_rights
from bot.call_results import CallResult, Rejected, Succeeded
from bot.doctor_check import Finding, Health, private_case_channel
from bot.slack.inbound.payload import maybe
from bot.slack.install.oauth import INSTALL_PATH
from bot.slack.manifest import scopes
from bot.slack.setup import SlackSetup, slack_setup
from bot.slack.web.calls import DISCONNECTED, Slack, client_for
from bot.slack.web.channels import Kind, Rooms
from core.adapters.officers import read_officers
from core.adapters.postgres.platforms.installations import held_installations
from core.adapters.system import SystemClock
from core.bootstrap import database_url
from core.config.settings import Settings
from core.domain.case_rules import Account
from core.domain.errors import CiteboundError, ConfigError, TransientError
from core.domain.officers import Officers

PLATFORM = "slack"
LOOKED_AT_WITHIN_S = 20.0
"""What a start waits for Slack; what it has not told by then is told at the first use."""
MAKE_PRIVATE = "make it private in Slack, or take its audience from the file"
OFFICERS_ALONE = (
    "let CITEBOUND_CASE_CHANNEL name a private channel of this workspace, to which the app is"
    " invited; until then cards go directly to an officer on call"
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One workspace or organisation in which the app is installed."""

    tenant: str
    """See `Place.tenant`."""
    bot_user: str
    """The user id under which the app is a member."""
    rooms: Rooms
    """Its channels."""


async def require_private(sites: Sequence[Site], rights: Rights, officers: Officers) -> None:
    """Look at the channels at a start; what can't be told now is a warning.

    Raises:
        ConfigError: A channel that has an audience is public.
    """
    try:
        async with asyncio.timeout(LOOKED_AT_WITHIN_S):
            for channel in _with_audience(rights):
                kind = await _kind_in(sites, channel)
                if kind is Kind.PUBLIC:
                    raise ConfigError(
                        f"CITEBOUND_SLACK_CONFIG: channels.{channel}.audience: that channel is"
                        f" public, so anybody may join and read it: {MAKE_PRIVATE}"
                    )
                if kind is not Kind.PRIVATE:
                    logger.warning(
                        "CITEBOUND_SLACK_CONFIG: channel %s: %s", channel, _why_unclear(kind)
                    )
            found = await _case_channel(sites, officers)
    except TimeoutError:
        logger.warning("Slack does not say in time which channels are private")
        return
    if found is not None and found.health is Health.BROKEN:
        logger.error("CITEBOUND_CASE_CHANNEL: %s: %s", found.found, found.cure)
    elif found is not None and found.health is Health.DOUBTFUL:
        logger.warning("CITEBOUND_CASE_CHANNEL: %s: %s", found.found, found.cure)


async def findings(
    sites: Sequence[Site], rights: Rights, officers: Officers
) -> AsyncGenerator[Finding]:
    """Look at the channels for `doctor --live`."""
    for channel in _with_audience(rights):
        kind = await _kind_in(sites, channel)
        subject = f"Slack, channel {channel}"
        if kind is Kind.PRIVATE:
            found = "private: its audience counts"
            yield Finding(subject=subject, health=Health.FINE, found=found)
        elif kind is Kind.PUBLIC:
            found = "public: its audience does not count, and nothing starts with it"
            yield Finding(subject=subject, health=Health.BROKEN, found=found, cure=MAKE_PRIVATE)
        else:
            cure = "invite the app to it, or correct its id in CITEBOUND_SLACK_CONFIG"
            found = _why_unclear(kind)
            yield Finding(subject=subject, health=Health.DOUBTFUL, found=found, cure=cure)
    case_channel = await _case_channel(sites, officers)
    if case_channel is not None:
        yield case_channel


def _with_audience(rights: Rights) -> list[str]:
    return sorted(channel for channel, scope in rights.channels.items() if scope.audience)


async def _kind_in(sites: Sequence[Site], channel: str) -> Kind | None:
    """Return who reads a channel, of whichever workspace it is; None: not all could be asked."""
    is_told = bool(sites)
    for site in sites:
        try:
            kind = await site.rooms.kind_of(channel)
        except TransientError:
            is_told = False
            continue
        if kind is not Kind.UNKNOWN:
            return kind
    return Kind.UNKNOWN if is_told else None


def _why_unclear(kind: Kind | None) -> str:
    match kind:
        case Kind.SHARED:
            return "shared with another company: nothing is answered there"
        case Kind.UNKNOWN:
            return "Slack does not show it to the app: nothing is answered there"
        case _:
            return "Slack could not be asked: it is looked at before each answer"


async def _case_channel(sites: Sequence[Site], officers: Officers) -> Finding | None:
    """Look at the officers' channel; None: there is none in Slack."""
    channel, subject = officers.channel, "Slack, case channel"
    if channel is None or channel.platform != PLATFORM:
        return None
    site = next((one for one in sites if one.tenant == channel.tenant), None)
    if site is None:
        found = f"the app is not installed in {channel.tenant}"
        return Finding(subject=subject, health=Health.BROKEN, found=found, cure=OFFICERS_ALONE)
    try:
        room = await site.rooms.of(channel.person, kept_s=0.0)
    except TransientError:
        found, cure = "Slack could not be asked", "it is looked at before each card"
        return Finding(subject=subject, health=Health.DOUBTFUL, found=found, cure=cure)
    if room.kind is not Kind.PRIVATE:
        found = f"{channel.person} is not private ({room.kind}): whoever reads it is no officer"
        return Finding(subject=subject, health=Health.BROKEN, found=found, cure=OFFICERS_ALONE)
    members = sorted(room.members - {site.bot_user})
    strange = [one for one in members if officers.find(_account(site, one)) is None]
    return private_case_channel(subject, members=len(members), strange=strange)


def _account(site: Site, person: str) -> Account:
    return Account(platform=PLATFORM, tenant=site.tenant, person=person)


HOW = "see docs/slack.md: `citebound slack manifest` prints what the app is made from"


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
        sites: list[Site] = []
        if setup.bot_token:
            yield await _bot(setup, sites)
        else:
            async for finding in _installations(settings, setup, sites):
                yield finding
        async for finding in _channels(settings, setup, sites):
            yield finding
        if setup.uses_sockets and setup.app_token:
            yield await _socket(setup.app_token, setup.api_url)


async def _bot(setup: SlackSetup, sites: list[Site]) -> Finding:
    subject, slack = "Slack, called", Slack(client_for(setup.bot_token, api_url=setup.api_url))
    told = await slack.read("auth.test")
    if not isinstance(told, Succeeded):
        cure = "install the app again, and copy its bot token"
        return _not_told(subject, "SLACK_BOT_TOKEN", told, cure=cure)
    whole = told.body.get("is_enterprise_install") is True
    tenant = maybe(told.body, "enterprise_id" if whole else "team_id")
    sites.append(Site(tenant=tenant, bot_user=maybe(told.body, "user_id"), rooms=Rooms(slack)))
    return _told(subject, told)


async def _channels(
    settings: Settings, setup: SlackSetup, sites: Sequence[Site]
) -> AsyncGenerator[Finding]:
    """Look at the channels that must be private."""
    try:
        rights = read_rights(setup.rights, variable="CITEBOUND_SLACK_CONFIG")
        officers = read_officers(settings.officers, settings.case_channel)
    except ConfigError as error:
        cure = "correct the file, or unset the variable"
        yield Finding(subject="Slack, channels", health=Health.BROKEN, found=str(error), cure=cure)
        return
    if sites:
        async for finding in findings(sites, rights, officers):
            yield finding


async def _installations(
    settings: Settings, setup: SlackSetup, sites: list[Site]
) -> AsyncGenerator[Finding]:
    """Try the token of each installation; none is exchanged, since that is good only once."""
    subject, where = "Slack, installed", f"{settings.public_url}{INSTALL_PATH}"
    try:
        held = await held_installations(await database_url(settings), settings)
    except CiteboundError as error:
        cure = "see database and CITEBOUND_TOKEN_KEY above"
        yield Finding(subject=subject, health=Health.BROKEN, found=str(error), cure=cure)
        return
    if not held:
        cure = f"open {where}"
        yield Finding(subject=subject, health=Health.MISSING, found="nowhere yet", cure=cure)
    for one in held:
        subject = f"Slack, {one.workspace.name}"
        if not one.tokens.lasts_beyond(SystemClock().now()):
            found = "its token has ended, and is exchanged when the app is used there"
            yield Finding(subject=subject, health=Health.FINE, found=found)
            continue
        slack = Slack(client_for(one.tokens.access, api_url=setup.api_url))
        told = await slack.read("auth.test")
        cure = f"install the app there again, at {where}"
        if isinstance(told, Succeeded):
            rooms = Rooms(slack)
            sites.append(Site(tenant=one.workspace.name, bot_user=one.bot_user, rooms=rooms))
            yield _told(subject, told)
        else:
            yield _not_told(subject, "its token", told, cure=cure)


def _told(subject: str, told: Succeeded) -> Finding:
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
    if not isinstance(told, Succeeded):
        cure = "make a token with connections:write below Basic Information of the app"
        return _not_told(subject, "SLACK_APP_TOKEN", told, cure=cure)
    return Finding(subject=subject, health=Health.FINE, found="Slack opens one")


def _not_told(subject: str, variable: str, told: CallResult, *, cure: str) -> Finding:
    """Say why a token can't be used.

    Args:
        subject: what was looked at.
        variable: where the token is from.
        told: what Slack said.
        cure: what helps if the token is dead.
    """
    if not isinstance(told, Rejected):
        found, cure = "Slack can't be reached", "check the network, and whether a proxy is needed"
    else:
        found = f"Slack refuses {variable}: {told.code}"
        if told.needed_scope:
            cure = f"give the token the scope {told.needed_scope}"
        elif told.code not in DISCONNECTED:
            cure = f"look up {told.code} in Slack's documentation of auth.test"
    return Finding(subject=subject, health=Health.BROKEN, found=found, cure=cure)
