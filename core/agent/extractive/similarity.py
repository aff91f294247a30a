"""How near words and sentences are in meaning, by the embedder; vectors are kept for repetition."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.domain.errors import CiteboundError
from core.ports import Embedder

KEPT = 16_384
"""Texts whose vectors are kept: about 25 MB with 384 dimensions of float32."""
RELATED = 0.45
"""Cosine of two words from which they begin to mean the same; unrelated ones reach about .35."""
SAME = 0.85
"""Cosine from which they mean the same ("buy", "purchase": .86)."""
MOST = 0.85
"""What a word of the same meaning counts, against 1 for the word itself."""

_Array: TypeAlias = NDArray[np.float32]


class Similarity:
    """Cosines; without an embedder there are none, and ranking goes by words alone.

    Safe from many tasks.
    """

    def __init__(self, embedder: Embedder | None, *, kept: int = KEPT) -> None:
        """Take the embedder, if there is one, and how many texts' vectors are kept."""
        self._embedder = embedder
        self._kept = kept
        self._known: OrderedDict[str, _Array] = OrderedDict()

    async def to(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """Return the cosine of each text to the question, in [-1, 1].

        None if nothing can be embedded.
        """
        vectors = await self._vectors([question, *texts])
        if vectors is None:
            return None
        return [float(cosine) for cosine in vectors[1:] @ vectors[0]]

    async def meanings(
        self, terms: Sequence[str], texts: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        """Return, for each list of words, how far each term is in it by meaning, in [0, MOST]."""
        vocabulary = list(dict.fromkeys(word for words in texts for word in words))
        vectors = await self._vectors([*terms, *vocabulary]) if terms and vocabulary else None
        if vectors is None:
            return [{} for _ in texts]
        cosines = vectors[: len(terms)] @ vectors[len(terms) :].T
        place = {word: number for number, word in enumerate(vocabulary)}
        return [
            {
                term: _counted(float(cosines[row, [place[word] for word in words]].max()))
                for row, term in enumerate(terms)
            }
            if words
            else {}
            for words in texts
        ]

    async def _vectors(self, texts: Sequence[str]) -> _Array | None:
        if self._embedder is None or not texts:
            return None
        # What is known is taken before the embedder is waited for: by the time it has answered,
        # another question may have pushed it out.
        known = {text: self._known[text] for text in texts if text in self._known}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        try:
            learned = await self._learned(self._embedder, new)
        except CiteboundError:
            return None
        self._known.update(learned)
        while len(self._known) > self._kept:
            self._known.popitem(last=False)
        known |= learned
        return np.stack([known[text] for text in texts])

    async def _learned(self, embedder: Embedder, texts: Sequence[str]) -> dict[str, _Array]:
        vectors = await embedder.embed_documents(texts) if texts else []
        pairs = zip(texts, vectors, strict=True)
        return {text: np.array(vector, dtype=np.float32) for text, vector in pairs}


def _counted(cosine: float) -> float:
    share = (cosine - RELATED) / (SAME - RELATED)
    return MOST * max(0.0, min(1.0, share))
