"""What the badge rests on: the calibration in force, those that were fitted, and the activation.

Whoever activates one has seen the figures of what is in force: if another came into force in the
meantime, nothing happens. As on the command line it takes one officer and a reason, and is recorded
with both calibrations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from bot.officer.gate import HOME, Gate, Visit
from bot.officer.rendering import Pages
from bot.replies.safe_text import clean
from core.adapters.postgres.record.calibrations import FittedCalibration, PostgresCalibrations
from core.confidence.calibration import SHIPPED, Calibration
from core.confidence.drift import MOVED, moved
from core.confidence.label import OWN_LABELS
from core.domain.errors import UsageError

CALIBRATION = f"{HOME}/calibration"
KINDS: Mapping[str, str] = {"rules": "Rules", "models": "Language models"}
"""Whose drafts, and how people call them."""
_LONGEST_REASON = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class KindOfDrafts:
    """What the badges of one kind of drafts rest on."""

    key: str
    words: str
    active: Calibration
    """In force."""
    found: FittedCalibration | None
    """The same with its figures; None: it was not fitted here."""
    candidates: tuple[FittedCalibration, ...]
    """Fitted here and not in force, the newest first."""
    shipped: Calibration
    labels: int
    """Of answers of this deployment."""
    drift: Mapping[str, float] | None
    """See `core.confidence.drift.drift`."""

    @property
    def is_shipped(self) -> bool:
        """True if that of the release is in force."""
        return self.active.name == self.shipped.name

    @property
    def moved(self) -> tuple[str, ...]:
        """Features that are no longer what they were at the fit."""
        return tuple(moved(self.drift)) if self.drift else ()


class CalibrationPages:
    """The pages about calibrations."""

    def __init__(self, gate: Gate, pages: Pages, calibrations: PostgresCalibrations) -> None:
        self._gate = gate
        self._pages = pages
        self._calibrations = calibrations

    def routes(self) -> tuple[web.RouteDef, ...]:
        """Return what is served here."""
        page = self._gate.page
        return (
            web.get(CALIBRATION, page(self.show)),
            web.post(CALIBRATION, page(self.activate)),
        )

    async def show(self, visit: Visit) -> web.StreamResponse:
        """Show what is in force, and what could be."""
        return await self._shown(visit)

    async def activate(self, visit: Visit) -> web.StreamResponse:
        """Let a calibration be in force, and lead to the page."""
        form = await visit.form()
        kind, name = str(form.get("of", "")), str(form.get("name", ""))
        if kind not in KINDS:
            raise web.HTTPBadRequest
        # Only officers who were granted units pass; who tries is recorded.
        await visit.record.note(visit.reading("record"))
        reason = " ".join(clean(str(form.get("reason", ""))).split())[:_LONGEST_REASON]
        try:
            await self._activate(
                kind, name, reason=reason, seen=str(form.get("seen", "")), visit=visit
            )
        except UsageError as error:
            return await self._shown(visit, error=str(error))
        return web.Response(status=303, headers={"Location": CALIBRATION})

    async def _activate(
        self, kind: str, name: str, *, reason: str, seen: str, visit: Visit
    ) -> None:
        of_models = kind == "models"
        shipped = SHIPPED.own(of_models=of_models)
        known = {
            one.calibration.name: one.calibration
            for one in await self._calibrations.stored()
            if one.of_models is of_models
        }
        chosen = shipped if name == shipped.name else known.get(name)
        if chosen is None:
            raise UsageError("there is no such calibration any more")
        if not reason:
            raise UsageError("give a reason: it is kept in the record")
        await self._calibrations.activate(
            chosen,
            of_models=of_models,
            is_shipped=chosen is shipped,
            reason=reason,
            officer=visit.officer.login,
            instead_of=seen,
        )

    async def _shown(self, visit: Visit, *, error: str = "") -> web.Response:
        await visit.record.note(visit.reading("record"))
        stored = await self._calibrations.stored()
        active = await self._calibrations.active()
        kinds = [
            await self._kind(key, stored, active.own(of_models=key == "models")) for key in KINDS
        ]
        return self._pages.response(
            "calibration.html",
            status=409 if error else 200,
            visit=visit,
            kinds=kinds,
            wanted=OWN_LABELS,
            moved_from=MOVED,
            error=error,
            rows=figure_rows,
        )

    async def _kind(
        self, key: str, stored: tuple[FittedCalibration, ...], active: Calibration
    ) -> KindOfDrafts:
        of_models = key == "models"
        own = [one for one in stored if one.of_models is of_models]
        return KindOfDrafts(
            key=key,
            words=KINDS[key],
            active=active,
            found=next((one for one in own if one.calibration.name == active.name), None),
            candidates=tuple(one for one in reversed(own) if one.calibration.name != active.name),
            shipped=SHIPPED.own(of_models=of_models),
            labels=len(await self._calibrations.labels(of_models=of_models)),
            drift=await self._calibrations.drift(of_models=of_models),
        )


def figure_rows(fitted: FittedCalibration) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the figures of a calibration by the source of their labels, all of them first."""
    found = dict(fitted.figures)
    names = ["all", *(name for name in found if name != "all")]
    return [(name, found[name]) for name in names if name in found]
