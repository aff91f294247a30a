"""The sealing process: `citebound audit seal`."""

import asyncio
import logging
import sys
from collections.abc import Sequence

from bot.app.process import Operations, Roles, Stop, log_to_stderr, operating
from bot.ledger import anchors_of, open_sequencer, signing_key
from bot.metrics import Meter
from core.adapters.anchor_folder import AnchorFolder
from core.adapters.postgres.record.sequencer import PostgresSequencer, Sealed
from core.audit.checkpoint import LedgerKey
from core.cancellation import end_if_cancelled
from core.config.settings import Settings
from core.domain.errors import ConfigError, TransientError

EVERY_S = 1.0
"""Seconds between two rounds: what is younger than the last anchored checkpoint isn't proven."""

logger = logging.getLogger(__name__)


def seal(*, is_once: bool) -> int:
    """Seal once, or until SIGTERM; 0."""
    log_to_stderr()
    settings = Settings.from_environment()
    key, anchors = signing_key(settings), anchors_of(settings)
    if settings.environment == "production" and not anchors:
        raise ConfigError(
            "CITEBOUND_LEDGER_ANCHORS names no folder: without a checkpoint outside the database"
            " nobody can prove that the record was not written anew"
        )
    if is_once:
        sealed = asyncio.run(_seal_once(settings, key, anchors))
        sys.stdout.write(f"{sealed.size} records are sealed.\n")
    else:
        asyncio.run(_seal_until_told(settings, key, anchors))
    return 0


async def _seal_once(settings: Settings, key: LedgerKey, anchors: Sequence[AnchorFolder]) -> Sealed:
    async with open_sequencer(settings, key) as sequencer:
        sealing = _Sealing(sequencer, anchors, key, Meter())
        await sealing.begin()
        return await sealing.round()


async def _seal_until_told(
    settings: Settings, key: LedgerKey, anchors: Sequence[AnchorFolder]
) -> None:
    stop = Stop()
    try:
        async with operating(settings, Roles(serves=False, works=False, seals=True)) as operated:
            logger.info("health and metrics on port %d", operated.port)
            async with open_sequencer(settings, key, operated.health.wait_for) as sequencer:
                sealing = _Sealing(sequencer, anchors, key, operated.meter)
                await sealing.begin()
                await sealing.until(stop, operated)
    except asyncio.CancelledError:
        if not stop.is_told:
            raise


class _Sealing:
    """Seals, and keeps checkpoints outside the database."""

    def __init__(
        self,
        sequencer: PostgresSequencer,
        anchors: Sequence[AnchorFolder],
        key: LedgerKey,
        meter: Meter,
    ) -> None:
        self._sequencer = sequencer
        self._anchors = anchors
        self._key = key
        self._meter = meter
        self._trouble: str | None = None

    async def begin(self) -> None:
        """Hold the database to the anchors; see `PostgresSequencer.check`."""
        newest = [note for anchor in self._anchors if (note := await anchor.newest()) is not None]
        await self._sequencer.check(newest, [self._key.public])

    async def round(self) -> Sealed:
        """Seal all that waits, and anchor the last checkpoint where it is not anchored yet."""
        sealed = await self._sequencer.seal()
        while sealed.is_behind:
            sealed = await self._sequencer.seal()
        for anchor in self._anchors:
            try:
                if await anchor.newest() != sealed.note:
                    await anchor.append(sealed.note, self._key.public)
            except (OSError, ConfigError):
                # A later checkpoint covers this one.
                logger.warning("a checkpoint could not be anchored", exc_info=True)
                self._meter.count("citebound_anchor_failures_total")
        return sealed

    async def until(self, stop: Stop, operated: Operations) -> None:
        """Seal each second."""

        async def trouble() -> str | None:
            return self._trouble

        operated.health.watch(trouble, platforms={}, lost={})
        operated.metered.watch(self._tell)
        operated.health.begin()
        logger.info("sealing each second")
        async with asyncio.TaskGroup() as group:
            rounds = group.create_task(self._rounds())
            await stop.told()
            operated.health.stop()
            rounds.cancel()

    async def _rounds(self) -> None:
        while True:
            try:
                sealed = await self.round()
            except TransientError as error:
                logger.warning("the ledger lost its database, and tries again", exc_info=True)
                self._trouble = f"nothing is sealed: {error}"
            else:
                self._trouble = None
                self._meter.set("citebound_sealed_records", sealed.size)
            end_if_cancelled()
            await asyncio.sleep(EVERY_S)

    async def _tell(self, meter: Meter) -> None:
        try:
            meter.set("citebound_oldest_unsealed_seconds", await self._sequencer.waiting_s())
        except TransientError:
            meter.set("citebound_oldest_unsealed_seconds", None)
