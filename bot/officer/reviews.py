"""Reviews: which answers to judge next, the verdict on one, and how far the calibration is."""

import re
from dataclasses import KW_ONLY, dataclass

from aiohttp import web

from bot.officer.gate import HOME, Gate, NoPageError, Visit
from bot.officer.rendering import Pages
from bot.replies.safe_text import clean
from core.adapters.postgres.console.reviews import read_review_queue
from core.adapters.postgres.record.calibrations import PostgresCalibrations
from core.confidence.label import OWN_LABELS
from core.domain.case import ReviewVerdict
from core.domain.case_actions import NOTE_LIMIT
from core.domain.errors import UsageError
from core.ports import Clock

REVIEWS = f"{HOME}/reviews"
_KEY = re.compile("[A-Za-z0-9_-]{22}")


@dataclass(frozen=True, slots=True)
class ReviewPages:
    """The pages about reviews."""

    gate: Gate
    pages: Pages
    calibrations: PostgresCalibrations
    _: KW_ONLY
    clock: Clock

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        page = self.gate.page
        return (
            web.get(REVIEWS, page(self.show)),
            web.post(f"{REVIEWS}/{{id}}", page(self.judge)),
        )

    async def show(self, visit: Visit) -> web.StreamResponse:
        """List what to review next, and say how far the calibration is."""
        return await self._shown(visit)

    async def _shown(self, visit: Visit, *, error: str = "") -> web.Response:
        async with visit.record.reading(visit.reading("record", "content")) as connection:
            queue = await read_review_queue(connection, now=self.clock.now())
        active = await self.calibrations.active()
        return self.pages.response(
            "reviews.html",
            status=409 if error else 200,
            visit=visit,
            queue=queue,
            labels=await self.calibrations.count_labels(),
            wanted=OWN_LABELS,
            active=(active.rules, active.models),
            error=error,
        )

    async def judge(self, visit: Visit) -> web.StreamResponse:
        """Keep a verdict, and lead to what is to be reviewed next."""
        form = await visit.form()
        key, said = str(form.get("key", "")), str(form.get("verdict", ""))
        if not _KEY.fullmatch(key) or said not in set(ReviewVerdict):
            raise web.HTTPBadRequest
        try:
            is_kept = await visit.desk.reviews.give(
                visit.id,
                officer=visit.officer,
                verdict=ReviewVerdict(said),
                reason=clean(str(form.get("reason", ""))).strip()[:NOTE_LIMIT],
                key=f"console:{key}",
            )
        except UsageError as error:
            return await self._shown(visit, error=str(error))
        if not is_kept:
            raise NoPageError
        return web.Response(status=303, headers={"Location": REVIEWS})
