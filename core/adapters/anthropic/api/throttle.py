"""At most so many calls in a minute: for work that nobody waits for, beside that of questions."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from core.adapters.anthropic.api.api_types import Calls, ModelReply, ModelRequest

MINUTE_S = 60.0


class PacedCalls:
    """Calls that begin no faster than a rate, in any minute; how many run together is not ours."""

    def __init__(
        self,
        calls: Calls,
        *,
        per_minute: int,
        monotonic_s: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Take the calls and their rate.

        Args:
            calls: What makes them.
            per_minute: Calls that may begin in a minute, from 1.
            monotonic_s: Seconds of a clock that never goes back.
            sleep: Waits for seconds.
        """
        self._calls = calls
        self._began: deque[float] = deque(maxlen=per_minute)
        self._monotonic_s = monotonic_s
        self._sleep = sleep
        self._turn = asyncio.Lock()

    async def call(self, request: ModelRequest, /) -> ModelReply:
        """See `Calls.call`."""
        async with self._turn:
            while (wait_s := self._wait_s()) > 0:
                await self._sleep(wait_s)
            self._began.append(self._monotonic_s())
        return await self._calls.call(request)

    def _wait_s(self) -> float:
        """Return the seconds until one more call may begin."""
        if len(self._began) < (self._began.maxlen or 1):
            return 0.0
        return self._began[0] + MINUTE_S - self._monotonic_s()
