"""`citebound serve`: take what Slack sends, answer it, post it."""

import asyncio
from argparse import Namespace

from bot.app.logs import log_to_stderr
from bot.app.process import Roles, run_until_told
from core.config.settings import Settings


def run(arguments: Namespace) -> int:
    """Run until SIGTERM; 0 once everything is given back."""
    log_to_stderr()
    roles = Roles(works=arguments.works)
    asyncio.run(run_until_told(Settings.from_environment(), roles))
    return 0
