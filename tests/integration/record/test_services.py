"""Services in the record: what differs from before, once, and not a flood of it."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.app.service_record import recorded
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.services import (
    MOST_STARTS,
    PostgresServices,
    ServiceSetting,
)
from core.adapters.system import SystemClock, UuidSource
from core.config.settings import Settings
from tests.databases import as_role

LEDGER = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
PORT, SECRET = ServiceSetting(shown="8080"), ServiceSetting(shown="set")
FINANCE = ServiceSetting(shown="2 people", digest="a1")
BEFORE = {"CITEBOUND_PORT": PORT, "SLACK_BOT_TOKEN": SECRET, "group:slack/finance": FINANCE}


@pytest.fixture
def services(engine: AsyncEngine) -> PostgresServices:
    """What records services."""
    return PostgresServices(engine, ledger=LEDGER)


async def told(engine: AsyncEngine) -> list[tuple[Any, ...]]:
    """Return what the view of changes says, in order."""
    query = (
        "SELECT what || ':' || action, actor, item, before, after FROM audit.v_changes"
        " ORDER BY at, record_id"
    )
    async with engine.connect() as connection:
        return [tuple(row) for row in await connection.execute(text(query))]


async def test_a_start_names_what_differs_from_the_process_before(
    services: PostgresServices, engine: AsyncEngine
) -> None:
    """Of a kind; what only one release knows is no change, a group that is gone is one."""
    first = await services.start("serve", BEFORE)
    assert first is not None
    await services.stop("serve", first)
    await services.start("work", {"CITEBOUND_PORT": ServiceSetting(shown="9090")})
    after = {
        "CITEBOUND_PORT": ServiceSetting(shown="9090"),
        "CITEBOUND_NEW": ServiceSetting(shown="unset"),
        "CITEBOUND_CASE_CHANNEL": ServiceSetting(shown="unset"),
        "SLACK_BOT_TOKEN": SECRET,
        "channel:slack/C1": ServiceSetting(shown="tags payments"),
    }
    await services.start("serve", after)
    changed = {**after, "CITEBOUND_CASE_CHANNEL": ServiceSetting(shown="slack/T1/C7")}
    await services.start("serve", changed)
    found = await told(engine)
    started = ("service:started", "service:stopped", "service:started", "service:started")
    assert tuple(one[0] for one in found[:4]) == started
    assert [one for one in found if not one[0].startswith("service:")] == [
        ("settings:changed", "serve", "CITEBOUND_PORT", "8080", "9090"),
        ("channel:configured", "serve", "channel:slack/C1", None, "tags payments"),
        ("access:changed", "serve", "group:slack/finance", "2 people", None),
        ("channel:configured", "serve", "CITEBOUND_CASE_CHANNEL", "unset", "slack/T1/C7"),
    ]


async def test_a_process_that_dies_again_and_again_does_not_fill_the_record(
    services: PostgresServices, engine: AsyncEngine
) -> None:
    """Some starts an hour are recorded; the next one says how many were not."""
    started = [await services.start("serve", BEFORE) for _ in range(MOST_STARTS + 3)]
    assert sum(one is not None for one in started) == MOST_STARTS
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE citebound.service_states SET starts[1] = starts[1] - :hour"),
            {"hour": timedelta(hours=2)},
        )
    assert await services.start("serve", BEFORE) is not None
    assert (await told(engine))[-1][4] == {"service": "serve", "unrecorded_starts": 3}


async def test_replicas_that_start_at_once_record_a_change_once(
    services: PostgresServices, engine: AsyncEngine
) -> None:
    """They wait for each other."""
    await services.start("work", BEFORE)
    after = {**BEFORE, "CITEBOUND_PORT": ServiceSetting(shown="9090")}
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(services.start("work", after))
    tags = [one[0] for one in await told(engine)]
    assert (tags.count("service:started"), tags.count("settings:changed")) == (4, 1)


@pytest.mark.parametrize("role", [DatabaseRole.APP, DatabaseRole.SEQUENCER])
async def test_the_roles_of_services_may_record_them(
    role: DatabaseRole, database_url: str, engine: AsyncEngine
) -> None:
    """Start and end, by the block around a process; one that breaks off leaves no end."""
    own = engine_for(as_role(database_url, role), pooled=False)
    try:
        services = PostgresServices(own, ledger=LEDGER)
        async with recorded(services, Settings(), "serve"):
            pass
        with pytest.raises(ZeroDivisionError):
            async with recorded(services, Settings(), "serve"):
                raise ZeroDivisionError
    finally:
        await own.dispose()
    tags = [one[0] for one in await told(engine)]
    assert tags == ["service:started", "service:stopped", "service:started"]
