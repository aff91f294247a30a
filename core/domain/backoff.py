"""How long to wait before trying again, and whether it is worth it: pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Growing, random pauses: callers that failed together do not come back together."""

    attempts: int = 3
    """Of one call at most, the first among them; from 1."""
    first_s: float = 0.5
    """Longest pause after the first attempt, in seconds."""
    longest_s: float = 8.0
    """Longest pause at all."""
    shortest_attempt_s: float = 1.0
    """An attempt that would have less time than this is not made."""

    def pause_s(
        self, *, attempt: int, share: float, asked_s: float | None, left_s: float
    ) -> float | None:
        """Return how long to wait after a failed attempt; None: give up now.

        Args:
            attempt: Which one failed, from 1.
            share: A random number in [0, 1): where between half and all of the pause to be.
            asked_s: What the service asks for; None if it says nothing. Never shortened.
            left_s: Seconds until the deadline.
        """
        if attempt >= self.attempts:
            return None
        pause_s = asked_s
        if pause_s is None:
            bound_s = min(self.longest_s, self.first_s * 2 ** min(attempt - 1, 30))
            pause_s = bound_s * (1 + share) / 2
        return pause_s if pause_s + self.shortest_attempt_s <= left_s else None


def retry_after_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Return the seconds that a service asks to wait; None if it says nothing usable.

    `retry-after-ms` goes before `Retry-After` (RFC 9110, 10.2.3): seconds or a date.

    Args:
        headers: Of the reply, looked up without regard to case by what holds them.
        now: The present instant, aware.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        at = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - now).total_seconds())
