"""`PostgresIngestRuns`: what an ingestion changes is told of once, also where it is killed.

    take the lock of the run -> publish or withdraw, noting the edition in the same transaction
    -> compare -> record, tell and forget the notes in one transaction -> give the lock back

The lock ends with the process, whatever becomes of it. Notes of a run whose lock is free are of one
that ended without telling: the next ingestion tells of them, or a process that works.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.corpus_changes import PostgresCorpusChanges
from core.adapters.postgres.corpus.untold_editions import (
    Untold,
    forget_untold,
    runs_with_untold,
    untold_of,
)
from core.adapters.postgres.engine.database import cause_of, database_store
from core.adapters.postgres.engine.transactions import AdvisoryLock, held_if_free
from core.domain.errors import OvertakenError, TransientError
from core.domain.officers import Officers
from core.ingest.changes import NO_CHANGES, CorpusChanges
from core.ports import IdSource
from core.ports.corpus import IngestRunId


@database_store
@dataclass(frozen=True, slots=True)
class PostgresIngestRuns:
    """See `core.ports.corpus.IngestRuns`."""

    engine: AsyncEngine
    _: KW_ONLY
    changes: PostgresCorpusChanges
    officers: Officers
    ids: IdSource

    @asynccontextmanager
    async def begun(self) -> AsyncGenerator[IngestRunId]:
        """Lend the id of a new run; nobody else tells of what it does until the block ends.

        Raises:
            TransientError: The database failed.
        """
        run, is_over = IngestRunId(self.ids.new()), False
        try:
            async with held_if_free(self.engine, AdvisoryLock.INGESTING, name=run):
                yield run
                is_over = True
        except DBAPIError as error:
            if not is_over:  # else the connection was lost, and the lock with it
                raise TransientError(f"the database failed: {cause_of(error)}") from error

    async def tell(self, run: IngestRunId, *, is_interrupted: bool = False) -> CorpusChanges:
        """Record and tell of what a run has changed and nobody was told of yet; return it.

        Args:
            run: the run.
            is_interrupted: True: it did less than it was to do, and the message says so.

        Raises:
            TransientError: The database failed; nothing was told, or all.
        """
        while True:
            async with self.engine.connect() as connection:
                untold = await untold_of(connection, run)
            if untold is None:
                return NO_CHANGES
            with suppress(OvertakenError):
                return await self._settle(untold, is_interrupted=is_interrupted)

    async def tell_of_interrupted(self) -> int:
        """See `IngestRuns.tell_of_interrupted`."""
        if not self.officers.routes(is_sensitive=False):
            return 0
        async with self.engine.connect() as connection:
            runs = await runs_with_untold(connection)
        told = 0
        for run in runs:
            async with held_if_free(self.engine, AdvisoryLock.INGESTING, name=run) as is_ended:
                if is_ended:
                    told += len((await self.tell(run, is_interrupted=True)).policies)
        return told

    async def _settle(self, untold: Untold, *, is_interrupted: bool) -> CorpusChanges:
        """Compare; record, tell and forget in one transaction.

        Raises:
            OvertakenError: Another process told of some of it; nothing was recorded or told.
        """
        changes = await self.changes.between(untold.versions, untold.withdrawn)
        cut_short = " before the run was interrupted" if is_interrupted else ""
        async with self.engine.begin() as connection:
            await forget_untold(connection, untold)
            await self.changes.settle(
                connection,
                changes,
                by=f"ingested by {untold.operator}{cut_short}",
                subject="corpus",
                cause=f"ingest:{self.ids.new()}",
                operator=untold.operator,
            )
        return changes
