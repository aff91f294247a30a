"""What is served over HTTP: requests of chat platforms, and whether we live and are ready."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable

from aiohttp import web

from core.domain.errors import TransientError

LONGEST_BODY = 1024 * 1024
"""Bytes of a request (reliability, section 5)."""
LONGEST_LAG_S = 1.0
READY_WITHIN_S = 3.0

Trouble = Callable[[], Awaitable[str | None]]
"""Says what keeps us from working; None: nothing."""


class Health:
    """Answers whoever watches over us."""

    def __init__(self, *troubles: Trouble) -> None:
        """Take who looks at what we depend on."""
        self._troubles = troubles
        self.is_stopping = False

    async def live(self, _: web.Request) -> web.StreamResponse:
        """Say whether the loop turns."""
        began = time.monotonic()
        await asyncio.sleep(0)
        lag = time.monotonic() - began
        return web.Response(status=200 if lag < LONGEST_LAG_S else 503)

    async def ready(self, _: web.Request) -> web.StreamResponse:
        """Say whether messages may be sent to us."""
        if self.is_stopping:
            return web.Response(status=503, text="stopping")
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                trouble = await self._trouble()
        except (TransientError, TimeoutError):
            return web.Response(status=503, text="the database takes no writes")
        return web.Response(status=503 if trouble else 200, text=trouble or "ready")

    async def _trouble(self) -> str | None:
        for look in self._troubles:
            found = await look()
            if found:
                return found
        return None


def application(health: Health, routes: Iterable[web.RouteDef]) -> web.Application:
    """Return the application: health, and what platforms take."""
    served = web.Application(client_max_size=LONGEST_BODY)
    served.router.add_get("/livez", health.live)
    served.router.add_get("/readyz", health.ready)
    served.router.add_routes(routes)
    return served
