"""Microsoft Teams as a process runs it: one registration, in the one tenant that it serves."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from aiohttp import web

from bot.chat import Chat, Connect
from bot.rights import read_rights
from bot.teams.anonymous import UnsafeAnonymous
from bot.teams.background import Background
from bot.teams.connected import wire
from bot.teams.credentials import token_for
from bot.teams.endpoint import PATH, TeamsEndpoint
from bot.teams.exchange import Exchange, open_session
from bot.teams.keys import METADATA_URL, SigningKeys, signing_keys
from bot.teams.places import NAME
from bot.teams.post import BotbuilderTransport
from bot.teams.rest import RestTransport
from bot.teams.sender import Home, home_of
from bot.teams.setup import TeamsSetup, teams_setup
from bot.teams.surface import Patience
from bot.teams.tokens import InboundVerifier, Verifier
from bot.teams.transport import Transport
from bot.teams.vetting import require_private
from core.bootstrap import Service
from core.config import Settings

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
