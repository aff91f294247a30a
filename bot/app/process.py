"""One process: started in order, stopped in order.

database -> chat platforms -> health and metrics -> what platforms send -> workers
not ready -> workers drained (20 s), leases given back -> no more requests -> nothing told of our
health -> database closed

Requests that still arrive while the workers drain are stored, and answered by another process: a
load balancer takes a while to notice that this one is not ready.
"""

import asyncio
import gc
import json
import logging
import signal
import sys
import traceback
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web

from bot.app.connections import ConnectionLimits, listening
from bot.app.http import Health, Metered, application, operations
from bot.app.watchdog import STILL_AFTER_S, watched
from bot.delivery import Deliverer
from bot.metrics import Meter
from bot.platform import Chat, Connect
from bot.slack.app.platform import slack
from bot.teams.app.platform import teams
from bot.worker import Worker
from core.bootstrap import SERVING, Service, bootstrap
from core.config.settings import Settings
from core.domain.errors import ConfigError
from core.ports import Handlers

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process that runs."""

    service: Service
    """The product."""
    chats: tuple[Chat, ...]
    """The platforms, connected."""
    port: int | None
    """Where it listens to platforms; None: it does not."""
    operations_port: int
    """Where it serves probes and metrics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """What a process does."""

    serves: bool = True
    """Takes what platforms send."""
    works: bool = True
    """Answers and posts."""


@asynccontextmanager
async def running(
    service: Service,
    platforms: Sequence[Connect],
    roles: Roles,
    *,
    limits: ConnectionLimits | None = None,
) -> AsyncGenerator[Process]:
    """Run until the block ends; `limits` hold for each port.

    Raises:
        ConfigError: A platform can't be connected; or a port is taken.
    """
    async with AsyncExitStack() as stack:
        connected = [await stack.enter_async_context(one(service)) for one in platforms]
        chats, meter = tuple(connected), Meter()
        troubles = {chat.name: chat.trouble for chat in chats}
        lost = {chat.name: chat.lost for chat in chats}
        health = Health(service.health.trouble, platforms=troubles, lost=lost)
        port = None
        metered = Metered(meter, service.health.waiting, lost=lost.values())
        wired = _Ports(service.settings, limits or ConnectionLimits())
        operations_port = await stack.enter_async_context(
            wired.operations(operations(health, metered), or_any=not roles.serves)
        )
        if roles.serves:
            served = application((route for chat in chats for route in chat.routes), metered)
            port = await stack.enter_async_context(wired.platforms(served, chats))
        if roles.works:
            await stack.enter_async_context(_working(service, chats, meter))
        stack.callback(health.stop)
        yield Process(service=service, chats=chats, port=port, operations_port=operations_port)


@asynccontextmanager
async def _working(service: Service, chats: Sequence[Chat], meter: Meter) -> AsyncGenerator[None]:
    worker = Worker(
        backlog=service.backlog,
        answering=service.answering,
        platforms={chat.name: chat.answering for chat in chats},
        clock=service.clock,
        meter=meter,
    )
    deliverer = Deliverer(
        outbox=service.outbox,
        platforms={chat.name: chat.posting for chat in chats},
        meter=meter,
    )
    handlers = Handlers(answer=worker.answer, deliver=deliverer.deliver)
    async with asyncio.TaskGroup() as group:
        working = group.create_task(service.queue.run(handlers))
        try:
            yield
        finally:
            working.cancel()


@dataclass(frozen=True, slots=True)
class _Ports:
    settings: Settings
    limits: ConnectionLimits

    @asynccontextmanager
    async def platforms(
        self, served: web.Application, chats: Sequence[Chat]
    ) -> AsyncGenerator[int]:
        async with AsyncExitStack() as stack:
            port = await stack.enter_async_context(
                listening(
                    served,
                    host=self.settings.host,
                    port=self.settings.port,
                    settings="CITEBOUND_HOST and CITEBOUND_PORT",
                    limits=self.limits,
                )
            )
            for chat in chats:
                await stack.enter_async_context(chat.listening())
            yield port

    def operations(
        self, served: web.Application, *, or_any: bool
    ) -> AbstractAsyncContextManager[int]:
        """Listen; workers on one machine with the same settings take what is free (`or_any`)."""
        return listening(
            served,
            host=self.settings.operations_host,
            port=self.settings.operations_port,
            settings="CITEBOUND_OPERATIONS_HOST and CITEBOUND_OPERATIONS_PORT",
            limits=self.limits,
            or_any=or_any,
        )


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
                logger.info("health and metrics on port %d", process.operations_port)
                if process.port is not None:
                    logger.info("listening on port %d", process.port)
                await stop.wait()
                logger.info("stopping")
    logger.info("stopped")


def _spare_collections() -> None:
    """Exempt from garbage collection what a process starts with.

    Under load a full collection over all imported modules took 0.3 s, in which nothing was
    acknowledged (`python -m tests.evals.bench_slack ack`).
    """
    gc.collect()
    gc.freeze()


def serve(*, works: bool) -> int:
    """Run until SIGTERM; 0 once everything is given back."""
    log_to_stderr()
    roles = Roles(works=works)
    asyncio.run(run_until_told(Settings.from_environment(), roles))
    return 0


def work() -> int:
    """Run until SIGTERM; 0 once everything is given back."""
    log_to_stderr()
    asyncio.run(run_until_told(Settings.from_environment(), Roles(serves=False)))
    return 0


PLATFORMS: tuple[Callable[[Settings], Connect | None], ...] = (slack, teams)
"""Each returns how it is connected, or None if nothing of it is set; raises `ConfigError` if some
of it is missing."""


def chosen(settings: Settings) -> tuple[Connect, ...]:
    """Return how the platforms are connected that are set up.

    Raises:
        ConfigError: None is, or one is not wholly.
    """
    found = tuple(connect for one in PLATFORMS if (connect := one(settings)) is not None)
    if not found:
        raise ConfigError(
            "no chat platform is set up: for Slack set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET (or"
            " SLACK_APP_TOKEN, without a public address), or SLACK_CLIENT_ID where several"
            " workspaces install the app; for Microsoft Teams APP_ID, APP_PASSWORD and"
            " APP_TENANTID; `citebound chat` needs none"
        )
    return found


OURS = ("bot.", "core.")


class JsonLines(logging.Formatter):
    """One object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """See `logging.Formatter.format`."""
        is_ours = record.name.startswith(OURS)
        told = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage() if is_ours else "(a library's own words are not kept)",
        }
        if record.exc_info and record.exc_info[1] is not None:
            told["error"] = _told(record.exc_info[1])
        return json.dumps(told)


def log_to_stderr() -> None:
    """Send all logs to standard error, libraries' only from warnings on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in OURS:
        logging.getLogger(name.rstrip(".")).setLevel(logging.INFO)


def _told(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"
    return f"{type(error).__name__} at {where}"
