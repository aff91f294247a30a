"""Score texts against a question with a Voyage rerank model."""

import math
from collections.abc import Mapping, Sequence

from core.adapters.voyage.batches import FILLING, estimated_tokens
from core.adapters.voyage.client import VoyageClient, asking
from core.adapters.voyage.models import rerank_model
from core.domain.errors import ContractError

MOST_TEXTS = 1_000
"""Of one request (docs.voyageai.com/reference/reranker-api)."""


class VoyageReranker:
    """See `Reranker`."""

    def __init__(self, client: VoyageClient, *, model: str, timeout_s: float) -> None:
        """Take the client, which the caller closes.

        Args:
            client: Calls the API.
            model: One of `models.RERANK_MODELS`.
            timeout_s: What a question may wait, attempts together.

        Raises:
            ConfigError: The model is not known.
        """
        self._client = client
        self._model = rerank_model(model)
        self._patience = asking(timeout_s)

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
            patience=self._patience,
            query=question,
            documents=list(texts),
            model=self._model.name,
            truncation=True,
        )
        return _scores(reply.get("data"), count=len(texts))


def _scores(data: object, *, count: int) -> list[float]:
    """Return the scores in the order of the texts.

    Raises:
        ContractError: One is missing, there twice, or no number in [0, 1].
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
