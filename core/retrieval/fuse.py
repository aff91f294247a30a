"""Rank candidates by words, meaning and wording: pure, after the candidates were scored.

``score = a * bm25/max_bm25 + (1-a) * cosine + WINDOW * window + PHRASES * phrases``

`a` belongs to the embedding space; without an embedder it is 1. `window` and `phrases` are those of
`proximity`. Their weights are a listwise fit (softmax over the 50 best candidates of each question)
on the 2,788 questions of ObliQA dev; five-fold cross-validation gave R@10 / MAP@10 .812 / .695
against .802 / .666 without them, and .790 / .665 against .776 / .640 for words alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.policy import ChunkKey
from core.retrieval.proximity import Closeness

POOL = 50
"""Candidates of which the wording is compared; at 100 the figures are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProximityWeights:
    """What wording adds to the fused score."""

    window: float
    """Weight of `Closeness.window`."""
    phrases: float
    """Weight of `Closeness.phrases`."""


HYBRID = ProximityWeights(window=0.19, phrases=0.71)
"""Beside words and meaning."""
LEXICAL_ALONE = ProximityWeights(window=0.26, phrases=1.45)
"""Beside words alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A chunk with what each arm of the search says of it."""

    chunk_key: ChunkKey
    """The chunk."""
    bm25: float
    """Sum of idf times weight, from 0."""
    cosine: float | None
    """Cosine to the question in [-1, 1]; None without a vector."""
    closeness: Closeness
    """How closely it says what the question says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate in its place."""

    candidate: Candidate
    """The candidate."""
    score: float
    """What the ranking used; higher is better, at most 1 plus the proximity weights."""


def rank(
    candidates: Sequence[Candidate], *, best_bm25: float, lexical_weight: float
) -> list[Ranked]:
    """Order candidates, best first; equal scores by chunk.

    Args:
        candidates: In any order; of a chunk that is there twice the first counts.
        best_bm25: The highest of all candidates of the question, here or not.
        lexical_weight: `a`; 1 ranks without meaning.
    """
    weights = LEXICAL_ALONE if lexical_weight >= 1 else HYBRID
    by_key: dict[ChunkKey, Ranked] = {}
    for candidate in candidates:
        score = (
            fused(candidate, best_bm25=best_bm25, lexical_weight=lexical_weight)
            + weights.window * candidate.closeness.window
            + weights.phrases * candidate.closeness.phrases
        )
        by_key.setdefault(candidate.chunk_key, Ranked(candidate=candidate, score=score))
    return sorted(by_key.values(), key=lambda r: (-r.score, r.candidate.chunk_key))


def fused(candidate: Candidate, *, best_bm25: float, lexical_weight: float) -> float:
    """Return the weighted sum of both arms, as the statement's pool is ordered by."""
    words = candidate.bm25 / best_bm25 if best_bm25 > 0 else 0.0
    return lexical_weight * words + (1 - lexical_weight) * (candidate.cosine or 0.0)
