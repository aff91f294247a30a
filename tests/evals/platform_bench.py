"""What the figures of Slack and of Teams share: `bench_slack` and `bench_teams`.

A database with its default durability, the sample policies, a steady rate of arrivals that do not
wait for answers, kills at random moments, and what is left in the tables.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Protocol

import psycopg
from aiohttp import ClientSession
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from tests.slack_processes import Running

SAMPLES = Path(__file__).parents[2] / "samples"
QUESTIONS = (
    "What is the limit for gifts that employees accept from business partners?",
    "Who approves gifts above the limit?",
    "May I accept hospitality from a public official?",
    "When must a conflict of interest be disclosed?",
)
PEOPLE = 100
WARMING = 20
"""Requests before those that are measured."""
UNLIMITED = {
    "questions_per_asker": 10_000,
    "questions_per_channel": 10_000,
    "replies_per_conversation": 10_000,
    "waiting_per_asker": 10_000,
    "waiting_questions": 1_000_000,
}
"""A hundred people ask as thousands would."""
UNDERWAY = 30
"""Questions that wait for their answers, from which on nobody asks another: kills are measured, not
how much too much is."""
READY_WITHIN_S = 60.0
ACK_FOR_S, BURST_WITHIN_S = 20.0, 5.0
"""How long questions arrive, unless told otherwise."""
BURST = 150
"""Questions of a burst, unless told otherwise."""
_TIMES = (
    "SELECT extract(epoch FROM o.queued_at - i.received_at)::float * 1000 AS answered_ms,"
    " extract(epoch FROM o.settled_at - o.queued_at)::float * 1000 AS posted_ms"
    " FROM citebound.inbox i JOIN citebound.outbox o ON o.cause = 'message:' || i.id"
    " WHERE i.kind = 'message' AND o.state = 'posted'"
)
_SMALL_TALK = "SELECT count(*) FROM citebound.inbox WHERE kind IN ('help', 'ignored')"
"""Greetings and thanks among the samples: they wait for no search."""
_LEFT = (
    "SELECT (SELECT count(*) FROM citebound.inbox WHERE state IN ('received', 'running'))"
    " + (SELECT count(*) FROM citebound.outbox WHERE settled_at IS NULL)"
)


class Tables:
    """The database, from outside."""

    def __init__(self, url: str) -> None:
        self.engine: AsyncEngine = engine_for(url)

    async def rows(self, query: str) -> Sequence[Any]:
        """Return what a query finds."""
        async with self.engine.connect() as connection:
            return (await connection.execute(text(query))).mappings().all()

    async def count(self, query: str) -> int:
        """Return the number that a query counts."""
        async with self.engine.connect() as connection:
            return int(await connection.scalar(text(query)) or 0)

    async def left(self) -> int:
        """Return how much is not answered and posted."""
        return await self.count(_LEFT)

    async def quiet(self, *, within_s: float) -> None:
        """Wait until everything is answered and posted."""
        async with asyncio.timeout(within_s):
            while await self.left():  # noqa: ASYNC110  # other processes
                await asyncio.sleep(0.25)


@contextmanager
def postgres(*settings: str) -> Generator[str]:
    """Run an embedded Postgres with its default durability, and settings that it starts with."""
    with tempfile.TemporaryDirectory(prefix="citebound-bench-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        try:
            if settings:
                with psycopg.connect(start_embedded(home), autocommit=True) as connection:
                    for setting in settings:
                        connection.execute(f"ALTER SYSTEM SET {setting}".encode())
                stop_embedded(home)
            yield start_embedded(home, temporary=True)
        finally:
            stop_embedded(home)


async def publish(url: str) -> None:
    """Ingest the sample policies, in a process of its own."""
    ingest = (sys.executable, "-m", "bot", "ingest", str(SAMPLES / "policies"))
    ingesting = await asyncio.create_subprocess_exec(
        "env", f"DATABASE_URL={url}", *ingest, stdout=subprocess.DEVNULL
    )
    if await ingesting.wait() != 0:
        raise SystemExit("bench: the sample policies were not ingested")


def single_questions() -> list[str]:
    """Return the questions of the samples that stand alone; no two are alike."""
    lines = (SAMPLES / "questions" / "test.jsonl").read_text("utf-8").splitlines()
    return [one["question"] for one in map(json.loads, lines) if not one["thread"]]


def busy() -> str:
    """Say what else the machine does: the figures are worth less then."""
    one, five, _ = os.getloadavg()
    return f"load {one:.1f}, of five minutes {five:.1f}, {os.cpu_count()} cores"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request of a platform, as it is sent."""

    body: bytes
    headers: dict[str, str]


