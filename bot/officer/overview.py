"""The console's first page: what was asked, how it ended, what waits, and what is sealed."""

from dataclasses import KW_ONLY, dataclass
from datetime import datetime

from aiohttp import web

from bot.officer.charts import ORDER, parts, weekly
from bot.officer.gate import HOME, Gate, Visit
from bot.officer.integrity import AnchorReader
from bot.officer.rendering import Pages
from core.adapters.postgres.console.figures import read_figures, read_root
from core.adapters.postgres.officers.requests import count_undecided
from core.cases.service import CaseService
from core.domain.case import Case
from core.domain.case_actions import CaseRefused
from core.ports import Clock


@dataclass(frozen=True, slots=True)
class OverviewPage:
    """The first page."""

    gate: Gate
    pages: Pages
    cases: CaseService
    _: KW_ONLY
    anchors: AnchorReader
    clock: Clock

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        return tuple(web.get(path, self.gate.page(self.show)) for path in (HOME, f"{HOME}/"))

    async def show(self, visit: Visit) -> web.StreamResponse:
        """Show how things stand."""
        now = self.clock.now()
        views = "record", "checkpoint", "v_ledger_health", "v_requests"
        async with visit.record.reading(visit.reading(*views)) as connection:
            figures = await read_figures(connection, now=now, zone=self.clock.zones.home)
            requests = await count_undecided(connection)
            anchors = await self.anchors.compare(
                lambda checkpoint: read_root(connection, checkpoint.position)
            )
        queue = await self.cases.queue(visit.officer.at_console)
        waiting = () if isinstance(queue, CaseRefused) else queue
        return self.pages.response(
            "overview.html",
            visit=visit,
            figures=figures,
            anchors=anchors,
            chart=weekly(figures.weeks),
            outcomes=parts(figures.outcomes, ORDER),
            badges=parts(figures.badges, ("high", "medium", "low")),
            waiting=waiting,
            requests=requests,
            undecided=await visit.desk.editions.waiting(),
            oldest=min(waiting, key=lambda case: case.opened_at, default=None),
            overdue=[case for case in waiting if is_overdue(case, now)],
        )


def is_overdue(case: Case, now: datetime) -> bool:
    """Say whether a case should have been answered by now."""
    return case.due_at is not None and case.due_at < now
