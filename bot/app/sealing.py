"""The sealing process: `citebound audit seal`.

Each second it seals, and lets each anchor know of the newest checkpoint. Anchors work each at their
own pace, beside sealing: one that is slow or fails holds up neither sealing nor another.
"""

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from time import time
from typing import Any

from bot.app.process import Operations, Roles, Stop, log_to_stderr, operating
from bot.app.service_record import recorded
from bot.ledger import OpenLedger, check_anchors, known_keys, open_ledger, signing_key
from bot.metrics import Meter
from core.adapters.postgres.record.sequencer import Sealed
from core.audit.anchors import Anchor
from core.audit.checkpoint import LedgerKey, signed_at
from core.cancellation import end_if_cancelled
from core.config.settings import Settings
from core.domain.errors import ConfigError, ContractError, OccupiedError, TransientError

EVERY_S = 0.75
"""Seconds from one round to the next: with the rounds' own time, a record waits a second at most.
What is younger than the last anchored checkpoint isn't proven."""
ONCE_WAITS_S = 15.0
"""Seconds that `seal --once` gives to transactions which were under way: no record is sealed before
every older transaction of the server has ended, those of other databases included."""
HELD_UP_S = 60.0
"""A record that waits for longer has a cause, which is looked for as often."""
AGAIN_S = (1.0, 5.0, 30.0, 60.0)
"""Seconds until an anchor that failed is tried again; the last holds from then on."""
PUBLISHED_WITHIN_S = 60.0

SEAL = Roles(serves=False, works=False, seals=True)

logger = logging.getLogger(__name__)


def seal(*, is_once: bool) -> int:
    """Seal once, or until SIGTERM; 0."""
    log_to_stderr()
    settings = Settings.from_environment()
    key = signing_key(settings)
    check_anchors(settings)
    if is_once:
        sealed, held_up = asyncio.run(_seal_once(settings, key))
        sys.stdout.write(f"{sealed.size} records are sealed.\n")
        if held_up:
            raise OccupiedError(f"not all that was recorded is sealed: {held_up}; try again later")
    else:
        asyncio.run(_seal_until_told(settings, key))
    return 0


async def _seal_once(settings: Settings, key: LedgerKey) -> tuple[Sealed, str | None]:
    """Seal what was recorded before; with who holds up the rest, if anybody does for long."""
    now = asyncio.get_running_loop().time
    async with open_ledger(settings, key) as ledger:
        sealing = Sealing(settings, ledger, key, Meter())
        await sealing.begin()
        began = now()
        while True:
            sealed = await sealing.once()
            waited_s = now() - began
            held_up = await ledger.sequencer.held_up(waited_s)
            if held_up is None or waited_s > ONCE_WAITS_S:
                return sealed, held_up
            await asyncio.sleep(0.2)


async def _seal_until_told(settings: Settings, key: LedgerKey) -> None:
    stop = Stop()
    try:
        async with operating(settings, SEAL) as operated:
            logger.info("health and metrics on port %d", operated.port)
            async with open_ledger(settings, key, operated.health.wait_for) as ledger:
                sealing = Sealing(settings, ledger, key, operated.meter)
                await sealing.begin()
                async with recorded(ledger.services, settings, SEAL.word):
                    await sealing.until(stop, operated)
    except asyncio.CancelledError:
        if not stop.is_told:
            raise


