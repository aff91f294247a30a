import pytest

from evals.measuring.estimates import percentile
from evals.retrieval import average_precision_at, has_all_at, mean, recall_at


def test_recall_counts_found_gold() -> None:
    """One of two gold items in the first two: 1/2."""
    assert recall_at(["a", "x", "b"], {"a", "b"}, 2) == 0.5


def test_average_precision_divides_by_all_gold() -> None:
    """Gold at ranks 1 and 3 of three gold: (1/1 + 2/3) / 3 = 5/9."""
    assert average_precision_at(["a", "x", "b"], {"a", "b", "c"}, 10) == pytest.approx(5 / 9)
    assert average_precision_at(["x", "a"], {"a"}, 1) == 0.0


def test_all_gold_needs_all() -> None:
    """Both of two within k, or not."""
    assert has_all_at(["a", "x", "b"], {"a", "b"}, 3)
    assert not has_all_at(["a", "x", "b"], {"a", "b"}, 2)


def test_percentile_is_nearest_rank() -> None:
    """Of 1..100 the 99th percentile is 99; of nothing it is 0."""
    assert percentile([float(n) for n in range(1, 101)], 0.99) == 99
    assert percentile([3.0], 0.5) == 3.0
    assert percentile([], 0.5) == mean([]) == 0.0
