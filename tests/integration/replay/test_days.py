"""Which day it is, and where: what is in force, what is recalled, and what is to come."""

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.local.embedder import LocalEmbedder
from core.adapters.postgres.console.figures import read_figures
from core.adapters.system import SystemClock
from core.agent.request import AskRequest
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from core.time_zones import TimeZones, day_in
from tests.databases import logins
from tests.integration.replay.conftest import LIMIT, LOWER, Ask, Office, Publish
from tests.life import message

YEAR_ENDS = datetime(2026, 12, 31, 12, tzinfo=UTC)
"""New Year in Auckland, New Year's Eve in Los Angeles."""
YEAR_BEGAN = datetime(2027, 1, 1, 5, tzinfo=UTC)
"""New Year in London, still New Year's Eve in Los Angeles."""


class At(SystemClock):
    """It is always the same moment."""

    moment = YEAR_ENDS

    def now(self) -> datetime:
        return self.moment


def place(database_url: str, embedder: LocalEmbedder, zones: str, at: datetime) -> Any:
    """Return the product as it is somewhere at a moment."""
    settings = Settings(time_zone=zones, **logins(database_url))
    clock = At(settings.zones)
    clock.moment = at
    opened: AbstractAsyncContextManager[Service] = bootstrap(
        settings, embedder=embedder, clock=clock
    )
    return opened


@pytest.mark.parametrize(
    ("zones", "at", "jurisdiction", "limit"),
    [
        ("UTC", YEAR_ENDS, None, "EUR 50"),
        ("UTC", YEAR_BEGAN, None, "EUR 30"),
        ("Pacific/Auckland", YEAR_ENDS, None, "EUR 30"),
        ("America/Los_Angeles", YEAR_BEGAN, None, "EUR 50"),
        ("America/Los_Angeles,NZ=Pacific/Auckland", YEAR_ENDS, "NZ", "EUR 30"),
        ("America/Los_Angeles,NZ=Pacific/Auckland", YEAR_ENDS, "US", "EUR 50"),
    ],
)
async def test_a_limit_holds_from_midnight_where_people_are(  # noqa: PLR0917
    service: Service,
    publish: Publish,
    database_url: str,
    local_embedder: LocalEmbedder,
    zones: str,
    at: datetime,
    jurisdiction: str | None,
    limit: str,
) -> None:
    """The deployment's zone counts, and in a channel of another jurisdiction that one's."""
    await publish(LOWER, effective_from=date(2027, 1, 1))
    request = AskRequest(text=LIMIT, place=Place(thread="a"), jurisdiction=jurisdiction)
    async with place(database_url, local_embedder, zones, at) as there:
        run = await there.answering.rehearse(request)
    assert [one.quote for one in run.answer.citations if limit in one.quote]
    assert not run.question.scope.is_other_day


async def test_an_answer_written_after_midnight_is_recalled(
    service: Service, ask: Ask, publish: Publish
) -> None:
    """Its day is that of the first attempt, which is not to ask about another day."""
    await ask(LIMIT, asked_on=service.clock.today() - timedelta(days=1))
    await publish(LOWER)
    assert await service.affected.compare(on_day=service.clock.today()) >= 1


async def test_what_was_asked_about_another_day_is_not_recalled(
    service: Service, ask: Ask, publish: Publish, engine: AsyncEngine
) -> None:
    """Of the past never, of the future once it has come; old records by their days alone."""
    today = service.clock.today()
    before = await ask(LIMIT, as_of=today - timedelta(days=1))
    ahead = await ask(LIMIT, thread="b", as_of=today + timedelta(days=2))
    await publish(LOWER)

    async def found(day: date) -> list[str]:
        await service.affected.compare(on_day=day)
        async with engine.connect() as connection:
            rows = text(
                "SELECT DISTINCT a.record_id::text FROM citebound.affected_answers"
                " JOIN citebound.answers a ON a.id = answer_id"
            )
            return list(await connection.scalars(rows))

    assert await found(today) == []
    assert await found(today + timedelta(days=2)) == [ahead.receipt.record_id]
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "UPDATE citebound.questions SET scope = scope - 'is_other_day', asked_at ="
                " asked_at - interval '2 days'"
            )
        )
    assert before.receipt.record_id in await found(today + timedelta(days=3))


async def test_the_worker_keeps_the_day_of_the_first_attempt(office: Office) -> None:
    """A question that was begun yesterday is answered by yesterday's rules, and may be recalled."""
    await office.service.inbox.put(message(LIMIT))
    await office.change("UPDATE citebound.inbox SET as_of = current_date - 1")
    ((conversation,),) = [
        tuple(row.values())
        for row in await office.rows("SELECT id::text FROM citebound.conversations")
    ]
    await office.worker.answer(conversation)
    ((scope,),) = [
        tuple(row.values()) for row in await office.rows("SELECT scope FROM citebound.questions")
    ]
    assert scope["as_of"] == str(office.service.clock.today() - timedelta(days=1))
    assert scope["is_other_day"] is False


async def test_the_worker_answers_by_the_day_of_the_channel(office: Office) -> None:
    """Where a channel's jurisdiction has its own time zone, that one counts."""
    west, east = (ZoneInfo(name) for name in ("Etc/GMT+12", "Pacific/Kiritimati"))
    clock = office.service.clock
    clock.zones = TimeZones(home=west, elsewhere={"NZ": east})
    office.audience.told = replace(office.audience.told, jurisdiction="NZ")
    await office.ask()
    (asked,) = await office.rows("SELECT scope FROM citebound.questions")
    assert asked["scope"]["as_of"] == str(clock.today("NZ")) > str(clock.today())
    assert asked["scope"]["is_other_day"] is False


async def test_figures_count_by_days_of_the_deployment(
    service: Service, ask: Ask, engine: AsyncEngine
) -> None:
    """On both sides of the date line the last thirty days begin at midnight there."""
    await ask(LIMIT)
    async with engine.connect() as connection:
        query = "SELECT min(at) FROM audit.record WHERE tag = 'question:answered'"
        asked_at: datetime = await connection.scalar(text(query))
        for name in ("Etc/GMT+12", "Pacific/Kiritimati"):
            zone = ZoneInfo(name)
            day = day_in(asked_at, zone)
            for days, counts in ((29, (1, 0)), (30, (0, 1))):
                now = datetime.combine(day + timedelta(days=days), time(), tzinfo=zone)
                figures = await read_figures(connection, now=now, zone=zone)
                assert (figures.questions, figures.questions_before) == counts