@dataclass(slots=True)
class _Anchoring:
    """One anchor, and how far it has come."""

    anchor: Anchor
    check: Callable[[Anchor], Awaitable[None]]
    """Holds the database to it; raises `IntegrityError`, which ends the process."""
    meter: Meter
    news: asyncio.Event = field(default_factory=asyncio.Event)
    note: str | None = None
    """The newest checkpoint."""
    kept: str | None = None
    """The one that the anchor got last."""
    is_checked: bool = False
    """Nothing is published where an anchor could not be compared yet."""
    failures: int = 0
    """In a row."""

    async def begin(self) -> bool:
        """Compare the database with the anchor; False: it can't be reached."""
        self.meter.count("citebound_anchor_failures_total", 0.0, kind=self.anchor.kind)
        return self.is_checked or await self._tried(self._begin)

    def tell(self, note: str) -> None:
        """Let it know of a checkpoint."""
        if note != self.note:
            self.note = note
            self.news.set()

    async def publish(self) -> bool:
        """Let the anchor have the newest checkpoint, if it is due; False: it could not be."""
        if self.note is None or self.note == self.kept or self.rests_s() > 0:
            return True
        return await self.begin() and await self._tried(self._publish)

    async def run(self) -> None:
        """Publish whenever there is news and the anchor's pace allows it, until cancelled."""
        while True:
            await self.news.wait()
            await asyncio.sleep(self.rests_s())
            self.news.clear()
            if not await self.publish():
                await asyncio.sleep(AGAIN_S[min(self.failures, len(AGAIN_S)) - 1])
                self.news.set()
            end_if_cancelled()

    def rests_s(self) -> float:
        """Return the seconds until the anchor's pace allows another checkpoint."""
        at = signed_at(self.kept) if self.kept else None
        return 0.0 if at is None else max(0.0, at + self.anchor.pace_s - time())

    async def _begin(self) -> None:
        self.kept = await self.anchor.newest()
        await self.check(self.anchor)
        self.is_checked = True
        self._tell()

    async def _publish(self) -> None:
        note = self.note
        if note is not None:
            if await self.anchor.newest() != self.kept:
                # It came back after it had been compared, as a folder does that was not mounted.
                await self._begin()
            await self.anchor.publish(note)
            self.kept = note
            self._tell()

    async def _tried(self, work: Callable[[], Awaitable[None]]) -> bool:
        try:
            async with asyncio.timeout(PUBLISHED_WITHIN_S):
                await work()
        except (TransientError, ConfigError, ContractError, TimeoutError) as error:
            # A later checkpoint covers this one.
            told = "it took too long" if isinstance(error, TimeoutError) else str(error)
            logger.warning("a checkpoint could not be anchored at %s: %s", self.anchor.name, told)
            self.failures += 1
            self.is_checked = False  # it may have been away, and come back as it was long ago
            self.meter.count("citebound_anchor_failures_total", kind=self.anchor.kind)
            return False
        self.failures = 0
        return True

    def _tell(self) -> None:
        at = signed_at(self.kept) if self.kept else None
        self.meter.set("citebound_anchored_at_seconds", at, kind=self.anchor.kind)


class Sealing:
    """Seals, and keeps checkpoints outside the database."""

    def __init__(
        self, settings: Settings, ledger: OpenLedger, key: LedgerKey, meter: Meter
    ) -> None:
        self._settings = settings
        self._ledger = ledger
        self._key = key
        self._meter = meter
        self._anchorings = [_Anchoring(one, self._check, meter) for one in ledger.anchors]
        self._trouble: str | None = None
        self._held_up: str | None = None
        self._looked_s = float("-inf")

    async def begin(self) -> None:
        """Hold the database to the anchors that can be reached; see `PostgresSequencer.check`."""
        await self._ledger.sequencer.check([], [])
        for one in self._anchorings:
            await one.begin()

    async def _check(self, anchor: Anchor) -> None:
        """Compare with what the anchor hands out, and let it keep our key."""
        for one in self._ledger.readable:
            if one is anchor:
                newest = await one.newest()
                keys = [*await known_keys(self._settings, [one]), self._key.public]
                await self._ledger.sequencer.check([newest] if newest else [], keys)
                await one.keep_key(self._key.public)

    async def once(self) -> Sealed:
        """Seal all that waits, and let each anchor that is due have the last checkpoint."""
        sealed = await self._round()
        for one in self._anchorings:
            one.tell(sealed.note)
            await one.publish()
        return sealed

    async def _round(self) -> Sealed:
        sealed = await self._ledger.sequencer.seal()
        while sealed.is_behind:
            sealed = await self._ledger.sequencer.seal()
        return sealed

    async def until(self, stop: Stop, operated: Operations) -> None:
        """Seal each second."""

        async def trouble() -> str | None:
            return self._trouble or self._held_up

        operated.health.watch(trouble, platforms={})
        operated.metered.watch(self._tell)
        operated.health.begin()
        logger.info("sealing each second")
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in self.loops()]
            await stop.told()
            operated.health.stop()
            for task in tasks:
                task.cancel()

    def loops(self) -> "Iterable[Coroutine[Any, Any, None]]":
        """Return what runs side by side until it is cancelled: sealing, and each anchor."""
        return (self._rounds(), *(one.run() for one in self._anchorings))

    async def _rounds(self) -> None:
        now = asyncio.get_running_loop().time
        while True:
            began = now()
            try:
                sealed = await self._round()
                if began - self._looked_s >= HELD_UP_S:
                    self._looked_s = began
                    await self._look()
            except TransientError as error:
                logger.warning("nothing is sealed, and it is tried again: %s", error)
                self._trouble = f"nothing is sealed: {error}"
            else:
                self._trouble = None
                self._meter.set("citebound_sealed_records", sealed.size)
                for one in self._anchorings:
                    one.tell(sealed.note)
            end_if_cancelled()
            await asyncio.sleep(began + EVERY_S - now())

    async def _look(self) -> None:
        """Say who holds up sealing, if anybody does for long."""
        self._held_up = await self._ledger.sequencer.held_up(HELD_UP_S)
        if self._held_up is not None:
            logger.warning("sealing is held up: %s", self._held_up)

    async def _tell(self, meter: Meter) -> None:
        try:
            meter.set("citebound_oldest_unsealed_seconds", await self._ledger.sequencer.waiting_s())
        except TransientError:
            meter.set("citebound_oldest_unsealed_seconds", None)
