"""Answers that contradict each other, as the nightly check finds them."""

from collections.abc import Mapping

from aiohttp import web

from bot.officer.gate import HOME, GatedPages, Visit
from core.adapters.postgres.console.consistency import read_contradictions, read_nights

CONSISTENCY = f"{HOME}/consistency"
KINDS: Mapping[str, str] = {
    "modality": "One allows what the other does not",
    "number": "Other numbers",
    "silence": "One is an answer, the other is not",
    "quote": "Other sentences of one policy",
}


class ConsistencyPage(GatedPages):
    """The page about contradictions."""

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        return (web.get(CONSISTENCY, self._gate.page(self.show)),)

    async def show(self, visit: Visit) -> web.StreamResponse:
        """List what was found, and when was looked."""
        async with visit.record.reading(visit.reading("record", "content")) as connection:
            found = await read_contradictions(connection)
            nights = await read_nights(connection)
        return self._pages.response(
            "consistency.html", visit=visit, found=found, nights=nights, kinds=KINDS
        )
