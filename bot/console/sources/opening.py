"""Open what is known of sources, for the commands about them."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.audience.source_groups import entra_directory
from bot.console.open_service import operator
from core.adapters.postgres.stores import PostgresStores
from core.bootstrap import open_stores
from core.config.settings import Settings


@asynccontextmanager
async def open_sources() -> AsyncGenerator[PostgresStores]:
    """Open what is known of sources, with the directory's groups, until the block ends."""
    async with AsyncExitStack() as stack:
        settings = Settings.from_environment()
        stores = await stack.enter_async_context(open_stores(settings, operator=operator()))
        stores.sources.readers.directory = entra_directory(settings)
        yield stores
