"""One small call to each model, for `citebound doctor --live`."""

from dataclasses import dataclass

from core.adapters.anthropic.api.api_types import ModelRequest
from core.adapters.anthropic.api.composition import open_models
from core.config.settings import Settings
from core.domain.budget import Budget, Limits
from core.domain.errors import CiteboundError
from core.ports import Clock

MAX_TOKENS = 256
"""Enough for a model that thinks before it says one word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveCheck:
    """What came of the calls."""

    worked: bool
    """True if every model that is set up answered."""
    found: str
    """What came back or what went wrong, one line, without the key."""


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
            budget = Budget(Limits(deadline_s=timeout_s), started_s=started_s)
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
