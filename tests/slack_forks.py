"""A process that imports the product once, and forks `citebound serve` as often as it is told.

    python -m tests.slack_forks

Reads one JSON object a line. `{"start": {…}}` has settings, with `port`, and is answered with the
child's id; `{"wait": ID}` with its exit code, negative for a signal, once it has ended. At the end
of its input it ends what still runs. With `stand_still` the child is not killed at its failpoint,
but stands still there: in a call (`sleep`), in Python (`loop`), in a regular expression (`regex`).
"""

import asyncio
import gc
import json
import os
import re
import signal
import sys
import time
import traceback
from types import SimpleNamespace
from typing import Any

from bot.app.logs import log_to_stderr
from bot.app.process import Roles, run_until_told
from bot.app.watchdog import STILL_AFTER_S
from core import failpoints
from core.config.settings import Settings


def _standing_still(how: str) -> Any:
    """Return what a failpoint calls in place of `os`."""

    def stand_still(*_: int) -> None:
        if how == "sleep":
            time.sleep(3_600)  # noqa: TID251  # that is the point
        while how == "loop":
            pass
        re.match(r"(a+)+$", "a" * 64 + "b")

    return SimpleNamespace(getpid=os.getpid, kill=stand_still)


def _child(given: dict[str, Any]) -> None:
    """Run the command's own code; the import alone is shared."""
    code = 1
    try:
        log_to_stderr()
        roles = Roles(**given.pop("roles", {}))
        still_after_s = given.pop("still_after_s", STILL_AFTER_S)
        stand_still = given.pop("stand_still", None)
        if stand_still is not None:
            failpoints.os = _standing_still(stand_still)
        asyncio.run(run_until_told(Settings(**given), roles, still_after_s=still_after_s))
        code = 0
    except BaseException:  # nothing is above it
        traceback.print_exc()
    finally:
        os._exit(code)


def main() -> None:
    """Serve until standard input ends. No child looks for garbage among what all have imported."""
    gc.collect()
    gc.freeze()
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
