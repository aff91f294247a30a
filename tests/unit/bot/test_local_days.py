"""Officers read days and times by the clock of the deployment."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from bot.console.views.terminal import local
from bot.officer.rendering import Pages, moment
from bot.slack.blocks.home_view import Home, home_view
from core.adapters.postgres.console.search import RecordFilter
from tests.unit.slack.payloads import case

AUCKLAND = ZoneInfo("Pacific/Auckland")
LATE = datetime(2026, 1, 31, 23, 0, tzinfo=UTC)
"""The next day there."""


@dataclass(frozen=True)
class Seen:
    at: datetime
    name: str = "ada"


def test_the_console_says_its_own_time() -> None:
    """For people; the machine-readable form stays in UTC."""
    shown = str(moment(LATE, zone=AUCKLAND))
    assert "2026-02-01 12:00 NZDT" in shown
    assert 'datetime="2026-01-31T23:00Z"' in shown
    pages = Pages(zone=AUCKLAND)
    wanted = RecordFilter(since=date(2026, 2, 1), zone=pages.zone_name)
    assert wanted.zone == "Pacific/Auckland"
    assert RecordFilter(zone=pages.zone_name).is_empty


def test_the_terminal_says_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every instant of what it shows."""
    monkeypatch.setenv("CITEBOUND_TIME_ZONE", "Pacific/Auckland")
    assert f"{local(Seen(at=LATE)).at:%Y-%m-%d %H:%M %Z}" == "2026-02-01 12:00 NZDT"


def test_home_says_on_which_day_a_case_is_due() -> None:
    """By the deployment's clock, as the officers' calendar counts it."""
    due = replace(case("May I?", None), due_at=LATE)
    shown = json.dumps(home_view(Home(cases=(due,), zone=AUCKLAND)))
    assert "due 2026-02-01" in shown
    assert "due 2026-01-31" not in shown
