"""What commands check before they read the stores, and who runs a command."""

import getpass

from bot.console.options import ScopeOptions
from core.adapters.postgres.corpus_stores import OPERATOR, CorpusStores
from core.domain.errors import EmptyCorpusError, UsageError


def operator() -> str:
    """Return who runs a command, as the record names them."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container may run as a number that no account has.
        return OPERATOR


async def check_corpus(stores: CorpusStores, options: ScopeOptions) -> int:
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
