"""The officers' console, composed: its routes for `serve`, and the links that let officers in."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from aiohttp import web

from bot.ledger import known_keys, readable_anchors
from bot.officer.access_log import AccessLogPage
from bot.officer.affected import AffectedPages
from bot.officer.calibrations import CalibrationPages
from bot.officer.cases import CasePages
from bot.officer.consistency import ConsistencyPage
from bot.officer.gate import HOME, Desk, Gate, NoPageError, Visit
from bot.officer.integrity import AnchorReader
from bot.officer.oidc import open_provider
from bot.officer.overview import OverviewPage
from bot.officer.policies import PolicyPages
from bot.officer.precedents import PrecedentPages
from bot.officer.questions import QuestionPages
from bot.officer.records import RecordPages
from bot.officer.rendering import STATIC, Pages
from bot.officer.requests import RequestPages
from bot.officer.reviews import ReviewPages
from bot.officer.sign_in import ConsoleLinks, SignInPages
from bot.replies.context import library_of
from core.adapters.postgres.console.reader import open_reader
from core.bootstrap import Service

KEPT = {"Cache-Control": "public, max-age=3600"}
"""Of files that hold nothing of anybody."""


def console_links(service: Service) -> ConsoleLinks | None:
    """Return what lets officers in; None: there is no console."""
    origin = service.settings.console_url
    if origin is None:
        return None
    return ConsoleLinks(service.console_access, service.officers, origin=origin)


@asynccontextmanager
async def console_routes(service: Service) -> AsyncGenerator[tuple[web.RouteDef, ...]]:
    """Lend the console's routes until the block ends; none where it is not set up.

    Raises:
        ConfigError: It has no login by which to read the record.
    """
    settings = service.settings
    if settings.console_url is None:
        yield ()
        return
    settings.check_console()
    pages = await asyncio.to_thread(Pages, library_of(settings).hosts, zone=settings.zones.home)
    access, officers, clock = service.console_access, service.officers, service.clock
    async with (
        open_reader(settings, clock=clock, ids=service.ids) as reader,
        open_provider(settings, clock=clock) as provider,
    ):
        gate = Gate(
            pages,
            access,
            officers,
            origin=settings.console_url,
            record_of=reader.session,
            desk_of=lambda login: _desk(service, login),
        )
        anchors = AnchorReader(lambda: readable_anchors(settings), clock=clock)
        rooms = (
            SignInPages(gate, pages, access, officers, provider=provider),
            OverviewPage(
                gate,
                pages,
                service.cases,
                anchors=anchors,
                clock=clock,
            ),
            RecordPages(
                gate,
                pages,
                reader.export,
                keys=lambda: known_keys(settings, readable_anchors(settings)),
            ),
            CasePages(gate, pages, service.cases, officers, clock=clock),
            PrecedentPages(gate, pages, service.cases, clock=clock),
            PolicyPages(gate, pages),
            AffectedPages(gate, pages, officers),
            AccessLogPage(gate, pages),
            RequestPages(gate, pages),
            QuestionPages(gate, pages),
            ReviewPages(gate, pages, service.calibrations, clock=clock),
            CalibrationPages(gate, pages, service.calibrations),
            ConsistencyPage(gate, pages),
        )
        yield (
            *(route for room in rooms for route in room.routes()),
            *_static(gate, pages),
            web.route("*", f"{HOME}/{{rest:.*}}", gate.page(_nothing)),
        )


def _desk(service: Service, login: str) -> Desk:
    return Desk(
        precedents=service.precedent_desk.seen_by(login),
        editions=service.affected_editions.seen_by(login),
        drafts=service.question_drafts.seen_by(login),
        reviews=service.reviews.seen_by(login),
    )


def _static(gate: Gate, pages: Pages) -> tuple[web.RouteDef, ...]:
    def serving(name: str, kind: str) -> web.RouteDef:
        async def served(_: web.Request) -> web.StreamResponse:
            return web.Response(body=pages.static[name], content_type=kind, headers=KEPT)

        return web.get(f"{HOME}/static/{name}", gate.open(served))

    return tuple(serving(name, kind) for name, kind in STATIC.items())


async def _nothing(_: Visit) -> web.StreamResponse:
    raise NoPageError
