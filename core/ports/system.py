"""Time and identities, as dependencies."""

from datetime import date, datetime
from typing import Protocol

from core.time_zones import TimeZones, day_in


class Clock(Protocol):
    """Time, as a dependency: a replay sets it."""

    zones: TimeZones = TimeZones()
    """Where it is read."""

    def today(self, jurisdiction: str | None = None) -> date:
        """Return the day that it is in a jurisdiction; None: where the deployment is."""
        return self.day_of(self.now(), jurisdiction)

    def day_of(self, at: datetime, jurisdiction: str | None = None) -> date:
        """Return the day that it was there at an instant."""
        return day_in(at, self.zones.of(jurisdiction))

    def now(self) -> datetime:
        """Return the present instant, aware, UTC."""
        ...

    def monotonic_s(self) -> float:
        """Return seconds of a clock that never goes back."""
        ...


class IdSource(Protocol):
    """Identities, as a dependency: a replay needs the same ones."""

    def new(self) -> str:
        """Return a new UUIDv7."""
        ...
