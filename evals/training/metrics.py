"""Figures of scored pairs: which text, whether any at all; with bootstrap intervals.

Without torch and without the product.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import log

import numpy as np
from numpy.typing import ArrayLike

DRAWS = 1_000
"""Of the bootstrap."""


def auroc(right: ArrayLike, wrong: ArrayLike) -> float:
    """Return how often a right one scores above a wrong one; equal scores count a half."""
    good, bad = np.asarray(right, dtype=float), np.sort(np.asarray(wrong, dtype=float))
    below = np.searchsorted(bad, good, side="left") + np.searchsorted(bad, good, side="right")
    return float(below.sum() / (2 * len(good) * len(bad)))


def tpr_at(right: ArrayLike, wrong: ArrayLike, share: float = 0.10) -> float:
    """Return the share of right ones above the score that this share of wrong ones exceeds."""
    limit = np.quantile(np.asarray(wrong, dtype=float), 1 - share)
    return float((np.asarray(right, dtype=float) > limit).mean())


def interval(
    samples: Sequence[ArrayLike], measure: Callable[..., float], *, seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a measure of independent samples."""
    chooser = np.random.default_rng(seed)
    arrays = [np.asarray(sample, dtype=float) for sample in samples]
    found = [
        measure(*(array[chooser.integers(0, len(array), len(array))] for array in arrays))
        for _ in range(DRAWS)
    ]
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def blended(logits: Sequence[float], *, weight: float, depth: int) -> list[int]:
    """Return places ordered by ``weight * logit - ln(rank)``; those from `depth` on stay behind."""
    scores = [weight * logit - log(rank) for rank, logit in enumerate(logits[:depth], start=1)]
    ranked = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    return [*ranked, *range(len(scores), len(logits))]


class Bm25:
    """BM25 over a table of texts, to be compared with."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Count the words of all texts."""
        self._words = [words(text) for text in texts]
        holders = Counter(word for found in self._words for word in set(found))
        self._idf = {
            word: log(1 + (len(texts) - count + 0.5) / (count + 0.5))
            for word, count in holders.items()
        }
        self._mean = max(1.0, sum(map(len, self._words)) / max(1, len(texts)))

    def score(self, question: str, number: int) -> float:
        """Return the score of a text of the table."""
        counts = Counter(self._words[number])
        norm = 1.2 * (0.25 + 0.75 * len(self._words[number]) / self._mean)
        return sum(
            self._idf[word] * counts[word] * 2.2 / (counts[word] + norm)
            for word in set(words(question))
            if word in counts
        )


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return re.findall(r"[a-z0-9]+", text.lower())
