"""Whether Teams is set up, and whether the bot gets a token: for `citebound doctor`.

Without `--live` nothing is called; with it, one token is fetched, which proves id, tenant and
secret (or the managed identity), and that the service of tokens can be reached; the keys are read
with which Microsoft signs what Teams sends; a reply of each kind is held against Teams' schema; and
the channels are looked at that must be private.
"""

from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from bot.audience_config import read_audience_config
from bot.call_results import Rejected
from bot.doctor_check import Diagnosis, Status
from bot.private_channels import IS_PRIVATE, findings, members_of_case_channel
from bot.teams.app.message_check import check_messages
from bot.teams.auth.credentials import token_for
from bot.teams.auth.signing_keys import signing_keys
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.connector import Address, RestTransport, Transport
from bot.teams.connector.http_client import ConnectorHttp, open_session
from bot.teams.connector.roster import Rosters, officers_in
from bot.teams.protocol.conversations import NAME, Reference
from bot.teams.protocol.identity import identity_of
from bot.teams.setup import TeamsSetup, teams_setup
from core.adapters.officers import read_officers
from core.adapters.postgres.access import database_url
from core.adapters.postgres.engine.database import engine_for, server_facts
from core.adapters.postgres.engine.schema import fits
from core.adapters.postgres.platforms.references import PostgresConversationReferences
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.errors import CiteboundError, ConfigError, TransientError
from core.domain.json_value import Json
from core.domain.officers import Officers
from core.service_access.tokens import TokenError

HOW = "see docs/teams.md: from a registration to the first answer"
SUBJECT = "Teams"
CASE_CHANNEL = "Teams, case channel"
USE_PRIVATE = "use a private channel or a group chat, or remove its audience from the file"
OFFICERS_ALONE = (
    "set CITEBOUND_CASE_CHANNEL to a private channel or a group chat, and write to the app"
    " there; until then cards go directly to an officer on call"
)
NOT_IN_IT = (
    "add the app to that channel's team, or to the chat, and write to it there; until then cards go"
    " directly to an officer on call"
)
MAY_POST = (
    "allow apps to post in the channel's moderation settings, and allow the app in the Teams"
    " admin centre"
)
OTHER_TENANT = "CITEBOUND_CASE_CHANNEL and APP_TENANTID must name the same tenant"
TYPING: Mapping[str, Json] = {"type": "typing"}
"""Shows nothing that stays: whether Teams takes it says whether we may post."""
_NOT_KNOWN = "nobody has written to the app there yet"
_NOT_TOLD = "Teams does not say that it is private"


@dataclass(frozen=True, slots=True)
class TeamsChannelCheck:
    """See `ChannelCheck`.

    What kind a channel is, Teams tells with what is written there, and that is kept: nothing is
    known of a channel in which nobody has written to the app.
    """

    tenants: Collection[str]
    """Ids of the tenants that we serve."""
    addresses: Addresses
    """Where their conversations are, and of what kind."""
    rosters: Rosters
    """Who is in them."""
    transport: Transport | None = None
    """Tries whether we may post, for `doctor --live`; None: that is not tried."""
    platform: str = field(default="Teams", init=False)
    variable: str = field(default="CITEBOUND_TEAMS_CONFIG", init=False)

    async def audience_channel(self, channel: str, /) -> Diagnosis:
        """See `ChannelCheck.audience_channel`."""
        subject = f"Teams, channel {channel}"
        reference = await self._known(channel)
        if reference is not None and reference.is_private:
            return Diagnosis(subject=subject, health=Status.FINE, found=IS_PRIVATE)
        if reference is not None and reference.kind is not None:
            found = f"{reference.kind}, so other people may be able to read it"
            return Diagnosis(subject=subject, health=Status.BROKEN, found=found, cure=USE_PRIVATE)
        why = _NOT_KNOWN if reference is None else _NOT_TOLD
        found = f"its audience does not count: {why}"
        return Diagnosis(subject=subject, health=Status.DOUBTFUL, found=found, cure=USE_PRIVATE)

    async def _refused(self, place: Place) -> str:
        """Return why nothing may be posted in a place; empty: it may, or that can't be told."""
        at = await self.addresses.of(place)
        if self.transport is None or not isinstance(at, Address):
            return ""
        told = await self.transport.post(at, TYPING)
        return told.code if isinstance(told, Rejected) else ""

    async def _known(self, channel: str) -> Reference | None:
        """Return what is kept of a channel, of whichever tenant it is."""
        for tenant in sorted(self.tenants):
            found = await self.addresses.reference(_place(tenant, channel))
            if found is not None:
                return found
        return None

    async def case_channel(self, officers: Officers, /) -> Diagnosis | None:
        """See `ChannelCheck.case_channel`."""
        channel, subject = officers.channel, CASE_CHANNEL
        if channel is None or channel.platform != NAME:
            return None
        place = _place(channel.tenant, channel.person)
        if self.tenants and channel.tenant not in self.tenants:
            found = f"it is in tenant {channel.tenant}, which is not served"
            return Diagnosis(subject=subject, health=Status.BROKEN, found=found, cure=OTHER_TENANT)
        if not await self.addresses.is_private(place):
            reference = await self.addresses.reference(place)
            why = _NOT_KNOWN if reference is None else reference.kind or _NOT_TOLD
            found = f"{channel.person} is not known to be private ({why}): others may read it"
            return Diagnosis(
                subject=subject, health=Status.BROKEN, found=found, cure=OFFICERS_ALONE
            )
        return await self._used(place, officers)

    async def _used(self, place: Place, officers: Officers) -> Diagnosis:
        """Look at who reads a private channel, and whether we may post in it."""
        subject = CASE_CHANNEL
        try:
            members = (await self.rosters.of(place, kept_s=0.0)).members
        except TransientError:
            found, cure = "private; Teams could not be asked for its members", "it is asked later"
            return Diagnosis(subject=subject, health=Status.DOUBTFUL, found=found, cure=cure)
        if not members and await self.addresses.reference(place) is None:
            # So it is at a first start, and before the Agents Playground runs.
            doubt = Status.DOUBTFUL
            return Diagnosis(subject=subject, health=doubt, found=_NOT_KNOWN, cure=NOT_IN_IT)
        if not members:
            found = "Teams does not list its members: the app is not, or no longer, in it"
            return Diagnosis(subject=subject, health=Status.BROKEN, found=found, cure=NOT_IN_IT)
        refused = await self._refused(place)
        if refused:
            found = f"private, but Teams does not let the app post there: {refused}"
            return Diagnosis(subject=subject, health=Status.BROKEN, found=found, cure=MAY_POST)
        listed = officers_in(place, self.rosters, officers)
        strange = [one.aad or one.id for one in members if one.id not in listed]
        return members_of_case_channel(subject, members=len(members), strange=strange)


