"""A conversation at the terminal: read a line, answer it, until the end.

Reading blocks, so it happens outside the event loop: each answer is one `runner.run`. With piped
input there is no prompt, and nothing but replies is printed.
"""

import asyncio
import importlib
import sys

from rich.rule import Rule
from rich.text import Text

from bot.console.arguments.options import AskOptions
from bot.console.ask_and_show import ask, show
from bot.console.views.render import sources_view
from bot.console.views.safe_text import safe
from bot.console.views.terminal import Terminal
from core.adapters.system import UuidSource
from core.agent.request import Reply
from core.bootstrap import Service
from core.domain.errors import UsageError

PROMPT = "\n> "
HELP = """Type a question, or the number of an option.
  /sources   the quotes of the last answer again
  /new       a new conversation
  /help      this
  /quit      leave (as do Ctrl-D and Ctrl-C)"""


class Conversation:
    """One thread at a time, until the asker leaves."""

    def __init__(
        self, runner: asyncio.Runner, service: Service, terminal: Terminal, options: AskOptions
    ) -> None:
        """Begin, or continue, the thread that the options name."""
        self._runner = runner
        self._service = service
        self._terminal = terminal
        self._options = options
        self._thread = options.thread or UuidSource().new()
        self._last: Reply | None = None

    def hold(self) -> None:
        """Answer until the end of the input, `/quit` or Ctrl-C."""
        if self._terminal.is_interactive:
            self._terminal.show(
                Text("Ask a question. /help shows what else can be typed.", style="dim")
            )
            _edit_lines()
        while (line := self._read()) is not None:
            text = line.strip()
            if text == "/quit":
                break
            if text.startswith("/"):
                self._obey(text)
            elif text:
                self._answer(text)

    def _read(self) -> str | None:
        if self._terminal.is_interactive:
            try:
                return input(PROMPT)
            except (EOFError, KeyboardInterrupt):
                self._terminal.show(Text())
                return None
        return sys.stdin.readline() or None

    def _obey(self, command: str) -> None:
        match command:
            case "/help":
                self._terminal.show(Text(HELP))
            case "/new":
                self._thread, self._last = UuidSource().new(), None
                self._terminal.show(Text("A new conversation.", style="dim"))
            case "/sources":
                self._show_sources()
            case _:
                self._terminal.show(safe(f"{command} is not a command; /help shows them."))

    def _show_sources(self) -> None:
        if self._last is None or not self._last.answer.citations:
            self._terminal.show(Text("The last reply has no sources."))
        else:
            self._terminal.show(*sources_view(self._last.answer.citations))

    def _answer(self, text: str) -> None:
        try:
            reply = self._runner.run(
                ask(self._terminal, self._service, self._options, text=text, thread=self._thread)
            )
        except UsageError as error:
            self._terminal.remark(safe(str(error)))
            return
        self._last = reply
        if self._terminal.is_interactive:
            self._terminal.show(Text())
        show(self._terminal, reply, self._options)
        if not self._terminal.is_interactive:
            self._terminal.show(Rule(style="dim"))


def _edit_lines() -> None:
    """Give the prompt a history and the arrow keys, where Python was built with readline."""
    try:
        importlib.import_module("readline")
    except ImportError:
        return
