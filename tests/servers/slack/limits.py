"""How often: buckets per method, and per channel for messages."""

import math
from dataclasses import dataclass, field

from tests.servers.slack.clock import Clock
from tests.servers.slack.scopes import RULES, TIERS
from tests.servers.slack.wire import RateLimitedError


@dataclass(slots=True)
class _Bucket:
    size: float
    per_s: float
    level: float
    at: float

    def take(self, now: float) -> float:
        """Take one, or return in how many seconds there will be one."""
        self.level = min(self.size, self.level + max(0.0, now - self.at) * self.per_s)
        self.at = now
        if self.level >= 1.0:
            self.level -= 1.0
            return 0.0
        return (1.0 - self.level) / self.per_s


@dataclass(slots=True, kw_only=True)
class Limits:
    """The rate limits of one workspace."""

    clock: Clock
    on: bool = True
    post_burst: float = 3.0
    """Messages that a channel takes at once before one a second holds; 1: none beyond that."""
    cut_history: bool = False
    """True: apps sold outside the Marketplace read threads once a minute, 15 messages each."""
    refused: int = 0
    """Calls that were answered 429."""
    _buckets: dict[str, _Bucket] = field(default_factory=dict[str, _Bucket])

    def check(self, method: str, channel: str) -> None:
        """Count a call.

        Raises:
            RateLimitedError: It is one too many.
        """
        if not self.on:
            return
        a_minute = TIERS[RULES[method].tier]
        if self.cut_history and method in {"conversations.history", "conversations.replies"}:
            a_minute = 1
        waits = [self._wait(method, size=a_minute, per_s=a_minute / 60)]
        if method in {"chat.postMessage", "chat.postEphemeral"}:
            waits.append(self._wait(f"{method} {channel}", size=self.post_burst, per_s=1.0))
        if max(waits) > 0.0:
            self.refused += 1
            raise RateLimitedError(max(1, math.ceil(max(waits))))

    def reset(self) -> None:
        """Forget what was called: as after a minute of silence."""
        self._buckets.clear()

    def _wait(self, key: str, *, size: float, per_s: float) -> float:
        now = self.clock.now()
        bucket = self._buckets.setdefault(key, _Bucket(size, per_s, size, now))
        return bucket.take(now)
