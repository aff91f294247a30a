"""`citebound ask`: one question, one reply."""

import asyncio
import shlex
import sys
from argparse import Namespace

from rich.text import Text

from bot.console.arguments.options import AskOptions, ask_options
from bot.console.ask_and_show import ask, show
from bot.console.open_service import check_corpus, opened
from bot.console.views.safe_text import clean
from bot.console.views.terminal import Terminal, open_terminal
from bot.console.views.verbose import run_view
from core.adapters.system import UuidSource
from core.agent.trace_json import reply_json
from core.domain.answer import Outcome
from core.domain.errors import UsageError

EXIT_FAILED = 7
"""Something broke while the question was answered; what can be shown is the record of that."""


def run(arguments: Namespace) -> int:
    """Ask the question; any outcome is 0 but a recorded failure."""
    words: list[str] = arguments.question
    text = sys.stdin.read() if words == ["-"] else " ".join(words)
    if not text.strip():
        raise UsageError(
            "the question is empty: expected words, or - with a question on standard input"
        )
    options = ask_options(arguments)
    outcome = asyncio.run(_ask(open_terminal(), options, text=text, as_json=arguments.as_json))
    return EXIT_FAILED if outcome is Outcome.FAILED else 0


async def _ask(terminal: Terminal, options: AskOptions, *, text: str, as_json: bool) -> Outcome:
    thread = options.thread or UuidSource().new()
    async with opened(terminal) as service:
        await check_corpus(service, options.scope)
        reply = await ask(terminal, service, options, text=text.strip(), thread=thread)
    if as_json:
        if options.is_verbose:
            terminal.remark(*run_view(reply.run))
        terminal.show_json(reply_json(reply))
        return reply.answer.outcome
    show(terminal, reply, options)
    if reply.answer.outcome is Outcome.CLARIFICATION:
        hint = f'Go on with: citebound ask --thread {shlex.quote(clean(thread))} "..."'
        terminal.show(Text(), Text(hint, style="dim", no_wrap=True, overflow="ignore"))
    return reply.answer.outcome
