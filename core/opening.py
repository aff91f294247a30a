"""Opens the database alone, for commands that load no model and touch no case."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TypeVar

from core.adapters.postgres.access import open_engine
from core.adapters.postgres.corpus_stores import OPERATOR, CorpusStores
from core.adapters.system import SystemClock, UuidSource
from core.config.settings import Settings
from core.domain.officers import Officers

Stores = TypeVar("Stores", bound=CorpusStores)


@asynccontextmanager
async def open_stores(
    kind: type[Stores], settings: Settings | None = None, *, operator: str = OPERATOR
) -> AsyncGenerator[Stores]:
    """Open the stores of this kind, and close them at the end.

    `operator` is who runs the command, for the record.

    Raises:
        ConfigError: See `open_database`.
    """
    settings = settings or Settings.from_environment()
    officers = Officers(all=(), channel=None)
    async with open_engine(settings) as engine:
        yield kind(
            engine,
            settings,
            officers=officers,
            clock=SystemClock(settings.zones),
            ids=UuidSource(),
            operator=operator,
        )
