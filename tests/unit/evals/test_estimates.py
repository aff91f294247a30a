"""Estimates, on numbers whose results are known."""

import pytest

from evals.measuring.estimates import bootstrap, correlation, kappa, proportion


def test_a_proportion_has_wilsons_interval() -> None:
    """8 of 10, as in Newcombe 1998: .490 to .943; of nothing there is none."""
    found = proportion(8, 10)
    assert found is not None
    assert (found.value, round(found.low, 3), round(found.high, 3)) == (0.8, 0.49, 0.943)
    assert proportion(0, 0) is None
    all_of_them = proportion(5, 5)
    assert all_of_them is not None
    assert all_of_them.high == pytest.approx(1.0)


def test_a_correlation_needs_numbers_that_vary() -> None:
    """A straight line is 1; what never varies has none."""
    assert correlation([0.1, 0.2, 0.3], [1.0, 2.0, 3.0]) == pytest.approx(1.0)
    assert correlation([0.1, 0.1], [0.0, 1.0]) is None
    assert correlation([], []) is None


def test_agreement_is_counted_beyond_chance() -> None:
    """Cohen's example: 35 of 50 agree, half of it by chance, kappa .4."""
    one = [True] * 25 + [False] * 25
    other = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15
    assert kappa(one, other) == pytest.approx(0.4)
    assert kappa([True], [True]) is None
    assert kappa([], []) is None


def test_an_interval_holds_the_mean_and_repeats() -> None:
    """The same seed, the same ends; another one, others; sure numbers, no width."""
    sample = [[0.0]] * 40 + [[1.0]] * 60
    found = bootstrap([sample], lambda means: means[0][..., 0])
    assert found is not None
    assert found.value == pytest.approx(0.6)
    assert 0.48 < found.low < 0.53
    assert 0.67 < found.high < 0.72
    assert bootstrap([sample], lambda means: means[0][..., 0]) == found
    few = bootstrap([sample], lambda means: means[0][..., 0], resamples=25)
    assert bootstrap([sample], lambda means: means[0][..., 0], resamples=25, seed=1) != few
    sure = bootstrap([[[1.0]] * 5], lambda means: means[0][..., 0])
    assert sure is not None
    assert (sure.low, sure.high) == (1.0, 1.0)


def test_what_can_not_be_divided_has_no_interval() -> None:
    """Nothing over nothing is no rate; an empty sample is none either."""
    none = [[0.0, 0.0]] * 5
    assert bootstrap([none], lambda means: means[0][..., 0] / means[0][..., 1]) is None
    assert bootstrap([[[1.0]], []], lambda means: means[0][..., 0]) is None
