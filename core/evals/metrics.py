"""Measures of a ranking against labelled passages. Names and definitions are those of the field.

- recall@k: found gold in the first k, divided by all gold.
- MAP@k: mean over questions of average precision: the sum of the precision at each relevant rank up
  to k, divided by all gold (not by what k can hold).
- all_gold@k: share of questions whose gold is all in the first k.
"""

from collections.abc import Collection, Hashable, Sequence
from math import ceil


def recall_at(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float:
    """Return the share of gold in the first `k`. `gold` is not empty, nothing is twice."""
    return sum(item in gold for item in ranking[:k]) / len(gold)


def average_precision_at(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> float:
    """Return the average precision of the first `k`. `gold` is not empty, nothing is twice."""
    found = 0
    total = 0.0
    for place, item in enumerate(ranking[:k], start=1):
        if item in gold:
            found += 1
            total += found / place
    return total / len(gold)


def has_all_at(ranking: Sequence[Hashable], gold: Collection[Hashable], k: int) -> bool:
    """Say whether all gold is in the first `k`."""
    return set(gold) <= set(ranking[:k])


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of all do not exceed (nearest rank)."""
    if not values:
        return 0.0
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]
