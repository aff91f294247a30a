"""`citebound audit sql`: officers query the record, one statement or at a prompt."""

import asyncio
import sys
from collections.abc import Generator
from contextlib import contextmanager

from rich.text import Text

from bot.console.commands.officers import own_ledger
from bot.console.sql_prompt import SqlPrompt, purpose_of
from bot.console.views.query_view import counted, query_view, to_csv, to_rows
from bot.console.views.terminal import Terminal, open_terminal
from core.adapters.postgres.officers.login import open_officer
from core.adapters.postgres.officers.query import OfficerQueries, QueryResult
from core.adapters.postgres.officers.session import OfficerSession
from core.config.settings import Settings
from core.domain.errors import UsageError


def sql(
    *,
    statement: str | None,
    purpose: str | None,
    officer: str | None,
    most_rows: int,
    as_csv: bool,
    as_json: bool,
) -> int:
    """Execute one statement, or hold a prompt; 0."""
    terminal, settings = open_terminal(), Settings.from_environment()
    if statement is None:
        with asyncio.Runner() as runner, _opened(runner, terminal, settings, officer) as session:
            queries = OfficerQueries(session)
            SqlPrompt(runner, terminal, queries, purpose=purpose, most_rows=most_rows).hold()
        return 0
    if purpose is None:
        raise UsageError("say why you read, with --purpose: it is recorded with the statement")
    typed = sys.stdin.read() if statement == "-" else statement
    with terminal.busy("Reading"):
        found = asyncio.run(_executed(settings, officer, typed, purpose, most_rows))
    _show(terminal, found, as_csv=as_csv, as_json=as_json)
    return 0


async def _executed(
    settings: Settings, officer: str | None, typed: str, purpose: str, most_rows: int
) -> QueryResult:
    async with open_officer(settings, officer, ledger=own_ledger(settings)) as (session, _):
        return await OfficerQueries(session).run(
            typed, purpose=purpose_of(purpose), most_rows=most_rows
        )


@contextmanager
def _opened(
    runner: asyncio.Runner, terminal: Terminal, settings: Settings, officer: str | None
) -> Generator[OfficerSession]:
    opened = open_officer(settings, officer, ledger=own_ledger(settings))
    with terminal.busy("Opening the database"):
        session, _ = runner.run(opened.__aenter__())
    try:
        yield session
    finally:
        runner.run(opened.__aexit__(None, None, None))


def _show(terminal: Terminal, found: QueryResult, *, as_csv: bool, as_json: bool) -> None:
    if as_json:
        terminal.show_json(to_rows(found))
    elif as_csv or not terminal.out.is_terminal:
        terminal.out.file.write(to_csv(found))
        if found.has_more or found.cut_cells:
            terminal.remark(Text(counted(found)))
    else:
        terminal.show(*query_view(found))
