"""Microsoft Teams as a process runs it: one registration, in the one tenant that it serves."""

import asyncio
import importlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial
from zoneinfo import ZoneInfo

from aiohttp import web

from bot.actions.wiring import wire_actions
from bot.audience.group_members import GroupSource
from bot.audience_config import AudienceConfig, read_audience_config
from bot.background_tasks import BackgroundTasks
from bot.intake import PUT_WITHIN_TEAMS_S, Intake
from bot.manifests.identity import read_app_identity
from bot.platform import Chat, Connect
from bot.private_channels import require_private
from bot.replies.context import Library, RenderContext, library_of
from bot.report_codes import CodeAnswers
from bot.teams.actions.commands import TeamsQuestions
from bot.teams.actions.dispatch import TeamsDispatcher
from bot.teams.actions.press_handlers import TeamsAskers, TeamsPressHandlers
from bot.teams.actions.respond import TeamsResponder
from bot.teams.app.endpoint import PATH, Adapter, TeamsEndpoint
from bot.teams.app.event_intake import TeamsEventIntake
from bot.teams.app.health import TeamsChannelCheck
from bot.teams.auth.credentials import token_for
from bot.teams.auth.signing_keys import SigningKeys, signing_keys
from bot.teams.auth.token_verifier import InboundVerifier, UnsafeAnonymous, Verifier
from bot.teams.cards.render import in_one_card, render
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.connector import RestTransport, Transport
from bot.teams.connector.graph import EntraGroups
from bot.teams.connector.http_client import ConnectorHttp, open_session
from bot.teams.connector.roster import Rosters, officers_in
from bot.teams.outbound.audience import TeamsAudience
from bot.teams.outbound.languages import TeamsLanguages
from bot.teams.outbound.poster import TeamsMessage, TeamsPoster
from bot.teams.outbound.progress import TeamsSurface, TeamsTimings
from bot.teams.protocol.conversations import NAME, Reference
from bot.teams.protocol.identity import TeamsIdentity, identity_of
from bot.teams.setup import TeamsSetup, teams_setup
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.delivery import Delivery
from core.ports import Platform
from core.service_access.tokens import FetchedToken, watched

NO_KEYS = (
    "Microsoft's signing keys can't be read, so requests from Teams can't be authenticated;"
    " retrying every minute"
)


def teams(settings: Settings, *, timings: TeamsTimings | None = None) -> Connect | None:
    """Return how Teams is connected; None: nothing of it is set.

    Raises:
        ConfigError: See `teams_setup`.
    """
    setup = teams_setup(settings)
    return None if setup is None else partial(_connected, setup=setup, timings=timings)


@asynccontextmanager
async def _connected(
    service: Service, *, setup: TeamsSetup, timings: TeamsTimings | None
) -> AsyncGenerator[Chat]:
    """Connect Teams until the block ends.

    Nothing is called but for Microsoft's keys, and for the members of the officers' channel.

    Raises:
        ConfigError: A file of the setup can't be read, or gives a channel an audience that is not
            private.
    """
    rights = read_audience_config(setup.rights, variable="CITEBOUND_TEAMS_CONFIG")
    identity = identity_of(setup, lets_guests=bool(rights.guests.kinds))
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(open_session())
        note = service.refusals.note
        token = token_for(setup, session, note=partial(note, NAME))
        of_graph = partial(note, "graph")
        graph = token_for(setup, session, resource=setup.graph_url, note=of_graph)
        exchange = ConnectorHttp(session, token, identity.service_urls.allows)
        keys = None
        used = (token, graph) if rights.directory else (token,)
        await stack.enter_async_context(
            watched(*(each for each in used if isinstance(each, FetchedToken)))
        )
        if not setup.is_anonymous:
            reading = signing_keys(setup.openid_url or setup.cloud.keys)
            keys = await stack.enter_async_context(reading)
        background = BackgroundTasks(await stack.enter_async_context(asyncio.TaskGroup()))
        stack.push_async_callback(background.ended)
        connected = wire(
            service,
            transport_for(setup, exchange),
            identity=identity,
            rights=rights,
            groups=EntraGroups(session, graph, url=setup.graph_url, note=of_graph),
            timings=timings,
            background=background,
        )
        await require_private(connected.channels, rights, service.officers)
        endpoint = TeamsEndpoint(
            _verifier(keys, identity),
            connected.keeper,
            connected.presses,
            identity=identity,
            adapter=adapter_for(setup, identity),
        )

        async def trouble() -> str | None:
            return None if keys is None or keys.are_warm else NO_KEYS

        yield Chat(
            name=NAME,
            answering=connected.answering,
            posting=connected.posting,
            routes=(web.post(PATH, endpoint.take),),
            trouble=trouble,
        )


def transport_for(setup: TeamsSetup, exchange: ConnectorHttp) -> Transport:
    """Return how Teams is called.

    Microsoft's SDK has had no support since 2025-12-31: it is loaded only where it is wanted.
    """
    if setup.transport == "rest":
        return RestTransport(exchange)
    module = importlib.import_module("bot.teams.app.botbuilder_connector")
    transport: Transport = module.BotbuilderTransport(exchange)
    return transport


def adapter_for(setup: TeamsSetup, identity: TeamsIdentity) -> Adapter | None:
    """Return what invokes pass through; None: nothing of the SDK is loaded."""
    if setup.transport == "rest":
        return None
    module = importlib.import_module("bot.teams.app.botbuilder_adapter")
    adapter: Adapter = module.BotbuilderAdapter(identity)
    return adapter


