"""One run of `ingest`: what is open while it lasts, and who hears of what it changed."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from rich.text import Text

from bot.console.open_service import open_service
from bot.console.views.terminal import Terminal
from core.bootstrap import Service
from core.config.settings import Settings
from core.domain.errors import CiteboundError, TransientError
from core.ingest.changes import CorpusChanges
from core.ports.corpus import IngestRunId


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingestion:
    """A run that has begun, and goes on until its service is closed."""

    terminal: Terminal
    """Where it is shown."""
    service: Service
    """What it ingests with."""
    run: IngestRunId
    """Its id, under which its changes are noted until they are told."""

    async def tell(self) -> CorpusChanges:
        """Compare, record and tell of what was published and withdrawn."""
        return await self.service.ingest_runs.tell(self.run)

    @asynccontextmanager
    async def told_if_interrupted(self) -> AsyncGenerator[None]:
        """Tell of what was done so far if the block is cancelled or fails: it is in force.

        If that fails too, or the process is killed, another one tells of it.
        """
        try:
            yield
        except (asyncio.CancelledError, CiteboundError):
            with suppress(TransientError):
                await self.service.ingest_runs.tell(self.run, is_interrupted=True)
            raise


@asynccontextmanager
async def open_ingestion(terminal: Terminal, settings: Settings) -> AsyncGenerator[Ingestion]:
    """Open the service and begin a run, after telling of those that were interrupted.

    Raises:
        ConfigError: See `bootstrap`.
        TransientError: The database failed.
    """
    async with open_service(Service, terminal, settings) as service:
        with suppress(TransientError):  # told later; if the database is down, the run says so
            if told := await service.ingest_runs.tell_of_interrupted():
                policies = f"{told} policy" if told == 1 else f"{told} policies"
                terminal.remark(
                    Text(
                        f"note: an earlier ingestion was interrupted: its changes to {policies}"
                        " have now been recorded and reported"
                    )
                )
        async with service.ingest_runs.begun() as run:
            yield Ingestion(terminal=terminal, service=service, run=run)
