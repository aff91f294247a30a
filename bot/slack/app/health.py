"""Whether Slack is set up, and whether it lets us do what we need: for `citebound doctor`.

Without `--live` nothing is called. With it, `auth.test` says whose token it is and what it may do,
for each installation where several workspaces install the app; channels that must be private are
checked; `blocks.validate` is shown a reply of each kind; and `apps.connections.open` says whether
the app token opens a socket.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from bot.audience_config import read_audience_config
from bot.call_results import CallResult, Rejected, Succeeded
from bot.doctor_check import Diagnosis, Status
from bot.private_channels import IS_PRIVATE, findings, members_of_case_channel
from bot.slack.app.message_check import check_messages
from bot.slack.inbound.payload import maybe
from bot.slack.install.oauth import INSTALL_PATH
from bot.slack.manifest import scopes
from bot.slack.setup import SlackSetup, slack_setup
from bot.slack.web.calls import DISCONNECTED, Slack, client_for
from bot.slack.web.channels import ChannelKind, Channels
from core.adapters.officers import read_officers
from core.adapters.postgres.access import database_url
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.platforms.installations import held_installations
from core.adapters.system import SystemClock, UuidSource
from core.config.settings import Settings
from core.domain.errors import CiteboundError, ConfigError, TransientError
from core.domain.officers import Account, Officers

PLATFORM = "slack"
HOW = "see docs/slack.md: `citebound slack manifest` prints the app's manifest"
MAKE_PRIVATE = "make it private in Slack, or remove its audience from the file"
OFFICERS_ALONE = (
    "set CITEBOUND_CASE_CHANNEL to a private channel of this workspace and invite the app; until"
    " then cards go directly to an officer on call"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledWorkspace:
    """One workspace or organisation in which the app is installed."""

    tenant: str
    """See `Place.tenant`."""
    bot_user: str
    """The user id under which the app is a member."""
    rooms: Channels
    """Its channels."""
    slack: Slack | None = None
    """Calls it; None where nothing but its channels is looked at."""


@dataclass(frozen=True, slots=True)
class SlackChannelCheck:
    """See `ChannelCheck`."""

    workspaces: Sequence[InstalledWorkspace]
    """Those that can be asked."""
    platform: str = field(default="Slack", init=False)
    variable: str = field(default="CITEBOUND_SLACK_CONFIG", init=False)

    async def audience_channel(self, channel: str, /) -> Diagnosis:
        """See `ChannelCheck.audience_channel`."""
        subject = f"Slack, channel {channel}"
        match await self._kind_of(channel):
            case ChannelKind.PRIVATE:
                return Diagnosis(subject=subject, health=Status.FINE, found=IS_PRIVATE)
            case ChannelKind.PUBLIC:
                found = "public, so anybody can join and read it"
                return Diagnosis(
                    subject=subject, health=Status.BROKEN, found=found, cure=MAKE_PRIVATE
                )
            case ChannelKind.SHARED:
                found = "shared with another company: nothing is answered there"
            case ChannelKind.UNKNOWN:
                found = "Slack does not show it to the app: nothing is answered there"
            case None:
                found = "Slack could not be reached: it is looked at before each answer"
        cure = "invite the app to it, or correct its id in CITEBOUND_SLACK_CONFIG"
        return Diagnosis(subject=subject, health=Status.DOUBTFUL, found=found, cure=cure)

    async def _kind_of(self, channel: str) -> ChannelKind | None:
        """Return who reads a channel, of whichever workspace; None: not all could be asked."""
        is_told = bool(self.workspaces)
        for workspace in self.workspaces:
            try:
                kind = await workspace.rooms.kind_of(channel)
            except TransientError:
                is_told = False
                continue
            if kind is not ChannelKind.UNKNOWN:
                return kind
        return ChannelKind.UNKNOWN if is_told else None

    async def case_channel(self, officers: Officers, /) -> Diagnosis | None:
        """See `ChannelCheck.case_channel`."""
        channel, subject = officers.channel, "Slack, case channel"
        if channel is None or channel.platform != PLATFORM:
            return None
        tenant = channel.tenant
        workspace = next((one for one in self.workspaces if one.tenant == tenant), None)
        if workspace is None:
            found = f"the app is not installed in {tenant}"
            return Diagnosis(
                subject=subject, health=Status.BROKEN, found=found, cure=OFFICERS_ALONE
            )
        try:
            room = await workspace.rooms.of(channel.person, kept_s=0.0)
        except TransientError:
            found, cure = "Slack could not be reached", "it is looked at before each card"
            return Diagnosis(subject=subject, health=Status.DOUBTFUL, found=found, cure=cure)
        if room.kind is not ChannelKind.PRIVATE:
            found = (
                f"{channel.person} is not private ({room.kind}): people other than officers"
                " can read it"
            )
            return Diagnosis(
                subject=subject, health=Status.BROKEN, found=found, cure=OFFICERS_ALONE
            )
        members = sorted(room.members - {workspace.bot_user})
        accounts = {one: Account(platform=PLATFORM, tenant=tenant, person=one) for one in members}
        strange = [one for one in members if officers.find(accounts[one]) is None]
        return members_of_case_channel(subject, members=len(members), strange=strange)


async def check(settings: Settings, *, is_live: bool) -> AsyncGenerator[Diagnosis]:
    """Look at Slack, and yield what was found."""
    try:
        setup = slack_setup(settings)
    except ConfigError as error:
        yield Diagnosis(subject="Slack", health=Status.BROKEN, found=str(error), cure=HOW)
        return
    if setup is None:
        yield Diagnosis(subject="Slack", health=Status.MISSING, found="not set up", cure=HOW)
        return
    how = (
        "over sockets, without a public address"
        if setup.uses_sockets
        else f"over HTTP, port {settings.port}"
    )
    whose = f"{len(settings.installable)} workspaces or organisations may install it"
    several = "" if setup.bot_token else f"; {whose} at {settings.public_url}{INSTALL_PATH}"
    found = f"set up, {how}{several}; not called"
    yield Diagnosis(subject="Slack", health=Status.FINE, found=found)
    if is_live:
        workspaces: list[InstalledWorkspace] = []
        if setup.bot_token:
            yield await _bot(setup, workspaces)
        else:
            async for finding in _installations(settings, setup, workspaces):
                yield finding
        async for finding in _channels(settings, setup, workspaces):
            yield finding
        if workspaces and workspaces[0].slack is not None:
            yield await check_messages(workspaces[0].slack)
        if setup.uses_sockets and setup.app_token:
            yield await _socket(setup.app_token, setup.api_url)


async def _bot(setup: SlackSetup, workspaces: list[InstalledWorkspace]) -> Diagnosis:
    subject, slack = "Slack, called", Slack(client_for(setup.bot_token, api_url=setup.api_url))
    told = await slack.read("auth.test")
    if not isinstance(told, Succeeded):
        cure = "install the app again, and copy its bot token"
        return _not_told(subject, "SLACK_BOT_TOKEN", told, cure=cure)
    whole = told.body.get("is_enterprise_install") is True
    tenant = maybe(told.body, "enterprise_id" if whole else "team_id")
    workspaces.append(
        InstalledWorkspace(
            tenant=tenant,
            bot_user=maybe(told.body, "user_id"),
            rooms=Channels(slack),
            slack=slack,
        )
    )
    return _told(subject, told)


async def _channels(
    settings: Settings, setup: SlackSetup, workspaces: Sequence[InstalledWorkspace]
) -> AsyncGenerator[Diagnosis]:
    """Look at the channels that must be private."""
    try:
        rights = read_audience_config(setup.rights, variable="CITEBOUND_SLACK_CONFIG")
        officers = read_officers(settings.officers, settings.case_channel)
    except ConfigError as error:
        cure = "correct the file, or unset the variable"
        yield Diagnosis(
            subject="Slack, channels", health=Status.BROKEN, found=str(error), cure=cure
        )
        return
    if workspaces:
        async for finding in findings(SlackChannelCheck(workspaces), rights, officers):
            yield finding


async def _installations(
    settings: Settings, setup: SlackSetup, workspaces: list[InstalledWorkspace]
) -> AsyncGenerator[Diagnosis]:
    """Try the token of each installation; none is exchanged, since that is good only once."""
    subject, where = "Slack, installed", f"{settings.public_url}{INSTALL_PATH}"
    try:
        ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit=settings.unit)
        held = await held_installations(await database_url(settings), settings, ledger)
    except CiteboundError as error:
        cure = "see database and CITEBOUND_TOKEN_KEY above"
        yield Diagnosis(subject=subject, health=Status.BROKEN, found=str(error), cure=cure)
        return
    if not held:
        cure = f"open {where}"
        yield Diagnosis(subject=subject, health=Status.MISSING, found="nowhere yet", cure=cure)
    for one in held:
        subject = f"Slack, {one.workspace.name}"
        if not one.tokens.lasts_beyond(SystemClock().now()):
            found = "its token has expired, and will be exchanged when the app is next used there"
            yield Diagnosis(subject=subject, health=Status.FINE, found=found)
            continue
        slack = Slack(client_for(one.tokens.access, api_url=setup.api_url))
        told = await slack.read("auth.test")
        cure = f"install the app there again, at {where}"
        if isinstance(told, Succeeded):
            rooms = Channels(slack)
            workspaces.append(
                InstalledWorkspace(
                    tenant=one.workspace.name, bot_user=one.bot_user, rooms=rooms, slack=slack
                )
            )
            yield _told(subject, told)
        else:
            yield _not_told(subject, "its token", told, cure=cure)


def _told(subject: str, told: Succeeded) -> Diagnosis:
    place = maybe(told.body, "team") or maybe(told.body, "team_id")
    found = f"{maybe(told.body, 'user') or 'the bot'} in {place}"
    missing = sorted(set(scopes()) - set(told.scopes))
    if told.scopes and missing:
        cure = "add them to the app (the manifest has them all) and install it again"
        found = f"{found}, without {', '.join(missing)}"
        return Diagnosis(subject=subject, health=Status.BROKEN, found=found, cure=cure)
    return Diagnosis(subject=subject, health=Status.FINE, found=f"{found}, with all scopes")


async def _socket(app_token: str, api_url: str | None) -> Diagnosis:
    subject = "Slack, socket"
    told = await Slack(client_for(app_token, api_url=api_url)).write("apps.connections.open")
    if not isinstance(told, Succeeded):
        cure = "make a token with connections:write below Basic Information of the app"
        return _not_told(subject, "SLACK_APP_TOKEN", told, cure=cure)
    return Diagnosis(subject=subject, health=Status.FINE, found="Slack opens one")


def _not_told(subject: str, variable: str, told: CallResult, *, cure: str) -> Diagnosis:
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
    return Diagnosis(subject=subject, health=Status.BROKEN, found=found, cure=cure)
