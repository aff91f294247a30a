"""Slack's figures: how soon it is told, how soon somebody reads an answer, and what kills cost.

    python -m tests.evals.bench_slack ack   [--rate 200] [--seconds 20]
    python -m tests.evals.bench_slack first [--questions 40]
    python -m tests.evals.bench_slack burst [--questions 150] [--seconds 5]
    python -m tests.evals.bench_slack large
    python -m tests.evals.bench_slack kills [--questions 200] [--kills 10]

Each runs the code of `citebound serve` in processes of its own, with Bolt, Slack's SDK, an embedded
Postgres with its default durability (fsync on) and the extractive reasoner: nothing is replaced but
Slack, which is a local server in this process, on the same cores. Arrivals do not wait for answers.

`large` asks in channels of a workspace of 20,000 accounts, under Slack's own rate limits, each time
in a process that knows nobody yet.

`kills` ends one of two processes by SIGKILL at random moments, starts it again, and then goes
through what people see: each question has one answer, in the order of its thread. `--questions
10000 --kills 500` takes hours on two cores.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.evals.platform_bench import (
    ACK_FOR_S,
    PEOPLE,
    QUESTIONS,
    READY_WITHIN_S,
    UNLIMITED,
    WARMING,
    Request,
    Tables,
    arguments,
    busy,
    end,
    measure_ack,
    measure_burst,
    measure_kills,
    postgres,
    publish,
    single_questions,
    spread,
)
from tests.servers.slack import FakeSlack, fake_slack
from tests.slack_processes import Forks, Running, forks

SLACKS_MINUTE = 60.0
POSTING = frozenset({"chat.postMessage", "chat.stopStream", "chat.update"})
LOOKING = frozenset({"users.list", "users.info", "conversations.members"})
ACCOUNTS = 20_000
ROOMS = (12, 200, 3_000, ACCOUNTS)
"""Members of the channels of `large`."""
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
    tables: Tables

    async def start(self, port: int = 0, **more: Any) -> Running:
        """Start one process, and wait until it is ready."""
        running = self.serving.start(self.slack, self.url, port=port, **UNLIMITED, **more)
        await running.ready(within_s=READY_WITHIN_S)
        return running

    def point_to(self, running: Running) -> None:
        """Let Slack send to a process."""
        self.slack.app_url = f"http://127.0.0.1:{running.port}/slack/events"


@asynccontextmanager
async def world(serving: Forks, url: str) -> AsyncGenerator[World]:
    """Publish the sample policies, and open a Slack."""
    await publish(url)
    tables = Tables(url)
    async with fake_slack(speed=SLACKS_MINUTE) as slack:
        slack.limits.on = False
        yield World(slack=slack, serving=serving, url=url, tables=tables)
    await tables.engine.dispose()


async def acknowledge(here: World, *, rate: float, seconds: float) -> None:
    """Send signed events at a steady rate, each a message of its own."""
    running = await here.start(roles={"works": False})
    here.point_to(running)
    slack = here.slack
    people = [slack.workspace.user(f"person{n}") for n in range(PEOPLE)]
    requests: list[Request] = []
    for n in range(int(rate * seconds) + WARMING):
        person = people[n % PEOPLE]
        message = slack.people.write(person, slack.workspace.direct(person), f"{n} {QUESTIONS[0]}")
        body = json.dumps(slack.events.envelope(slack.events.message(message))).encode()
        headers = slack.sender.sign(body) | {"Content-Type": "application/json"}
        requests.append(Request(body=body, headers=headers))
    await measure_ack(requests, url=slack.app_url, rate=rate, tables=here.tables)
    await end(running)


async def measure_first(here: World, *, questions: int) -> None:
    """Ask one question after the other: from the event to its status, and to its answer.

    They are those of the samples that stand alone, no two alike.
    """
    asked = single_questions()
    questions = min(questions, len(asked) - 3)
    running = await here.start()
    here.point_to(running)
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
        await here.tables.quiet(within_s=60.0)
        if n >= 3:
            # An answer that is there at once is the first sign itself.
            first = min(since(frozenset({"assistant.threads.setStatus"}) | POSTING))
            signs_ms.append((first - asked_at) * 1e3)
            posts_ms.append((since(POSTING)[0] - asked_at) * 1e3)
    print(
        f"from the event to the status: p50 {median(signs_ms):.0f} ms, most {max(signs_ms):.0f} ms;"
        f" to the answer's post: {spread(posts_ms)}; {questions} questions; before: {before}"
    )
    await end(running)


async def burst(here: World, given: argparse.Namespace) -> None:
    """Let everybody ask at once, each in their direct messages."""
    asked = single_questions()

    async def ask(n: int) -> None:
        await here.slack.people.ask(here.slack.workspace.user(f"person{n}"), asked[n % len(asked)])

    await measure_burst(here, ask, given)


async def measure_large(here: World) -> None:
    """Ask where few, many and all of 20,000 read: to the first sign of life, and to the answer."""
    slack = here.slack
    people = [slack.workspace.user(f"account{n}") for n in range(ACCOUNTS)]
    slack.limits.on = True
    for members in ROOMS:
        room = slack.workspace.channel(f"room{members}", *people[-members:], kind="group")
        running, before = await here.start(), busy()
        here.point_to(running)
        slack.limits.reset()
        seen, asked_at = len(slack.journal.entries), slack.clock.now()
        said = await slack.people.mention(people[-1], room, QUESTIONS[0])
        await slack.until(lambda m=said.message: bool(slack.checks.replies(m)), timeout_s=300.0)
        await here.tables.quiet(within_s=300.0)
        calls = slack.journal.entries[seen:]
        sign = next(one.at for one in calls if one.method == "assistant.threads.setStatus")
        answer = next(one.at for one in calls if one.method in POSTING and one.was_done)
        looked = Counter(one.method for one in calls if one.method in LOOKING)
        limited = sum(one.outcome == "ratelimited" for one in calls)
        print(
            f"{members} members of {ACCOUNTS} accounts: status after {sign - asked_at:.1f} s,"
            f" answer after {answer - asked_at:.1f} s; {dict(looked)}, {limited} limited;"
            f" before: {before}"
        )
        await end(running)


async def kills(here: World, given: argparse.Namespace) -> None:
    """Ask while processes are killed, and look at what people see."""
    people = [here.slack.workspace.user(f"person{n}") for n in range(PEOPLE)]

    async def ask(n: int) -> int:
        person = people[n % PEOPLE]
        first = await here.slack.people.ask(person, QUESTIONS[n % len(QUESTIONS)])
        again = await here.slack.people.ask(person, "and for contractors?", thread=first.message)
        return first.acknowledged + again.acknowledged

    await measure_kills(here, ask, lambda: verdict(here), given)


async def verdict(here: World) -> str:
    """Compare what was stored with what people see."""
    rows = await here.tables.rows(_ANSWERS)
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
    failed = await here.tables.count("SELECT count(*) FROM citebound.inbox WHERE state = 'dead'")
    return (
        f"{len(rows_of)} stored, {lost} lost, {twice} answered twice, {inversions} out of order,"
        f" {failed} given up with an apology, {unknown} other messages left standing"
    )


async def run(serving: Forks, url: str, given: argparse.Namespace) -> None:
    """Measure what was asked for."""
    async with world(serving, url) as here:
        match given.what:
            case "ack":
                await acknowledge(here, rate=given.rate, seconds=given.seconds or ACK_FOR_S)
            case "first":
                await measure_first(here, questions=given.questions or 40)
            case "burst":
                await burst(here, given)
            case "large":
                await measure_large(here)
            case _:
                await kills(here, given)


def main() -> None:
    """Read the words and measure."""
    given = arguments(__doc__, "large")
    with forks() as serving, postgres() as url:
        asyncio.run(run(serving, url, given))


if __name__ == "__main__":
    main()
