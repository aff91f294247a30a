"""Officers review a sample, and what they find of it holds for all answers."""

import random
import uuid

import pytest

from core.confidence.drift import MOVED, drift, spread_of, stability_index
from core.confidence.sampling import LESS_SURE, SHARE, chance, draw, estimate, inclusion
from core.domain.answer import Badge


def answers(count: int, seed: int) -> list[tuple[str, Badge, bool]]:
    """Return answers with badge and truth: High ones are right more often."""
    chosen = random.Random(seed)  # noqa: S311  # no secret
    found: list[tuple[str, Badge, bool]] = []
    for _ in range(count):
        badge = Badge.HIGH if chosen.random() < 0.6 else Badge.MEDIUM
        is_right = chosen.random() < (0.97 if badge is Badge.HIGH else 0.75)
        answer_id = str(uuid.UUID(int=chosen.getrandbits(128)))
        found.append((answer_id, badge, is_right))
    return found


def test_a_sample_says_what_holds_for_all() -> None:
    """Weighted by the inverse probability the mean error is 0; unweighted it is far from it."""
    gaps: list[float] = []
    plain: list[float] = []
    for seed in range(60):
        all_of_them = answers(2_000, seed)
        truth = sum(right for _, _, right in all_of_them) / len(all_of_them)
        reviewed = [
            (right, found)
            for answer_id, badge, right in all_of_them
            if (found := chance(answer_id, badge)) is not None
        ]
        weighted = estimate(reviewed)
        assert weighted is not None
        gaps.append(weighted - truth)
        plain.append(sum(right for right, _ in reviewed) / len(reviewed) - truth)
    assert abs(sum(gaps) / len(gaps)) < 0.008
    assert sum(plain) / len(plain) < -0.05


def test_whoever_stops_early_has_a_sample_of_the_same_kind() -> None:
    """The first half of the queue, in the order of the draw, says the same."""
    gaps: list[float] = []
    for seed in range(60):
        all_of_them = answers(2_000, seed)
        truth = sum(right for _, _, right in all_of_them) / len(all_of_them)
        queue = sorted(
            (draw(answer_id) / inclusion(badge), right, inclusion(badge))
            for answer_id, badge, right in all_of_them
            if chance(answer_id, badge) is not None
        )
        found = estimate([(right, share) for _, right, share in queue[: len(queue) // 2]])
        assert found is not None
        gaps.append(found - truth)
    assert abs(sum(gaps) / len(gaps)) < 0.01


def test_the_draw_is_even_and_known() -> None:
    """Each answer has its number for good; the numbers fill [0, 1) evenly."""
    ids = [str(uuid.UUID(int=number)) for number in range(4_000)]
    assert draw(ids[0]) == draw(ids[0])
    assert sum(map(draw, ids)) / len(ids) == pytest.approx(0.5, abs=0.02)
    assert sum(chance(one, Badge.HIGH) is not None for one in ids) == pytest.approx(200, abs=45)
    assert inclusion(Badge.HIGH) == SHARE
    assert inclusion(Badge.MEDIUM) == inclusion(None) == LESS_SURE
    assert estimate([]) is None


def test_what_moved_is_seen() -> None:
    """The same distribution shows no drift, another one does, and few answers say nothing."""
    chosen = random.Random(4)  # noqa: S311  # no secret
    then = spread_of([chosen.random() for _ in range(500)])
    same = [chosen.random() for _ in range(300)]
    lower = [chosen.random() ** 3 for _ in range(300)]
    assert stability_index(then, same) < 0.1
    assert stability_index(then, lower) > MOVED
    found = drift(
        {"a": then, "b": then}, [{"a": low, "b": one} for low, one in zip(lower, same, strict=True)]
    )
    assert found is not None
    assert list(found) == ["a", "b"]
    assert drift({"a": then}, [{"a": 0.5}] * 99) is None
    constant = spread_of([1.0] * 50)
    assert stability_index(constant, [1.0] * 200) == 0.0
