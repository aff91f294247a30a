"""The time of each record, held to the signed times of the checkpoints around it.

A record can't be older than the checkpoint before it, which did not have it, nor younger than the
first one that does; a record's own time may be off by `CLOCKS_DIFFER_S`. Where sealing lagged, as
after a pause, several checkpoints follow at once: there the latest record before takes the place of
the checkpoint before. Where a generation begins at an earlier time than the last one ended, a clock
had run ahead: its first checkpoint covers records of both lines of time.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from core.audit.canonical import instant, is_instant
from core.audit.checkpoint import SealedCheckpoint
from core.audit.verification import CLOCKS_DIFFER_S, LeafTime, ProblemClass, ProblemLog

_ALLOWED = timedelta(seconds=CLOCKS_DIFFER_S)


class Timeline:
    """Takes the leaves in order, and names those whose time can't be true."""

    def __init__(self, sealed: Sequence[SealedCheckpoint], log: ProblemLog) -> None:
        """Take the sound checkpoints, in order."""
        self._log = log
        self._sealed = sealed
        self._next = 0
        self._size = 0
        """Leaves that the bounds hold for."""
        self._latest = self._floor = self._ceiling = ""

    def add(self, times: Iterable[LeafTime], *, start: int = 0) -> None:
        """Hold the next records to their bounds; one before `start` only bounds the others."""
        for place, record, at in times:
            if at is None:
                self._name(place, record, "has no time")
                continue
            while place >= self._size and self._next < len(self._sealed):
                self._advance()
            if start <= place < self._size and not self._floor <= at <= self._ceiling:
                self._name(
                    place,
                    record,
                    f"is dated {at}, and was sealed between {self._floor or 'the beginning'} and"
                    f" {self._ceiling}, give or take the minute that is allowed",
                )
            elif at > self._latest:
                self._latest = at

    def _advance(self) -> None:
        """Go on to the next checkpoint."""
        after = self._sealed[self._next]
        before = self._sealed[self._next - 1] if self._next else None
        ends = _time(after)
        self._floor = ""
        if before and _time(before) > ends and _generation(before) != _generation(after):
            ends, self._latest, before = _time(before), "", None
        if before is not None and self._latest:
            begins = min(_time(before), datetime.fromisoformat(self._latest))
            self._floor = instant(begins - _ALLOWED)
        self._ceiling = instant(ends + _ALLOWED)
        self._size = after.checkpoint.size
        self._next += 1

    def _name(self, place: int, record: str, said: str) -> None:
        self._log.add(ProblemClass.RECORD_MISDATED, f"the record {said}", record=record, leaf=place)


def _time(sealed: SealedCheckpoint) -> datetime:
    return datetime.fromtimestamp(sealed.signed_at, UTC)


def _generation(sealed: SealedCheckpoint) -> int:
    return sealed.checkpoint.position[0]


def age_s(at: object, now: float) -> float:
    """Return how long ago an instant of the ledger was, in seconds; of what is none: forever."""
    return now - datetime.fromisoformat(at).timestamp() if is_instant(at) else math.inf
