"""Fit a calibration: a logistic regression on labelled answers, whole groups held out for figures.

Weights are never negative: each feature is the better the higher, so that a probability never
falls because a feature rises, whatever the sample says. The fit is by Newton's method (iteratively
reweighted least squares) with a ridge on the weights, which a few hundred labels need.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from core.confidence.calibration import DEFAULT_OF_READER, Calibration, calibrate
from core.confidence.drift import Spread, spread_of
from core.confidence.label import AnswerLabel, LabelSource
from core.domain.json_value import Json
from evals.measuring.probabilities import Scored, guaranteed, summary, thinned

FEATURES: Mapping[bool, tuple[str, ...]] = {
    False: ("answers_odds", "whole", "lexical_rank", "dense_share"),
    True: (
        "judged_lowest",
        "faithfulness",
        "judged_relevance",
        "judged_completeness",
        "passed",
        "cited_relevance",
        "reported",
    ),
}
"""What a calibration may rest on, by whether a language model drafted."""
RIDGE = 2.0
"""Of standardised features: a weight of 1 counts as much as being surprised once by 37 %."""
FOLDS = 10
"""Parts that are held out in turn."""
STEPS = 60
"""Newton steps at most; ten are usual."""
CLOSE = 1e-8
"""Step of all standardised weights that ends it."""
HIGH_BUDGET, ANSWER_BUDGET = 0.05, 0.15
"""Shares of High answers, and of all, that may be wrong."""
FEWEST = 20
"""Labels of either kind without which nothing is fitted: less than that says nothing."""

Numbers: TypeAlias = npt.NDArray[np.float64]


class TooFewLabelsError(ValueError):
    """There are too few labels, or all of them say the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """Log-odds: an intercept and a weight for each column."""

    intercept: float
    weights: tuple[float, ...]


def logistic(rows: Numbers, right: Numbers, shares: Numbers, *, ridge: float = RIDGE) -> Logistic:
    """Return the regression of `right` (0 or 1) on `rows`, no weight below 0.

    A weight that comes out negative is dropped and the rest fitted again.

    Args:
        rows: a label a row, a feature a column.
        right: whether the answer was right.
        shares: how much each label counts.
        ridge: penalty on half of the squared weights of standardised features.
    """
    weights = np.zeros(rows.shape[1])
    used = [column for column in range(rows.shape[1]) if rows[:, column].std() > 0]
    while True:
        found, intercept = _newton(rows[:, used], right, shares, ridge=ridge)
        negative = [place for place, weight in enumerate(found) if weight < 0]
        if not negative:
            weights[used] = found
            return Logistic(intercept=intercept, weights=tuple(map(float, weights)))
        worst = min(negative, key=lambda place: float(found[place]))
        used.pop(worst)


