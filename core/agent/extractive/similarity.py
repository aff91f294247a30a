"""How near sentences are to a question in meaning.

Cosines of the embedder, remembered for repeated sentences.
"""

from collections import OrderedDict
from collections.abc import Sequence

from core.domain.errors import CiteboundError
from core.ports import Embedder, Vector

KEPT = 8_192
"""Sentences whose vectors are kept: about 12 MB with 384 dimensions."""


class Similarity:
    """Cosines to a question.

    Without an embedder there are none, and ranking goes by words alone.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        """Take the embedder, if there is one."""
        self._embedder = embedder
        self._known: OrderedDict[str, Vector] = OrderedDict()

    async def to(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """Return the cosine of each text to the question, in [-1, 1].

        None if nothing can be embedded.
        """
        if self._embedder is None or not texts:
            return None
        try:
            asked = await self._embedder.embed_query(question)
            await self._learn(self._embedder, [text for text in texts if text not in self._known])
        except CiteboundError:
            return None
        cosines = [
            sum(one * other for one, other in zip(asked, self._known[text], strict=True))
            for text in texts
        ]
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return cosines

    async def _learn(self, embedder: Embedder, texts: Sequence[str]) -> None:
        new = list(dict.fromkeys(texts))
        if new:
            for text, vector in zip(new, await embedder.embed_documents(new), strict=True):
                self._known[text] = vector
