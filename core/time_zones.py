"""Where a day begins and ends: no other module makes a day of an instant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo


def day_in(at: datetime, zone: tzinfo) -> date:
    """Return the day that it is at an instant in a time zone."""
    return at.astimezone(zone).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeZones:
    """By whose clocks a day begins."""

    home: tzinfo = UTC
    """The deployment's."""
    elsewhere: Mapping[str, tzinfo] = field(default_factory=dict[str, tzinfo])
    """Those of jurisdictions that have another one, by ISO 3166 code."""

    def of(self, jurisdiction: str | None) -> tzinfo:
        """Return the zone of a jurisdiction, which is the deployment's if none is set."""
        return self.elsewhere.get(jurisdiction or "", self.home)
