"""Ask past questions again, once a night and once in a deployment, and tell officers what differs.

claim the day -> a sample, one question after the other -> keep what contradicts -> record, tell

Askers come first: it pauses after each question. A process that dies leaves its lease, and another
one begins the check again: what was found is kept once.
"""

import asyncio
import hashlib
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, date, timedelta

from core.agent.rehearsal import Rehearses
from core.config.settings import Settings
from core.domain.errors import TransientError, raised_at
from core.ports import Clock, CorpusStore, Embedder
from core.replay.consistency import CheckLimits, ConsistencyCheck, ConsistencyStore, PastAnswer
from core.time_zones import day_in

LOOKS_EVERY_S = 60.0
PAUSE_S = 2.0
"""After each question."""
WITHIN_H = 3
"""Hours after the one that is set in which a check may begin: a process that starts at noon does
not make up for a night."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConsistencyWatch:
    """Looks whether a check is due. Safe from many processes."""

    store: ConsistencyStore
    _: KW_ONLY
    comparing: Callable[[], AbstractAsyncContextManager[Rehearses]]
    """Lends what answers without recording."""
    corpus: CorpusStore
    embedder: Embedder | None
    clock: Clock
    settings: Settings
    pause_s: float = PAUSE_S

    async def run(self) -> None:
        """Look again and again, until it is cancelled."""
        if why := why_not(self.settings):
            logger.info("past questions are not asked again: %s", why)
            return
        while True:
            await asyncio.sleep(LOOKS_EVERY_S)
            try:
                await self.once()
            except TransientError:
                logger.warning("past questions are asked again later: the database failed")
            except Exception as error:
                logger.error(  # noqa: TRY400  # what it says may hold what was asked
                    "past questions are not asked again: %s at %s",
                    type(error).__name__,
                    raised_at(error),
                )

    async def once(self) -> int | None:
        """Do the check of today if it is due; return what it found, None if it was not.

        Raises:
            TransientError: The database failed.
        """
        night = self.clock.now() - timedelta(hours=self.settings.consistency_hour)
        if why_not(self.settings) or night.hour >= WITHIN_H:
            return None
        day = day_in(night, UTC)
        if not await self.store.claim(day):
            return None
        pool = await self.store.pool()
        limits = CheckLimits(
            sample=self.settings.consistency_sample,
            budget_usd=self.settings.consistency_budget_usd,
        )
        async with self.comparing() as answering:
            check = ConsistencyCheck(
                answering,
                corpus=self.corpus,
                embedder=self.embedder,
                limits=limits,
            )
            async for found in check.found(drawn(pool, limits.sample, day=day), pool):
                if found is not None:
                    await self.store.keep(day, found)
                    continue
                await self.store.renew(day)
                await asyncio.sleep(self.pause_s)
        count = await self.store.finish(day, check.counts)
        logger.info("%d past questions asked again, %d contradictions", check.counts.asked, count)
        return count


def drawn(pool: tuple[PastAnswer, ...], most: int, *, day: date) -> tuple[PastAnswer, ...]:
    """Return so many answers, drawn by a lot that follows from answer and day."""

    def lot(one: PastAnswer) -> bytes:
        return hashlib.sha256(f"{day}:{one.answer_id}".encode()).digest()

    return tuple(sorted(pool, key=lot)[:most])


def why_not(settings: Settings) -> str | None:
    """Say why no check is made; None: it is."""
    if settings.consistency == "off":
        return "CITEBOUND_CONSISTENCY is off"
    costs = settings.uses_model or settings.voyage_api_key is not None
    if costs and settings.consistency_budget_usd is None:
        return "answers cost money here, and CITEBOUND_CONSISTENCY_BUDGET_USD is not set"
    return None
