"""When officers work, from settings: JSON, or a file that holds it.

`{"time_zone": "Europe/Berlin", "working_days": ["mon", "tue", "wed", "thu", "fri"], "hours":
"09:00-17:30", "holidays": ["2026-12-25"], "remind_hours": 4}`; each key may be left out. Instead of
a list, `holidays` may name a file with a date on each line, whatever follows it.
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, tzinfo
from pathlib import Path
from typing import Any, cast

from core.config.setting import json_or_file
from core.config.time_zones import time_zone
from core.domain.errors import ConfigError
from core.domain.officers import WorkingCalendar

_VARIABLE = "CITEBOUND_CALENDAR"
_KEYS = {"time_zone", "working_days", "hours", "holidays", "remind_hours"}
_DAYS = {name: n for n, name in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))}
_HOURS = re.compile(r"([01]\d|2[0-4]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)")
_LONGEST_REMINDER_H = 80.0


def read_calendar(given: str | None, *, zone: tzinfo = UTC) -> WorkingCalendar:
    """Return when officers work; without a setting on each day, all day, in the given zone.

    Raises:
        ConfigError: It can't be read; what of it is named.
    """
    if given is None:
        return WorkingCalendar(zone=zone)
    told = json_or_file(_VARIABLE, given, dict)
    unknown = set(told) - _KEYS
    if unknown:
        raise ConfigError(f"{_VARIABLE}: unknown key {min(unknown)!r}")
    calendar: dict[str, Any] = {"zone": zone}
    if "time_zone" in told:
        calendar["zone"] = time_zone(f"{_VARIABLE}: time_zone", str(told["time_zone"]))
    if "working_days" in told:
        calendar["days"] = _days(told["working_days"])
    if "hours" in told:
        calendar["opens_m"], calendar["closes_m"] = _hours(told["hours"])
    if "holidays" in told:
        calendar["holidays"] = frozenset(_holidays(told["holidays"]))
    if "remind_hours" in told:
        calendar["reminded_h"] = _reminder(told["remind_hours"])
    return WorkingCalendar(**calendar)


def _days(given: object) -> frozenset[int]:
    names = cast("list[object]", given) if isinstance(given, list) else []
    days = [_DAYS.get(str(one).lower()) for one in names]
    if not days or None in days:
        raise ConfigError(f"{_VARIABLE}: working_days: expected a list of mon, tue, ... sun")
    return frozenset(one for one in days if one is not None)


def _hours(given: object) -> tuple[int, int]:
    found = _HOURS.fullmatch(str(given))
    if found is None:
        raise ConfigError(f"{_VARIABLE}: hours: expected 09:00-17:30, got {given!r}")
    begin, begin_m, end, end_m = map(int, found.groups())
    return 60 * begin + begin_m, 60 * end + end_m


def _holidays(given: object) -> Iterable[date]:
    if isinstance(given, str):
        try:
            lines = Path(given).expanduser().read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{_VARIABLE}: holidays: {given} can't be read") from error
        told = [line.split()[0] for line in lines if line.strip() and line.strip()[0] != "#"]
    else:
        told = [str(one) for one in cast("list[object]", given)] if isinstance(given, list) else []
    for one in told:
        try:
            yield date.fromisoformat(one)
        except ValueError as error:
            raise ConfigError(
                f"{_VARIABLE}: holidays: expected dates such as 2026-12-25, got {one!r}"
            ) from error


def _reminder(given: object) -> float:
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or not 0 < cast("float", given) <= _LONGEST_REMINDER_H:
        raise ConfigError(
            f"{_VARIABLE}: remind_hours: expected a number up to {_LONGEST_REMINDER_H:.0f}"
        )
    return float(cast("float", given))
