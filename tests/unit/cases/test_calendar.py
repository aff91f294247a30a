"""When officers work: due dates, reminders, and settings that can't be read."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.adapters.calendar import read_calendar
from core.domain.errors import ConfigError
from core.domain.officers import WorkingCalendar

BERLIN = WorkingCalendar(
    zone=ZoneInfo("Europe/Berlin"),
    days=frozenset(range(5)),
    opens_m=9 * 60,
    closes_m=17 * 60,
    holidays=frozenset({date(2026, 12, 25)}),
    reminded_h=4.0,
)


def at(text: str) -> datetime:
    """Return an instant in Berlin."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN.zone)


def test_without_a_zone_of_their_own_officers_work_in_that_of_the_deployment() -> None:
    """By it a case falls due, whether or not a calendar is set."""
    assert read_calendar(None, zone=BERLIN.zone).zone == BERLIN.zone
    assert read_calendar('{"working_days": ["mon"]}', zone=BERLIN.zone).zone == BERLIN.zone
    other = '{"time_zone": "Asia/Tokyo"}'
    assert read_calendar(other, zone=BERLIN.zone).zone == ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize(
    ("asked", "days", "due"),
    [
        ("2026-11-23 10:30", 1, "2026-11-24 10:30"),
        ("2026-11-27 16:00", 1, "2026-11-30 16:00"),
        ("2026-11-27 18:00", 1, "2026-12-01 09:00"),
        ("2026-11-28 12:00", 1, "2026-12-01 09:00"),
        ("2026-11-23 06:00", 1, "2026-11-24 09:00"),
        ("2026-12-24 11:00", 1, "2026-12-28 11:00"),
        ("2026-11-23 10:30", 5, "2026-11-30 10:30"),
        ("2026-03-27 10:00", 1, "2026-03-30 10:00"),
    ],
)
def test_a_case_is_due_so_many_working_days_later(asked: str, days: int, due: str) -> None:
    """Over weekends, holidays and the change of the clock, at the same time of day."""
    found = BERLIN.after(at(asked), days=days)
    assert (found, found.tzinfo) == (at(due).astimezone(UTC), UTC)


@pytest.mark.parametrize(
    ("due", "reminded"),
    [
        ("2026-11-24 15:30", "2026-11-24 11:30"),
        ("2026-11-24 10:30", "2026-11-23 14:30"),
        ("2026-11-30 10:00", "2026-11-27 14:00"),
        ("2026-12-28 09:00", "2026-12-24 13:00"),
    ],
)
def test_officers_are_reminded_some_working_hours_before(due: str, reminded: str) -> None:
    """Not in the night before, nor on a holiday."""
    assert BERLIN.reminds_at(at(due).astimezone(UTC)) == at(reminded).astimezone(UTC)


@given(st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2035, 1, 1)))  # noqa: DTZ001
def test_without_settings_each_day_counts(moment: datetime) -> None:
    """All of it: a day later, and hours before."""
    now, each = moment.replace(tzinfo=UTC, microsecond=0), WorkingCalendar()
    assert each.after(now, days=1) == now + timedelta(days=1)
    due = now.replace(second=0)
    assert each.reminds_at(due) == due - timedelta(hours=4)


@given(st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2035, 1, 1)))  # noqa: DTZ001
def test_a_reminder_is_in_working_hours_and_before(moment: datetime) -> None:
    """Whenever somebody asks."""
    due = BERLIN.after(moment.replace(tzinfo=UTC), days=1)
    told = BERLIN.reminds_at(due)
    local = told.astimezone(BERLIN.zone)
    assert moment.replace(tzinfo=UTC) < due
    assert told < due
    assert BERLIN.is_working_day(local.date())
    assert 9 <= local.hour <= 17


def test_it_is_read_from_settings(tmp_path: Path) -> None:
    """From JSON or a file, with holidays as a list or in a file of their own."""
    days = tmp_path / "holidays.txt"
    days.write_text("# of the company\n2026-12-25 Christmas\n\n2027-01-01\n")
    told = {
        "time_zone": "Europe/Berlin",
        "working_days": ["mon", "Tue", "wed", "thu", "fri"],
        "hours": "09:00-17:00",
        "holidays": str(days),
        "remind_hours": 4,
    }
    found = read_calendar(json.dumps(told))
    assert found.holidays == {date(2026, 12, 25), date(2027, 1, 1)}
    file = tmp_path / "calendar.json"
    file.write_text(json.dumps(told | {"holidays": ["2026-12-25"]}))
    assert read_calendar(str(file)) == BERLIN
    assert read_calendar(None) == WorkingCalendar()


@pytest.mark.parametrize(
    "told",
    [
        "{",
        "[]",
        "/nowhere/calendar.json",
        '{"zone": "Europe/Berlin"}',
        '{"time_zone": "Mars/Olympus"}',
        '{"time_zone": "../../etc/passwd"}',
        '{"working_days": []}',
        '{"working_days": ["noday"]}',
        '{"working_days": "mon"}',
        '{"hours": "17:00-09:00"}',
        '{"hours": "9-5"}',
        '{"hours": "09:00-24:30"}',
        '{"holidays": ["tomorrow"]}',
        '{"holidays": "/nowhere/holidays.txt"}',
        '{"remind_hours": 0}',
        '{"remind_hours": true}',
        '{"remind_hours": 1000}',
    ],
)
def test_what_can_t_be_read_is_named(told: str) -> None:
    """And nothing starts."""
    with pytest.raises(ConfigError, match="CITEBOUND_CALENDAR"):
        read_calendar(told)
