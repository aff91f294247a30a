"""Who read what in the record."""

from aiohttp import web

from bot.officer.filters import filters
from bot.officer.gate import HOME, GatedPages, Visit
from bot.officer.rendering import ACTIONS
from core.adapters.postgres.console.access_log import AccessFilter, read_accesses
from core.adapters.postgres.console.search import Cursor

ACCESS = f"{HOME}/access"


class AccessLogPage(GatedPages):
    """The page of the access log."""

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        return (web.get(ACCESS, self._gate.page(self.show)),)

    async def show(self, visit: Visit) -> web.StreamResponse:
        """Show a page; that it is read is itself the newest line."""
        asked = filters(visit.request.query, ("officer", "action", "since", "until"))
        given = asked.given
        wanted = AccessFilter(
            officer=given["officer"],
            action=given["action"] if given["action"] in ACTIONS else "",
            since=asked.since,
            until=asked.until,
            zone=self._pages.zone_name,
        )
        before = Cursor.parse(visit.query("before"))
        async with visit.record.reading(visit.reading("v_access_log")) as connection:
            found = await read_accesses(connection, wanted, before=before)
        return self._pages.response(
            "access.html",
            visit=visit,
            accesses=found.accesses,
            actions=ACTIONS,
            given=given,
            problems=asked.problems,
            is_filtered=bool(asked.kept),
            older=found.older and asked.address(ACCESS, before=found.older),
        )
