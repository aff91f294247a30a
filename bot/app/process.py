"""One process: started in order, stopped in order.

database -> chat platforms -> what platforms send -> workers
not ready -> workers drained (20 s), leases given back -> no more requests -> database closed

What still comes while the workers drain is stored, and answered by another process: whoever
watches our readiness sends on for a while.
"""

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from bot.app.http import Health, Metered, application
from bot.app.platforms import chosen
from bot.app.watchdog import STILL_AFTER_S, watched
from bot.chat import Chat, Connect
from bot.delivery import Deliverer
from bot.metrics import Meter
from bot.worker import Worker
from core.bootstrap import SERVING, Service, bootstrap
from core.config import Settings
from core.domain.errors import ConfigError
from core.ports import Handlers

ANSWERED_WITHIN_S = 5.0
"""What a stop leaves to requests that have begun."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process that runs."""

    service: Service
    """The product."""
    chats: tuple[Chat, ...]
    """The platforms, connected."""
    port: int | None
    """Where it listens; None: it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """What a process does."""

    serves: bool = True
    """Takes what platforms send, and says whether it is ready."""
    works: bool = True
    """Answers and posts."""


@asynccontextmanager
async def running(
    service: Service, platforms: Sequence[Connect], roles: Roles
) -> AsyncGenerator[Process]:
    """Run until the block ends.

    Raises:
        ConfigError: A platform can't be connected; or the port is taken.
    """
    async with AsyncExitStack() as stack:
        connected = [await stack.enter_async_context(one(service)) for one in platforms]
        chats, meter = tuple(connected), Meter()
        troubles = {chat.name: chat.trouble for chat in chats}
        lost = {chat.name: chat.lost for chat in chats}
        health = Health(service.health.trouble, platforms=troubles, lost=lost)
        port = None
        if roles.serves:
            metered = Metered(meter, service.health.waiting, lost=lost.values())
            served = application(
                health, (route for chat in chats for route in chat.routes), metered
            )
            port = await stack.enter_async_context(_serving(service.settings, served, chats))
        if roles.works:
            await stack.enter_async_context(_working(service, chats, meter))
        stack.callback(health.stop)
        yield Process(service=service, chats=chats, port=port)


@asynccontextmanager
async def _working(service: Service, chats: Sequence[Chat], meter: Meter) -> AsyncGenerator[None]:
    worker = Worker(
        backlog=service.backlog,
        jobs=service.jobs,
        answering=service.answering,
        platforms={chat.name: chat.answering for chat in chats},
        clock=service.clock,
        meter=meter,
    )
    deliverer = Deliverer(
        outbox=service.outbox,
        jobs=service.jobs,
        platforms={chat.name: chat.posting for chat in chats},
        meter=meter,
    )
    handlers = Handlers(answer=worker.answer, deliver=deliverer.deliver)
    async with asyncio.TaskGroup() as group:
        jobs = group.create_task(service.jobs.run(handlers))
        try:
            yield
        finally:
            jobs.cancel()


@asynccontextmanager
async def _serving(
    settings: Settings, served: web.Application, chats: Sequence[Chat]
) -> AsyncGenerator[int]:
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(_listening(served, settings.host, settings.port))
        for chat in chats:
            await stack.enter_async_context(chat.listening())
        yield port


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


async def run_until_told(
    settings: Settings, roles: Roles, *, still_after_s: float = STILL_AFTER_S
) -> None:
    """Run one process until SIGTERM or SIGINT; end it if it stands still for `still_after_s`.

    Raises:
        ConfigError: It can't start.
    """
    platforms = chosen(settings)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with bootstrap(settings, statements=SERVING) as service:
        with watched(still_after_s):
            async with running(service, platforms, roles) as process:
                _spare_collections()
                if process.port is not None:
                    logger.info("listening on port %d", process.port)
                await stop.wait()
                logger.info("stopping")
    logger.info("stopped")


def _spare_collections() -> None:
    """Let the garbage collector pass over all that a process starts with, for its whole life.

    Under load it went through the objects of all imported modules now and then: 0.3 s, in which
    nothing was acknowledged (`python -m tests.evals.bench_slack ack`).
    """
    gc.collect()
    gc.freeze()
