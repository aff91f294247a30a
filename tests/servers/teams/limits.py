"""How often: windows per conversation and kind of call (platforms, 3.9)."""

import math
from collections import deque
from dataclasses import dataclass, field

from tests.servers.slack.clock import Clock
from tests.servers.teams.wire import RefusedError

WINDOWS = ((7, 1.0), (8, 2.0), (60, 30.0), (1_800, 3_600.0))
"""Calls and seconds, of one conversation; of members twice as many."""
OF_TENANT = (30, 1.0)
FAMILY = {
    "post": "send",
    "reply": "send",
    "update": "send",
    "delete": "send",
    "create": "create",
    "members": "members",
}


@dataclass(slots=True, kw_only=True)
class Limits:
    """The rate limits of one bot."""

    clock: Clock
    on: bool = True
    refused: int = 0
    """Calls that were answered 429."""
    _calls: dict[tuple[str, str], deque[float]] = field(
        default_factory=dict[tuple[str, str], "deque[float]"]
    )

    def check(self, call: str, conversation: str) -> None:
        """Count a call.

        Raises:
            RefusedError: It is one too many.
        """
        if not self.on:
            return
        family, now = FAMILY[call], self.clock.now()
        factor = 2 if family == "members" else 1
        windows = [(size * factor, seconds) for size, seconds in WINDOWS]
        places = [((family, conversation), windows), (("all", ""), [OF_TENANT])]
        for key, sizes in places:
            calls = self._calls.setdefault(key, deque())
            while calls and now - calls[0] >= sizes[-1][1]:
                calls.popleft()
            for size, seconds in sizes:
                recent = [one for one in calls if now - one < seconds]
                if len(recent) >= size:
                    self.refused += 1
                    wait = max(1, math.ceil(recent[-size] + seconds - now))
                    told = "API calls quota exceeded! maximum admitted per conversation"
                    raise RefusedError(429, "TooManyRequests", told, retry_after_s=wait)
        for key, _ in places:
            self._calls[key].append(now)
