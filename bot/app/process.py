"""One process: started in order, stopped in order.

health and metrics -> database -> models -> chat platforms -> what platforms send -> workers
-> ready
not ready -> workers drained (20 s), leases given back -> no more requests -> database closed ->
nothing told of our health

A process that waits for its database or its schema lives, and says what it waits for. It is ready
once the first question is answered as fast as those that follow.

Requests that still arrive while the workers drain are stored, and answered by another process: a
load balancer takes a while to notice that this one is not ready.
"""

import asyncio
import gc
import importlib
import logging
import signal
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass
from importlib.metadata import version

from aiohttp import web

from bot.app.connections import ConnectionLimits, listening
from bot.app.gauges import Gauges
from bot.app.http import Health, Metered, application, operations
from bot.app.logs import log_to_stderr
from bot.app.reminders import keep_reminding
from bot.app.service_record import recorded
from bot.app.watchdog import STILL_AFTER_S, watched
from bot.audience.source_groups import entra_directory
from bot.consistency import ConsistencyWatch
from bot.corrections import Corrector
from bot.delivery import Deliverer
from bot.manifests.starters import keep_choosing
from bot.metrics import Meter
from bot.officer.app import console_links, console_routes
from bot.platform import Chat, Connect
from bot.slack.app.platform import slack
from bot.source_schedule import SourceSchedule
from bot.teams.app.platform import teams
from bot.worker import Worker
from core.adapters.postgres.platforms.refusals import PostgresRefusals
from core.bootstrap import SERVING, Service, bootstrap
from core.cases.reminders import CaseReminders
from core.config.settings import Settings
from core.domain.errors import ConfigError, TransientError
from core.ports import Handlers
from core.service_access.refusals import SERVICES

REFUSALS_SHARED_EVERY_S = 5.0
CONNECTED_AGAIN_S = 5.0
WARMED_UP_AGAIN_S = 1.0
"""Pause after a database failed in between."""

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

    seals: bool = False
    """Seals the record, and does nothing else."""

    @property
    def word(self) -> str:
        """What it is called in metrics and traces."""
        if self.seals:
            return "seal"
        return ("both" if self.works else "serve") if self.serves else "work"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """What a process tells operators, from before it can do anything else."""

    health: Health
    """Whether it lives, and is ready."""
    metered: Metered
    """What it counts, served."""
    meter: Meter
    """What it counts."""
    port: int
    """Where it tells them."""


@asynccontextmanager
async def operating(
    settings: Settings, roles: Roles, *, limits: ConnectionLimits | None = None
) -> AsyncGenerator[Operations]:
    """Answer probes until the block ends; not ready before `running` says so.

    Workers on one machine with the same settings take any port that is free.

    Raises:
        ConfigError: The port is taken.
    """
    health, meter = Health(), Meter()
    meter.set("citebound_info", 1.0, version=version("citebound"), role=roles.word)
    metered = Metered(meter)
    health.wait_for("starting")
    async with listening(
        operations(health, metered),
        host=settings.operations_host,
        port=settings.operations_port,
        settings="CITEBOUND_OPERATIONS_HOST and CITEBOUND_OPERATIONS_PORT",
        limits=limits or ConnectionLimits(),
        or_any=not roles.serves,
    ) as port:
        yield Operations(health=health, metered=metered, meter=meter, port=port)


