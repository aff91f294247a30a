"""Messages about the assistant itself: one hidden layer over a message's vector and its words.

Fitted by `evals.fit_about_us` on wordings of ours and on messages about policies.
"""

import asyncio
import base64
import re
from pathlib import Path
from typing import Any

from core.adapters.local.embedder import LocalEmbedder, read_weights
from core.domain.question import SelfTopic

WEIGHTS = Path(__file__).parent / "weights" / "about_us.json"
MOST_WORDS = 60
"""Words of a sentence that are read."""
_PARTS = ("classes", "words", "vector", "bag", "hidden", "out", "odds")
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
        import numpy as np  # noqa: PLC0415  # see `onnx_model`

        if self._fit is None:
            self._fit = await asyncio.to_thread(_read, self._path)
        fit, vector = self._fit, await self._embedder.embed_query(text)
        places = [place for place in map(fit["words"].get, features(text)) if place is not None]
        hidden = fit["hidden"] + np.asarray(vector) @ fit["vector"] + fit["bag"][places].sum(axis=0)
        odds = fit["odds"] + np.maximum(hidden, 0.0) @ fit["out"]
        shares = np.exp(odds - odds.max())
        likely = dict(zip(fit["classes"], (shares / shares.sum()).tolist(), strict=True))
        return {topic: likely[topic.value] for topic in SelfTopic}


def _read(path: Path) -> dict[str, Any]:
    """Return the weights as matrices.

    Raises:
        ContractError: There are none, or they are for another embedder.
    """
    import numpy as np  # noqa: PLC0415  # see `onnx_model`

    fit = read_weights(path, _PARTS)
    fit["words"] = {word: place for place, word in enumerate(fit["words"])}
    for name in ("vector", "bag"):
        numbers = np.frombuffer(base64.b64decode(fit[name]["bytes"]), dtype=np.int8)
        fit[name] = numbers.reshape(-1, len(fit["hidden"])) * np.float32(fit[name]["scale"])
    return fit
