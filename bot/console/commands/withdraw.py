"""`citebound corpus withdraw`: a policy out of force, from a day on."""

import asyncio
from argparse import Namespace
from datetime import date

from rich.text import Text

from bot.console.views.safe_text import one_line
from bot.console.views.terminal import Terminal, open_terminal
from core.adapters.postgres.corpus.withdrawals import PostgresWithdrawals, Withdrawn
from core.adapters.postgres.engine.database import open_database
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.system import SystemClock, UuidSource
from core.bootstrap import database_url
from core.config.settings import Settings


def run(arguments: Namespace) -> int:
    """Withdraw one policy."""
    terminal = open_terminal()
    done = asyncio.run(_withdraw(terminal, arguments))
    if arguments.as_json:
        terminal.show_json(_as_json(done))
    else:
        terminal.show(*_lines(done))
    return 0


async def _withdraw(terminal: Terminal, arguments: Namespace) -> Withdrawn:
    settings, clock = Settings.from_environment(), SystemClock()
    since: date = arguments.since or clock.now().date()
    with terminal.busy("Opening the database"):
        url = await database_url(settings)
    async with open_database(url) as engine:
        ledger = Ledger(clock=clock, ids=UuidSource(), unit=settings.unit)
        store = PostgresWithdrawals(engine, ledger=ledger)
        return await store.withdraw(arguments.key, since=since, reason=arguments.reason)


def _lines(done: Withdrawn) -> list[Text]:
    withdrawal = done.withdrawal
    lines = [
        Text(
            f"{one_line(done.key)}: {one_line(done.title)}: withdrawn from {withdrawal.since} on,"
            f" in edition {withdrawal.edition}"
        ),
        Text(
            f"answers about an earlier day, or with --as-of edition:{withdrawal.edition - 1}, still"
            " rest on it",
            style="dim",
        ),
    ]
    if done.path:
        lines.append(
            Text(
                f"a new version, or naming its file, brings it back: {one_line(done.path)}",
                style="dim",
            )
        )
    lines.append(Text(f"record {done.record_id}", style="dim"))
    return lines


def _as_json(done: Withdrawn) -> dict[str, object]:
    return {
        "policy": done.key,
        "title": done.title,
        "since": done.withdrawal.since.isoformat(),
        "reason": done.withdrawal.reason,
        "edition": done.withdrawal.edition,
        "file": done.path,
        "record_id": done.record_id,
    }
