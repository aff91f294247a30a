"""How good probabilities are, by known values, and what a guarantee holds."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.measuring.probabilities import (
    Scored,
    at_most,
    auroc,
    brier,
    calibration_error,
    error_by_chance,
    guaranteed,
    thinned,
    upper_bound,
)


def scored(*pairs: tuple[float, bool], weight: float = 1.0) -> list[Scored]:
    return [Scored(probability=p, is_right=right, weight=weight) for p, right in pairs]


def drawn(count: int, seed: int, *, exponent: float = 1.0) -> list[Scored]:
    """Return answers that are right as often as their probability, to a power, says."""
    chance = random.Random(seed)  # noqa: S311  # no secret
    found = (chance.random() ** 0.3 for _ in range(count))
    return [Scored(probability=p, is_right=chance.random() < p**exponent) for p in found]


@pytest.mark.parametrize(
    ("wrong", "answered", "bound"), [(0, 59, 0.0495), (3, 153, 0.0499), (5, 100, 0.1022)]
)
def test_the_exact_upper_bound(wrong: int, answered: int, bound: float) -> None:
    """Clopper and Pearson's, one-sided at 95 %, as tables have it."""
    assert upper_bound(wrong, answered) == pytest.approx(bound, abs=1e-4)
    assert at_most(wrong, answered, upper_bound(wrong, answered)) == pytest.approx(0.05)


def test_bounds_where_there_is_nothing_to_count() -> None:
    """Nothing, or nothing but failures, promises nothing."""
    assert upper_bound(0, 0) == 1.0
    assert upper_bound(4, 4) == 1.0
    assert at_most(0, 10, 0.0) == 1.0
    assert at_most(3, 10, 1.0) == 0.0


def test_the_gap_between_probability_and_truth() -> None:
    """Two bins of two: .9 against 1, .2 against .5."""
    found = scored((0.9, True), (0.9, True), (0.2, True), (0.2, False))
    assert calibration_error(found, bins=2) == pytest.approx((0.1 + 0.3) / 2)
    assert brier(found) == pytest.approx((0.01 + 0.01 + 0.64 + 0.04) / 4)


def test_the_area_counts_ties_half() -> None:
    """Of four pairs two are in order, one is tied, one is not."""
    found = scored((0.9, True), (0.5, True), (0.5, False), (0.7, False))
    assert auroc(found) == pytest.approx((2 + 0.5) / 4)
    assert auroc(scored((0.9, True))) is None


def test_a_weight_stands_for_as_many_answers() -> None:
    """One label of weight three is three labels."""
    heavy = [*scored((0.8, False), weight=3.0), *scored((0.9, True), (0.3, True))]
    many = [*scored((0.8, False)) * 3, *scored((0.9, True), (0.3, True))]
    assert brier(heavy) == pytest.approx(brier(many))
    assert auroc(heavy) == auroc(many)
    assert calibration_error(heavy, bins=1) == pytest.approx(calibration_error(many, bins=1))


def test_a_perfect_calibration_shows_little_error() -> None:
    """What chance leaves with bins of eighty is below what would be called an error."""
    assert calibration_error(drawn(4_000, 3)) < 0.03
    assert calibration_error(drawn(4_000, 3, exponent=3)) > 0.08


def test_chance_alone_shows_an_error_that_is_told() -> None:
    """Half of exact probabilities show more than it, inexact ones nearly always."""
    above = [calibration_error(one) > error_by_chance(one) for one in _exact(exponent=1.0)]
    assert 10 <= sum(above) <= 30
    above = [calibration_error(one) > error_by_chance(one) for one in _exact(exponent=3.0)]
    assert sum(above) >= 38
    assert error_by_chance(drawn(4_000, 3)) < error_by_chance(drawn(150, 3)) < 0.08
    assert error_by_chance([]) == 0.0
    assert error_by_chance(scored((1.0, True), (0.0, False))) == 0.0


def _exact(*, exponent: float) -> list[list[Scored]]:
    return [drawn(150, seed, exponent=exponent) for seed in range(40)]


def broken(samples: Sequence[int], *, budget: float, untested: bool = False) -> int:
    """Count the samples whose threshold lets more wrong answers through than was promised."""
    exceeded = 0
    for seed in samples:
        sample = drawn(300, seed)
        held = guaranteed(sample, budget=budget)
        threshold = 0.85 if untested else held.threshold
        # Above t, of probabilities u^.3, the mean of 1 - p is known.
        if threshold <= 1:
            share = 1 - threshold ** (1 / 0.3)
            right = (1 - threshold ** (1 / 0.3 + 1)) / 1.3
            exceeded += 1 - right / share > budget
    return exceeded


def test_a_guarantee_is_broken_as_rarely_as_it_says() -> None:
    """Of 400 samples of 300 labels, at most 5 % lead to a threshold that breaks its promise."""
    assert broken(range(400), budget=0.1) <= 20
    assert broken(range(5), budget=0.05, untested=True) == 5


def test_what_can_not_be_promised_is_not() -> None:
    """Too few labels, or too many wrong ones among the surest, open nothing."""
    assert guaranteed(scored(*[(0.99, True)] * 50)).threshold > 1
    assert guaranteed(scored(*[(0.99, True), (0.99, False)] * 200)).threshold > 1
    assert guaranteed([]).answered == 0
    sure = guaranteed(scored(*[(0.99, True)] * 400))
    assert (sure.threshold, sure.coverage, sure.wrong) == (0.99, 1.0, 0)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60), st.integers(1, 15))
def test_figures_stay_in_their_range(pairs: list[tuple[float, bool]], bins: int) -> None:
    """Whatever the labels, none is below 0 or above 1."""
    found = scored(*pairs)
    assert 0 <= calibration_error(found, bins=bins) <= 1
    assert 0 <= brier(found) <= 1
    area = auroc(found)
    assert area is None or 0 <= area <= 1


def test_a_thinned_sample_is_an_even_one() -> None:
    """Of answers that stand for four each all are kept, of others a quarter."""
    heavy, light = scored((0.9, True), weight=4.0) * 400, scored((0.1, False)) * 400
    kept = thinned([*heavy, *light])
    right = sum(one.is_right for one in kept)
    assert right == 400
    assert 70 <= len(kept) - right <= 130
    assert {one.weight for one in kept} == {1.0}
