"""Slack as a process runs it: one workspace by its token, or all that installed the app."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial

from aiohttp import web

from bot.audience_config import read_audience_config
from bot.background_tasks import ForeignTasks
from bot.platform import Chat, Connect
from bot.private_channels import require_private
from bot.slack.app.endpoint import SignatureCheck, SlackEndpoint, Sockets
from bot.slack.app.health import InstalledWorkspace, SlackChannelCheck
from bot.slack.app.listeners import EventLimits, build_app
from bot.slack.app.workspace import WorkspaceFactory
from bot.slack.app.workspaces import Workspaces, by_tenant
from bot.slack.install.credentials import Credentials, OneWorkspace
from bot.slack.install.oauth import open_oauth
from bot.slack.manifest import EVENTS_PATH
from bot.slack.outbound.timings import SlackTimings
from bot.slack.setup import SlackSetup, find_identity, slack_setup
from bot.slack.web.calls import Slack, client_for
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.errors import TransientError

NAME = "slack"
"""See `Place.platform`."""


def slack(settings: Settings, *, timings: SlackTimings | None = None) -> Connect | None:
    """Return how Slack is connected; None: nothing of it is set.

    Raises:
        ConfigError: See `slack_setup`.
    """
    setup = slack_setup(settings)
    return None if setup is None else partial(_connected, setup=setup, timings=timings)


@asynccontextmanager
async def _connected(
    service: Service, *, setup: SlackSetup, timings: SlackTimings | None
) -> AsyncGenerator[Chat]:
    """Connect Slack until the block ends.

    Raises:
        ConfigError: The token is not taken, a file of the setup can't be read, a channel that it
            gives an audience is public, or an installation was encrypted with a key that is not
            set.
    """
    rights = read_audience_config(setup.rights, variable="CITEBOUND_SLACK_CONFIG")
    wiring = WorkspaceFactory(service, setup, rights, timings)
    credentials, routes = await _credentials(service, setup)

    def note(tenant: str, cause: str | None) -> None:
        service.refusals.note(NAME if service.oauth is None else f"{NAME}/{tenant}", cause)

    workspaces = Workspaces(
        credentials, wiring.connect, service.connections, note=note, api_url=setup.api_url
    )
    installed = await _installed(credentials, workspaces)
    await require_private(SlackChannelCheck(installed), rights, service.officers)
    tasks = ForeignTasks()
    limits = EventLimits()
    app = build_app(workspaces, tasks, api_url=setup.api_url, limits=limits)
    if setup.signing_secrets:
        endpoint = SlackEndpoint(app, SignatureCheck(setup.signing_secrets))
        routes = (web.post(EVENTS_PATH, endpoint.take), *routes)
    is_dialled = setup.app_token and setup.uses_sockets
    silent_s = (timings or SlackTimings()).silent_s
    sockets = Sockets(app, setup.app_token or "", tasks, silent_s=silent_s) if is_dialled else None

    def listening() -> AbstractAsyncContextManager[None]:
        return nullcontext() if sockets is None else sockets.open()

    async def trouble() -> str | None:
        return None if sockets is None else await sockets.trouble()

    try:
        yield Chat(
            name=NAME,
            answering=by_tenant(workspaces, lambda one: one.answering),
            posting=by_tenant(workspaces, lambda one: one.posting),
            routes=routes,
            listening=listening,
            trouble=trouble,
            unheard=lambda: limits.minutes,
        )
    finally:
        await tasks.ended()


async def _installed(credentials: Credentials, workspaces: Workspaces) -> list[InstalledWorkspace]:
    """Return the workspaces in which the app is installed, as far as that can be told now."""
    try:
        found = [
            await workspaces.find(identity.workspace) for identity in await credentials.identities()
        ]
    except TransientError:
        return []
    return [
        InstalledWorkspace(
            tenant=one.identity.tenant, bot_user=one.identity.bot_user, rooms=one.audience.rooms
        )
        for one in found
        if one is not None
    ]


async def _credentials(
    service: Service, setup: SlackSetup
) -> tuple[Credentials, tuple[web.RouteDef, ...]]:
    if service.oauth is not None:
        oauth = await open_oauth(
            service.settings, service.oauth, clock=service.clock, api_url=setup.api_url
        )
        return oauth.credentials, oauth.routes
    token = setup.bot_token or ""
    identity = await find_identity(Slack(client_for(token, api_url=setup.api_url)))
    return OneWorkspace(identity, token), ()
