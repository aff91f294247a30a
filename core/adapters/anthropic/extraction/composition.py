"""Compose Claude as a reader of sections from the settings: throttled, with patient retries."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from core.adapters.anthropic.api.api_types import Calls, ModelReply, ModelRequest
from core.adapters.anthropic.api.composition import StandaloneCalls, open_models
from core.adapters.anthropic.api.metered_calls import Breaker
from core.adapters.anthropic.api.providers import PUBLISHED, UNKNOWN, prices_from, provider_from
from core.adapters.anthropic.extraction.extractor import ClaudeSectionReader, Pricing
from core.backoff import Backoff
from core.config.settings import Settings
from core.domain.errors import ConfigError, ModelUnavailableError
from core.ports import Clock

MINUTE_S = 60.0
DEADLINE_S = 300.0
"""For one section, retries included: nobody waits for it."""
BACKOFF = Backoff(attempts=6, first_s=1.0, longest_s=30.0)
"""Patient: a rate limit passes within a minute."""
BREAKER_FAILURES = 20
"""In a row, over all sections under way."""


@asynccontextmanager
async def open_section_reader(
    settings: Settings,
    *,
    clock: Clock,
    backoff: Backoff = BACKOFF,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncGenerator[ClaudeSectionReader]:
    """Open Claude as a reader, and close its connections at the end. Blocks on a price file.

    Raises:
        ConfigError: There is no access to a model; the message says what is missing.
    """
    async with open_calls(settings, clock=clock, backoff=backoff, sleep=sleep) as calls:
        yield ClaudeSectionReader(
            calls=calls,
            model=settings.small_model,
            pricing=pricing_of(settings),
            forced_tools=may_force_tools(settings.small_model),
        )


@asynccontextmanager
async def open_calls(
    settings: Settings,
    *,
    clock: Clock,
    backoff: Backoff = BACKOFF,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncGenerator["PacedCalls"]:
    """Open calls about sections, throttled, and close the connections at the end.

    Raises:
        ConfigError: There is no access to a model; the message says what is missing.
    """
    models = open_models(
        settings,
        clock=clock,
        log=None,
        backoff=backoff,
        sleep=sleep,
        breaker=lambda: Breaker(failures=BREAKER_FAILURES),
    )
    try:
        yield PacedCalls(
            StandaloneCalls(models=models, clock=clock, deadline_s=DEADLINE_S),
            per_minute=settings.extract_per_minute,
            monotonic_s=clock.monotonic_s,
            sleep=sleep,
        )
    finally:
        await models.aclose()


def estimating_reader(settings: Settings) -> ClaudeSectionReader:
    """Return a reader that only estimates, and needs no access. Blocks on a price file."""
    return ClaudeSectionReader(
        calls=NoCalls(), model=settings.small_model, pricing=pricing_of(settings)
    )


def may_force_tools(model: str) -> bool:
    """Return whether a model accepts being forced to call its tool.

    Of the 5.5 family Haiku does, Sonnet and Opus do not (`platform.claude.com/docs`, autumn 2026).
    """
    return "haiku" in model


def pricing_of(settings: Settings) -> Pricing:
    """Return what calls cost, as far as it is known. Blocks on a price file."""
    try:
        known = provider_from(settings).published
    except ConfigError:  # without access, what access would cost
        is_list_price = settings.provider == "anthropic" and not settings.anthropic_base_url
        known = PUBLISHED if is_list_price else UNKNOWN
    return prices_from(settings.prices, known=known).cost_usd


class PacedCalls:
    """Throttles calls to `per_minute` in any minute, from 1; does not limit concurrency."""

    def __init__(
        self,
        calls: Calls,
        *,
        per_minute: int,
        monotonic_s: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._calls = calls
        self._began: deque[float] = deque(maxlen=per_minute)
        self._monotonic_s = monotonic_s
        self._sleep = sleep
        self._turn = asyncio.Lock()

    async def call(self, request: ModelRequest, /) -> ModelReply:
        """See `Calls.call`."""
        async with self._turn:
            while (wait_s := self._wait_s()) > 0:
                await self._sleep(wait_s)
            self._began.append(self._monotonic_s())
        return await self._calls.call(request)

    def _wait_s(self) -> float:
        """Return the seconds until one more call may begin."""
        if len(self._began) < (self._began.maxlen or 1):
            return 0.0
        return self._began[0] + MINUTE_S - self._monotonic_s()


class NoCalls:
    """See `api_types.Calls`: makes no call."""

    async def call(self, request: ModelRequest, /) -> ModelReply:
        """See `Calls.call`."""
        raise ModelUnavailableError(f"{request.model} is not asked: this only estimates")
