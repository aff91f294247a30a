"""Processes of the product, from outside: started, killed, stopped, asked if they are ready."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import ClientError, ClientSession
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.databases import logins
from tests.ports import free_port
from tests.servers.slack import FakeSlack

ROOT = Path(__file__).parents[1]
KILLED = -signal.SIGKILL

_AGE = (
    "UPDATE citebound.inbox SET lease_until = lease_until - make_interval(secs => :s),"
    " next_at = next_at - make_interval(secs => :s) WHERE state IN ('received', 'running')",
    "UPDATE citebound.outbox SET lease_until = lease_until - make_interval(secs => :s),"
    " next_at = next_at - make_interval(secs => :s), queued_at = queued_at"
    " - make_interval(secs => :s) WHERE settled_at IS NULL",
    "UPDATE citebound.channel_paces SET free_at = free_at - make_interval(secs => :s),"
    " rests_until = rests_until - make_interval(secs => :s)",
    "UPDATE citebound.turns SET taken = ARRAY(SELECT at - make_interval(secs => :s)"
    " FROM unnest(taken) AS at ORDER BY at)",
    "UPDATE citebound.leases SET until = until - make_interval(secs => :s)",
)


async def let_pass(engine: AsyncEngine, *, seconds: float) -> None:
    """Let time pass for the tables, while no process runs: leases end, waits are over."""
    async with engine.begin() as connection:
        for statement in _AGE:
            await connection.execute(text(statement), {"s": seconds})


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """One process."""

    pid: int
    port: int
    operations_port: int
    forks: "Forks | None"
    """Who started it; None: somebody else, who also waits for its end."""

    async def ready(self, *, within_s: float = 60.0) -> None:
        """Wait until it says that it is."""
        async with asyncio.timeout(within_s):
            while True:
                with contextlib.suppress(ClientError):
                    if (await self.told("readyz"))[0] == 200:
                        return
                await asyncio.sleep(0.02)

    async def told(self, path: str) -> tuple[int, str]:
        """Return what it says of itself, with the status.

        Raises:
            ClientError: It does not listen.
        """
        url = f"http://127.0.0.1:{self.operations_port}/{path}"
        async with ClientSession() as session, session.get(url) as response:
            return response.status, await response.text()

    def signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    async def ended(self, *, within_s: float = 60.0) -> int:
        """Wait until it has ended, and return its exit code, negative for a signal."""
        assert self.forks is not None
        async with asyncio.timeout(within_s):
            return await asyncio.to_thread(self.forks.order, wait=self.pid)


class Forks:
    """Starts processes by forking one that has imported everything."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout

    def order(self, **order: Any) -> int:
        """Send one order, and wait for its answer."""
        self._stdin.write(json.dumps(order) + "\n")
        self._stdin.flush()
        return int(self._stdout.readline())

    def start(self, slack: FakeSlack, database_url: str, *, port: int = 0, **more: Any) -> Running:
        """Start one for a workspace."""
        settings = {
            **logins(database_url),
            "slack_bot_token": slack.workspace.bot_token,
            "slack_signing_secret": slack.workspace.app.signing_secret,
            "slack_api_url": slack.api_url,
            **more,
        }
        return self.start_with(settings, port=port)

    def start_with(self, settings: Mapping[str, Any], *, port: int = 0) -> Running:
        """Start one with the values of `Settings`."""
        port = port or free_port()
        given = {"operations_port": free_port(), **settings, "port": port}
        return Running(
            pid=self.order(start=given),
            port=port,
            operations_port=given["operations_port"],
            forks=self,
        )


@contextmanager
def forks(root: Path = ROOT) -> Generator[Forks]:
    """Hold the process that forks, of the code below a folder; at the end nothing of it runs."""
    process = subprocess.Popen(  # our own module
        [sys.executable, "-m", "tests.slack_forks"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},  # noqa: TID251  # of the test's own process
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Forks(process)
    finally:
        process.stdin.close()
        process.wait(timeout=60)
        process.stdout.close()
