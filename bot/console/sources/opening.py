"""Open what is known of sources, for the commands about them."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.audience.source_groups import entra_directory
from bot.console.stores import operator
from core.adapters.postgres.stores import PostgresStores
from core.config.settings import Settings
from core.opening import open_stores


@asynccontextmanager
async def open_sources() -> AsyncGenerator[PostgresStores]:
    """Open what is known of sources, with the directory's groups, until the block ends."""
    async with AsyncExitStack() as stack:
        settings = Settings.from_environment()
        stores = await stack.enter_async_context(
            open_stores(PostgresStores, settings, operator=operator())
        )
        stores.sources.readers.directory = entra_directory(settings)
        yield stores
