"""One process: started in order, stopped in order.

database -> who we are in Slack -> workers -> Slack's requests
not ready -> no more requests -> workers drained (20 s), leases given back -> database closed
"""

import asyncio
import logging
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from bot.app.http import Health, application
from bot.delivery import Deliverer
from bot.slack.connected import NAME, Connected, connected
from bot.slack.endpoint import SlackEndpoint
from bot.slack.setup import SlackSetup, slack_setup
from bot.slack.signature import SignatureCheck
from bot.slack.sockets import over_sockets
from bot.slack.surface import Patience
from bot.worker import Worker
from core.bootstrap import Service, bootstrap
from core.config import Settings
from core.domain.errors import ConfigError
from core.ports import Handlers, Platform

ANSWERED_WITHIN_S = 5.0
"""What a stop leaves to requests that have begun."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process that runs."""

    service: Service
    """The product."""
    slack: Connected
    """The workspace."""
    port: int | None
    """Where it listens; None: it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """What a process does."""

    serves: bool = True
    """Takes what platforms send, and says whether it is ready."""
    works: bool = True
    """Answers and posts."""


def chat_setup(settings: Settings) -> SlackSetup:
    """Return how the platform is set up.

    Raises:
        ConfigError: None is, or not wholly.
    """
    setup = slack_setup(settings)
    if setup is None:
        raise ConfigError(
            "no chat platform is set up: set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET (or"
            " SLACK_APP_TOKEN, without a public address); `citebound chat` needs none"
        )
    return setup


@asynccontextmanager
async def running(
    service: Service, setup: SlackSetup, roles: Roles, *, patience: Patience | None = None
) -> AsyncGenerator[Process]:
    """Run until the block ends.

    Raises:
        ConfigError: See `connected`; or the port is taken.
    """
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(connected(service, setup, patience=patience))
        if roles.works:
            await stack.enter_async_context(_working(service, slack))
        port = None
        if roles.serves:
            port = await stack.enter_async_context(_serving(service, setup, slack))
        yield Process(service=service, slack=slack, port=port)


@asynccontextmanager
async def _working(service: Service, slack: Connected) -> AsyncGenerator[None]:
    answering: Mapping[str, Platform] = {NAME: slack.answering}
    posting: Mapping[str, Platform] = {NAME: slack.posting}
    worker = Worker(
        backlog=service.backlog,
        jobs=service.jobs,
        answering=service.answering,
        platforms=answering,
        clock=service.clock,
    )
    deliverer = Deliverer(outbox=service.outbox, jobs=service.jobs, platforms=posting)
    handlers = Handlers(answer=worker.answer, deliver=deliverer.deliver)
    async with asyncio.TaskGroup() as group:
        jobs = group.create_task(service.jobs.run(handlers))
        try:
            yield
        finally:
            jobs.cancel()


@asynccontextmanager
async def _serving(
    service: Service, setup: SlackSetup, slack: Connected
) -> AsyncGenerator[int | None]:
    health = Health(service.health.trouble)
    endpoint = None
    async with AsyncExitStack() as stack:
        if setup.signing_secrets:
            endpoint = SlackEndpoint(slack.app, SignatureCheck(setup.signing_secrets))
        settings = service.settings
        port = await stack.enter_async_context(
            _listening(application(health, endpoint), settings.host, settings.port)
        )
        if setup.uses_sockets and setup.app_token:
            await stack.enter_async_context(over_sockets(slack.app, setup.app_token))
        try:
            yield port
        finally:
            health.is_stopping = True


@asynccontextmanager
async def _listening(served: web.Application, host: str, port: int) -> AsyncGenerator[int]:
    runner = web.AppRunner(served, shutdown_timeout=ANSWERED_WITHIN_S, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise ConfigError(
                f"{host}:{port} can't be listened on ({error.strerror}): set CITEBOUND_HOST and"
                " CITEBOUND_PORT"
            ) from error
        told: int = runner.addresses[0][1]
        yield told
    finally:
        await runner.cleanup()


async def run_until_told(settings: Settings, roles: Roles) -> None:
    """Run one process until SIGTERM or SIGINT.

    Raises:
        ConfigError: It can't start.
    """
    setup = chat_setup(settings)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with bootstrap(settings) as service, running(service, setup, roles) as process:
        if process.port is not None:
            logger.info("listening on port %d", process.port)
        await stop.wait()
        logger.info("stopping")
    logger.info("stopped")
