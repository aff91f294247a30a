"""Compose the models from the settings: one connection for all runs, and a live check of it."""

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass

from core.adapters.anthropic.api.api_types import ModelReply, ModelRequest
from core.adapters.anthropic.api.client import MessagesClient
from core.adapters.anthropic.api.metered_calls import Breaker, ModelAccess, RunCalls
from core.adapters.anthropic.api.providers import Capabilities, Prices, prices_from, provider_from
from core.backoff import Backoff, Retries
from core.config.settings import Settings
from core.domain.errors import CiteboundError, ConfigError
from core.domain.run import Budget, ModelCall, RunLimits, TokenUse
from core.ports import Clock, ModelCallLog, Spending
from core.ports.text_models import LiveCheck
from core.service_access.refusals import Note, unnoted

_RANDOM = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class ClaudeModels:
    """The models of one provider. Safe from many tasks of one event loop; close it at the end."""

    access: ModelAccess
    _: KW_ONLY
    capabilities: Capabilities
    """What the provider can do."""
    log: ModelCallLog | None

    def run(self, question_id: str, budget: Budget) -> RunCalls:
        """Return the calls of one run over a question: equal requests are made once and stored."""
        return RunCalls(self.access, budget=budget, log=self.log, question_id=question_id)

    def standalone(self, budget: Budget) -> RunCalls:
        """Return calls that belong to no question, and are not stored."""
        return RunCalls(self.access, budget=budget, log=None, question_id=None)

    async def warm(self) -> None:
        """Load the SDK, which takes about a second of the first call otherwise."""
        await self.access.client.open()

    async def aclose(self) -> None:
        """Close the connections."""
        await self.access.client.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class StandaloneCalls:
    """See `api_types.Calls`: each call has a budget of its own, and belongs to no question."""

    models: ClaudeModels
    """Who is asked."""
    clock: Clock
    """Time."""
    deadline_s: float
    """Seconds for each call, repetitions after an error included."""
    note: Callable[[ModelCall], None] | None = None
    """Told of each call that has ended, failed ones among them; None: nobody asks."""

    async def call(self, request: ModelRequest, /) -> ModelReply:
        """See `Calls.call`."""
        limits = RunLimits(
            model_calls=1, output_tokens=request.max_tokens, deadline_s=self.deadline_s
        )
        calls = self.models.standalone(Budget(limits, started_s=self.clock.monotonic_s()))
        try:
            return await calls.call(request)
        finally:
            if self.note is not None:
                for made in calls.made:
                    self.note(made)


def open_models(
    settings: Settings,
    *,
    clock: Clock,
    log: ModelCallLog | None,
    spending: Spending | None = None,
    backoff: Backoff | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    share: Callable[[], float] = _RANDOM.random,
    breaker: Callable[[], Breaker] = Breaker,
    note: Note = unnoted,
) -> ClaudeModels:
    """Return the models that the settings name; nothing connects and nothing is loaded yet.

    Args:
        settings: Provider, models and timeouts.
        clock: Time.
        log: Stores replies by question; None: they are not stored.
        spending: Limit of what the calls of questions may cost in a day; None: no limit.
        backoff: When to try again.
        sleep: Waits for seconds.
        share: A random number in [0, 1): pauses differ, so that callers do not move in step.
        breaker: Makes the breaker of each model.
        note: Told whether our access is taken.

    Raises:
        ConfigError: A setting or a package is missing; the price table can't be read, or lacks a
            model whose costs are limited.
    """
    provider = provider_from(settings)
    prices = prices_from(settings.prices, known=provider.published)
    if spending is not None:
        _check_priced(prices, settings.model, settings.small_model)
    client = MessagesClient(provider, silence_s=settings.model_silence_s, now=clock.now, note=note)
    access = ModelAccess(
        client=client,
        breakers=defaultdict(breaker),
        prices=prices,
        spending=spending,
        clock=clock,
        retries=Retries(
            backoff=backoff or Backoff(), monotonic_s=clock.monotonic_s, sleep=sleep, share=share
        ),
    )
    return ClaudeModels(access, capabilities=provider.capabilities, log=log)


def _check_priced(prices: Prices, *models: str) -> None:
    """Check that the costs of models are known, so that they can be limited."""
    for model in models:
        if prices.cost_usd(model, TokenUse(fresh=1)) is None:
            raise ConfigError(
                f"CITEBOUND_DAILY_BUDGET_USD needs the price of {model}: set it in CITEBOUND_PRICES"
            )


MAX_TOKENS = 256
"""Enough for a model that thinks before it says one word."""


async def check_models(settings: Settings, *, clock: Clock, timeout_s: float) -> LiveCheck:
    """Ask each model for one word, one after the other. Never raises our errors."""
    answers: list[str] = []
    try:
        models = open_models(settings, clock=clock, log=None)
    except CiteboundError as error:
        return LiveCheck(worked=False, found=str(error))
    try:
        await models.warm()
        for model in dict.fromkeys((settings.model, settings.small_model)):
            started_s = clock.monotonic_s()
            budget = Budget(RunLimits(deadline_s=timeout_s), started_s=started_s)
            await models.standalone(budget).call(_one_word(model))
            took_ms = (clock.monotonic_s() - started_s) * 1_000
            answers.append(f"{model} answered in {took_ms:.0f} ms")
    except CiteboundError as error:
        return LiveCheck(worked=False, found="; ".join([*answers, str(error)]))
    finally:
        await models.aclose()
    return LiveCheck(worked=True, found=", ".join(answers))


def _one_word(model: str) -> ModelRequest:
    return ModelRequest(
        purpose="check",
        prompt="check/1",
        model=model,
        max_tokens=MAX_TOKENS,
        system=({"type": "text", "text": "Answer with one word."},),
        messages=({"role": "user", "content": "Are you there?"},),
    )
