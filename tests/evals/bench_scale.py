"""How many questions 1, 2 and 4 processes answer, what bounds them, and what a large corpus costs.

    python -m tests.evals.bench_scale {processes,corpus} [--seconds S] [--policies N]

`processes` lets 1, 2 and 4 processes answer the questions of the samples side by side for some
seconds (by default 15), with the shipped reader and without, over one database; what is said of
processor time is of one question, in the process's own code, in its models and in the database.
`corpus` ingests N generated policies of 40 sections each (by default 325, some 13,000 chunks),
and asks in new processes, alone and four at once, and in a running one while a policy of 400
sections is published. Says which of `GOALS` are missed, and ends with an error if it is the memory:
how long something takes depends on what else the machine does.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from core.adapters.postgres.engine.embedded import stop_embedded
from core.agent.request import AskRequest
from core.bootstrap import SERVING, Service, bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from tests.evals.bench_ask import QUESTIONS, Cost, command, policy
from tests.evals.platform_bench import Tables, busy, postgres, publish, single_questions

PROCESSES = (1, 2, 4)
AT_ONCE = 4
"""Questions that each process answers at the same time."""
WARMING = 12
"""Questions of each process before those that are counted."""
LARGEST = 10
"""Policies in one, as the publication during which questions are asked."""
MEMORY = "memory, MB"
GOALS = {"first question, s": 3.0, MEMORY: 400.0, "during a publication, s": 10.0}
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What one process did, and the processor time that it took."""

    questions: int
    python_s: float
    """Of the thread of the event loop."""
    models_s: float
    """Of all other threads: those of the models."""


async def answer(service: Service, questions: Sequence[str], *, until_s: float, name: str) -> int:
    """Answer and record questions, some at once, until it is time; return how many."""
    asked = 0

    async def people(first: int) -> None:
        nonlocal asked
        at = first
        while time.monotonic() < until_s:
            place = Place(thread=f"{name}-{at}")
            await service.answering.ask(
                AskRequest(text=questions[at % len(questions)], place=place)
            )
            at, asked = at + AT_ONCE, asked + 1

    async with asyncio.TaskGroup() as group:
        for number in range(AT_ONCE):
            group.create_task(people(number))
    return asked


