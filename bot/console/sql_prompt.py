"""The prompt of `citebound audit sql`: statements over several lines, up to a semicolon.

Each statement has a connection and a transaction of its own. Ctrl-C ends the statement that runs,
or forgets the one being typed. What was typed is kept for the arrow keys as long as the prompt is
open, and never written to disk: it may hold personal text.
"""

import asyncio
import importlib
import sys
from collections.abc import Callable
from contextlib import suppress

from rich.text import Text

from bot.console.views.query_view import described, query_view
from bot.console.views.terminal import Terminal, safe
from core.adapters.postgres.officers.query import OfficerQueries
from core.domain.errors import CiteboundError, UsageError

FIRST, FURTHER = "audit=> ", "audit-> "
HELP = """A SELECT, over as many lines as you like, up to a semicolon; each is recorded.
  \\d          the views, with what they hold
  \\d VIEW     its columns
  \\x          rows as blocks of lines, or as a table again
  \\purpose    say anew why you read
  \\?          this
  \\q          leave (as does Ctrl-D)"""
MOST_PURPOSE = 500
"""Characters of a purpose."""


class SqlPrompt:
    """Takes statements and commands until the officer leaves."""

    def __init__(
        self,
        runner: asyncio.Runner,
        terminal: Terminal,
        queries: OfficerQueries,
        *,
        purpose: str | None,
        most_rows: int,
    ) -> None:
        self._runner = runner
        self._terminal = terminal
        self._queries = queries
        self._purpose = purpose or ""
        self._most_rows = most_rows
        self._is_expanded = False

    def hold(self) -> None:
        r"""Take what is typed, until the end of the input or `\q`."""
        if self._terminal.is_interactive:
            _edit_lines()
            self._terminal.show(Text("\\? shows what can be typed.", style="dim"))
        if not self._purpose and not self._ask_purpose():
            return
        typed: list[str] = []
        while True:
            try:
                line = self._read(FURTHER if typed else FIRST)
                if line is None or (not typed and line.strip() == "\\q"):
                    break
                self._take(line, typed)
            except KeyboardInterrupt:
                typed.clear()
                self._terminal.remark(Text("\nended"))
        if typed:
            self._run("\n".join(typed))

    def _take(self, line: str, typed: list[str]) -> None:
        if not typed and line.strip().startswith("\\"):
            self._guarded(self._obey, line.strip())
        elif typed or line.strip():
            typed.append(line)
            if line.rstrip().endswith(";"):
                statement = "\n".join(typed)
                typed.clear()
                self._run(statement)

    def _ask_purpose(self) -> bool:
        """Ask until there is a purpose; False: there was no more to read."""
        while (said := self._read("Purpose, which is recorded: ")) is not None:
            try:
                self._purpose = purpose_of(said)
            except UsageError as error:
                self._terminal.remark(safe(str(error)))
            else:
                return True
        return False

    def _run(self, statement: str) -> None:
        self._guarded(self._show, statement)

    def _show(self, statement: str) -> None:
        with self._terminal.busy("Reading"):
            found = self._runner.run(
                self._queries.run(statement, purpose=self._purpose, most_rows=self._most_rows)
            )
        self._terminal.show(*query_view(found, is_expanded=self._is_expanded))

    def _obey(self, command: str) -> None:
        word, _, name = command.partition(" ")
        match word:
            case "\\?":
                self._terminal.show(Text(HELP))
            case "\\d" | "\\d+" | "\\dv":
                found = self._runner.run(
                    self._queries.describe(name.strip().removeprefix("audit."))
                )
                self._terminal.show(described(found))
            case "\\x":
                self._is_expanded = not self._is_expanded
                self._terminal.show(
                    Text(f"Blocks of lines: {'on' if self._is_expanded else 'off'}")
                )
            case "\\purpose":
                self._ask_purpose()
            case _:
                raise UsageError(f"{command} is no command; \\? shows them")

    def _guarded(self, function: Callable[[str], None], given: str) -> None:
        """Say what went wrong in one line, and go on."""
        try:
            function(given)
        except CiteboundError as error:
            self._terminal.remark(safe(f"error: {error}", style="red"))

    def _read(self, words: str) -> str | None:
        if self._terminal.is_interactive:
            try:
                return input(words)
            except EOFError:
                self._terminal.show(Text())
                return None
        return sys.stdin.readline() or None


def purpose_of(said: str) -> str:
    """Return why somebody reads.

    Raises:
        UsageError: It is empty, too long or not printable.
    """
    if not said.strip() or not said.strip().isprintable() or len(said) > MOST_PURPOSE:
        raise UsageError(
            f"give your purpose in one line of at most {MOST_PURPOSE} printable characters, such"
            " as a ticket"
        )
    return said.strip()


def _edit_lines() -> None:
    """Give the prompt arrow keys and a history that ends with it, where there is readline."""
    with suppress(ImportError):
        importlib.import_module("readline")
