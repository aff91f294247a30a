"""Voyage's embedder and reranker: batches in parallel, every reply validated."""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from core.adapters.voyage.client import (
    RefusedRequestError,
    Timeouts,
    VoyageAccess,
    VoyageClient,
    question_timeouts,
)
from core.adapters.voyage.models import (
    FILLING,
    batches,
    embedding_model,
    estimated_tokens,
    rerank_model,
)
from core.domain.errors import CiteboundError, ContractError
from core.ports import EmbeddingSpace, Vector
from core.ports.text_models import LiveCheck

MOST_TEXTS = 1_000
"""Of one request (docs.voyageai.com/reference/reranker-api)."""
if TYPE_CHECKING:
    from numpy.typing import NDArray
PROVIDER = "voyage"
FUSION_WEIGHT = 0.45
"""Not measured: none of our figures used a paid service. Words get nearly half of the score, more
than in the measured local space (.35); tune it with `eval retrieval` and your own labelled
questions."""
REVISION = "1"
"""Voyage does not change a model without renaming it; raise this if it does."""
INGESTING = Timeouts(deadline_s=180.0, attempt_s=30.0)
"""Of one batch: long enough for a rate limit, counted by the minute, to pass."""
IN_FLIGHT = 4
"""Requests of all callers at once."""
KEPT = 256
"""Questions whose vectors are cached: about 8 MB."""
SMALLEST_NORM = 1e-6