async def serve(number: int, seconds: float) -> None:
    """Be one process: say when it is warm, answer from a given moment on, and say what it took."""
    questions = single_questions()
    questions = questions[number * 17 :] + questions[: number * 17]
    async with bootstrap(Settings.from_environment(), statements=SERVING) as service:
        for at in range(WARMING):
            place = Place(thread=f"warm-{number}-{at}")
            await service.answering.ask(AskRequest(text=questions[-at - 1], place=place))
        print("warm", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        python_s, all_s = time.thread_time(), time.process_time()
        until_s = time.monotonic() + seconds
        asked = await answer(service, questions, until_s=until_s, name=str(number))
        python_s, all_s = time.thread_time() - python_s, time.process_time() - all_s
    print(json.dumps({"questions": asked, "python_s": python_s, "models_s": all_s - python_s}))


async def postmaster(url: str) -> int:
    """Return the id of the process that the server of an embedded database began with."""
    tables = Tables(url)
    backend = await tables.count("SELECT pg_backend_pid()")
    stat = await asyncio.to_thread(Path(f"/proc/{backend}/stat").read_text)
    await tables.engine.dispose()
    return int(stat.rpartition(") ")[2].split()[1])


def database_cpu_s(server: int) -> float:
    """Return the processor time of a server's processes, those that have ended included."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            told = stat.read_text().rpartition(") ")[2].split()
        except OSError:
            continue  # it has ended
        if stat.parent.name == str(server):
            ticks += sum(map(int, told[11:15]))
        elif told[1] == str(server):
            ticks += sum(map(int, told[11:13]))
    return ticks * _TICK_S


def measure_processes(url: str, count: int, *, seconds: float, reader: str) -> None:
    """Let so many processes answer, and print how many questions, and what took the time."""
    known = {**os.environ, "DATABASE_URL": url, "CITEBOUND_REASONER": "extractive"}  # noqa: TID251  # the child's own
    known |= {"CITEBOUND_READER_MODEL": reader} if reader else {}
    words = (sys.executable, "-m", "tests.evals.bench_scale", "serve", "--seconds", str(seconds))
    running = [
        subprocess.Popen(  # noqa: S603  # this program itself
            (*words, "--number", str(number)),
            env=known,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    for one in running:
        if one.stdout is None or one.stdout.readline() != "warm\n":
            raise SystemExit("bench_scale: a process did not start")
    server = asyncio.run(postmaster(url))
    before, database_s = busy(), database_cpu_s(server)
    for one in running:
        if one.stdin is not None:
            one.stdin.write("\n")
            one.stdin.flush()
    said = [one.communicate()[0] for one in running]
    database_s = database_cpu_s(server) - database_s
    used = [Used(**json.loads(one)) for one in said]
    asked = sum(one.questions for one in used)
    costs = {
        "Python": sum(one.python_s for one in used) / asked,
        "models": sum(one.models_s for one in used) / asked,
        "database": database_s / asked,
    }
    told = ", ".join(f"{what} {cost * 1_000:.0f}" for what, cost in costs.items())
    most = max(costs, key=lambda what: costs[what])
    print(
        f"{'without reader' if reader else 'with reader':15} {count} processes:"
        f" {asked / seconds:5.1f} questions/s; ms of processor time each: {told};"
        f" bound by {most}; before: {before}"
    )


def first_questions(home: Path, at_once: int) -> tuple[float, list[Cost]]:
    """Ask in so many new processes at the same time; return how long all took, and their costs."""
    asked = [QUESTIONS[number % len(QUESTIONS)] for number in range(at_once)]
    began_s = time.monotonic()
    with ThreadPoolExecutor(at_once) as pool:
        costs = list(pool.map(partial(command, home, "ask"), asked))
    return time.monotonic() - began_s, costs


async def worst_meanwhile(home: Path, file: Path) -> float:
    """Ask one question after another while a file is published; return the longest wait."""
    os.environ["CITEBOUND_HOME"] = str(home)  # noqa: TID251  # what the settings read
    publishing = threading.Thread(target=command, args=(home, "ingest", str(file)))
    longest_s, asked = 0.0, 0
    async with bootstrap(Settings.from_environment(), statements=SERVING) as service:
        await answer(service, QUESTIONS, until_s=time.monotonic() + 2.0, name="warm")
        publishing.start()
        while publishing.is_alive():
            began_s, asked = time.monotonic(), asked + 1
            request = AskRequest(
                text=QUESTIONS[asked % len(QUESTIONS)], place=Place(thread=f"meanwhile-{asked}")
            )
            await service.answering.ask(request)
            longest_s = max(longest_s, time.monotonic() - began_s)
    publishing.join()
    print(f"{asked} questions while a policy of {40 * LARGEST} sections is published:", end=" ")
    print(f"the slowest {longest_s:.1f} s")
    return longest_s


def measure_corpus(policies: int) -> int:
    """Ingest policies, print what questions cost, and return 1 if they take too much memory."""
    random = Random(policies)  # noqa: S311  # repeatable
    with tempfile.TemporaryDirectory(prefix="citebound-bench-") as folder:
        source, home = Path(folder) / "policies", Path(folder) / "home"
        source.mkdir()
        for number in range(policies):
            (source / f"policy-{number:04d}.md").write_text(policy(number, random))
        added = Path(folder) / "added.md"
        parts = [policy(policies + number, random) for number in range(LARGEST)]
        added.write_text("# Large Policy\n" + "".join(one.partition("\n")[2] for one in parts))
        ingested = command(home, "ingest", str(source))
        print(
            f"{policies} policies ingested with {ingested.cpu_s:.0f} s of processor time",
            flush=True,
        )
        alone_s, (alone,) = first_questions(home, 1)
        alone_s, (alone,) = first_questions(home, 1)  # the server's own start is not of interest
        four_s, four = first_questions(home, 4)
        print(
            f"a new process answers its first question in {alone_s:.1f} s, start included, with"
            f" {alone.memory_mb:.0f} MB; four at once in {four_s:.1f} s with"
            f" {max(one.memory_mb for one in four):.0f} MB each; now: {busy()}"
        )
        try:
            longest_s = asyncio.run(worst_meanwhile(home, added))
        finally:
            stop_embedded(home)  # before its folder is gone
    found = dict(zip(GOALS, (alone_s, alone.memory_mb, longest_s), strict=True))
    missed = [f"{what}: {found[what]:.1f}" for what, most in GOALS.items() if found[what] > most]
    print(f"goals missed: {', '.join(missed) or 'none'}")
    return int(alone.memory_mb > GOALS[MEMORY])


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("processes", "corpus", "serve"))
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--policies", type=int, default=325)
    parser.add_argument("--number", type=int, default=0)
    given = parser.parse_args()
    if given.what == "serve":
        asyncio.run(serve(given.number, given.seconds))
        return 0
    if given.what == "corpus":
        return measure_corpus(given.policies)
    with postgres() as url:
        asyncio.run(publish(url))
        for reader in ("", "none"):
            for count in PROCESSES:
                measure_processes(url, count, seconds=given.seconds, reader=reader)
    return 0


if __name__ == "__main__":
    sys.exit(main())
