"""What takes two officers: who an asker is, and erasures. Asked for here, decided by another."""

from aiohttp import web

from bot.officer.gate import HOME, GatedPages, Visit
from core.adapters.postgres.officers.requests import HOURS, PostgresRequests
from core.domain.errors import UsageError

REQUESTS = f"{HOME}/requests"
LONGEST = 500
"""Characters of a reason."""


class RequestPages(GatedPages):
    """The pages about requests."""

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        page, one = self._gate.page, f"{REQUESTS}/{{id}}"
        of_record = f"{HOME}/records/{{id}}/unmask"
        return (
            web.get(REQUESTS, page(self.show)),
            web.post(f"{one}/approve", page(self.approve)),
            web.post(f"{one}/deny", page(self.deny)),
            web.get(of_record, page(self.form)),
            web.post(of_record, page(self.ask)),
        )

    async def show(self, visit: Visit) -> web.StreamResponse:
        """List what was asked for."""
        return await self._shown(visit)

    async def approve(self, visit: Visit) -> web.StreamResponse:
        """Approve what another officer asks for."""
        return await self._decided(visit, approves=True)

    async def deny(self, visit: Visit) -> web.StreamResponse:
        """Deny it."""
        return await self._decided(visit, approves=False)

    async def form(self, visit: Visit) -> web.StreamResponse:
        """Show what is to be said by who asks for an identity."""
        return self._form(visit, {"reason": "", "basis": ""})

    async def ask(self, visit: Visit) -> web.StreamResponse:
        """Ask who stands behind a record."""
        sent = await visit.form()
        given = {
            name: " ".join(str(sent.get(name, "")).split())[:LONGEST]
            for name in ("reason", "basis")
        }
        try:
            await PostgresRequests(visit.record).ask_to_unmask(visit.id, **given)
        except UsageError as error:
            return self._form(visit, given, error=str(error))
        return _to_list()

    async def _decided(self, visit: Visit, *, approves: bool) -> web.StreamResponse:
        try:
            await PostgresRequests(visit.record).decide(visit.id, approves=approves)
        except UsageError as error:
            return await self._shown(visit, error=str(error))
        return _to_list()

    async def _shown(self, visit: Visit, *, error: str = "") -> web.Response:
        found = await PostgresRequests(visit.record).list(visit.reading("v_requests"))
        return self._pages.response(
            "requests.html",
            status=409 if error else 200,
            visit=visit,
            requests=found,
            hours=HOURS,
            error=error,
        )

    def _form(self, visit: Visit, given: dict[str, str], *, error: str = "") -> web.Response:
        return self._pages.response(
            "unmask.html",
            status=409 if error else 200,
            visit=visit,
            record_id=visit.id,
            given=given,
            hours=HOURS,
            limit=LONGEST,
            error=error,
        )


def _to_list() -> web.Response:
    return web.Response(status=303, headers={"Location": REQUESTS})
