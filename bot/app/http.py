"""What is served over HTTP: requests of chat platforms, and whether we live and are ready.

The two stand on ports of their own: what we count and how we are is nobody's business outside.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping

from aiohttp import web

from bot.app.connections import Handler, received
from bot.metrics import CONTENT_TYPE, Meter
from core.domain.errors import TransientError
from core.domain.message import WaitingNow

logger = logging.getLogger(__name__)


LONGEST_BODY = 1024 * 1024
"""Bytes of a request (reliability, section 5)."""


LONGEST_LAG_S = 1.0


READY_WITHIN_S = 3.0


Waiting = Callable[[], Awaitable[WaitingNow]]
"""Says how much waits."""


Trouble = Callable[[], Awaitable[str | None]]
"""Says what keeps us from working; None: nothing."""


Lost = Callable[[], Mapping[str, str]]
"""See `Chat.lost`."""


class Health:
    """Answers whoever watches over us.

    A platform that can't reach us makes us unready only if no other one can: while Microsoft's keys
    can't be read, Slack goes on. It ends nobody in any case, since we live.

    Where a platform no longer takes our token that is told, and we stay ready: what is sent to us
    is kept, and nothing is won if it isn't. It is told without ids, since anybody may ask.
    """

    def __init__(
        self,
        *troubles: Trouble,
        platforms: Mapping[str, Trouble] | None = None,
        lost: Mapping[str, Lost] | None = None,
    ) -> None:
        """Take who looks at what all depend on, and at each platform, by its name."""
        self._troubles = troubles
        self._platforms = platforms or {}
        self._lost = lost or {}
        self.is_stopping = False

    def stop(self) -> None:
        """Say from now on that nothing more is to be sent to us."""
        self.is_stopping = True

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
                lacking = await self._lacking()
        except (TransientError, TimeoutError):
            return web.Response(status=503, text="the database takes no writes")
        told = "; ".join(f"{name}: {why}" for name, why in lacking.items())
        if trouble or (told and len(lacking) == len(self._platforms)):
            return web.Response(status=503, text=trouble or told)
        ready = f"ready, but not for {told}" if told else "ready"
        return web.Response(text="; ".join((ready, *self._refused())))

    async def _trouble(self) -> str | None:
        for look in self._troubles:
            found = await look()
            if found:
                return found
        return None

    def _refused(self) -> list[str]:
        """Say which platforms no longer take our token somewhere, and their words for why."""
        lost = {name: look() for name, look in self._lost.items()}
        return [
            f"{name} takes {len(found)} of our tokens no longer: {', '.join({*found.values()})}"
            for name, found in lost.items()
            if found
        ]

    async def _lacking(self) -> dict[str, str]:
        """Return the platforms that can't reach us, and why."""
        found = {name: await look() for name, look in self._platforms.items()}
        return {name: why for name, why in found.items() if why}


class Metered:
    """Measures what platforms wait for, and tells all that is counted."""

    def __init__(self, meter: Meter, waiting: Waiting, *, lost: Iterable[Lost] = ()) -> None:
        """Take what counts, and who knows how much waits and which workspaces are lost."""
        self._meter = meter
        self._waiting = waiting
        self._lost = tuple(lost)

    async def tell(self, _: web.Request) -> web.StreamResponse:
        """Tell what was counted, and what the database says just now, if it does."""
        self._meter.set("citebound_lost_workspaces", sum(len(look()) for look in self._lost))
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                backlog = await self._waiting()
        except (TransientError, TimeoutError):
            logger.warning("the database does not say what waits")
        else:
            self._meter.set("citebound_waiting_messages", backlog.messages)
            self._meter.set("citebound_oldest_message_seconds", backlog.oldest_message_s)
            self._meter.set("citebound_waiting_replies", backlog.replies)
            self._meter.set("citebound_oldest_reply_seconds", backlog.oldest_reply_s)
            self._meter.set("citebound_model_cost_today_usd", backlog.model_cost_usd)
            self._meter.set("citebound_daily_budget_spent", float(backlog.is_overspent))
        body = self._meter.text().encode()
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE})

    async def around(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Measure one request; what looks after us is not measured."""
        began, status = time.perf_counter(), 500
        try:
            response = await handler(request)
            status = response.status
        except web.HTTPException as refused:
            status = refused.status
            raise
        finally:
            route = request.match_info.route.resource
            if request.method == "POST":
                self._meter.observe(
                    "citebound_http_seconds",
                    time.perf_counter() - began,
                    route=route.canonical if route else "none",
                    status=str(status),
                )
        return response


def application(routes: Iterable[web.RouteDef], metered: Metered) -> web.Application:
    """Return what the outside reaches: what platforms take, and our pages."""

    @web.middleware
    async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
        return await metered.around(request, handler)

    served = web.Application(client_max_size=LONGEST_BODY, middlewares=[around, received])
    served.router.add_routes(_pages())
    served.router.add_routes(routes)
    return served


def operations(health: Health, metered: Metered) -> web.Application:
    """Return what only those who run us reach: health and metrics."""
    served = web.Application(middlewares=[received])
    served.router.add_get("/metrics", metered.tell)
    served.router.add_get("/livez", health.live)
    served.router.add_get("/readyz", health.ready)
    return served


PAGES: Mapping[str, str] = {
    "/": "Citebound answers questions about your company's policies, and quotes them."
    " Ask it in Slack or Microsoft Teams.",
    "/privacy": "Privacy\n\nYour company runs this assistant and decides how long data are kept."
    " It records your questions, its answers, what you send to Compliance, and who asked."
    " A question may be sent to the language model that your company chose."
    "\n\nTo ask what is held about you, write to your company's Compliance department.",
    "/terms": "Terms of use\n\nAnswers are automated guidance on company policy, not legal advice."
    " Each rests on the quoted text; where that does not settle it, ask Compliance."
    "\n\nUse is subject to your company's own rules.",
}
"""Path -> what the app's own page in Teams says: true of every deployment, and named in
its manifest. A company with pages of its own redirects there before a request reaches us."""


def _pages() -> list[web.RouteDef]:
    """Return the pages as text, for anybody."""
    return [web.get(path, _saying(text)) for path, text in PAGES.items()]


def _saying(text: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def tell(_: web.Request) -> web.StreamResponse:
        return web.Response(text=f"{text}\n", headers={"X-Content-Type-Options": "nosniff"})

    return tell
