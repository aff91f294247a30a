"""Open the stores of a deployment, with a sign of life at a terminal."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.console.views.terminal import Terminal
from core.adapters.postgres.stores import PostgresStores
from core.config.settings import Settings
from core.opening import open_stores


@asynccontextmanager
async def opened_stores(
    terminal: Terminal, settings: Settings | None = None
) -> AsyncGenerator[PostgresStores]:
    """Open the stores, and close them at the end.

    Raises:
        ConfigError: The database can't be used.
    """
    async with AsyncExitStack() as stack:
        with terminal.busy("Opening the database"):
            stores = await stack.enter_async_context(open_stores(PostgresStores, settings))
        yield stores
