"""How good probabilities are, and how much may be answered within an error budget.

Expected calibration error over bins of equal mass, Brier score and AUROC by their usual
definitions. What is guaranteed is by fixed-sequence testing of exact binomial bounds: see
`guaranteed`.
"""

import math
import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from core.domain.json_value import Json

IN_BIN = 80
"""Labels in a bin of the calibration error, about: with fewer, chance alone looks like an error.
A perfect calibration of 400 labels in bins of 40 would show .04."""
FEWEST_BINS, MOST_BINS = 5, 15
DRAWS, SEED = 201, 1
"""Draws of what chance alone shows, and where they begin."""
BUDGET = 0.05
"""Share of answers that may be wrong."""
RISK = 0.05
"""Probability with which the promise of a budget may be broken."""
STEPS = 20
"""Thresholds that are tried, each with a further twentieth of all questions above it."""
FIRST = 3
"""The first threshold is that from which so many wrong answers are still within the promise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One answer with the probability it was given and what was found of it."""

    probability: float
    """That it is right, in [0, 1]."""
    is_right: bool
    """Whether it is."""
    weight: float = 1.0
    """How many answers it stands for: one divided by the probability with which it was chosen."""
    source: str = ""
    """Who said whether it is right; see `LabelSource`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """A threshold, and what it promises."""

    threshold: float
    """Probability from which is answered; above 1 if nothing can be promised."""
    coverage: float
    """Share of all questions that are answered, in [0, 1]."""
    wrong: int
    """Answers among those that the promise was drawn from that are wrong."""
    answered: int
    """All of those."""
    budget: float
    """Share of wrong answers that it promises not to exceed."""
    risk: float
    """Probability, over samples, with which it may be exceeded."""


def calibration_error(scored: Sequence[Scored], *, bins: int | None = None) -> float:
    """Return the mean gap between probability and share of right ones, over bins of equal mass."""
    found, total = bins_of(scored, bins=bins), sum(one.weight for one in scored)
    gap = sum(abs(one.right - one.expected) * one.weight for one in found)
    return gap / total if total else 0.0


def error_by_chance(scored: Sequence[Scored], *, bins: int | None = None) -> float:
    """Return the calibration error that the same probabilities show by chance if they are exact.

    The median over draws of what is right, each with its own probability. The gaps are absolute, so
    an error above 0 says nothing alone: Roelofs et al., Mitigating Bias in Calibration Error
    Estimation (2022).
    """
    parts, drawn = _bins(scored, bins or _bins_for(scored)), random.Random(SEED)
    total = sum(one.weight for one in scored)
    errors = sorted(
        sum(
            abs(sum(one.weight * ((drawn.random() < one.probability) - one.probability)
                    for one in part))
            for part in parts
        )
        for _ in range(DRAWS)
    )  # fmt: skip
    return errors[DRAWS // 2] / total if total else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """Answers of nearly one probability, and how many of them were right."""

    labels: int
    """Answers in it."""
    weight: float
    """How many answers they stand for."""
    expected: float
    """Their mean probability, in [0, 1]."""
    right: float
    """The share that was right, in [0, 1]."""


def bins_of(scored: Sequence[Scored], *, bins: int | None = None) -> list[CalibrationBin]:
    """Return the scored in bins of equal mass, the least probable first."""
    found: list[CalibrationBin] = []
    for part in _bins(scored, bins or _bins_for(scored)):
        weight = sum(one.weight for one in part)
        found.append(
            CalibrationBin(
                labels=len(part),
                weight=weight,
                expected=sum(one.weight * one.probability for one in part) / weight,
                right=sum(one.weight * one.is_right for one in part) / weight,
            )
        )
    return found


def _bins_for(scored: Sequence[Scored]) -> int:
    return max(FEWEST_BINS, min(MOST_BINS, len(scored) // IN_BIN))


def _bins(scored: Sequence[Scored], count: int) -> list[list[Scored]]:
    """Return the scored by probability, in parts of about the same weight."""
    ordered = sorted(scored, key=lambda one: one.probability)
    total, passed = sum(one.weight for one in ordered), 0.0
    parts: list[list[Scored]] = [[] for _ in range(count)]
    for one in ordered:
        middle = passed + one.weight / 2
        parts[min(count - 1, int(middle / total * count))].append(one)
        passed += one.weight
    return [part for part in parts if part]


def brier(scored: Sequence[Scored]) -> float:
    """Return the mean squared difference between probability and what was found."""
    total = sum(one.weight for one in scored)
    squared = sum(one.weight * (one.probability - one.is_right) ** 2 for one in scored)
    return squared / total if total else 0.0


def auroc(scored: Sequence[Scored]) -> float | None:
    """Return how often a right one is above a wrong one, ties counted half.

    None if there are not both.
    """
    ordered = sorted(scored, key=lambda one: one.probability)
    right = sum(one.weight for one in ordered if one.is_right)
    wrong = sum(one.weight for one in ordered if not one.is_right)
    if not right or not wrong:
        return None
    above, below, place = 0.0, 0.0, 0
    while place < len(ordered):
        tied = [one for one in ordered[place:] if one.probability == ordered[place].probability]
        place += len(tied)
        tied_right = sum(one.weight for one in tied if one.is_right)
        tied_wrong = sum(one.weight for one in tied if not one.is_right)
        above += tied_right * (below + tied_wrong / 2)
        below += tied_wrong
    return above / (right * wrong)


def at_most(count: int, total: int, share: float) -> float:
    """Return the probability of `count` or fewer of `total` at a rate of `share`."""
    if share <= 0 or count >= total:
        return 1.0
    if share >= 1:
        return 0.0
    log_odds, term = math.log(share) - math.log1p(-share), total * math.log1p(-share)
    summed = math.exp(term)
    for number in range(1, count + 1):
        term += math.log(total - number + 1) - math.log(number) + log_odds
        summed += math.exp(term)
    return min(1.0, summed)


def upper_bound(count: int, total: int, *, risk: float = RISK) -> float:
    """Return the exact upper bound of a rate (Clopper and Pearson 1934), one-sided.

    The rate is above it with a probability of at most `risk`; 1 without a trial.
    """
    if count >= total:
        return 1.0
    low, high = count / total, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(count, total, middle) > risk else (low, middle)
    return high


def guaranteed(
    scored: Sequence[Scored], *, budget: float = BUDGET, risk: float = RISK
) -> Guarantee:
    """Return the lowest threshold above which at most `budget` of the answers are wrong.

    Thresholds are tested one after the other, from the strictest, each against the hypothesis that
    its error is above the budget (an exact binomial test); the first that is not rejected ends
    the sequence, and the one before it holds. Their order and number do not depend on the labels,
    so the whole sequence is wrong with a probability of at most `risk` (fixed-sequence testing,
    Angelopoulos et al. 2021, "Learn then Test"). Exact for a random sample: so only such labels
    may be given, whose weights are all the same.
    """
    ordered = sorted(scored, key=lambda one: -one.probability)
    held = Guarantee(threshold=1.01, coverage=0.0, wrong=0, answered=0, budget=budget, risk=risk)
    for answered in _steps(ordered, budget, risk):
        above = ordered[:answered]
        wrong = sum(not one.is_right for one in above)
        if at_most(wrong, answered, budget) > risk:
            break
        held = Guarantee(
            threshold=above[-1].probability,
            coverage=answered / len(ordered),
            wrong=wrong,
            answered=answered,
            budget=budget,
            risk=risk,
        )
    return held


def thinned(scored: Sequence[Scored], *, seed: int = 1) -> list[Scored]:
    """Return a part of a weighted sample in which each answer was equally likely to be.

    One that stands for half as many answers as the heaviest is kept with a probability of a half.
    """
    heaviest = max((one.weight for one in scored), default=1.0)
    chosen = random.Random(seed)  # a sample, no secret
    return [replace(one, weight=1.0) for one in scored if chosen.random() < one.weight / heaviest]


def _steps(ordered: Sequence[Scored], budget: float, risk: float) -> list[int]:
    """Return how many are answered at each threshold, ties together, the fewest first."""
    total = len(ordered)
    first = 1
    while first <= total and at_most(FIRST, first, budget) > risk:
        first += 1
    counts = {first, *(round(total * step / STEPS) for step in range(1, STEPS + 1))}
    ends = [
        place
        for place in range(1, total + 1)
        if place == total or ordered[place].probability != ordered[place - 1].probability
    ]
    wanted = (one for one in counts if first <= one <= total)
    return sorted({ends[bisect_left(ends, count)] for count in wanted})


def summary(scored: Sequence[Scored]) -> dict[str, Json]:
    """Return the figures of some labels.

    `labels`, `right`, `ece`, `ece_by_chance`, `brier`, `auroc`, `guarantee` and `bins` (see
    `bins_of`). What is promised is drawn from an even sample of them.
    """
    found = auroc(scored)
    return {
        "labels": len(scored),
        "right": sum(one.is_right for one in scored),
        "ece": round(calibration_error(scored), 4),
        "ece_by_chance": round(error_by_chance(scored), 4),
        "brier": round(brier(scored), 4),
        "auroc": None if found is None else round(found, 4),
        "guarantee": asdict(guaranteed(thinned(scored))),
        "bins": [
            {
                "labels": one.labels,
                "expected": round(one.expected, 4),
                "right": round(one.right, 4),
            }
            for one in bins_of(scored)
        ],
    }
