"""Whether what is asked today still looks like what a calibration was fitted on.

The population stability index of each feature, over the tenths of the fit: the sum of
(now - then) x ln(now / then). Below .1 nothing has changed, above .25 it is another population
(Siddiqi 2006). Few answers alone raise it, so what chance would give is taken off.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

PARTS = 10
"""Parts of about the same size in which the fit's values of a feature lie."""
MOVED = 0.25
"""Index from which a feature is of another population."""
LEAST = 100
"""Answers without which nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How the values of a feature were distributed."""

    bounds: tuple[float, ...]
    """Between the parts, rising; one fewer than shares."""
    shares: tuple[float, ...]
    """Of the labels in each part; they sum to 1."""


def spread_of(values: Sequence[float]) -> Spread:
    """Return how values are distributed; equal values are never parted."""
    ordered = sorted(values)
    bounds = sorted({ordered[len(ordered) * part // PARTS] for part in range(1, PARTS)})
    return Spread(bounds=tuple(bounds), shares=_shares(bounds, ordered))


def stability_index(then: Spread, values: Sequence[float]) -> float:
    """Return the index of today's values, less what chance would give; 0 or more."""
    now = _shares(then.bounds, values)
    least = 0.5 / len(values)
    index = sum(
        (max(today, least) - max(before, least)) * math.log(max(today, least) / max(before, least))
        for today, before in zip(now, then.shares, strict=True)
    )
    return max(0.0, index - (len(then.shares) - 1) / len(values))


def drift(
    then: Mapping[str, Spread], today: Sequence[Mapping[str, float]]
) -> Mapping[str, float] | None:
    """Return the index of each feature, that of the most changed one first.

    None: there are fewer than `LEAST` answers.
    """
    if len(today) < LEAST:
        return None
    found = {
        name: stability_index(spread, [features.get(name, 0.0) for features in today])
        for name, spread in then.items()
    }
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def moved(found: Mapping[str, float] | None) -> list[str]:
    """Return the features that are of another population than those of the fit."""
    return [name for name, index in (found or {}).items() if index >= MOVED]


def _shares(bounds: Sequence[float], values: Sequence[float]) -> tuple[float, ...]:
    counts = [0] * (len(bounds) + 1)
    for value in values:
        counts[bisect_right(bounds, value)] += 1
    return tuple(count / len(values) for count in counts)
