"""Microsoft Teams as a process runs it: one registration, in the one tenant that it serves."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from aiohttp import web

from bot.audience_config import read_rights
from bot.platform import Chat, Connect
from bot.teams.app.botbuilder_connector import BotbuilderTransport
from bot.teams.app.endpoint import PATH, TeamsEndpoint
from bot.teams.app.tenant import wire
from bot.teams.app.vetting import require_private
from bot.teams.auth.credentials import token_for
from bot.teams.auth.playground_auth import UnsafeAnonymous
from bot.teams.auth.signing_keys import METADATA_URL, SigningKeys, signing_keys
from bot.teams.auth.token_verifier import InboundVerifier, Verifier
from bot.teams.connector.background_tasks import Background
from bot.teams.connector.connector import Transport
from bot.teams.connector.http_client import Exchange, open_session
from bot.teams.connector.rest_connector import RestTransport
from bot.teams.outbound.surface import Patience
from bot.teams.protocol.conversations import NAME
from bot.teams.protocol.identity import Home, home_of
from bot.teams.setup import TeamsSetup, teams_setup
from core.bootstrap import Service
from core.config.settings import Settings

TRANSPORTS: Mapping[str, Callable[[Exchange], Transport]] = {
    "botbuilder": BotbuilderTransport,
    "rest": RestTransport,
}
"""By `TeamsSetup.transport`."""
NO_KEYS = (
    "Microsoft's signing keys can't be read, so nothing that Teams sends can be believed; they are"
    " tried again every minute"
)


def teams(settings: Settings, *, patience: Patience | None = None) -> Connect | None:
    """Return how Teams is connected; None: nothing of it is set.

    Raises:
        ConfigError: See `teams_setup`.
    """
    setup = teams_setup(settings)
    return None if setup is None else partial(_connected, setup=setup, patience=patience)


@asynccontextmanager
async def _connected(
    service: Service, *, setup: TeamsSetup, patience: Patience | None
) -> AsyncGenerator[Chat]:
    """Connect Teams until the block ends.

    Nothing is called but for Microsoft's keys, and for the members of the officers' channel.

    Raises:
        ConfigError: A file of the setup can't be read, or gives a channel an audience that is not
            private.
    """
    rights = read_rights(setup.rights, variable="CITEBOUND_TEAMS_CONFIG")
    home = home_of(setup)
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(open_session())
        exchange = Exchange(session, token_for(setup, session), home.service_urls.allows)
        keys = None
        if not setup.is_anonymous:
            reading = signing_keys(setup.openid_url or METADATA_URL)
            keys = await stack.enter_async_context(reading)
        background = Background(await stack.enter_async_context(asyncio.TaskGroup()))
        stack.push_async_callback(background.ended)
        connected = wire(
            service,
            TRANSPORTS[setup.transport](exchange),
            home=home,
            rights=rights,
            patience=patience,
            background=background,
        )
        await require_private(connected.site, rights, service.officers)
        endpoint = TeamsEndpoint(
            _verifier(keys, home), connected.keeper, connected.presses, home=home
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


def _verifier(keys: SigningKeys | None, home: Home) -> Verifier:
    return UnsafeAnonymous(home) if keys is None else InboundVerifier(keys, home)
