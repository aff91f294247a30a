"""What is served over HTTP: requests of chat platforms, and probes and metrics.

The two listen on ports of their own, so that health and metrics are not exposed with the platforms.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping

from aiohttp import web

from bot.app.connections import Handler, received
from bot.metrics import CONTENT_TYPE, Meter
from core.domain.errors import TransientError
from core.service_access.refusals import service_of

LONGEST_BODY = 1024 * 1024
"""Bytes of a request."""
LONGEST_LAG_S = 1.0


READY_WITHIN_S = 3.0


Gauge = Callable[[Meter], Awaitable[None]]
"""Sets what is read when somebody asks, and not when it changes."""


Trouble = Callable[[], Awaitable[str | None]]
"""Returns what keeps the process from working; None: nothing."""


Known = Callable[[], Mapping[str, str]]
"""See `Refusals.known`."""


Remark = Callable[[], str | None]
"""Returns what is wrong and keeps nothing from working; None: nothing is."""


class Health:
    """Answers liveness and readiness probes.

    A platform that can't reach the process makes it unready only if no other one can: while
    Microsoft's keys can't be read, Slack goes on. It stays live in any case.

    A credential of ours that a service refuses is reported, without ids, since anybody may ask. A
    process that takes messages stays ready then: what is sent to it is still stored, and would be
    lost elsewhere. One that only answers is not ready while no platform takes what it posts.
    """

    def __init__(
        self,
        *troubles: Trouble,
        platforms: Mapping[str, Trouble] | None = None,
        refused: Known = dict[str, str],
        takes: bool = True,
    ) -> None:
        self._troubles = troubles
        self._platforms = platforms or {}
        self._refused = refused
        self._takes = takes
        self.remark: Remark = lambda: None
        """Tells what is wrong though messages may be sent."""
        self._awaited: str | None = None
        self.is_stopping = False

    def watch(
        self,
        *troubles: Trouble,
        platforms: Mapping[str, Trouble],
        refused: Known = dict[str, str],
        takes: bool = True,
    ) -> None:
        """Look at these from now on, in place of those given before."""
        self._troubles, self._platforms = troubles, platforms
        self._refused, self._takes = refused, takes

    def wait_for(self, what: str) -> None:
        """Report until `begin` that the process waits for this, or does this first."""
        self._awaited = what

    def begin(self) -> None:
        """Report what is watched from now on."""
        self._awaited = None

    def stop(self) -> None:
        """Report from now on that nothing more should be sent."""
        self.is_stopping = True

    async def live(self, _: web.Request) -> web.StreamResponse:
        """Report whether the event loop responds."""
        began = time.monotonic()
        await asyncio.sleep(0)
        lag = time.monotonic() - began
        return web.Response(status=200 if lag < LONGEST_LAG_S else 503)

    async def ready(self, _: web.Request) -> web.StreamResponse:
        """Report whether messages may be sent."""
        if self.is_stopping:
            return web.Response(status=503, text="stopping")
        if self._awaited is not None:
            return web.Response(status=503, text=self._awaited)
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                trouble = await self._trouble()
                lacking = await self._lacking()
        except (TransientError, TimeoutError):
            return web.Response(status=503, text="the database takes no writes")
        told = "; ".join(f"{name}: {why}" for name, why in lacking.items())
        if trouble or (told and len(lacking) == len(self._platforms)):
            return web.Response(status=503, text=trouble or told)
        refused = self._refused()
        lines = list(_said_of(refused))
        if self._platforms and not self._takes and refused.keys() >= self._platforms.keys():
            return web.Response(status=503, text="; ".join(("nothing can be posted", *lines)))
        ready = f"ready, but not for {told}" if told else "ready"
        return web.Response(text="; ".join((ready, *lines, *filter(None, (self.remark(),)))))

    async def _trouble(self) -> str | None:
        for look in self._troubles:
            found = await look()
            if found:
                return found
        return None

    async def _lacking(self) -> dict[str, str]:
        """Return the platforms that can't reach this process, and why."""
        found = {name: await look() for name, look in self._platforms.items()}
        return {name: why for name, why in found.items() if why}


def _said_of(refused: Mapping[str, str]) -> Iterator[str]:
    """Say which services refuse credentials of ours, and why."""
    for service in sorted({service_of(name) for name in refused}):
        causes = [cause for name, cause in refused.items() if service_of(name) == service]
        why = ", ".join(dict.fromkeys(causes))
        yield f"{service} refuses {len(causes)} of our credentials: {why}"


class Metered:
    """Measures requests, and serves the metrics."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._gauge: Gauge | None = None

    def watch(self, gauge: Gauge) -> None:
        """Ask this as well from now on, before anything is told."""
        self._gauge = gauge

    async def tell(self, _: web.Request) -> web.StreamResponse:
        """Serve the metrics."""
        if self._gauge is not None:
            await self._gauge(self._meter)
        body = self._meter.text().encode()
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE})

    async def around(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Measure one request of a platform."""
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
    """Return what is open to the outside: the routes of platforms, and the app's own pages."""

    @web.middleware
    async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
        return await metered.around(request, handler)

    served = web.Application(client_max_size=LONGEST_BODY, middlewares=[around, received])
    served.router.add_routes(_pages())
    served.router.add_routes(routes)
    return served


def operations(health: Health, metered: Metered) -> web.Application:
    """Return what is open to operators alone: probes and metrics."""
    served = web.Application(middlewares=[received])
    served.router.add_get("/metrics", metered.tell)
    served.router.add_get("/livez", health.live)
    served.router.add_get("/readyz", health.ready)
    return served


PAGES: Mapping[str, str] = {
    "/": "Citebound answers questions about your company's policies, and quotes them."
    " Ask it in Slack or Microsoft Teams.",
    "/privacy": "Privacy\n\nYour company runs this assistant and decides how long data is kept."
    " It records your questions, its answers, what you send to Compliance, and who"
    " asked. A question may be sent to the language model that your company"
    " chose.\n\nTo find out what is held about you, contact your company's Compliance"
    " department.",
    "/terms": "Terms of use\n\nAnswers are automated guidance on company policy, not legal"
    " advice. Each is based on the quoted text; if that does not settle the matter, ask"
    " Compliance.\n\nUse is subject to your company's own rules.",
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
