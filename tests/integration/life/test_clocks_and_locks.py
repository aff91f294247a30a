"""A process whose clock is wrong works by the server's; one whose tables are locked says so."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import cast
from unittest.mock import Mock

import pytest
from aiohttp import web
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from bot.app.gauges import Gauges
from bot.app.http import Health
from bot.intake import Intake
from bot.metrics import Meter
from core.adapters.postgres.health import PostgresHealth
from core.adapters.postgres.messages import inbox
from core.adapters.system import SystemClock
from core.bootstrap import Service
from core.domain.errors import BusyError, TransientError
from core.domain.message import Accepted, Claimed
from tests.life import Deployment, message

SetClock = Callable[[timedelta], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """Set the clock of this machine, as the process reads it."""
    now = SystemClock.now

    def set_by(ahead: timedelta) -> None:
        def set_now(clock: SystemClock) -> datetime:
            return now(clock) + ahead

        monkeypatch.setattr(SystemClock, "now", set_now)

    return set_by


async def accepted(deployment: Deployment, words: str) -> str:
    """Accept a message and return its conversation."""
    result = await deployment.intake.accept(message(words, thread=words))
    assert isinstance(result, Accepted)
    return result.conversation_id


async def ready(deployment: Deployment) -> tuple[int, str]:
    """Return what `/readyz` of a process says."""
    looked = PostgresHealth(deployment.engine, clock=SystemClock())
    health = Health()
    health.watch(looked.trouble, deployment.inbox.trouble, platforms={})
    health.remark = looked.clock_off
    told = await health.ready(Mock(spec=web.Request))
    assert isinstance(told, web.Response)
    return told.status, told.text or ""


@pytest.mark.parametrize("ahead", [timedelta(days=2), timedelta(minutes=-5)])
async def test_a_process_whose_clock_is_wrong_works_by_the_server(
    deployment: Deployment, set_clock: SetClock, ahead: timedelta
) -> None:
    """What it stores is stored now, and what it puts off comes back in seconds."""
    set_clock(ahead)
    deployment.reasoner.fails_on = "a gift"
    thread = await accepted(deployment, "a gift")
    await deployment.worker.answer(thread)
    deployment.reasoner.failure = BusyError(after_s=2.0)
    await deployment.until("SELECT 1 FROM citebound.inbox WHERE next_at < clock_timestamp()")
    await deployment.worker.answer(thread)
    (row,) = await deployment.rows(
        "SELECT state, attempt, as_of = (now() AT TIME ZONE 'UTC')::date AS is_today,"
        " next_at BETWEEN now() - interval '30 s' AND now() + interval '30 s' AS is_soon"
        " FROM citebound.inbox"
    )
    assert tuple(row.values()) == ("received", 1, True, True)
    deployment.reasoner.fails_on = ""
    async with deployment.working():
        await deployment.quiet()
    (dated,) = await deployment.rows(
        "SELECT count(*) AS n, bool_and(abs(extract(epoch FROM r.at - now())) < 50) AS are_now,"
        " bool_and(abs(extract(epoch FROM q.asked_at - now())) < 50) AS is_now"
        " FROM audit.record r, citebound.questions q"
    )
    assert (dated["n"], dated["are_now"], dated["is_now"]) == (3, True, True)


async def test_a_message_has_waited_by_the_clock_of_the_server(
    deployment: Deployment, set_clock: SetClock
) -> None:
    """Else a process whose clock is fast gives up at once on a platform that asks to wait."""
    set_clock(timedelta(days=2))
    claimed = await deployment.backlog.claim(await accepted(deployment, "a gift"))
    assert isinstance(claimed, Claimed)
    assert 0 <= claimed.waited_s < 60


async def test_a_wrong_clock_is_told(
    deployment: Deployment, set_clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    """By `/readyz`, a metric, and the log, there once."""
    assert await ready(deployment) == (200, "ready")
    set_clock(timedelta(minutes=-5))
    words = "this machine's clock is 300 s behind the database's"
    assert await ready(deployment) == (200, f"ready; {words}")
    health = PostgresHealth(deployment.engine, clock=SystemClock())
    caplog.clear()
    for _ in range(2):
        assert await health.trouble() is None
    assert caplog.text.count(f"{words}: set both by NTP") == 1
    meter = Meter()
    service = Mock(health=health, queue=deployment.queue)
    service.settings.daily_budget_usd = None
    service.refusals.known = {}
    service.calibrations.drift = _no_drift
    await Gauges(cast("Service", service), [])(meter)
    told = next(line for line in meter.text().splitlines() if line.startswith("citebound_clock_a"))
    assert float(told.split()[1]) == pytest.approx(-300, abs=1)


async def _no_drift(*, of_models: bool) -> dict[str, float]:
    assert not of_models
    return {}


async def test_a_slow_look_is_no_wrong_clock(deployment: Deployment) -> None:
    """What the clocks may differ by for certain is told, and not how long the server took."""
    started = SystemClock().now()
    looks = iter([started, started + timedelta(minutes=1)])

    class Slow(SystemClock):
        def now(self) -> datetime:
            return next(looks)

    health = PostgresHealth(deployment.engine, clock=Slow())
    assert await health.trouble() is None
    assert health.clock_ahead_s == 0.0


@pytest.mark.parametrize("table", ["citebound.inbox", "citebound.outbox", "audit.record"])
async def test_a_lock_of_somebody_else_is_not_ready(
    deployment: Deployment, database_url: str, table: str
) -> None:
    """As long as it lasts, and though no message came."""
    outsider = create_async_engine(database_url.replace("postgresql:", "postgresql+psycopg:"))
    async with outsider.begin() as connection:
        await connection.execute(text(f"LOCK TABLE {table} IN SHARE MODE"))
        status, words = await ready(deployment)
        assert (status, "keeps messages and answers from being stored" in words) == (503, True)
    assert await ready(deployment) == (200, "ready")
    await outsider.dispose()


async def test_messages_that_were_not_stored_lately_are_not_ready(
    deployment: Deployment, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever keeps them out; ready again once one is stored, or after a while without any."""
    await accepted(deployment, "a gift")
    hasty = Intake(deployment.inbox, put_within_s=0.2)
    outsider = create_async_engine(database_url.replace("postgresql:", "postgresql+psycopg:"))
    async with outsider.begin() as connection:
        await connection.execute(text("SELECT FROM citebound.conversations FOR UPDATE"))
        with pytest.raises(TransientError, match="too long"):
            await hasty.accept(message("more", thread="a gift"))
        assert await ready(deployment) == (503, "messages could not be stored")
        with monkeypatch.context() as later:
            later.setattr(inbox, "FAILED_LATELY_S", 0.0)
            assert await ready(deployment) == (200, "ready")
        await accepted(deployment, "another thread")
        assert await ready(deployment) == (200, "ready")
    await outsider.dispose()
