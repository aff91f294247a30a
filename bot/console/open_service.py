"""Open the service for one command, with a sign of life at a terminal."""

import getpass
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.console.options import ScopeOptions
from bot.console.views.terminal import Terminal
from core.adapters.postgres.stores import OPERATOR, PostgresStores
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.errors import EmptyCorpusError, UsageError


@asynccontextmanager
async def open_service(
    terminal: Terminal, settings: Settings | None = None, *, keeps_calls: bool = True
) -> AsyncGenerator[Service]:
    """Open the service, and close it at the end; see `bootstrap` for `keeps_calls`.

    Raises:
        ConfigError: See `bootstrap`.
    """
    async with AsyncExitStack() as stack:
        with terminal.busy("Opening the database"):
            service = await stack.enter_async_context(
                bootstrap(
                    settings or Settings.from_environment(),
                    keeps_calls=keeps_calls,
                    operator=operator(),
                )
            )
        yield service


def operator() -> str:
    """Return who runs a command, as the record names them."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container may run as a number that no account has.
        return OPERATOR


async def check_corpus(stores: PostgresStores, options: ScopeOptions) -> int:
    """Return the edition that the options mean.

    Raises:
        EmptyCorpusError: Nothing was ever ingested.
        UsageError: The edition asked for does not exist yet.
    """
    newest = await stores.corpus.current_edition()
    if newest is None:
        raise EmptyCorpusError
    if options.edition is not None and options.edition > newest:
        raise UsageError(f"edition {options.edition} does not exist: the newest is {newest}")
    return options.edition or newest
