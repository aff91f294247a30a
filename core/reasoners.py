"""Who reasons, by the settings: Claude where there is access to it, and rules behind it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from core.agent.extractive.reasoner import ExtractiveReasoner
from core.config.settings import Settings
from core.ports import Clock, ModelCallLog, Reader, ReasonerFactory, Spending


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoners:
    """Who answers, and who answers if that one can't."""

    first: ReasonerFactory
    """Answers."""
    fallback: ReasonerFactory | None
    """Answers without a language model; None if the first one does."""


@asynccontextmanager
async def open_reasoners(
    settings: Settings,
    *,
    reader: Reader | None,
    clock: Clock,
    log: ModelCallLog,
    spending: Spending | None = None,
) -> AsyncGenerator[Reasoners]:
    """Find who reasons; close connections at the end. Nothing is loaded or called yet.

    Raises:
        ConfigError: A model is wanted, and something that it needs is not set or not installed.
    """
    rules = ExtractiveReasoner(reader)
    if not settings.uses_model:
        yield Reasoners(first=rules, fallback=None)
        return
    # Loaded where they are needed: most commands ask no model, and start without this.
    from core.adapters.anthropic.api.composition import open_models  # noqa: PLC0415
    from core.adapters.anthropic.factory import AnthropicReasonerFactory  # noqa: PLC0415
    from core.adapters.anthropic.settings import usual_choice  # noqa: PLC0415

    models = await asyncio.to_thread(open_models, settings, clock=clock, log=log, spending=spending)
    factory = AnthropicReasonerFactory(
        models=usual_choice(answer=settings.model, review=settings.small_model),
        calls=lambda context: models.run(context.question.question_id, context.budget),
        capabilities=models.capabilities,
        ahead=rules,
        threshold=settings.gate_threshold,
    )
    try:
        yield Reasoners(first=factory, fallback=rules)
    finally:
        await models.aclose()