def _place(tenant: str, channel: str) -> Place:
    return Place(platform=NAME, tenant=tenant, channel=channel, thread=channel, mode="channel")


async def check(settings: Settings, *, is_live: bool) -> AsyncGenerator[Diagnosis]:
    """Look at Teams, and yield what was found."""
    try:
        setup = teams_setup(settings)
    except ConfigError as error:
        yield Diagnosis(subject=SUBJECT, health=Status.BROKEN, found=str(error), cure=HOW)
        return
    if setup is None:
        yield Diagnosis(subject=SUBJECT, health=Status.MISSING, found="not set up", cure=HOW)
        return
    yield Diagnosis(subject=SUBJECT, health=Status.FINE, found=f"{_kind(setup)}; not called")
    if is_live:
        yield check_messages()
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


async def _called(setup: TeamsSetup) -> Diagnosis:
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
            return Diagnosis(subject=subject, health=Status.BROKEN, found=found, cure=cure)
    return Diagnosis(subject=subject, health=Status.FINE, found="the bot can get a token")


async def _keys(setup: TeamsSetup) -> Diagnosis:
    subject = f"{SUBJECT}, signing keys"
    url = setup.openid_url or setup.cloud.keys
    async with signing_keys(url) as keys:
        if keys.are_warm:
            return Diagnosis(subject=subject, health=Status.FINE, found="read")
    cure = (
        f"check that {urlsplit(url).hostname} can be reached; until then Teams gets 503 so that"
        " it sends again, and /readyz names it; Slack is unaffected"
    )
    found = "can't be read, so requests from Teams can't be authenticated"
    return Diagnosis(subject=subject, health=Status.BROKEN, found=found, cure=cure)


async def _channels(settings: Settings, setup: TeamsSetup) -> AsyncGenerator[Diagnosis]:
    """Look at the channels that must be private, if there are any."""
    subject = f"{SUBJECT}, channels"
    try:
        rights = read_audience_config(setup.rights, variable="CITEBOUND_TEAMS_CONFIG")
        officers = read_officers(settings.officers, settings.case_channel)
        if officers.channel is None and not rights.channels:
            return
        async with _channel_check(settings, setup) as channels:
            if channels is not None:
                async for finding in findings(channels, rights, officers):
                    yield finding
    except CiteboundError as error:
        cure = "correct the file, or unset the variable; or see database above"
        yield Diagnosis(subject=subject, health=Status.BROKEN, found=str(error), cure=cure)


@asynccontextmanager
async def _channel_check(
    settings: Settings, setup: TeamsSetup
) -> AsyncGenerator[TeamsChannelCheck | None]:
    """Return what is kept of conversations; None from a database that is not migrated."""
    identity = identity_of(setup)
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(open_session())
        engine = engine_for(await database_url(settings), pooled=False)
        stack.push_async_callback(engine.dispose)
        if not fits(await server_facts(engine)):
            yield None
            return
        exchange = ConnectorHttp(session, token_for(setup, session), identity.service_urls.allows)
        transport = RestTransport(exchange)
        addresses = Addresses(PostgresConversationReferences(engine), identity, transport)
        rosters = Rosters(transport, addresses, identity)
        yield TeamsChannelCheck(
            tenants=identity.tenants, addresses=addresses, rosters=rosters, transport=transport
        )
