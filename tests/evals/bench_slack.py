"""Slack's figures: how soon it is told, how soon somebody reads an answer, and what kills cost.

    python -m tests.evals.bench_slack ack   [--rate 200] [--seconds 20]
    python -m tests.evals.bench_slack first [--questions 40]
    python -m tests.evals.bench_slack kills [--questions 200] [--kills 10]

Each runs the code of `citebound serve` in processes of its own, with Bolt, Slack's SDK, an embedded
Postgres with its default durability (fsync on) and the extractive reasoner: nothing is replaced but
Slack, which is a local server in this process, on the same cores. Arrivals do not wait for answers.

`kills` ends one of two processes by SIGKILL at random moments, starts it again, and then goes
through what people see: each question has one answer, in the order of its thread. `--questions
10000 --kills 500` takes hours on two cores.
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
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from aiohttp import ClientSession
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.database import engine_for
from core.adapters.postgres.embedded import start_embedded, stop_embedded
from tests.servers.slack import FakeSlack, fake_slack
from tests.slack_processes import Forks, Running, forks

SAMPLES = Path(__file__).parents[2] / "samples"
QUESTIONS = (
    "What is the limit for gifts that employees accept from business partners?",
    "Who approves gifts above the limit?",
    "May I accept hospitality from a public official?",
    "When must a conflict of interest be disclosed?",
)
PEOPLE = 100
UNLIMITED = {
    "questions_per_asker": 10_000,
    "questions_per_channel": 10_000,
    "replies_per_conversation": 10_000,
}
"""A hundred people ask as thousands would."""
UNDERWAY = 30
"""Questions that wait for their answers, from which on nobody asks another: kills are measured, not
how much too much is."""
SLACKS_MINUTE = 60.0
POSTING = frozenset({"chat.postMessage", "chat.stopStream", "chat.update"})
_LEFT = (
    "SELECT (SELECT count(*) FROM citebound.inbox WHERE state IN ('received', 'running'))"
    " + (SELECT count(*) FROM citebound.outbox WHERE settled_at IS NULL)"
)
_ANSWERS = (
    "SELECT o.id::text AS outbox, i.id AS message, i.conversation_id::text AS thread"
    " FROM citebound.inbox i LEFT JOIN citebound.outbox o ON o.cause = 'message:' || i.id"
    " WHERE i.kind = 'message' ORDER BY i.id"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a measure works with."""

    slack: FakeSlack
    serving: Forks
    url: str
    engine: AsyncEngine

    async def start(self, **more: Any) -> Running:
        """Start one process, and tell Slack where it is."""
        running = self.serving.start(self.slack, self.url, **UNLIMITED, **more)
        await running.ready(within_s=60.0)
        self.slack.app_url = address(running)
        return running

    async def count(self, query: str) -> int:
        """Return the number that a query counts."""
        async with self.engine.connect() as connection:
            return int(await connection.scalar(text(query)) or 0)

    async def quiet(self, *, within_s: float) -> None:
        """Wait until everything is answered and posted."""
        async with asyncio.timeout(within_s):
            while await self.count(_LEFT):  # noqa: ASYNC110  # other processes
                await asyncio.sleep(0.25)


def address(running: Running) -> str:
    """Return where a process takes Slack's events."""
    return f"http://127.0.0.1:{running.port}/slack/events"


