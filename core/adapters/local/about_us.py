"""Messages about the assistant itself: a regression over a message's vector and its words.

Fitted by `evals.fit_about_us` on wordings of ours and on messages about policies.
"""

import asyncio
import math
import re
from pathlib import Path
from typing import Any

from core.adapters.local.embedder import LocalEmbedder, read_weights
from core.domain.question import SelfTopic

WEIGHTS = Path(__file__).parent / "weights" / "about_us.json"
VECTOR_SCALE, WORD_SCALE = 4.0, 0.35
"""By which vectors and words were multiplied when the weights were fitted: they contain it."""
MOST_WORDS = 60
"""Words of a sentence that are read."""
_PARTS = ("classes", "intercepts", "vector", "words")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def features(text: str) -> list[str]:
    """Return the words of a message, and its pairs of words with its beginning and end."""
    words = _WORD.findall(text.casefold().replace("\u2019", "'"))[:MOST_WORDS]
    pairs = zip(["^", *words], [*words, "$"], strict=True)
    return sorted({*words, *(f"{left} {right}" for left, right in pairs)})


class LocalSelfQuestions:
    """See `core.ports.text_models.SelfQuestions`. Cheap to construct: read at first use."""

    def __init__(self, embedder: LocalEmbedder, *, weights: Path = WEIGHTS) -> None:
        self._embedder = embedder
        self._path = weights
        self._fit: dict[str, Any] | None = None

    async def likelihoods(self, text: str, /) -> dict[SelfTopic, float]:
        """See `SelfQuestions.likelihoods`."""
        if self._fit is None:
            self._fit = await asyncio.to_thread(read_weights, self._path, _PARTS)
        fit, vector = self._fit, await self._embedder.embed_query(text)
        rows = [row for row in map(fit["words"].get, features(text)) if row]
        rows += [
            [value * one for one in row] for value, row in zip(vector, fit["vector"], strict=True)
        ]
        odds = [sum(column) for column in zip(fit["intercepts"], *rows, strict=True)]
        shares = [math.exp(one - max(odds)) for one in odds]
        likely = {
            name: share / sum(shares) for name, share in zip(fit["classes"], shares, strict=True)
        }
        return {topic: likely[topic.value] for topic in SelfTopic}
