"""`citebound corpus changes`: what became of the policies since an edition or a day."""

import asyncio
from datetime import date, timedelta

from rich.text import Text

from bot.console.options import Edition
from bot.console.views.terminal import one_line, open_terminal
from core.adapters.postgres.stores import PostgresStores
from core.ingest.changes import CorpusChanges, change_json, change_lines
from core.opening import open_stores


def changes(*, since: Edition | date | None, as_json: bool) -> int:
    """Say what changed since an edition or a day, policy by policy; 0."""
    terminal = open_terminal()
    found = asyncio.run(_changes(since))
    if as_json:
        terminal.show_json([change_json(one) for one in found.policies])
        return 0
    lines = change_lines(found, most=len(found.policies), names_all=True)
    terminal.show(*(Text(one_line(one)) for one in lines or ["nothing changed"]))
    return 0


async def _changes(since: Edition | date | None) -> CorpusChanges:
    async with open_stores(PostgresStores) as stores:
        week_ago = stores.clock.today() - timedelta(days=7)
        begin = since.number if isinstance(since, Edition) else since or week_ago
        return await stores.corpus_changes.since(begin)
