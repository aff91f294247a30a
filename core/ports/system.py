"""Time and identities, as dependencies."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time, as a dependency: a replay sets it."""

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
