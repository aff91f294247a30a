"""The product, running: what tests of every platform look at."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.app.process import Process
from tests.databases import POLL_S

ROOT = Path(__file__).parents[1]
COMMAND_WITHIN_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What a test holds on to."""

    process: Process
    engine: AsyncEngine
    base_url: str

    @property
    def operations_url(self) -> str:
        """Where it tells how it is."""
        return f"http://127.0.0.1:{self.process.operations_port}"

    async def rows(self, query: str) -> list[dict[str, object]]:
        """Read from the database."""
        async with self.engine.connect() as connection:
            found = await connection.execute(text(query))
            return [dict(row) for row in found.mappings()]

    async def quiet(self, *, within_s: float = 60.0) -> None:
        """Wait until nothing is left to answer or to post."""
        left = (
            "SELECT 1 FROM citebound.inbox WHERE state IN ('received', 'running')"
            " UNION ALL SELECT 1 FROM citebound.outbox WHERE settled_at IS NULL"
        )
        async with asyncio.timeout(within_s), _looking(self.engine) as connection:
            while await connection.scalar(text(left)):  # noqa: ASYNC110  # the database says so
                await asyncio.sleep(POLL_S)


@asynccontextmanager
async def _looking(engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
    """Connect once for many looks: a connection costs the server more than they do."""
    async with engine.connect() as connection:
        yield await connection.execution_options(isolation_level="AUTOCOMMIT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A command of the command line, at its end."""

    code: int
    told: str
    """What it printed, its errors last."""


async def command(*words: str, home: Path, **variables: str) -> Ended:
    """Run `citebound` in a process of its own, with its variables and nothing else of ours."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *words),
        cwd=ROOT,
        env={
            "PATH": os.defpath,
            "HOME": str(home),
            "CITEBOUND_HOME": str(home / "home"),
            "PYTHONPATH": str(ROOT),
            **variables,
        },
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        async with asyncio.timeout(COMMAND_WITHIN_S):
            told, warned = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ended(code=process.returncode or 0, told=told.decode() + warned.decode())
