"""The machine's clock and identities."""

import time
import uuid
from datetime import UTC, datetime
from secrets import token_bytes

from core.ports import Clock
from core.time_zones import TimeZones


class SystemClock(Clock):
    """See `core.ports.Clock`."""

    def __init__(self, zones: TimeZones | None = None) -> None:
        self.zones = zones or TimeZones()

    def now(self) -> datetime:
        """See `Clock.now`."""
        return datetime.now(UTC)  # noqa: TID251  # this is the clock

    def monotonic_s(self) -> float:
        """See `Clock.monotonic_s`."""
        return time.monotonic()


class UuidSource:
    """UUIDv7 (RFC 9562 §5.7): 48 bits of milliseconds, then random bits."""

    def new(self) -> str:
        """See `IdSource.new`."""
        milliseconds = time.time_ns() // 1_000_000
        raw = bytearray(milliseconds.to_bytes(6, "big") + token_bytes(10))
        raw[6] = 0x70 | raw[6] & 0x0F
        raw[8] = 0x80 | raw[8] & 0x3F
        return str(uuid.UUID(bytes=bytes(raw)))
