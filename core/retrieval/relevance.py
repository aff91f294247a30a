"""How likely a chunk is to bear on the question. After ranking.

The ranking compares chunks with each other; relevance is absolute, so that a question that no
policy speaks about finds nothing relevant. It was fitted on the cosines of one embedder. Where
another one searches, or none does, the `RelevanceRescorer` reads the few chunks that are handed
over with that embedder: relevance keeps its meaning, and the other space only orders. Without it,
relevance goes by words, which declines more.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

from core.domain.errors import CiteboundError
from core.domain.evidence import RetrievedChunk
from core.domain.policy import ChunkKey
from core.ports import Embedder, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What relevance is read from. The question's length is not among them."""

    lexical_score: float
    """BM25 over the question's highest possible, in [0, 1]."""
    cosine: float | None
    """Cosine to the question in [-1, 1]; None without a vector."""
    coverage: float
    """Share of the question's words, by idf, that the chunk has, in [0, 1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """Of a logistic regression on `Features`."""

    intercept: float
    """Log odds where all features are 0."""
    lexical_score: float
    """Log odds a unit."""
    cosine: float
    """Log odds a unit."""
    coverage: float
    """Log odds a unit."""


HYBRID = Coefficients(intercept=-4.28, lexical_score=2.19, cosine=7.01, coverage=3.49)
"""Fitted on gold chunks of 1,000 questions of ObliQA dev and of the samples' dev questions, against
the best five chunks of 60 everyday questions on either corpus and, lightly, chunks ranked 40 to 50.
Below .3 at best: no question of ObliQA, none of the samples that has an answer, 97 % of the 60."""
LEXICAL_ALONE = Coefficients(intercept=-4.2, lexical_score=8.0, cosine=0.0, coverage=6.0)
"""From the same data, rounded towards declining: words alone tell off-topic questions apart badly.
Below .3 at best: 2 % of ObliQA, 17 % of the samples' answerable questions, 73 % and 88 % of the 60
on either corpus."""


def relevance(features: Features) -> float:
    """Return the calibrated relevance in [0, 1]."""
    fit = LEXICAL_ALONE if features.cosine is None else HYBRID
    z = (
        fit.intercept
        + fit.lexical_score * features.lexical_score
        + fit.cosine * (features.cosine or 0.0)
        + fit.coverage * features.coverage
    )
    return 1 / (1 + exp(-z))


KEPT = 1_000
"""Chunks whose vectors are remembered: about 12 MB."""


class RelevanceRescorer:
    """Rescores chunks with the embedder that relevance was fitted on. Safe from many tasks."""

    def __init__(self, embedder: Embedder, *, kept: int = KEPT) -> None:
        self._embedder = embedder
        self._kept = kept
        self._known: OrderedDict[ChunkKey, Vector] = OrderedDict()

    async def rescore(
        self, question: str, chunks: Sequence[RetrievedChunk]
    ) -> tuple[RetrievedChunk, ...]:
        """Return the chunks with their cosine and relevance; unchanged if the embedder fails."""
        try:
            asked = await self._embedder.embed_query(question)
            vectors = await self._vectors(chunks)
        except CiteboundError:
            return tuple(chunks)
        return tuple(
            _rescored(chunk, sum(a * b for a, b in zip(asked, vector, strict=True)))
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


def _rescored(chunk: RetrievedChunk, cosine: float) -> RetrievedChunk:
    features = Features(lexical_score=chunk.lexical_score, cosine=cosine, coverage=chunk.coverage)
    return replace(chunk, dense_score=cosine, relevance=relevance(features))
