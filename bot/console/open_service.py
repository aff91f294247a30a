"""Open a service for one command, with a sign of life at a terminal."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.console.stores import operator
from bot.console.views.terminal import Terminal
from core.answering import Composed, compose
from core.config.settings import Settings


@asynccontextmanager
async def open_service(
    kind: type[Composed],
    terminal: Terminal,
    settings: Settings | None = None,
    *,
    keeps_calls: bool = True,
) -> AsyncGenerator[Composed]:
    """Open a service of a kind, and close it at the end; see `compose` for `keeps_calls`.

    Raises:
        ConfigError: See `compose`.
    """
    async with AsyncExitStack() as stack:
        with terminal.busy("Opening the database"):
            service = await stack.enter_async_context(
                compose(
                    kind,
                    settings or Settings.from_environment(),
                    keeps_calls=keeps_calls,
                    operator=operator(),
                )
            )
        yield service
