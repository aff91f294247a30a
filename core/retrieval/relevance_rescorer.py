"""Give hits the relevance that was measured, whatever space they were found in.

Relevance was fitted on cosines of one embedder. Where another one searches, or none does, the
measured one reads the few chunks that are handed over: calibrated relevance keeps its meaning, and
the other space only orders. Without it, relevance goes by words, which declines more.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from core.domain.errors import CiteboundError
from core.domain.evidence import RetrievedChunk
from core.domain.policy import ChunkKey
from core.ports import Embedder, Vector
from core.retrieval.relevance import Features, relevance

KEPT = 1_000
"""Chunks whose vectors are remembered: about 12 MB."""


class Judge:
    """Rereads chunks with an embedder on whose cosines relevance was fitted.

    Safe from many tasks.
    """

    def __init__(self, embedder: Embedder, *, kept: int = KEPT) -> None:
        """Take the measured embedder, and how many chunks' vectors are remembered."""
        self._embedder = embedder
        self._kept = kept
        self._known: OrderedDict[ChunkKey, Vector] = OrderedDict()

    async def judge(
        self, question: str, chunks: Sequence[RetrievedChunk]
    ) -> tuple[RetrievedChunk, ...]:
        """Return the chunks with cosine and relevance; unchanged where the embedder fails."""
        try:
            asked = await self._embedder.embed_query(question)
            vectors = await self._vectors(chunks)
        except CiteboundError:
            return tuple(chunks)
        return tuple(
            _judged(chunk, sum(a * b for a, b in zip(asked, vector, strict=True)))
            for chunk, vector in zip(chunks, vectors, strict=True)
        )

    async def _vectors(self, chunks: Sequence[RetrievedChunk]) -> list[Vector]:
        # What is known is taken before the embedder is waited for: by the time it has answered,
        # another question may have pushed it out.
        keys = [chunk.chunk_key for chunk in chunks]
        known = {key: self._known[key] for key in keys if key in self._known}
        new = [chunk for chunk in chunks if chunk.chunk_key not in known]
        found = await self._embedder.embed_documents([chunk.text for chunk in new])
        learned = {chunk.chunk_key: vector for chunk, vector in zip(new, found, strict=True)}
        self._known.update(learned)
        while len(self._known) > self._kept:
            self._known.popitem(last=False)
        known |= learned
        return [known[key] for key in keys]


def _judged(chunk: RetrievedChunk, cosine: float) -> RetrievedChunk:
    features = Features(lexical_score=chunk.lexical_score, cosine=cosine, coverage=chunk.coverage)
    return replace(chunk, dense_score=cosine, relevance=relevance(features))
