"""Who reasons, and whether providers answer: for `citebound doctor`.

Without `--live` nothing is called; with it, one small call goes to each model that is set up.
"""

import asyncio
from collections.abc import AsyncGenerator

from bot.doctor_check import Finding, Health
from core.adapters.anthropic.api.live_check import check_models
from core.adapters.anthropic.api.prices import prices_from
from core.adapters.anthropic.api.providers import provider_from
from core.adapters.system import SystemClock
from core.adapters.voyage.check import check_voyage
from core.adapters.voyage.client import VoyageAccess
from core.config.setting_checks import redacted
from core.config.settings import Settings
from core.domain.errors import ConfigError
from core.domain.run import TokenUse

LIVE_S = 30.0
"""Longest wait for one provider."""


async def check_reasoner(settings: Settings) -> Finding:
    """Say who reasons, without calling anybody."""
    subject = "reasoner"
    if not settings.uses_model:
        is_off = settings.reasoner == "extractive"
        why = "CITEBOUND_REASONER says so" if is_off else "ANTHROPIC_API_KEY lets Claude reason"
        found = f"extractive: quotes policy sentences, no model is called; {why}"
        return Finding(subject=subject, health=Health.FINE, found=found)
    try:
        provider = provider_from(settings)
        prices = await asyncio.to_thread(prices_from, settings.prices, known=provider.published)
    except ConfigError as error:
        cure = "correct this, or set CITEBOUND_REASONER=extractive"
        return Finding(subject=subject, health=Health.BROKEN, found=str(error), cure=cure)
    models = dict.fromkeys((settings.model, settings.small_model))
    at = f" at {redacted(settings.anthropic_base_url)}" if settings.anthropic_base_url else ""
    cites = "native citations" if provider.capabilities.native_citations else "citation markers"
    found = f"{' and '.join(models)} by {provider.names.provider}{at}, {cites}; not called"
    unpriced = [one for one in models if prices.cost_usd(one, TokenUse(fresh=0)) is None]
    if unpriced:
        cure = f"CITEBOUND_PRICES: without it the cost of {' and '.join(unpriced)} is not known"
        return Finding(subject=subject, health=Health.FINE, found=found, cure=cure)
    return Finding(subject=subject, health=Health.FINE, found=found)


async def check_live(settings: Settings) -> AsyncGenerator[Finding]:
    """Make one small call to each model that is set up."""
    if settings.uses_model:
        models = await check_models(settings, clock=SystemClock(), timeout_s=LIVE_S)
        yield _live("Claude, called", worked=models.worked, found=models.found)
    if settings.voyage_api_key is not None:
        voyage = await check_voyage(
            VoyageAccess(api_key=settings.voyage_api_key, base_url=settings.voyage_base_url),
            model=settings.voyage_model,
            rerank_model=settings.rerank_model,
            timeout_s=LIVE_S,
        )
        yield _live("Voyage, called", worked=voyage.worked, found=voyage.found)
    if not settings.uses_model and settings.voyage_api_key is None:
        found = "no provider is set up: nothing was called"
        yield Finding(subject="providers", health=Health.FINE, found=found)


def _live(subject: str, *, worked: bool, found: str) -> Finding:
    health = Health.FINE if worked else Health.BROKEN
    cure = "" if worked else "until it answers, replies are quoted by rules and found by words"
    return Finding(subject=subject, health=health, found=found, cure=cure)
