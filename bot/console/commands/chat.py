"""`citebound chat`: a conversation at the terminal."""

import asyncio
from argparse import Namespace
from contextlib import AsyncExitStack

from bot.console.arguments.options import ask_options
from bot.console.conversation import Conversation
from bot.console.open_service import check_corpus, opened
from bot.console.views.terminal import open_terminal


def run(arguments: Namespace) -> int:
    """Hold a conversation until the asker leaves."""
    options, terminal, stack = ask_options(arguments), open_terminal(), AsyncExitStack()
    with asyncio.Runner() as runner:
        try:
            service = runner.run(stack.enter_async_context(opened(terminal)))
            runner.run(check_corpus(service, options.scope))
            Conversation(runner, service, terminal, options).hold()
        finally:
            runner.run(stack.aclose())
    return 0