@asynccontextmanager
async def running(
    service: Service,
    platforms: Sequence[Connect],
    roles: Roles,
    *,
    limits: ConnectionLimits | None = None,
    operated: Operations | None = None,
) -> AsyncGenerator[Process]:
    """Run until the block ends; `limits` hold for each port.

    `operated` answers probes already; None: this does until the end.

    Raises:
        ConfigError: A platform can't be connected; or a port is taken.
    """
    async with AsyncExitStack() as stack:
        with suppress(TransientError):
            await service.starters.current()  # so that the first welcome knows them
            await service.health.trouble()  # so that the log says whether the clock is wrong
        waits = operated.health.wait_for if operated else None
        connected = [await _entered(stack, connect, service, waits) for connect in platforms]
        chats = tuple(connected)
        await stack.enter_async_context(_tracing(service.settings, roles))
        told = operated or await stack.enter_async_context(
            operating(service.settings, roles, limits=limits)
        )
        troubles = {chat.name: chat.trouble for chat in chats}
        told.health.watch(
            service.health.trouble,
            service.inbox.trouble,
            platforms=troubles,
            refused=lambda: service.refusals.known,
            takes=roles.serves,
        )
        told.health.remark = service.health.clock_off
        await stack.enter_async_context(_exchanging(service, {chat.name for chat in chats}))
        told.metered.watch(Gauges(service, chats))
        port = None
        if roles.serves:
            console = await stack.enter_async_context(console_routes(service))
            routes = (*(route for chat in chats for route in chat.routes), *console)
            served = application(routes, told.metered)
            port = await stack.enter_async_context(
                _platforms(service.settings, served, chats, limits or ConnectionLimits())
            )
        if roles.works:
            await stack.enter_async_context(_working(service, chats, told.meter))
        told.health.begin()
        stack.callback(told.health.stop)
        yield Process(service=service, chats=chats, port=port, operations_port=told.port)


async def _entered(
    stack: AsyncExitStack,
    connect: Connect,
    service: Service,
    waits: Callable[[str], None] | None,
) -> Chat:
    """Connect a platform as soon as it allows; without `waits` it must at once.

    In production that is waited for whatever the reason, as for the database: the process lives,
    says what it lacks, and `citebound doctor` can be run beside it.

    Raises:
        ConfigError: It can't be connected.
    """
    said = None
    while True:
        try:
            return await stack.enter_async_context(connect(service))
        except (ConfigError, TransientError) as error:
            if waits is None or service.settings.environment != "production":
                raise
            if said != str(error):
                said = str(error)
                logger.error("a platform is waited for: %s", said)  # noqa: TRY400  # it says it all
            waits(f"waiting for a platform: {said}")
        await asyncio.sleep(CONNECTED_AGAIN_S)


def _tracing(settings: Settings, roles: Roles) -> AbstractAsyncContextManager[None]:
    """Send traces, if that is set; only then is OpenTelemetry imported, which takes a while."""
    if settings.traces == "off":
        return nullcontext()
    return importlib.import_module("bot.app.tracing").sending(settings, role=roles.word)


@asynccontextmanager
async def _exchanging(service: Service, platforms: Collection[str]) -> AsyncGenerator[None]:
    """Share what is known of credentials until the block ends; those not set are not refused."""
    settings, refusals = service.settings, service.refusals
    used = {*platforms, "source", *(["graph"] if "teams" in platforms else [])}
    used |= {"claude"} if settings.uses_model else set()
    used |= {"voyage"} if settings.voyage_api_key else set()
    for name in SERVICES.keys() - used:
        refusals.note(name, None)
    store = PostgresRefusals(service.engine).exchange

    async def exchange() -> None:
        while True:
            with suppress(TransientError):
                await refusals.exchange(store)
            await asyncio.sleep(REFUSALS_SHARED_EVERY_S)

    async with asyncio.TaskGroup() as group:
        exchanging = group.create_task(exchange())
        try:
            yield
        finally:
            exchanging.cancel()


@asynccontextmanager
async def _working(service: Service, chats: Sequence[Chat], meter: Meter) -> AsyncGenerator[None]:
    worker = Worker(
        backlog=service.backlog,
        answering=service.answering,
        platforms={chat.name: chat.answering for chat in chats},
        clock=service.clock,
        meter=meter,
        deadline_s=service.settings.deadline_s,
    )
    deliverer = Deliverer(
        outbox=service.outbox,
        platforms={chat.name: chat.posting for chat in chats},
        meter=meter,
        links=console_links(service),
    )
    corrector = Corrector(
        comparisons=service.affected,
        suspensions=service.suspensions,
        reviews=service.review_reminders,
        ingestions=service.ingest_runs,
        corrections=service.corrections,
        editions=service.affected_editions,
        conversations=service.conversations,
        answering=service.answering,
        recorder=service.recorder,
        platforms={chat.name: chat.answering for chat in chats},
        clock=service.clock,
    )
    service.sources.readers.directory = entra_directory(service.settings)
    schedule = SourceSchedule(store=service.sources, sync=service.source_sync)
    consistency = ConsistencyWatch(
        service.consistency,
        comparing=service.comparing,
        corpus=service.corpus,
        embedder=service.models.measured,
        clock=service.clock,
        settings=service.settings,
    )
    reminders = CaseReminders(
        service.case_store,
        officers=service.officers,
        clock=service.clock,
        contacts=service.settings.speak_up,
    )
    handlers = Handlers(
        answer=worker.answer, deliver=deliverer.deliver, answers=lambda: worker.slots
    )
    async with asyncio.TaskGroup() as group:
        working = group.create_task(service.queue.run(handlers))
        others = [group.create_task(one.run()) for one in (corrector, schedule, consistency)]
        others.append(group.create_task(keep_choosing(service.starters)))
        others.append(group.create_task(keep_reminding(reminders)))
        try:
            yield
        finally:
            working.cancel()
            for one in others:
                one.cancel()


