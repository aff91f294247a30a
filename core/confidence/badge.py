"""What a person sees of the calibrated confidence."""

from core.domain.answer import Badge

HIGH = 0.85
"""From here on High."""
MEDIUM = 0.5
"""From here on Medium; below it nothing is posted as an answer."""


def badge_of(calibrated: float, *, is_weakened: bool) -> Badge:
    """Return the badge.

    An answer with a dropped claim, a conflict in its evidence, or evidence searched for with less
    than there is, is never High.
    """
    if calibrated >= HIGH:
        return Badge.MEDIUM if is_weakened else Badge.HIGH
    return Badge.MEDIUM if calibrated >= MEDIUM else Badge.LOW
