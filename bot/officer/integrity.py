"""What anchors outside the database say of the ledger, as far as this process can read them.

It is no verification: the newest anchored checkpoint is compared with the database's own. Where
they differ, the record was written anew or an older backup runs; where they agree, `citebound audit
verify` still has to read every record.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from core.audit.anchors import ReadableAnchor
from core.audit.checkpoint import Checkpoint, checkpoint_of, signed_at
from core.domain.errors import CiteboundError, ContractError
from core.ports import Clock

WITHIN_S = 2.0
"""What reading one anchor may take."""
KEPT_S = 60.0
"""How long what was read is shown."""

RootOf = Callable[[Checkpoint], Awaitable[bytes | None]]
"""Returns the root that the database has under a checkpoint of this size; None: it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorState:
    """One anchor, and how the database compares with it."""

    name: str
    finding: str
    """`agrees`, `differs`, `empty` or `unreadable`."""
    size: int | None = None
    """Records under its newest checkpoint."""
    at: datetime | None = None
    """When that was signed."""


class AnchorReader:
    """Reads the newest checkpoints of anchors, not more often than once a minute."""

    def __init__(self, anchors: Callable[[], Sequence[ReadableAnchor]], *, clock: Clock) -> None:
        self._anchors = anchors
        self._clock = clock
        self._notes: dict[str, str | None] = {}
        self._failed: set[str] = set()
        self._read_s = float("-inf")

    async def compare(self, root_of: RootOf) -> tuple[AnchorState, ...]:
        """Compare each anchor with the database."""
        if self._clock.monotonic_s() - self._read_s > KEPT_S:
            await self._read()
        found = [await _compared(name, note, root_of) for name, note in self._notes.items()]
        failed = [AnchorState(name=name, finding="unreadable") for name in sorted(self._failed)]
        return (*found, *failed)

    async def _read(self) -> None:
        notes: dict[str, str | None] = {}
        failed: set[str] = set()
        for anchor in self._anchors():
            failed.add(anchor.name)
            with suppress(CiteboundError, TimeoutError):
                async with asyncio.timeout(WITHIN_S):
                    notes[anchor.name] = await anchor.newest()
                failed.remove(anchor.name)
        self._notes, self._failed = notes, failed
        self._read_s = self._clock.monotonic_s()


async def _compared(name: str, note: str | None, root_of: RootOf) -> AnchorState:
    if note is None:
        return AnchorState(name=name, finding="empty")
    try:
        checkpoint, at = checkpoint_of(note), signed_at(note)
    except ContractError:
        return AnchorState(name=name, finding="unreadable")
    agrees = await root_of(checkpoint) == checkpoint.root
    return AnchorState(
        name=name,
        finding="agrees" if agrees else "differs",
        size=checkpoint.size,
        at=None if at is None else datetime.fromtimestamp(at, UTC),
    )
