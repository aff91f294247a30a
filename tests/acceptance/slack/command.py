"""`citebound serve` as somebody types it: a process with an environment, and nothing else."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import text

from core.adapters.postgres.engine.database import engine_for
from tests.databases import login_variables

ROOT = Path(__file__).parents[3]
LONGEST_S = 120.0
"""What a start, an answer or an end may take on a machine that does much else."""


@dataclass(kw_only=True)
class Command:
    """The process, once it listens."""

    process: asyncio.subprocess.Process
    database_url: str
    told: list[str] = field(default_factory=list[str])
    """Lines of its standard error."""
    port: int = 0
    operations_port: int = 0

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def operations_url(self) -> str:
        """Where it tells how it is."""
        return f"http://127.0.0.1:{self.operations_port}"

    async def quiet(self) -> None:
        """Wait until nothing is left to answer or to post."""
        left = text(
            "SELECT 1 FROM citebound.inbox WHERE state IN ('received', 'running')"
            " UNION ALL SELECT 1 FROM citebound.outbox WHERE settled_at IS NULL"
        )
        engine = engine_for(self.database_url, pooled=False)
        async with asyncio.timeout(LONGEST_S):
            while True:
                async with engine.connect() as connection:
                    if (await connection.execute(left)).first() is None:
                        return
                await asyncio.sleep(0.05)

    async def stopped(self) -> int:
        """Send SIGTERM, and return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(LONGEST_S):
            return await self.process.wait()

    def messages(self) -> list[str]:
        """Return what it logged; each line is an object of JSON."""
        return [json.loads(line)["message"] for line in self.told]

    async def listens(self) -> None:
        """Read what it says until it listens."""
        stderr = self.process.stderr
        assert stderr is not None
        async with asyncio.timeout(LONGEST_S):
            async for line in stderr:
                self.told.append(line.decode().rstrip())
                told = self.told[-1].partition("health and metrics on port ")[2]
                if told:
                    self.operations_port = int(told.partition('"')[0])
                found = self.told[-1].partition("listening on port ")[2]
                if found:
                    self.port = int(found.partition('"')[0])
                    return
        raise AssertionError(f"it never listened: {self.told}")

    async def read_on(self) -> None:
        """Read what it says until it ends."""
        stderr = self.process.stderr
        assert stderr is not None
        async for line in stderr:
            self.told.append(line.decode().rstrip())


@asynccontextmanager
async def serving(home: Path, database_url: str, **settings: Any) -> AsyncGenerator[Command]:
    """Run it until the block ends, in an environment of these settings alone."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        **login_variables(database_url),
        "CITEBOUND_PORT": "0",
        "CITEBOUND_OPERATIONS_PORT": "0",
        **{name: str(value) for name, value in settings.items()},
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "serve"),
        cwd=home,
        env=environment,
        stderr=asyncio.subprocess.PIPE,
    )
    command = Command(process=process, database_url=database_url)
    try:
        await command.listens()
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(command.read_on())
            try:
                yield command
                if process.returncode is None:
                    await command.stopped()
            finally:
                if process.returncode is None:
                    process.kill()
            await reading
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
