"""The sealing process: `citebound audit seal`."""

import asyncio
import logging
import signal
import sys
from collections.abc import Sequence

from bot.app.process import log_to_stderr
from bot.ledger import anchors_of, open_sequencer, signing_key
from core.adapters.anchor_folder import AnchorFolder
from core.adapters.postgres.record.sequencer import PostgresSequencer, Sealed
from core.audit.checkpoint import LedgerKey
from core.config.settings import Settings
from core.domain.errors import ConfigError, TransientError

EVERY_S = 1.0
"""Seconds between two rounds: what is younger than the last anchored checkpoint isn't proven."""

logger = logging.getLogger(__name__)


def seal(*, is_once: bool) -> int:
    """Seal once, or until SIGTERM; 0."""
    log_to_stderr()
    settings = Settings.from_environment()
    sealed = asyncio.run(_seal(settings, is_once=is_once))
    if is_once and sealed is not None:
        sys.stdout.write(f"{sealed.size} records are sealed.\n")
    return 0


async def _seal(settings: Settings, *, is_once: bool) -> Sealed | None:
    key, anchors = signing_key(settings), anchors_of(settings)
    if settings.environment == "production" and not anchors:
        raise ConfigError(
            "CITEBOUND_LEDGER_ANCHORS names no folder: without a checkpoint outside the database"
            " nobody can prove that the record was not written anew"
        )
    async with open_sequencer(settings, key) as sequencer:
        newest = [note for anchor in anchors if (note := await anchor.newest()) is not None]
        await sequencer.check(newest, [key.public])
        if is_once:
            return await _round(sequencer, anchors, key)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        await _rounds(sequencer, anchors, key, stop)
        return None


async def _rounds(
    sequencer: PostgresSequencer, anchors: Sequence[AnchorFolder], key: LedgerKey,
    stop: asyncio.Event,
) -> None:  # fmt: skip
    logger.info("sealing each second")
    while not stop.is_set():
        try:
            await _round(sequencer, anchors, key)
        except TransientError:
            logger.warning("the ledger lost its database, and tries again", exc_info=True)
        try:
            async with asyncio.timeout(EVERY_S):
                await stop.wait()
        except TimeoutError:
            continue


async def _round(
    sequencer: PostgresSequencer, anchors: Sequence[AnchorFolder], key: LedgerKey
) -> Sealed:
    """Seal all that waits, and anchor the last checkpoint where it is not anchored yet."""
    sealed = await sequencer.seal()
    while sealed.is_behind:
        sealed = await sequencer.seal()
    for anchor in anchors:
        try:
            if await anchor.newest() != sealed.note:
                await anchor.append(sealed.note, key.public)
        except (OSError, ConfigError):
            # A later checkpoint covers this one.
            logger.warning("a checkpoint could not be anchored", exc_info=True)
    return sealed
