"""A process that imports the service once, and forks a child for each trial, to be killed.

Reads one JSON object a line: `url`, `do` (`accept` or `work`), `failpoint` (or null), `words` (what
is accepted). Answers each with the child's exit code, negative for a signal.
"""

import asyncio
import json
import os
import sys
import traceback

from core.adapters.postgres.engine.database import engine_for
from core.failpoints import arm
from tests.life import Deployment, deploy, message

LEASE_S = 1.0


async def _accept(deployment: Deployment, words: list[list[str]]) -> None:
    for text, thread in words:
        await deployment.intake.accept(message(text, key=text, thread=thread))


async def _work(deployment: Deployment) -> None:
    async with deployment.working():
        await deployment.quiet(within_s=30.0)


async def _run(order: dict[str, object]) -> None:
    engine = engine_for(str(order["url"]))
    deployment = deploy(engine, lease_s=LEASE_S)
    if order["do"] == "accept":
        await _accept(deployment, order["words"])  # pyright: ignore[reportArgumentType]
    else:
        await _work(deployment)
    await engine.dispose()


def _child(order: dict[str, object]) -> None:
    code = 1
    try:
        failpoint = order["failpoint"]
        arm(None if failpoint is None else str(failpoint))
        asyncio.run(_run(order))
        code = 0
    except BaseException:  # nothing is above it
        traceback.print_exc()
    finally:
        os._exit(code)


def main() -> None:
    """Serve until standard input ends."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _child(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  # its answer


main()
