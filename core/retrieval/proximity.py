"""How closely a chunk says what the question says: pure, after the candidates, before the ranking.

BM25 counts words wherever they stand. Policies repeat the same words in many rules, so what tells
two rules apart is which words stand together:

- coverage: how much of the question's words the chunk has at all;
- window: how much of them it has within one stretch of 50 words;
- phrases: how many pairs of neighbouring question words it has as neighbours too. A pair counts
  more the fewer of the candidates have it.

Each is a share in [0, 1], words weighted by their inverse document frequency (idf).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

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
