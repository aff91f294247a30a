"""Which answers officers are asked to review, so that what they find holds for all of them.

Each answer is drawn with a probability of its own: a share of all, and more of those that are less
sure, where there is more to learn. The draw follows from the answer's id alone, so that nobody can
choose, and the queue is in the order of the draw (sequential Poisson sampling, Ohlsson 1998):
whoever stops early has reviewed a sample of the same kind. Each verdict then counts for as many
answers as its probability says (Horvitz and Thompson 1952).

An answer that became a case is part of the sample if it was drawn, and of no figure if it was not:
people complain of what is wrong.
"""

import hashlib
from collections.abc import Sequence

from core.domain.answer import Badge

SHARE = 0.05
"""Of answers with a High badge."""
LESS_SURE = 0.25
"""Of Medium ones and closest passages."""
BYTES = 6
"""Of the hash of an answer's id, that make its draw."""


def inclusion(badge: Badge | None) -> float:
    """Return the probability with which an answer is reviewed; without a badge: closest passage."""
    return SHARE if badge is Badge.HIGH else LESS_SURE


def draw(answer_id: str) -> float:
    """Return a number in [0, 1): an answer is reviewed if it is below `inclusion`."""
    return int.from_bytes(hashlib.sha256(answer_id.encode()).digest()[:BYTES]) / 256**BYTES


def chance(answer_id: str, badge: Badge | None) -> float | None:
    """Return the probability with which an answer was drawn; None: it was not."""
    wanted = inclusion(badge)
    return wanted if draw(answer_id) < wanted else None


def estimate(found: Sequence[tuple[bool, float]]) -> float | None:
    """Return the share of right ones among all answers, from a sample of verdicts.

    Args:
        found: whether one is right, and the probability with which it was chosen, above 0.
    """
    total = sum(1 / one for _, one in found)
    return sum(1 / one for right, one in found if right) / total if total else None
