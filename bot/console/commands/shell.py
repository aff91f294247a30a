"""`citebound audit shell`: the embedded database, open to psql and other clients here."""

import asyncio
import shutil
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

from rich.text import Text

from bot.console.commands.officers import own_ledger
from bot.console.sql_prompt import purpose_of
from bot.console.views.terminal import open_terminal
from core.adapters.postgres.engine.embedded_account import own_psql
from core.adapters.postgres.officers.login import ClientConnection, open_officer
from core.adapters.postgres.officers.session import Reading
from core.config.settings import Settings
from core.domain.errors import UsageError


def shell(*, purpose: str | None, officer: str | None) -> int:
    """Open the embedded database until psql ends, or Ctrl-C without one; 0."""
    terminal, settings = open_terminal(), Settings.from_environment()
    if settings.database_url:
        raise UsageError(
            "DATABASE_URL names a server, which is open as it is: connect with psql as the login"
            " that `citebound audit grant-officer` printed"
        )
    if purpose is None:
        raise UsageError("give your purpose with --purpose: it is recorded")
    with terminal.busy("Opening the database"):
        line = asyncio.run(_opened(settings, officer, purpose_of(purpose))).words
    terminal.remark(Text("Any client that connects by Unix sockets reaches it until this ends:"))
    terminal.show_unwrapped(f'psql "{line}"')
    terminal.out.file.flush()
    psql = shutil.which("psql") or str(own_psql())
    if terminal.is_interactive and Path(psql).is_file():
        terminal.remark(Text("\\d lists the views, \\d+ VIEW its columns, \\q leaves."))
        subprocess.run([psql, line], check=False)  # noqa: S603  # ours, or the user's own
        return 0
    terminal.remark(Text("Ctrl-C ends it."))
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
    return 0


async def _opened(settings: Settings, officer: str | None, purpose: str) -> ClientConnection:
    """Record that the database is opened, and return how the officer connects."""
    reading = Reading(purpose=purpose, statement="audit shell")
    async with (
        open_officer(settings, officer, ledger=own_ledger(settings)) as (session, connection),
        session.reading(reading),
    ):
        return connection
