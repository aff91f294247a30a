"""Retries of calls to outside services: which failures, after what pause, and until when."""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from core.domain.errors import TransientError

_T = TypeVar("_T")


class RetryableError(TransientError):
    """An attempt failed in a way that may pass."""

    def __init__(self, message: str, *, after_s: float | None = None) -> None:
        """`after_s` is how long the service asks to wait; None: it does not say."""
        super().__init__(message)
        self.after_s = after_s


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """Repeats what fails with a `RetryableError`, within a deadline."""

    backoff: Backoff
    """How often, and after what pauses."""
    monotonic_s: Callable[[], float]
    """Seconds of the clock of the deadline."""
    sleep: Callable[[float], Awaitable[None]]
    """Waits for seconds."""
    share: Callable[[], float]
    """A random number in [0, 1), see `Backoff.pause_s`."""

    async def run(self, attempt: Callable[[int, float], Awaitable[_T]], *, ends_s: float) -> _T:
        """Return what the first attempt returns that does not fail.

        Args:
            attempt: Is given its number, from 1, and the seconds left until the deadline.
            ends_s: The deadline, by the clock.

        Raises:
            RetryableError: Of the last attempt.
        """
        number = 1
        while True:
            try:
                return await attempt(number, ends_s - self.monotonic_s())
            except RetryableError as failed:
                pause_s = self.backoff.pause_s(
                    attempt=number,
                    share=self.share(),
                    asked_s=failed.after_s,
                    left_s=ends_s - self.monotonic_s(),
                )
                if pause_s is None:
                    raise
            await self.sleep(pause_s)
            number += 1


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
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max(0.0, (at - now).total_seconds())
    except (ValueError, OverflowError):
        return None
