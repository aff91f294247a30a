"""`citebound audit`: read the record."""

import asyncio
import getpass
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from rich.text import Text

from bot.console.commands.officers import own_ledger
from bot.console.views.record_view import record_json, record_view, records_list
from bot.console.views.terminal import Terminal, local, open_terminal
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.officers.session import OfficerSession
from core.adapters.postgres.record.audit_reader import PostgresAuditReader
from core.config.settings import Settings
from core.domain.codec import json_of
from core.domain.errors import UsageError

_PREFIX = re.compile(r"[0-9a-fA-F]{8,64}")


def show(*, record_id: str, prefix: str | None, as_json: bool) -> int:
    """Show one record, and return 1 if it is not what was recorded."""
    is_intact = asyncio.run(_show(open_terminal(), record_id, prefix, as_json=as_json))
    return 0 if is_intact else 1


def list_records(*, limit: int, outcome: str | None, as_json: bool) -> int:
    """Show the newest records, of one outcome or of all."""
    asyncio.run(_list(open_terminal(), limit=limit, outcome=outcome, as_json=as_json))
    return 0


@asynccontextmanager
async def _open_records(terminal: Terminal) -> AsyncGenerator[PostgresAuditReader]:
    with terminal.busy("Opening the database"):
        settings = Settings.from_environment()
    officer = getpass.getuser()
    role, ledger = DatabaseRole.CONSOLE, own_ledger(settings)
    async with open_engine(settings, role, officer=officer, ledger=ledger) as engine:
        session = OfficerSession(engine, ledger=ledger, officer=officer)
        yield PostgresAuditReader(session)


async def _show(terminal: Terminal, record_id: str, prefix: str | None, *, as_json: bool) -> bool:
    if prefix is not None and not _PREFIX.fullmatch(prefix):
        raise UsageError(f"expected 8 to 64 hexadecimal digits, got {prefix!r}")
    async with _open_records(terminal) as records:
        record = await records.show(record_id.strip())
    if record is None:
        raise UsageError(
            f"there is no record {record_id!r}; `citebound audit list` shows the newest"
        )
    if prefix is not None and not record.leaf_hash.startswith(prefix.lower()):
        told = f"the hash does not begin with {prefix.lower()}, as the reply had it"
        record = replace(record, problems=(*record.problems, told))
    if as_json:
        terminal.show_json(record_json(record))
    else:
        terminal.show(*record_view(local(record)))
    return not record.problems


async def _list(terminal: Terminal, *, limit: int, outcome: str | None, as_json: bool) -> None:
    async with _open_records(terminal) as records:
        lines = await records.list(limit=limit, outcome=outcome)
    if as_json:
        terminal.show_json([json_of(line) for line in lines])
    elif lines:
        terminal.show(*records_list([local(line) for line in lines]))
    else:
        terminal.show(Text("No records yet."))
