"""A calibration is fitted on labels, never against what is known of a feature."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.confidence.calibration import calibrate, calibration_json, calibration_of
from core.confidence.label import AnswerLabel, LabelSource
from evals.measuring.fitting import (
    TooFewLabelsError,
    cross_fitted,
    fit,
    fitted_with_figures,
    hash_of,
)
from evals.measuring.probabilities import auroc, calibration_error


def labelled(
    count: int, *, seed: int = 1, groups: int = 20, source: LabelSource = LabelSource.RUN
) -> list[AnswerLabel]:
    """Return answers that are right the more often, the higher `a`; `b` says nothing, `c` lies."""
    chance = random.Random(seed)  # noqa: S311  # no secret
    found: list[AnswerLabel] = []
    for number in range(count):
        a, b = chance.random(), chance.random()
        is_right = chance.random() < calibrated_by(a)
        features = {"a": a, "b": b, "c": 1 - a}
        found.append(
            AnswerLabel(
                features=features, is_right=is_right, group=f"g{number % groups}", source=source
            )
        )
    return found


def calibrated_by(a: float) -> float:
    return 1 / (1 + 2.718281828 ** (3 - 8 * a))


def test_a_fit_finds_the_coefficients() -> None:
    """Of log-odds 8a - 3, from 4,000 labels."""
    found = fit(labelled(4_000), ["a"], name="test")
    assert found.weights["a"] == pytest.approx(8, abs=0.7)
    assert found.intercept == pytest.approx(-3, abs=0.4)
    assert not found.is_measured


def test_no_weight_is_negative() -> None:
    """A feature that would lower a probability by rising is left out."""
    found = fit(labelled(2_000), ["a", "b", "c"], name="test")
    assert "c" not in found.weights
    assert all(weight > 0 for weight in found.weights.values())


def test_a_heavier_label_counts_more() -> None:
    """Labels of weight two are fitted as if each stood there twice."""
    labels = labelled(400)
    heavy = [replace(one, weight=2.0 if one.is_right else 1.0) for one in labels]
    twice = [one for one in labels for _ in range(2 if one.is_right else 1)]
    assert calibrate({"a": 0.5}, fit(heavy, ["a"], name="x")) == pytest.approx(
        calibrate({"a": 0.5}, fit(twice, ["a"], name="y")), abs=0.01
    )


def test_whole_groups_are_held_out() -> None:
    """What a group repeats teaches nothing about itself: each memorises another number."""
    chance = random.Random(5)  # noqa: S311  # no secret
    labels: list[AnswerLabel] = []
    for group in range(30):
        is_right = chance.random() < 0.5
        features = {f"own{group}": 1.0}
        labels += [
            AnswerLabel(
                features=features, is_right=is_right, group=str(group), source=LabelSource.RUN
            )
        ] * 8
    names = [f"own{group}" for group in range(30)]
    area = auroc(cross_fitted(labels, names))
    assert area is not None
    assert area < 0.65


def test_too_few_labels_are_said() -> None:
    """Nothing is fitted on a handful, on one kind alone, or on one document."""
    with pytest.raises(TooFewLabelsError, match="at least 20 right and 20 wrong"):
        fit(labelled(30), ["a"], name="x")
    with pytest.raises(TooFewLabelsError, match="none can be held out"):
        cross_fitted([replace(one, group="one") for one in labelled(400)], ["a"])


def test_a_calibration_with_its_figures() -> None:
    """Figures by source, thresholds, spreads and a hash of the labels."""
    labels = [*labelled(900), *labelled(100, seed=2, source=LabelSource.PRESS)]
    found = fitted_with_figures(labels, ["a", "b"], name="own/1")
    assert set(found.figures) == {"all", "run", "press"}
    assert found.labels == {"run": 900, "press": 100}
    assert found.calibration.is_measured
    assert found.calibration.data_hash == hash_of(reversed_(labels))
    assert found.calibration.high_from >= 0.85
    assert 0.5 <= found.calibration.answer_from <= found.calibration.high_from
    assert set(found.spreads) == set(found.calibration.weights)
    again = calibration_of({**calibration_json(found.calibration), "later": 1})
    assert again == found.calibration


def reversed_(labels: Sequence[AnswerLabel]) -> list[AnswerLabel]:
    return list(reversed(labels))


def test_held_out_probabilities_are_calibrated() -> None:
    """What the fit says of groups that it has not seen comes true."""
    assert calibration_error(cross_fitted(labelled(4_000), ["a", "b"])) < 0.03
