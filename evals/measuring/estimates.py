"""Estimates from few numbers: percentiles, intervals, correlation, agreement."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, isnan, sqrt
from typing import Any

import numpy as np

RESAMPLES = 2_000
"""Of a bootstrap: the ends of a 95 % interval then move by about a twentieth of its width."""
SEED = 20_260_101
"""Of the bootstrap: the same results give the same interval."""
_Z = 1.959964
"""Of a 95 % interval."""
_AT_ONCE = 2_000_000
"""Places drawn together, which bounds the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An estimate with its 95 % interval."""

    value: float
    """The estimate."""
    low: float
    """Lower end."""
    high: float
    """Upper end."""


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of all do not exceed (nearest rank)."""
    if not values:
        return 0.0
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def proportion(count: int, of: int) -> Interval | None:
    """Return a share with Wilson's interval; None of nothing."""
    if not of:
        return None
    share = count / of
    middle = (share + _Z**2 / (2 * of)) / (1 + _Z**2 / of)
    half = _Z * sqrt(share * (1 - share) / of + _Z**2 / (4 * of**2)) / (1 + _Z**2 / of)
    return Interval(value=share, low=max(0.0, middle - half), high=min(1.0, middle + half))


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None where one of them is the same throughout."""
    if len(set(xs)) < 2 or len(set(ys)) < 2:  # two values vary
        return None
    return float(np.corrcoef(xs, ys)[0, 1])


def kappa(one: Sequence[bool], other: Sequence[bool]) -> float | None:
    """Return Cohen's kappa: the agreement of two graders beyond chance; None if none was left."""
    if not one:
        return None
    agreed = sum(a == b for a, b in zip(one, other, strict=True)) / len(one)
    first, second = sum(one) / len(one), sum(other) / len(other)
    by_chance = first * second + (1 - first) * (1 - second)
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def bootstrap(
    samples: Sequence[Sequence[Sequence[float]]],
    statistic: Callable[[Sequence[Any]], Any],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """Return a statistic of some samples with its percentile interval; None if it has no value.

    Each sample is drawn anew from itself (Efron and Tibshirani 1993, chapter 13). What belongs
    together, as the same question in two runs does, is one row of one sample.

    Args:
        samples: The rows of each, all of one length.
        statistic: Takes the means of each sample's columns, as an array whose last axis they are;
            what it can't compute is NaN.
        resamples: How often.
        seed: Of the draws: the same samples have the same interval.
    """
    if not all(samples):
        return None
    draws = np.random.default_rng(seed)
    rows = [np.asarray(sample, dtype=float) for sample in samples]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic([row.mean(0) for row in rows]))
        if isnan(value):
            return None
        drawn = statistic([_drawn_means(row, draws, resamples) for row in rows])
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return Interval(value=value, low=float(low), high=float(high))


def _drawn_means(rows: Any, draws: np.random.Generator, resamples: int) -> Any:
    """Return the means of the columns, for each resample: how often it has each distinct row."""
    distinct, found = np.unique(rows, axis=0, return_counts=True)
    count, size = len(rows), max(1, _AT_ONCE // len(distinct))
    parts = [min(size, resamples - done) for done in range(0, resamples, size)]
    times = [draws.multinomial(count, found / count, part) for part in parts]
    return np.concatenate([drawn @ distinct / count for drawn in times])
