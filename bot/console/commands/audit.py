"""`citebound audit`: read the record."""

import asyncio
from argparse import Namespace

from rich.text import Text

from bot.console.open_service import opened
from bot.console.views.record_view import record_json, record_view, records_list
from bot.console.views.terminal import Terminal, open_terminal
from core.domain.audit import RecordLine
from core.domain.errors import UsageError


def run(arguments: Namespace) -> int:
    """Show one record, or the newest."""
    terminal = open_terminal()
    if arguments.action == "show":
        asyncio.run(_show(terminal, arguments.record_id, as_json=arguments.as_json))
    else:
        asyncio.run(
            _list(
                terminal,
                limit=arguments.limit,
                outcome=arguments.outcome,
                as_json=arguments.as_json,
            )
        )
    return 0


async def _show(terminal: Terminal, record_id: str, *, as_json: bool) -> None:
    async with opened(terminal) as service:
        record = await service.records.show(record_id.strip())
    if record is None:
        raise UsageError(
            f"there is no record {record_id!r}; `citebound audit list` shows the newest"
        )
    if as_json:
        terminal.show_json(record_json(record))
    else:
        terminal.show(*record_view(record))


async def _list(terminal: Terminal, *, limit: int, outcome: str | None, as_json: bool) -> None:
    async with opened(terminal) as service:
        lines = await service.records.list(limit=limit, outcome=outcome)
    if as_json:
        terminal.show_json([_line_json(line) for line in lines])
    elif lines:
        terminal.show(*records_list(lines))
    else:
        terminal.show(Text("No records yet."))


def _line_json(line: RecordLine) -> dict[str, object]:
    return {
        "record_id": line.record_id,
        "at": line.at.isoformat(),
        "outcome": line.outcome,
        "badge": line.badge,
        "question": line.question,
    }