@asynccontextmanager
async def _platforms(
    settings: Settings, served: web.Application, chats: Sequence[Chat], limits: ConnectionLimits
) -> AsyncGenerator[int]:
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(
            listening(
                served,
                host=settings.host,
                port=settings.port,
                settings="CITEBOUND_HOST and CITEBOUND_PORT",
                limits=limits,
            )
        )
        for chat in chats:
            await stack.enter_async_context(chat.listening())
        yield port


async def run_until_told(
    settings: Settings, roles: Roles, *, still_after_s: float = STILL_AFTER_S
) -> None:
    """Run one process until SIGTERM or SIGINT; end it if it stands still for `still_after_s`.

    Raises:
        ConfigError: It can't start.
    """
    platforms = _chosen_or_why(settings)
    stop = Stop()
    try:
        async with operating(settings, roles) as operated:
            logger.info("health and metrics on port %d", operated.port)
            if isinstance(platforms, str):
                logger.error("it can't start as it is set up: %s", platforms)
                operated.health.wait_for(platforms)
                await stop.told()
                return
            await _run(settings, platforms, roles, operated, stop, still_after_s=still_after_s)
    except asyncio.CancelledError:
        if not stop.is_told:
            raise
    logger.info("stopped")


async def _run(
    settings: Settings,
    platforms: Sequence[Connect],
    roles: Roles,
    operated: Operations,
    stop: "Stop",
    *,
    still_after_s: float,
) -> None:
    health = operated.health
    async with bootstrap(settings, statements=SERVING, waits=health.wait_for) as service:
        health.wait_for("loading models")
        await _warmed_up(service)
        with watched(still_after_s):
            async with running(service, platforms, roles, operated=operated) as process:
                _spare_collections()
                if process.port is not None:
                    logger.info("listening on port %d", process.port)
                async with recorded(service.services, settings, roles.word):
                    await stop.told()
                logger.info("stopping")


class Stop:
    """SIGTERM and SIGINT: they end a start at once, and what runs in its order."""

    def __init__(self) -> None:
        self.is_told = False
        self._running: asyncio.Event | None = None
        self._starting = asyncio.current_task()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._tell)

    async def told(self) -> None:
        """Wait for one, once all has started."""
        self._running = asyncio.Event()
        if not self.is_told:
            await self._running.wait()

    def _tell(self) -> None:
        self.is_told = True
        if self._running is not None:
            self._running.set()
        elif self._starting is not None:
            self._starting.cancel()


async def _warmed_up(service: Service) -> None:
    """Warm up as soon as the database allows; what else breaks is left to the first question."""
    while True:
        try:
            await service.warm_up()
        except TransientError:
            logger.warning("the database failed while models were loaded: trying again")
        except Exception as error:
            logger.error("models are not loaded yet: %s", type(error).__name__)  # noqa: TRY400
            return
        else:
            return
        await asyncio.sleep(WARMED_UP_AGAIN_S)


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


def _chosen_or_why(settings: Settings) -> tuple[Connect, ...] | str:
    """Return the platforms, or why there are none, which production tells as long as it runs.

    Raises:
        ConfigError: See `chosen`; not in production.
    """
    try:
        return chosen(settings)
    except ConfigError as error:
        if settings.environment != "production":
            raise
        return str(error)


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
