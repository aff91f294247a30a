"""Messages that are none of a company's affairs, told by the vectors of the local embedder.

A logistic regression, fitted by `python -m evals.fit_off_topic` on 110 messages that we wrote (the
weather, recipes, jokes, sums, code) and 7,972 questions about openly licensed workplace policies.
At a likelihood of .55 it finds 48 of 60 messages that it was not fitted on, and takes less than
1 % of questions about documents held out for something else.
"""

import asyncio
import json
import math
from dataclasses import dataclass
from pathlib import Path

from core.adapters.local.embedder import SPACE, LocalEmbedder
from core.domain.errors import ContractError

WEIGHTS = Path(__file__).parent / "weights" / "off_topic.json"


@dataclass(frozen=True, slots=True)
class _Fit:
    intercept: float
    weights: tuple[float, ...]


class LocalOffTopic:
    """See `core.ports.off_topic.OffTopic`. Cheap to construct: its weights are read at first."""

    def __init__(self, embedder: LocalEmbedder, *, weights: Path = WEIGHTS) -> None:
        """Take the embedder whose vectors the weights are for."""
        self._embedder = embedder
        self._path = weights
        self._fit: _Fit | None = None

    async def likelihood(self, text: str, /) -> float:
        """See `OffTopic.likelihood`."""
        if self._fit is None:
            self._fit = await asyncio.to_thread(self._read)
        vector = await self._embedder.embed_query(text)
        if len(vector) != len(self._fit.weights):
            raise ContractError("the weights of off-topic messages are for another embedder")
        pairs = zip(self._fit.weights, vector, strict=True)
        odds = self._fit.intercept + sum(weight * value for weight, value in pairs)
        return 1 / (1 + math.exp(-odds))

    def _read(self) -> _Fit:
        try:
            said = json.loads(self._path.read_bytes())
            if said["space"] != SPACE.revision:
                raise ContractError("the weights of off-topic messages are for another embedder")
            return _Fit(float(said["intercept"]), tuple(float(one) for one in said["weights"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ContractError(f"no weights of off-topic messages: {error!s}") from error