class VoyageEmbedder:
    """See `Embedder`. Cheap to construct: nothing is loaded or called before the first text.

    A question waits for its vector within `question_timeout_s`, attempts together. The caller
    closes the client.

    Raises:
        ConfigError: The model is not one of `models.EMBEDDING_MODELS`.
    """

    def __init__(
        self,
        client: VoyageClient,
        *,
        model: str,
        question_timeout_s: float,
        ingesting: Timeouts = INGESTING,
    ) -> None:
        self._client = client
        self._model = embedding_model(model)
        self._question = question_timeouts(question_timeout_s)
        self._ingesting = ingesting
        self._turns = asyncio.Semaphore(IN_FLIGHT)
        self._questions: OrderedDict[str, Vector] = OrderedDict()

    @property
    def space(self) -> EmbeddingSpace:
        """See `Embedder.space`."""
        return EmbeddingSpace(
            provider=PROVIDER,
            model=self._model.name,
            dimensions=self._model.dimensions,
            revision=REVISION,
            fusion_weight=FUSION_WEIGHT,
            is_measured=False,
        )

    async def embed_documents(self, texts: Sequence[str], /) -> list[Vector]:
        """See `Embedder.embed_documents`.

        Raises:
            TransientError: Voyage failed for as long as there was time.
            ConfigError: The key or the address was refused.
            ContractError: The request was refused, or a reply is not what was asked for.
        """
        parts = list(batches(texts, request_tokens=self._model.request_tokens))
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._documents(part)) for part in parts]
        except ExceptionGroup as failed:
            raise _first(failed) from failed
        return [vector for task in tasks for vector in task.result()]

    async def embed_query(self, text: str, /) -> Vector:
        """See `Embedder.embed_query`.

        Raises:
            CiteboundError: See `embed_documents`; search lexically.
        """
        known = self._questions.get(text)
        if known is None:
            (known,) = await self._embed([text], "query", self._question)
            self._questions[text] = known
            while len(self._questions) > KEPT:
                self._questions.popitem(last=False)
        return known

    async def _documents(self, texts: Sequence[str]) -> list[Vector]:
        async with self._turns:
            return await self._halving(texts)

    async def _halving(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts; halve the batch if the service finds too many tokens."""
        try:
            return await self._embed(texts, "document", self._ingesting)
        except RefusedRequestError as refused:
            if len(texts) == 1 or "token" not in str(refused).lower():
                raise
        middle = len(texts) // 2
        return [*await self._halving(texts[:middle]), *await self._halving(texts[middle:])]

    async def _embed(
        self, texts: Sequence[str], input_type: Literal["document", "query"], timeouts: Timeouts
    ) -> list[Vector]:
        reply = await self._client.embed(
            timeouts=timeouts,
            input=list(texts),
            model=self._model.name,
            input_type=input_type,
            truncation=True,
            output_dimension=self._model.dimensions if self._model.has_sizes else None,
        )
        return await asyncio.to_thread(
            _vectors, reply, count=len(texts), dimensions=self._model.dimensions
        )


def _first(failed: ExceptionGroup[Exception]) -> Exception:
    """Return the failure that ended the group; the other tasks were cancelled."""
    return next((one for one in failed.exceptions if isinstance(one, CiteboundError)), failed)


def _vectors(reply: Mapping[str, Any], *, count: int, dimensions: int) -> list[Vector]:
    """Return the vectors of a reply in the order of the texts, each of unit norm.

    Raises:
        ContractError: One is missing, duplicate, of another length, or has no direction.
    """
    import numpy as np  # noqa: PLC0415  # a command that embeds nothing need not pay for it

    data = reply.get("data")
    if not isinstance(data, list) or len(data) != count:  # pyright: ignore[reportUnknownArgumentType]
        got = len(data) if isinstance(data, list) else "none"  # pyright: ignore[reportUnknownArgumentType]
        raise ContractError(f"expected {count} vectors from Voyage, got {got}")
    found: dict[int, Vector] = {}
    for item in cast("list[object]", data):
        index, raw = _item(item)
        try:
            vector: NDArray[np.float32] = np.asarray(raw, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise ContractError("a vector from Voyage holds something else than numbers") from error
        if vector.shape != (dimensions,):
            raise ContractError(
                f"expected vectors of {dimensions} dimensions from Voyage, got {vector.shape}"
            )
        norm = float(np.linalg.norm(vector.astype(np.float64)))
        if not math.isfinite(norm) or norm < SMALLEST_NORM:
            raise ContractError(f"a vector from Voyage has no direction (its norm is {norm})")
        found[index] = tuple((vector / norm).tolist())
    if found.keys() != set(range(count)):
        raise ContractError("Voyage's vectors are not numbered as the texts were")
    return [found[index] for index in range(count)]


def _item(item: object) -> tuple[int, object]:
    if not isinstance(item, Mapping):
        raise ContractError("a vector from Voyage is not an object")
    index, raw = item.get("index"), item.get("embedding")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if not isinstance(index, int) or raw is None:
        raise ContractError("a vector from Voyage lacks its number or its values")
    return index, raw  # pyright: ignore[reportUnknownVariableType]


class VoyageReranker:
    """See `Reranker`. Within `timeout_s` for a question, attempts together; closes no client.

    Raises:
        ConfigError: The model is not one of `models.RERANK_MODELS`.
    """

    def __init__(self, client: VoyageClient, *, model: str, timeout_s: float) -> None:
        self._client = client
        self._model = rerank_model(model)
        self._timeouts = question_timeouts(timeout_s)

    @property
    def name(self) -> str:
        """See `Reranker.name`."""
        return self._model.name

    async def rerank(self, question: str, texts: Sequence[str], /) -> list[float]:
        """See `Reranker.rerank`.

        Raises:
            TransientError: Voyage failed for as long as there was time.
            ConfigError: The key or the address was refused.
            ContractError: There are too many texts, the request was refused, or the reply is not
                what was asked for.
        """
        if not texts:
            return []
        tokens = len(texts) * estimated_tokens(question) + sum(map(estimated_tokens, texts))
        if len(texts) > MOST_TEXTS or tokens > FILLING * self._model.request_tokens:
            raise ContractError(f"{len(texts)} texts are too much for one rerank request")
        reply = await self._client.rerank(
            timeouts=self._timeouts,
            query=question,
            documents=list(texts),
            model=self._model.name,
            truncation=True,
        )
        return _scores(reply.get("data"), count=len(texts))


def _scores(data: object, *, count: int) -> list[float]:
    """Return the scores in the order of the texts.

    Raises:
        ContractError: One is missing, duplicate, or not a number in [0, 1].
    """
    found: dict[int, float] = {}
    for item in data if isinstance(data, list) else []:  # pyright: ignore[reportUnknownVariableType]
        if isinstance(item, Mapping):
            index, score = item.get("index"), item.get("relevance_score")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            if isinstance(index, int) and isinstance(score, int | float) and math.isfinite(score):
                found[index] = float(score)
    if found.keys() != set(range(count)) or not all(0 <= one <= 1 for one in found.values()):
        raise ContractError(f"expected {count} scores in [0, 1] from Voyage, got something else")
    return [found[index] for index in range(count)]


async def check_voyage(
    access: VoyageAccess, *, model: str, rerank_model: str | None, timeout_s: float
) -> LiveCheck:
    """Embed two words, and rerank one text if a rerank model is set. Never raises our errors."""
    client = VoyageClient(access)
    started_s = time.perf_counter()
    try:
        embedder = VoyageEmbedder(client, model=model, question_timeout_s=timeout_s)
        dimensions = len(await embedder.embed_query("travel expenses"))
        found = f"{model} answered with {dimensions} dimensions"
        if rerank_model is not None:
            reranker = VoyageReranker(client, model=rerank_model, timeout_s=timeout_s)
            await reranker.rerank("travel expenses", ["Expenses are reimbursed."])
            found += f", {rerank_model} with a score"
    except CiteboundError as error:
        return LiveCheck(worked=False, found=str(error))
    finally:
        await client.aclose()
    took_ms = (time.perf_counter() - started_s) * 1_000
    return LiveCheck(worked=True, found=f"{found}, in {took_ms:.0f} ms")
