"""Time as the workspace sees it: it runs with ours, but its waits are short."""

import asyncio
import time


class Clock:
    """Virtual seconds since 1970.

    Time runs as fast as ours, or stands still if `frozen`. `sleep(60)` waits 60 / `speed` of our
    seconds and then moves virtual time on by what is missing, so that whatever should have grown
    old in that minute has done so: trigger ids, streams, statuses, rate limits.
    """

    def __init__(self, *, speed: float = 600.0, frozen: bool = False):
        self.speed = speed
        self.frozen = frozen
        self._began = time.monotonic()
        self._virtual = time.time()

    def now(self) -> float:
        """Return the virtual time."""
        return self._virtual + (0.0 if self.frozen else time.monotonic() - self._began)

    def advance(self, seconds: float) -> None:
        """Let that much time pass at once."""
        self._virtual += seconds

    async def sleep(self, seconds: float) -> None:
        """Wait that many virtual seconds."""
        until = self.now() + seconds
        await asyncio.sleep(seconds / self.speed)
        missing = until - self.now()
        if missing > 0:
            self.advance(missing)