def _newton(
    rows: Numbers, right: Numbers, shares: Numbers, *, ridge: float
) -> tuple[Numbers, float]:
    mean = np.average(rows, axis=0, weights=shares) if rows.shape[1] else np.zeros(0)
    spread = rows.std(axis=0)
    design = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    penalty = np.diag([ridge] * rows.shape[1] + [1e-6])
    beta = np.zeros(design.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        curved = (design * (shares * likely * (1 - likely))[:, None]).T @ design + penalty
        step = np.linalg.solve(curved, design.T @ (shares * (likely - right)) + penalty @ beta)
        beta = beta - step
        if float(np.abs(step).max()) < CLOSE:
            break
    weights = beta[:-1] / spread
    return weights, float(beta[-1] - weights @ mean)


def fit(labels: Sequence[AnswerLabel], features: Sequence[str], *, name: str) -> Calibration:
    """Return the calibration that fits labels best; what a label does not know counts as 0.

    Raises:
        TooFewLabelsError: There are fewer than `FEWEST` right or wrong ones.
    """
    right = sum(one.is_right for one in labels)
    if min(right, len(labels) - right) < FEWEST:
        raise TooFewLabelsError(
            f"expected at least {FEWEST} right and {FEWEST} wrong answers,"
            f" got {right} and {len(labels) - right}"
        )
    rows = np.array([[one.features.get(name, 0.0) for name in features] for one in labels])
    found = logistic(
        rows,
        np.array([float(one.is_right) for one in labels]),
        _shares(labels),
    )
    weights = {
        name: round(weight, 4)
        for name, weight in zip(features, found.weights, strict=True)
        if weight > 0
    }
    return Calibration(
        name=name, intercept=round(found.intercept, 4), weights=weights, is_measured=False
    )


def _shares(labels: Sequence[AnswerLabel]) -> Numbers:
    """Return how much each label counts: by its weight, on average 1."""
    weights = np.array([one.weight for one in labels])
    return weights / weights.mean()


def cross_fitted(labels: Sequence[AnswerLabel], features: Sequence[str]) -> list[Scored]:
    """Return each label with the probability by a fit that has not seen its group.

    Raises:
        TooFewLabelsError: See `fit`; also if all labels are of one group.
    """
    groups = sorted({one.group for one in labels})
    if len(groups) < 2:
        raise TooFewLabelsError(
            "all labels are of one document or conversation: none can be held out"
        )
    fold = {group: place % FOLDS for place, group in enumerate(sorted(groups, key=_scattered))}
    scored: list[Scored] = []
    for held_out in range(min(FOLDS, len(groups))):
        others = [one for one in labels if fold[one.group] != held_out]
        fitted = fit(others, features, name="")
        scored += [
            Scored(
                probability=calibrate(one.features, fitted),
                is_right=one.is_right,
                weight=one.weight,
                source=one.source,
            )
            for one in labels
            if fold[one.group] == held_out
        ]
    return scored


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A calibration, and how good one like it is on what it has not seen."""

    calibration: Calibration
    """Fitted on all labels."""
    figures: Mapping[str, Mapping[str, Json]]
    """See `evals.measuring.probabilities.summary`, whole groups held out: by source, and `all`."""
    spreads: Mapping[str, Spread]
    """How the features that it uses were distributed."""
    labels: Mapping[str, int]
    """How many there were, by source."""


def fitted_with_figures(
    labels: Sequence[AnswerLabel], features: Sequence[str], *, name: str
) -> Fitted:
    """Fit, measure with groups held out, and choose thresholds for the error budgets.

    Thresholds come from labels that were not chosen by whoever gave them.

    Raises:
        TooFewLabelsError: See `cross_fitted`.
    """
    scored = cross_fitted(labels, features)
    calibration = fit(labels, features, name=name)
    sampled = thinned([one for one in scored if one.source != LabelSource.PRESS])
    sources = Counter(one.source.value for one in labels)
    return Fitted(
        calibration=replace(
            calibration,
            is_measured=True,
            data_hash=hash_of(labels),
            **_thresholds(calibration, sampled),
        ),
        figures={
            "all": summary(scored),
            **{name: summary([one for one in scored if one.source == name]) for name in sources},
        },
        spreads={
            name: spread_of([one.features.get(name, 0.0) for one in labels])
            for name in calibration.weights
        },
        labels=dict(sources),
    )


def _thresholds(calibration: Calibration, scored: Sequence[Scored]) -> dict[str, float]:
    """Return from which probability on an answer is High, and given at all.

    Neither is below its default, so that a badge never promises more than it says.
    """
    high = guaranteed(scored, budget=HIGH_BUDGET).threshold
    answered = guaranteed(scored, budget=ANSWER_BUDGET).threshold
    return {
        "high_from": round(max(calibration.high_from, high), 4),
        "answer_from": round(max(calibration.answer_from, min(answered, high)), 4),
        "closest_from": DEFAULT_OF_READER.closest_from,
        "asked_from": DEFAULT_OF_READER.asked_from,
        "urgent_from": DEFAULT_OF_READER.urgent_from,
    }


def hash_of(labels: Sequence[AnswerLabel]) -> str:
    """Return SHA-256 of labels, whatever their order, in hex."""
    lines = sorted(
        json.dumps([dict(one.features), one.is_right, one.group, one.source], sort_keys=True)
        for one in labels
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _scattered(group: str) -> str:
    return hashlib.sha256(group.encode()).hexdigest()
