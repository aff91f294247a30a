"""The record as the console reads it: by a login of its own, for the officer whom it names."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.database import SERVING
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.officers.session import OfficerSession
from core.adapters.postgres.record.export import PostgresExport
from core.config.settings import Settings
from core.ports import Clock, IdSource


class ConsoleReader:
    """Opens the record for officers who are signed in."""

    def __init__(self, engine: AsyncEngine, *, ledger: Ledger) -> None:
        self._engine = engine
        self._ledger = ledger
        self.export = PostgresExport(engine, ledger=ledger)

    def session(self, login: str) -> OfficerSession:
        """Return the door of one officer."""
        return OfficerSession(self._engine, ledger=self._ledger, officer=login)


@asynccontextmanager
async def open_reader(
    settings: Settings, *, clock: Clock, ids: IdSource
) -> AsyncGenerator[ConsoleReader]:
    """Open the database once more, by the console's login.

    Raises:
        ConfigError: See `open_engine`.
    """
    ledger = Ledger(clock=clock, ids=ids, unit=settings.unit)
    async with open_engine(
        settings, DatabaseRole.CONSOLE, limits=SERVING, migrates=False
    ) as engine:
        yield ConsoleReader(engine, ledger=ledger)
