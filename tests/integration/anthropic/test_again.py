"""Trying again, and ceasing to: back-off, `Retry-After`, the deadline, the breaker."""

import asyncio
import time
from functools import partial

import pytest

from core.adapters.anthropic.api.api_types import TextPart
from core.adapters.anthropic.api.failures import RefusedError, RetryableModelError
from core.adapters.anthropic.api.metered_calls import Breaker
from core.backoff import Backoff
from core.domain.errors import ContractError, ModelUnavailableError
from tests.integration.anthropic.world import budget, models_at, request
from tests.servers.anthropic import anthropic_server
from tests.servers.anthropic_steps import (
    Step,
    broken,
    dropped,
    failure,
    reply,
    stalled,
)

DOWN = failure(529, "overloaded_error")
PASSING: list[Step] = [
    failure(429, "rate_limit_error"),
    failure(500),
    DOWN,
    dropped(),
    broken(reply("No."), "drop"),
    broken(reply("No."), "error"),
    broken(reply("No."), "end"),
    stalled(),
]


@pytest.mark.parametrize("step", PASSING, ids=lambda step: str(step)[:60])
async def test_what_passes_is_tried_again(step: Step) -> None:
    """The same request, and the person sees nothing of it; the record says twice."""
    with anthropic_server([step, reply("Yes.")]) as server:
        async with models_at(server, silence_s=0.3) as models:
            run = models.run("q", budget())
            got = await run.call(request())
    assert got.parts == (TextPart(text="Yes."),)
    assert server.bodies[0] == server.bodies[1]
    assert [(call.attempts, call.error) for call in run.made] == [(2, None)]


async def test_three_attempts_are_all() -> None:
    """Then the run goes on without a model, knowing why."""
    with anthropic_server([DOWN, DOWN, DOWN]) as server:
        async with models_at(server) as models:
            run = models.run("q", budget())
            with pytest.raises(RetryableModelError, match="overloaded_error"):
                await run.call(request())
    assert run.made[0].attempts == 3


@pytest.mark.parametrize("kind", [RefusedError, ContractError])
async def test_what_will_not_pass_is_not_tried_again(kind: type[Exception]) -> None:
    """A refusal stays one, and a broken word is not asked for again."""
    step = failure(400, "invalid_request_error") if kind is RefusedError else reply(*["a"] * 1_001)
    with anthropic_server([step]) as server:
        async with models_at(server) as models:
            with pytest.raises(kind):
                await models.run("q", budget()).call(request())
    assert len(server.received) == 1


async def test_retry_after_is_obeyed_in_time() -> None:
    """It is never cut short."""
    step = failure(429, "rate_limit_error", retry_after=0.5)
    with anthropic_server([step, reply("Yes.")]) as server:
        async with models_at(server) as models:
            started_s = time.monotonic()
            await models.run("q", budget()).call(request())
    assert time.monotonic() - started_s >= 0.5


async def test_retry_after_beyond_the_deadline_is_a_failure_at_once() -> None:
    """An hour is not waited for, nor is a part of it."""
    step = failure(429, "rate_limit_error", retry_after=3_600)
    with anthropic_server([step]) as server:
        async with models_at(server) as models:
            started_s = time.monotonic()
            with pytest.raises(RetryableModelError):
                await models.run("q", budget()).call(request())
    assert time.monotonic() - started_s < 15


async def test_nothing_is_called_after_the_deadline() -> None:
    """A run whose time is over makes no attempt at all."""
    with anthropic_server([]) as server:
        async with models_at(server) as models:
            run = models.run("q", budget(deadline_s=0.5))
            with pytest.raises(ModelUnavailableError, match="no time is left"):
                await run.call(request())
    assert server.bodies == []
    assert [call.attempts for call in run.made] == [0]


async def test_attempts_and_pauses_share_one_deadline() -> None:
    """However often it stalls, the run is over in time."""
    with anthropic_server([stalled()] * 9, leftovers=True) as server:
        async with models_at(server, backoff=Backoff(attempts=9), silence_s=0.4) as models:
            await models.warm()
            started_s = time.monotonic()
            with pytest.raises(ModelUnavailableError):
                await models.run("q", budget(deadline_s=4)).call(request())
    assert 1 < time.monotonic() - started_s < 10  # 14 to 17 s with all pauses
    assert len(server.received) > 1


async def test_the_breaker_opens_across_runs() -> None:
    """After five failures in a row nobody waits any more; another model is not touched."""
    once = Backoff(attempts=1)
    small = "claude-haiku-5-5"
    with anthropic_server([*[DOWN] * 5, reply("Yes.")]) as server:
        async with models_at(server, backoff=once) as models:
            for number in range(5):
                with pytest.raises(RetryableModelError):
                    await models.run(f"q{number}", budget()).call(request())
            run = models.run("q9", budget())
            with pytest.raises(ModelUnavailableError, match="fails often"):
                await run.call(request())
            assert [(call.attempts, call.cost_usd) for call in run.made] == [(0, 0.0)]
            await run.call(request(model=small))
    assert len(server.received) == 6


async def test_the_breaker_says_why_when_it_opens_within_a_call() -> None:
    """The cause is not lost."""
    with anthropic_server([DOWN] * 5) as server:
        async with models_at(server, backoff=Backoff(attempts=9, first_s=0.01)) as models:
            with pytest.raises(ModelUnavailableError, match=r"fails often.*overloaded_error"):
                await models.run("q", budget()).call(request())


async def test_refusals_do_not_open_the_breaker() -> None:
    """The service answers; what is wrong is on our side."""
    with anthropic_server([failure(401, "authentication_error")] * 7, leftovers=True) as server:
        async with models_at(server) as models:
            for number in range(7):
                with pytest.raises(RefusedError):
                    await models.run(f"q{number}", budget()).call(request())
    assert len(server.received) == 7


async def test_a_cancelled_probe_leaves_the_breaker() -> None:
    """Else one impatient caller would keep a model from everybody."""
    with anthropic_server([*[DOWN] * 5, stalled(), reply("Yes.")]) as server:
        once, impatient = Backoff(attempts=1), partial(Breaker, pause_s=0.0)
        async with models_at(server, backoff=once, breaker=impatient) as models:
            for number in range(5):
                with pytest.raises(RetryableModelError):
                    await models.run(f"q{number}", budget()).call(request())
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await models.run("q6", budget()).call(request())
            await models.run("q7", budget()).call(request())