async def measure_ack(
    requests: Sequence[Request], *, url: str, rate: float, tables: Tables
) -> None:
    """Send requests at a steady rate, and print how soon they were acknowledged and stored.

    Each is to become one message; the first `WARMING` are not measured.
    """
    took_ms: list[float] = []
    refused = 0

    async def send(session: ClientSession, one: Request) -> None:
        nonlocal refused
        began = time.perf_counter()
        async with session.post(url, data=one.body, headers=one.headers) as response:
            await response.read()
        took_ms.append((time.perf_counter() - began) * 1_000)
        refused += response.status != 200

    before, measured = busy(), requests[WARMING:]
    async with ClientSession() as session:
        for one in requests[:WARMING]:
            await send(session, one)
        took_ms.clear()
        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for n, one in enumerate(measured):
                wait = began + n / rate - time.perf_counter()
                if wait > 0:
                    await asyncio.sleep(wait)
                group.create_task(send(session, one))
        elapsed = time.perf_counter() - began
    stored = await tables.count("SELECT count(*) FROM citebound.inbox") - WARMING
    cuts = quantiles(took_ms, n=100)
    print(
        f"acknowledged at {rate:.0f} events/s for {len(measured) / rate:.0f} s:"
        f" p50 {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms, max {max(took_ms):.1f} ms;"
        f" {len(measured)} sent, {stored} stored, {refused} refused,"
        f" {len(measured) / elapsed:.0f}/s achieved; before: {before}"
    )


def spread(took_ms: Sequence[float]) -> str:
    """Return how long something took."""
    return (
        f"p50 {median(took_ms):.0f} ms, p90 {quantiles(took_ms, n=10)[8]:.0f} ms,"
        f" most {max(took_ms):.0f} ms"
    )


class World(Protocol):
    """A platform, and processes that serve it."""

    @property
    def tables(self) -> Tables:
        """Their database."""
        ...

    async def start(self, port: int = 0) -> Running:
        """Start one process, and wait until it is ready."""
        ...

    def point_to(self, running: Running, /) -> None:
        """Let the platform send to a process."""
        ...


async def measure_kills(
    here: World,
    ask: Callable[[int], Coroutine[Any, Any, int]],
    verdict: Callable[[], Awaitable[str]],
    given: argparse.Namespace,
) -> None:
    """Ask, kill at random moments, start again, and look at what people see.

    Args:
        here: where.
        ask: lets the nth person ask a question and a second one; returns how many were
            acknowledged.
        verdict: compares what was stored with what people see.
        given: how many questions and kills, and the seed.
    """
    chance = random.Random(given.seed)  # noqa: S311  # no secret
    questions, kills = given.questions or 200, given.kills
    alive = [await here.start(), await here.start()]
    here.point_to(alive[1])
    began, before = time.perf_counter(), busy()
    async with asyncio.TaskGroup() as group:
        killing = group.create_task(_kill_often(here, alive, kills, chance))
        asking: list[asyncio.Task[int]] = []
        while len(asking) < questions // 2 or not killing.done():
            if len(asking) < questions // 2 and await here.tables.left() < UNDERWAY:
                asking.append(group.create_task(ask(len(asking))))
                await asyncio.sleep(kills * 2.5 / questions)
            else:
                await asyncio.sleep(0.2)
    await here.tables.quiet(within_s=1_800.0)
    acknowledged = sum(task.result() for task in asking)
    print(
        f"{acknowledged} questions acknowledged, {kills} SIGKILLs: {await verdict()};"
        f" {time.perf_counter() - began:.0f} s; before: {before}"
    )
    await end(*alive)


async def measure_burst(
    here: World, ask: Callable[[int], Coroutine[Any, Any, object]], given: argparse.Namespace
) -> None:
    """Let many ask within seconds, and print how long recorded answers wait to be posted.

    Args:
        here: where.
        ask: lets the nth person ask, alone in their place: no channel's pace is waited for.
        given: how many questions, and within how many seconds.
    """
    questions, seconds = given.questions or BURST, given.seconds or BURST_WITHIN_S
    running = await here.start()
    here.point_to(running)
    began, before = time.perf_counter(), busy()
    async with asyncio.TaskGroup() as group:
        for n in range(questions):
            await asyncio.sleep(max(0.0, began + n * seconds / questions - time.perf_counter()))
            group.create_task(ask(n))
    await here.tables.quiet(within_s=600.0)
    rows = await here.tables.rows(_TIMES)
    answered, posted = ([row[name] for row in rows] for name in ("answered_ms", "posted_ms"))
    small_talk = await here.tables.count(_SMALL_TALK)
    print(
        f"{questions} questions within {seconds:.0f} s: from the question to its record:"
        f" {spread(answered)}; from the record to the post: {spread(posted)};"
        f" {len(rows)} posted, {small_talk} small talk; before: {before}"
    )
    await end(running)


async def _kill_often(here: World, alive: list[Running], kills: int, chance: random.Random) -> None:
    """Kill one of two processes now and then, and start it again on its port."""
    for _ in range(kills):
        await asyncio.sleep(chance.uniform(0.2, 2.0))
        n = chance.randrange(2)
        dying, other = alive[n], alive[1 - n]
        dying.signal(9)
        await dying.ended()
        here.point_to(other)
        alive[n] = await here.start(dying.port)
        here.point_to(chance.choice(alive))


async def end(*running: Running) -> None:
    """End processes."""
    for one in running:
        one.signal(9)
        await one.ended()


def arguments(description: str | None, *more: str) -> argparse.Namespace:
    """Read the words of a command; `more` can be measured besides what every platform has."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("ack", "first", "burst", *more, "kills"))
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--questions", type=int)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()
