"""Synchronise the sources of policies when they are due, and more often who may read them.

A source that fails is tried again ever more rarely; what is wrong stands in `citebound sources
list` and in the record, and officers are told once.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from core.adapters.postgres.corpus.sources import PostgresSources
from core.domain.errors import CiteboundError, OccupiedError, TransientError, raised_at
from core.sources.sync import SourceSync

LOOKS_EVERY_S = 30.0

logger = logging.getLogger(__name__)


class SourceSchedule:
    """Synchronises what is due. Safe from many processes: each source has a lease."""

    def __init__(
        self, *, store: PostgresSources, sync: SourceSync, looks_every_s: float = LOOKS_EVERY_S
    ) -> None:
        self._store = store
        self._sync = sync
        self._looks_every_s = looks_every_s

    async def run(self) -> None:
        """Look again and again, until it is cancelled; readers wait for no text."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._repeat(self.once))
            group.create_task(self._repeat(self.access_once))

    async def _repeat(self, once: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await once()
            except TransientError:
                logger.warning("sources are synchronised later: the database failed")
            except Exception as error:
                logger.error(  # noqa: TRY400  # what it says may hold what a document says
                    "sources are not synchronised: %s at %s", type(error).__name__, raised_at(error)
                )
            await asyncio.sleep(self._looks_every_s)

    async def once(self) -> None:
        """Synchronise each source that is due, one after the other.

        Raises:
            TransientError: The database failed.
        """
        for name in await self._store.due():
            try:
                report = await self._sync.sync(name)
            except OccupiedError:
                continue
            except CiteboundError as error:
                logger.warning("source %s: %s", name, error)
                continue
            if report.changes:
                logger.info("source %s: %s", name, report.as_json())
            if report.held_back:
                logger.warning(
                    "source %s: the documents of %d policies are gone: `citebound sources withdraw"
                    " %s` takes them out of force",
                    name,
                    len(report.held_back),
                    name,
                )

    async def access_once(self) -> None:
        """Read who may read what, of each source for which that is due.

        Raises:
            TransientError: The database failed.
        """
        for name in await self._store.access.due():
            try:
                report = await self._sync.access.refresh(name)
            except OccupiedError:
                continue
            except CiteboundError as error:
                logger.warning("source %s: who may read it: %s", name, error)
                continue
            if report.changed:
                logger.info("source %s: others may read %d policies", name, len(report.changed))
