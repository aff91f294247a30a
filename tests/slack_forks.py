"""A process that imports the product once, and forks `citebound serve` as often as it is told.

    python -m tests.slack_forks

Reads one JSON object a line. `{"start": {…}}` has settings, with `port`, and is answered with the
child's id; `{"wait": ID}` with its exit code, negative for a signal, once it has ended. At the end
of its input it ends what still runs.
"""

import asyncio
import json
import os
import signal
import sys
import traceback
from typing import Any

from bot.app.logs import log_to_stderr
from bot.app.process import Roles, run_until_told
from core.config import Settings


def _child(given: dict[str, Any]) -> None:
    """Run the command's own code; the import alone is shared."""
    code = 1
    try:
        log_to_stderr()
        roles = Roles(**given.pop("roles", {}))
        asyncio.run(run_until_told(Settings(**given), roles))
        code = 0
    except BaseException:  # nothing is above it
        traceback.print_exc()
    finally:
        os._exit(code)


def main() -> None:
    """Serve until standard input ends."""
    running: set[int] = set()
    try:
        for line in sys.stdin:
            order = json.loads(line)
            if "start" in order:
                pid = os.fork()
                if pid == 0:
                    _child(order["start"])
                running.add(pid)
                print(pid, flush=True)  # noqa: T201  # its answer
            else:
                _, status = os.waitpid(order["wait"], 0)
                running.discard(order["wait"])
                print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
