"""`citebound work`: answer and post beside the processes that serve."""

import asyncio
from argparse import Namespace

from bot.app.logs import log_to_stderr
from bot.app.process import Roles, run_until_told
from core.config.settings import Settings


def run(_: Namespace) -> int:
    """Run until SIGTERM; 0 once everything is given back."""
    log_to_stderr()
    asyncio.run(run_until_told(Settings.from_environment(), Roles(serves=False)))
    return 0
