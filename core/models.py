"""What embeds, reranks, reads and reasons, by the settings.

With `VOYAGE_API_KEY` Voyage embeds, else the local embedder. Both can be there at once: the space
that serves decides which one embeds a question, and relevance is judged by the local one, on whose
cosines it was fitted. Where there is access to Claude it reasons, with rules as its fallback.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from core.adapters.local.about_us import LocalSelfQuestions
from core.adapters.local.embedder import LocalEmbedder, find_local_embedder
from core.adapters.local.onnx_model import Unavailable
from core.adapters.local.reader import find_local_guard, find_local_reader
from core.adapters.voyage.client import VoyageAccess, VoyageClient
from core.adapters.voyage.models import EMBEDDING_MODELS
from core.adapters.voyage.text_models import PROVIDER as VOYAGE
from core.adapters.voyage.text_models import VoyageEmbedder, VoyageReranker
from core.agent.extractive.reasoner import ExtractiveReasoner
from core.agent.prompts import RELEASED, Prompts
from core.agent.prompts.choice import chosen_prompts
from core.agent.wording import WITHOUT_MODEL
from core.config.settings import Settings
from core.domain.errors import ConfigError, ContractError, UsageError
from core.ports import (
    Clock,
    Embedder,
    EmbeddingSpace,
    ModelCallLog,
    Reader,
    ReasonerFactory,
    Spending,
)
from core.ports.text_models import AboutUs, Reranker
from core.replay.recorded import RecordedQuestion
from core.retrieval.serving_embedder import Configured, NoEmbedder
from core.service_access.refusals import Note, unnoted

LOCAL = "local"
SWITCHED_OFF = Path("none")
"""The folder of a reader that is not wanted."""
NO_KEY = "VOYAGE_API_KEY is not set: set it, or switch with `citebound corpus embed --space local`"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedders:
    """All that embeds here."""

    configured: Configured
    """Embeds the first chunk of a corpus, and in the space that `corpus embed` builds."""
    measured: Configured
    """The one on whose cosines relevance was fitted."""
    voyage: VoyageClient | None
    """None without a key."""
    question_timeout_s: float
    """What a question waits for Voyage."""
    reranker: Reranker | None
    """None: hits keep the order of the search."""

    def find(self, space: EmbeddingSpace) -> Configured:
        """Return what embeds in a space."""
        named = self._named(space.provider, space.model)
        if isinstance(named, NoEmbedder) or named.space.identity == space.identity:
            return named
        return NoEmbedder(
            reason=f"it is of another revision than {named.space.name} here:"
            " `citebound corpus embed` builds a new one"
        )

    def named(self, name: str) -> Configured:
        """Return what embeds in a space that a person names: `local`, `voyage`, `voyage:MODEL`.

        Raises:
            UsageError: There is no such space.
        """
        provider, _, model = name.partition(":")
        if provider not in {LOCAL, VOYAGE}:
            raise UsageError(f"expected local, voyage or voyage:MODEL, got {name!r}")
        if model and provider == VOYAGE and model not in EMBEDDING_MODELS:
            raise UsageError(f"expected one of {', '.join(EMBEDDING_MODELS)}, got {model!r}")
        return self._named(provider, model or None)

    def _named(self, provider: str, model: str | None) -> Configured:
        for known in (self.configured, self.measured):
            if not isinstance(known, NoEmbedder) and (
                (provider, model or known.space.model) == (known.space.provider, known.space.model)
            ):
                return known
        if provider == LOCAL and isinstance(self.measured, NoEmbedder):
            return self.measured
        if provider != VOYAGE or (model and model not in EMBEDDING_MODELS):
            return NoEmbedder(
                reason="nothing here embeds in it: `citebound corpus embed` builds another"
            )
        if self.voyage is None or model is None:
            return NoEmbedder(reason=NO_KEY)
        return VoyageEmbedder(self.voyage, model=model, question_timeout_s=self.question_timeout_s)


def only(embedder: Embedder) -> Embedders:
    """Return this embedder and nothing else, in place of what the settings say."""
    return Embedders(
        configured=embedder,
        measured=embedder,
        voyage=None,
        question_timeout_s=1.0,
        reranker=None,
    )


@asynccontextmanager
async def open_embedders(settings: Settings, *, note: Note = unnoted) -> AsyncGenerator[Embedders]:
    """Find what embeds; close connections at the end. Nothing is loaded or called yet.

    `note` is told whether Voyage takes the key.

    Raises:
        ConfigError: A model is not known.
    """
    found = await asyncio.to_thread(find_local_embedder, settings.embedding_model)
    local: Configured = NoEmbedder(reason=found.reason) if isinstance(found, Unavailable) else found
    timeout_s, key = settings.voyage_timeout_s, settings.voyage_api_key
    client = None if key is None else VoyageClient(voyage_access(key, settings), note=note)
    try:
        yield Embedders(
            configured=VoyageEmbedder(
                client, model=settings.voyage_model, question_timeout_s=timeout_s
            )
            if client
            else local,
            measured=local,
            voyage=client,
            question_timeout_s=timeout_s,
            reranker=VoyageReranker(client, model=settings.rerank_model, timeout_s=timeout_s)
            if client and settings.rerank_model
            else None,
        )
    finally:
        if client is not None:
            await client.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoReader:
    """Nothing reads texts with a question."""

    reason: str
    """Why, in one line."""
    is_chosen: bool = False
    """True if the settings say so."""


async def find_reader(settings: Settings) -> Reader | NoReader:
    """Return what reads here: the shipped reader not yet loaded, another one after it was tried.

    Raises:
        ConfigError: The folder that the settings name is no reader's, or what is in it can't read.
    """
    if settings.reader_model == SWITCHED_OFF:
        return NoReader(reason="switched off by CITEBOUND_READER_MODEL", is_chosen=True)
    try:
        found = await asyncio.to_thread(find_local_reader, settings.reader_model)
        if settings.reader_model is not None and not isinstance(found, Unavailable):
            # What an operator names is tried before a question depends on it.
            await found.scores("May I accept a gift?", ["Gifts must not be accepted."])
    except (ConfigError, ContractError) as error:
        raise ConfigError(f"CITEBOUND_READER_MODEL: {error}") from error
    return NoReader(reason=found.reason) if isinstance(found, Unavailable) else found


async def find_guard(settings: Settings) -> Reader | NoReader:
    """Return what reads statements with what they cite here, not yet loaded.

    Who switches the reader off has no guard either.
    """
    if settings.reader_model == SWITCHED_OFF:
        return NoReader(reason="switched off by CITEBOUND_READER_MODEL", is_chosen=True)
    found = await asyncio.to_thread(find_local_guard)
    return NoReader(reason=found.reason) if isinstance(found, Unavailable) else found


def found_or_none(reader: Reader | NoReader, without: str) -> Reader | None:
    """Return what reads here, or log what is done without it."""
    if not isinstance(reader, NoReader):
        return reader
    if not reader.is_chosen:
        logger.warning("%s: %s", without, reader.reason)
    return None


def about_us(settings: Settings, local: LocalEmbedder | None) -> AboutUs:
    """Return what answers questions about the assistant itself."""
    recognise = LocalSelfQuestions(local) if local else None
    return AboutUs(recognise=recognise, deployment=settings.about_us)


def voyage_access(api_key: str, settings: Settings) -> VoyageAccess:
    """Return whom to call, as the settings say."""
    return VoyageAccess(api_key=api_key, base_url=settings.voyage_base_url)


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
    note: Note = unnoted,
) -> AsyncGenerator[Reasoners]:
    """Find who reasons; close connections at the end. Nothing is loaded or called yet.

    `note` is told whether the provider takes our access.

    Raises:
        ConfigError: A model is wanted, and something that it needs is not set or not installed.
    """
    rules = ExtractiveReasoner(reader)
    if not settings.uses_model:
        yield Reasoners(first=rules, fallback=None)
        return
    # Loaded where they are needed: most commands ask no model, and start without this.
    from core.adapters.anthropic.api.composition import open_models  # noqa: PLC0415
    from core.adapters.anthropic.api.providers import usual_choice  # noqa: PLC0415
    from core.adapters.anthropic.reasoner import AnthropicReasonerFactory  # noqa: PLC0415

    prompts = await asyncio.to_thread(prompts_of, settings)
    models = await asyncio.to_thread(
        open_models, settings, clock=clock, log=log, spending=spending, note=note
    )
    factory = AnthropicReasonerFactory(
        models=usual_choice(answer=settings.model, review=settings.small_model),
        calls=lambda context: models.run(context.question.question_id, context.budget),
        capabilities=models.capabilities,
        ahead=rules,
        threshold=settings.gate_threshold,
        prompts=prompts,
    )
    try:
        yield Reasoners(first=factory, fallback=rules)
    finally:
        await models.aclose()


def prompts_of(settings: Settings) -> Prompts:
    """Return the prompts that the settings name, or those of the release. Blocks on files.

    Raises:
        ConfigError: There is no such prompt.
    """
    return RELEASED if settings.prompts is None else chosen_prompts(settings.prompts)


def replaying_reasoners(
    question: RecordedQuestion, settings: Settings, *, reader: Reader | None
) -> Reasoners:
    """Return who answered a recorded question, with the recorded calls of language models."""
    rules = ExtractiveReasoner(reader)
    is_by_rules = question.record.document["run"]["reasoner"] == rules.name
    is_by_rules |= not WITHOUT_MODEL.each.isdisjoint(question.answer["notes"])  # a summary
    if is_by_rules and not question.trace["model_calls"]:
        return Reasoners(first=rules, fallback=None)
    from core.adapters.anthropic.replayed_calls import replaying_reasoner  # noqa: PLC0415  # above

    own = prompts_of(settings)
    first = replaying_reasoner(question, settings, rules=rules, prompts=own)
    return Reasoners(first=first, fallback=rules)