@contextmanager
def postgres() -> Generator[str]:
    """Run an embedded Postgres with its default durability."""
    with tempfile.TemporaryDirectory(prefix="citebound-bench-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        try:
            yield start_embedded(home, temporary=True)
        finally:
            stop_embedded(home)


@asynccontextmanager
async def world(serving: Forks, url: str) -> AsyncGenerator[World]:
    """Publish the sample policies, and open a Slack."""
    ingest = (sys.executable, "-m", "bot", "ingest", str(SAMPLES / "policies"))
    ingesting = await asyncio.create_subprocess_exec(
        "env", f"DATABASE_URL={url}", *ingest, stdout=subprocess.DEVNULL
    )
    if await ingesting.wait() != 0:
        raise SystemExit("bench_slack: the sample policies were not ingested")
    engine = engine_for(url)
    async with fake_slack(speed=SLACKS_MINUTE) as slack:
        slack.limits.on = False
        yield World(slack=slack, serving=serving, url=url, engine=engine)
    await engine.dispose()


def busy() -> str:
    """Say what else the machine does: the figures are worth less then."""
    one, five, _ = os.getloadavg()
    return f"load {one:.1f}, of five minutes {five:.1f}, {os.cpu_count()} cores"


async def measure_ack(here: World, *, rate: float, seconds: float) -> None:
    """Send signed events at a steady rate, each a message of its own."""
    running = await here.start(roles={"works": False})
    slack, count = here.slack, int(rate * seconds)
    people = [slack.workspace.user(f"person{n}") for n in range(PEOPLE)]
    bodies: list[bytes] = []
    for n in range(count + 20):
        person = people[n % PEOPLE]
        message = slack.people.write(person, slack.workspace.direct(person), f"{n} {QUESTIONS[0]}")
        bodies.append(json.dumps(slack.events.envelope(slack.events.message(message))).encode())
    took_ms: list[float] = []
    refused = 0

    async def send(session: ClientSession, body: bytes) -> None:
        nonlocal refused
        headers = slack.sender.sign(body) | {"Content-Type": "application/json"}
        began = time.perf_counter()
        async with session.post(slack.app_url, data=body, headers=headers) as response:
            await response.read()
        took_ms.append((time.perf_counter() - began) * 1_000)
        refused += response.status != 200

    before = busy()
    async with ClientSession() as session:
        for body in bodies[count:]:
            await send(session, body)
        took_ms.clear()
        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for n, body in enumerate(bodies[:count]):
                wait = began + n / rate - time.perf_counter()
                if wait > 0:
                    await asyncio.sleep(wait)
                group.create_task(send(session, body))
        elapsed = time.perf_counter() - began
    stored = await here.count("SELECT count(*) FROM citebound.inbox") - 20
    cuts = quantiles(took_ms, n=100)
    print(
        f"acknowledged at {rate:.0f} events/s for {seconds:.0f} s: p50 {cuts[49]:.1f} ms, p99"
        f" {cuts[98]:.1f} ms, max {max(took_ms):.1f} ms; {count} sent, {stored} stored, {refused}"
        f" refused, {count / elapsed:.0f}/s achieved; before: {before}"
    )
    running.signal(9)
    await running.ended()


async def measure_first(here: World, *, questions: int) -> None:
    """Ask one question after the other: from the event to its status, and to its answer.

    They are those of the samples that stand alone, no two alike.
    """
    lines = (SAMPLES / "questions" / "test.jsonl").read_text("utf-8").splitlines()
    asked = [one["question"] for one in map(json.loads, lines) if not one["thread"]]
    questions = min(questions, len(asked) - 3)
    running = await here.start()
    slack, before = here.slack, busy()
    signs_ms: list[float] = []
    posts_ms: list[float] = []
    for n in range(questions + 3):
        person = slack.workspace.user(f"person{n}")
        seen = len(slack.journal.entries)
        asked_at = slack.clock.now()
        await slack.people.ask(person, asked[n])

        def since(methods: frozenset[str], seen: int = seen) -> list[float]:
            entries = slack.journal.entries[seen:]
            return [one.at for one in entries if one.method in methods and one.was_done]

        await slack.until(lambda since=since: bool(since(POSTING)), timeout_s=30.0)
        await here.quiet(within_s=60.0)
        if n >= 3:
            signs_ms.append((since(frozenset({"assistant.threads.setStatus"}))[0] - asked_at) * 1e3)
            posts_ms.append((since(POSTING)[0] - asked_at) * 1e3)
    print(
        f"from the event to the status: p50 {median(signs_ms):.0f} ms, most {max(signs_ms):.0f} ms;"
        f" to the answer's post: p50 {median(posts_ms):.0f} ms, p90"
        f" {quantiles(posts_ms, n=10)[8]:.0f} ms, most {max(posts_ms):.0f} ms;"
        f" {questions} questions; before: {before}"
    )
    running.signal(9)
    await running.ended()


async def measure_kills(here: World, *, questions: int, kills: int, seed: int) -> None:
    """Ask, kill at random moments, start again, and look at what people see."""
    slack, chance = here.slack, random.Random(seed)  # noqa: S311  # no secret
    people = [slack.workspace.user(f"person{n}") for n in range(PEOPLE)]
    alive = [await here.start(), await here.start()]
    began, before = time.perf_counter(), busy()
    done = 0

    async def kill_often() -> None:
        nonlocal done
        while done < kills:
            await asyncio.sleep(chance.uniform(0.2, 2.0))
            n = chance.randrange(2)
            dying, other = alive[n], alive[1 - n]
            dying.signal(9)
            await dying.ended()
            done += 1
            slack.app_url = address(other)
            alive[n] = here.serving.start(slack, here.url, port=dying.port, **UNLIMITED)
            await alive[n].ready(within_s=60.0)
            slack.app_url = address(chance.choice(alive))

    async def ask(n: int) -> int:
        person = people[n % PEOPLE]
        first = await slack.people.ask(person, QUESTIONS[n % len(QUESTIONS)])
        again = await slack.people.ask(person, "and for contractors?", thread=first.message)
        return first.acknowledged + again.acknowledged

    async with asyncio.TaskGroup() as group:
        killing = group.create_task(kill_often())
        asking: list[asyncio.Task[int]] = []
        while len(asking) < questions // 2 or not killing.done():
            if len(asking) < questions // 2 and await here.count(_LEFT) < UNDERWAY:
                asking.append(group.create_task(ask(len(asking))))
                await asyncio.sleep(kills * 2.5 / questions)
            else:
                await asyncio.sleep(0.2)
    await here.quiet(within_s=1_800.0)
    told = await verdict(here)
    acknowledged = sum(task.result() for task in asking)
    print(
        f"{acknowledged} questions acknowledged, {done} SIGKILLs: {told};"
        f" {time.perf_counter() - began:.0f} s; before: {before}"
    )
    for one in alive:
        one.signal(9)
        await one.ended()


async def verdict(here: World) -> str:
    """Compare what was stored with what people see."""
    async with here.engine.connect() as connection:
        rows = (await connection.execute(text(_ANSWERS))).mappings().all()
    shown: Counter[str] = Counter()
    order: dict[str, float] = {}
    unknown = 0
    for message in here.slack.checks.by_app():
        payload: dict[str, Any] = (message.metadata or {}).get("event_payload", {})
        key = str(payload.get("outbox", ""))
        unknown += not key
        shown[key] += bool(key)
        order[key] = float(message.ts)
    lost = sum(1 for row in rows if not shown[row["outbox"] or "none"])
    rows_of = Counter(row["message"] for row in rows)
    twice = sum(n > 1 for n in rows_of.values()) + sum(n > 1 for n in shown.values())
    inversions, latest = 0, dict[str, float]()
    for row in rows:
        at = order.get(row["outbox"] or "none", 0.0)
        inversions += at < latest.get(row["thread"], 0.0)
        latest[row["thread"]] = max(at, latest.get(row["thread"], 0.0))
    failed = await here.count("SELECT count(*) FROM citebound.inbox WHERE state = 'dead'")
    return (
        f"{len(rows_of)} stored, {lost} lost, {twice} answered twice, {inversions} out of order,"
        f" {failed} given up with an apology, {unknown} other messages left standing"
    )


async def run(serving: Forks, url: str, given: argparse.Namespace) -> None:
    """Measure what was asked for."""
    async with world(serving, url) as here:
        match given.what:
            case "ack":
                await measure_ack(here, rate=given.rate, seconds=given.seconds)
            case "first":
                await measure_first(here, questions=given.questions or 40)
            case _:
                questions = given.questions or 200
                await measure_kills(here, questions=questions, kills=given.kills, seed=given.seed)


def main() -> None:
    """Read the words and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("ack", "first", "kills"))
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--questions", type=int)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with forks() as serving, postgres() as url:
        asyncio.run(run(serving, url, given))


if __name__ == "__main__":
    main()