def _verifier(keys: SigningKeys | None, identity: TeamsIdentity) -> Verifier:
    return UnsafeAnonymous(identity) if keys is None else InboundVerifier(keys, identity)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectedTenant:
    """What a process has of Teams."""

    keeper: TeamsEventIntake
    """Keeps what is sent to us."""
    presses: TeamsDispatcher
    """Takes what is pressed."""
    answering: Platform
    """For workers: membership may be some minutes old."""
    posting: Platform
    """For delivery: membership is read again."""
    channels: TeamsChannelCheck
    """For who looks at channels that must be private."""


def wire(
    service: Service,
    transport: Transport,
    *,
    identity: TeamsIdentity,
    rights: AudienceConfig,
    groups: GroupSource,
    timings: TeamsTimings | None,
    background: BackgroundTasks,
) -> ConnectedTenant:
    """Wire Teams; nothing is called.

    Args:
        service: the product.
        transport: how Teams is called.
        identity: who we are.
        rights: who belongs to which group.
        groups: tells who is in those that Entra keeps.
        timings: see `TeamsTimings`.
        background: does what goes on after its request was answered.
    """
    addresses = Addresses(service.references, identity, transport)
    rosters = Rosters(transport, addresses, identity)
    audience = TeamsAudience(rosters, rights, groups)
    languages = TeamsLanguages(service.references, default=service.settings.own_language)
    surface = TeamsSurface(transport, addresses, language_of=languages.told, timings=timings)
    name = read_app_identity(service.settings).texts.name
    library = library_of(service.settings)
    shaped = in_one_card if identity.is_anonymous else dict

    def rendered(delivery: Delivery) -> TeamsMessage:
        context = context_of(
            delivery,
            library,
            asker_name=rosters.name_of(delivery.place, delivery.person),
            officers=officers_in(delivery.place, rosters, service.officers),
            zone=zone_of(delivery.time_zone) or service.officers.calendar.zone,
            people=rosters.by_name(delivery.place) if delivery.reply.officer_reply else {},
        )
        context = replace(
            context,
            starters=service.starters.known,
            app_name=name,
            language=delivery.reply.language or service.settings.own_language,
        )
        made = render(delivery.reply, delivery.shape, context=context)
        return replace(made, activity=shaped(made.activity))

    def forget(reference: Reference) -> None:
        rosters.forget(reference.tenant, reference.conversation)

    poster = TeamsPoster(transport, addresses, render=rendered)
    zone = service.officers.calendar.zone
    codes = CodeAnswers(service.writers, poster, language=languages.at, zone=zone)
    intake = Intake(service.inbox, put_within_s=PUT_WITHIN_TEAMS_S, answers_code=codes)
    presses = handlers(
        service,
        transport,
        addresses=addresses,
        audience=audience,
        rosters=rosters,
        intake=intake,
        library=library,
        languages=languages,
        background=background,
    )
    keeper = TeamsEventIntake(
        intake,
        service.conversations,
        service.references,
        identity,
        officers=service.officers,
        presses=presses,
        forget=forget,
    )
    return ConnectedTenant(
        keeper=keeper,
        presses=presses,
        answering=Platform(
            audience=audience,
            surface=surface,
            poster=poster,
            language=languages.at,
            waking=surface.waking,
        ),
        posting=Platform(
            audience=audience.when_posting(),
            surface=surface,
            poster=poster,
            language=languages.at,
        ),
        channels=TeamsChannelCheck(tenants=identity.tenants, addresses=addresses, rosters=rosters),
    )


def handlers(
    service: Service,
    transport: Transport,
    *,
    addresses: Addresses,
    audience: TeamsAudience,
    rosters: Rosters,
    intake: Intake,
    library: Library,
    languages: TeamsLanguages,
    background: BackgroundTasks,
) -> TeamsDispatcher:
    """Return the handlers; nothing is called."""
    actions = wire_actions(
        service,
        membership=audience.when_pressed(),
        intake=intake,
        askers=TeamsAskers(rosters),
        hears_threads=False,
    )
    responder = TeamsResponder(
        transport,
        addresses,
        background,
        library=library,
        officers=service.officers,
        rosters=rosters,
    )
    asking = TeamsQuestions(
        intake,
        service.references,
        transport=transport,
        addresses=addresses,
        audience=audience,
        rosters=rosters,
        clock=service.clock,
        starters=service.starters,
    )
    pressing = TeamsPressHandlers(
        actions,
        responder,
        officers=service.officers,
        shown=service.posted_answers,
        library=library,
        show_question=asking.show,
    )
    return TeamsDispatcher(pressing.handlers(), asking.handlers(), language_of=languages.told)


def context_of(
    delivery: Delivery,
    library: Library,
    *,
    asker_name: str,
    officers: tuple[str, ...],
    people: Mapping[str, str],
    zone: tzinfo,
) -> RenderContext:
    """Return what a reply is rendered with."""
    is_own = delivery.is_direct or delivery.place.mode == "direct"
    return RenderContext(
        library=library.of_reply(delivery.reply),
        asker=delivery.person,
        asker_name=asker_name,
        has_file=delivery.has_file,
        is_public=not is_own,
        zone=zone,
        tenant=delivery.place.tenant,
        people=people,
        officers=officers,
    )


def zone_of(name: str | None) -> tzinfo | None:
    """Return a time zone by its name; None: a client said none that there is."""
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        return None
