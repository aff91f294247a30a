"""Rank candidates by words, meaning and wording. Pure.

``score = a * bm25/max_bm25 + (1-a) * cosine + WINDOW * window + PHRASES * phrases``

- `bm25`: the weight of a term in a chunk is ``tf(k1+1) / (tf + k1(1-b + b*length/mean))`` of the
  text, plus `HEADING_WEIGHT` times the same of the headings above it. A question's score is the sum
  of idf times weight over its terms; idf is ``ln(1 + (N-df+.5)/(df+.5))`` (Robertson & Zaragoza
  2009, with Lucene's +1, so that it is never negative).
- `window`: how much of the question's words a chunk has within one stretch of 50 words.
- `phrases`: how many pairs of neighbouring question words are neighbours in the chunk too; a pair
  counts more the fewer candidates have it. Policies repeat the same words in many rules, so what
  tells two rules apart is which words stand together.

`a` belongs to the embedding space; without an embedder it is 1. The weights of wording are a
listwise fit (softmax over the 50 best candidates of each question) on the 2,788 questions of ObliQA
dev; five-fold cross-validation gave R@10 / MAP@10 .812 / .695 against .802 / .666 without them, and
.790 / .665 against .776 / .640 for words alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

from core.domain.policy import ChunkKey

WINDOW_WORDS = 50
PAIR_WORDS = 6
"""Question words further apart than this say nothing about each other."""

Positions = Mapping[str, Sequence[int]]
"""Where each term stands: ascending word positions from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two different terms of the question with no other term between them."""

    first: str
    """The one that stands first."""
    second: str
    """The other."""
    gap: int
    """Words from the first to the second, from 1; greater where stop words stand between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The question as proximity sees it."""

    idf: Mapping[str, float]
    """Inverse document frequency of each term, greater than 0."""
    pairs: tuple[Pair, ...]
    """Its neighbouring terms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closeness:
    """What proximity finds for one chunk; each in [0, 1]."""

    coverage: float
    """Share of the question's terms that the chunk has."""
    window: float
    """Share that it has within `WINDOW_WORDS` words."""
    phrases: float
    """Share of the question's neighbouring pairs that stand as neighbours, rare ones first."""


def wording(positions: Positions, idf: Mapping[str, float]) -> Wording:
    """Read the question's pairs from where its terms stand in it."""
    places = sorted((place, term) for term, at in positions.items() for place in at)
    pairs = tuple(
        Pair(first=first, second=second, gap=after - before)
        for (before, first), (after, second) in pairwise(places)
        if first != second and 0 < after - before <= PAIR_WORDS
    )
    return Wording(idf=dict(idf), pairs=pairs)


def closeness(question: Wording, chunks: Sequence[Positions]) -> list[Closeness]:
    """Compare the question with each candidate, in order.

    Args:
        question: The question's wording.
        chunks: For each candidate, where the question's terms stand in it.
    """
    adjacent = [_adjacent(question.pairs, chunk) for chunk in chunks]
    holders = Counter(index for found in adjacent for index in found)
    rarity = [log(1 + len(chunks) / (1 + holders[index])) for index in range(len(question.pairs))]
    possible = sum(rarity)
    total = sum(question.idf.values())
    return [
        Closeness(
            coverage=_share(sum(question.idf.get(term, 0.0) for term in chunk), total),
            window=_share(_best_window(question.idf, chunk), total),
            phrases=_share(sum(rarity[index] for index in found), possible),
        )
        for chunk, found in zip(chunks, adjacent, strict=True)
    ]


def _share(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole > 0 else 0.0


def _adjacent(pairs: Sequence[Pair], chunk: Positions) -> list[int]:
    """Return the indexes of pairs that stand next to each other, or as far apart as asked."""
    found: list[int] = []
    for index, pair in enumerate(pairs):
        first, second = chunk.get(pair.first), chunk.get(pair.second)
        if first and second:
            after = set(second)
            if any(place + 1 in after or place + pair.gap in after for place in first):
                found.append(index)
    return found


def _best_window(idf: Mapping[str, float], chunk: Positions) -> float:
    """Return the greatest sum of idf of different terms within `WINDOW_WORDS` words."""
    places = sorted((place, term) for term, at in chunk.items() for place in at)
    if not places or places[-1][0] - places[0][0] <= WINDOW_WORDS:
        return sum(idf.get(term, 0.0) for term in chunk)
    held: dict[str, int] = {}
    start = 0
    best = current = 0.0
    for place, term in places:
        held[term] = held.get(term, 0) + 1
        if held[term] == 1:
            current += idf.get(term, 0.0)
        while places[start][0] < place - WINDOW_WORDS:
            left = places[start][1]
            start += 1
            held[left] -= 1
            if held[left] == 0:
                current -= idf.get(left, 0.0)
        best = max(best, current)
    return best


K1 = 0.9
B = 0.6
"""As tuned for short legal passages (ObliQA dev); Anserini's defaults are .9 and .4."""
HEADING_WEIGHT = 0.2
"""R@10 .776 to .778 on ObliQA dev, at .2; headings in the text itself lose."""
CONFIGURATION = "english"
"""Text search configuration of Postgres: its parser keeps rule numbers ("4.15.12") whole."""
MAX_TERMS = 1_000
"""Terms of one chunk: what pgvector's HNSW takes, and what fits a row stored inline."""
MEAN_DRIFT = 0.1
"""Share by which the mean length may change before all chunks are weighed again."""

PLAIN_FROM = "/\u2018\u2019\u201b\u201c\u201d\u2013\u2014"
PLAIN_TO = " '''\"\"  "
"""For `translate(text, PLAIN_FROM, PLAIN_TO)`: to Postgres' parser "and/or" is a file name, and
typographic quotes and dashes are parts of words."""


def plain(text: str) -> str:
    """Return a text with the characters that mislead the parser, or that it refuses, made plain."""
    return text.translate(str.maketrans(f"{PLAIN_FROM}\0", f"{PLAIN_TO} "))


def highest_score(idf_sum: float) -> float:
    """Return the score of a chunk whose text had every term of the question without end."""
    return (K1 + 1) * idf_sum


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
