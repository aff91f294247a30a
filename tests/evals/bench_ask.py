"""What one question costs a process of its own, as the corpus grows; and eight at the same time.

    python -m tests.evals.bench_ask POLICIES...

POLICIES are numbers of generated policies (by default 16, 100 and 400), each of 40 sections. Prints
the processor time and the memory of `citebound ask`, and how long eight at once take; ends with an
error if one of them fails, or if memory grows with the corpus.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from time import monotonic

SECTIONS = 40
AT_ONCE = 8
ALLOWED = 1.3
"""How much more memory the largest corpus may take than the smallest."""
QUESTIONS = (
    "Who must approve a gift above EUR 70?",
    "Within how many days must an incident be reported?",
    "May contractors accept an invitation from a supplier?",
    "What does a sensitive record mean?",
)
_ROLES = ("Compliance Officer", "Chief Financial Officer", "Board", "Data Protection Officer")
_THINGS = (
    "gift",
    "invitation",
    "incident",
    "record",
    "payment",
    "contract",
    "trip",
    "access right",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a process used."""

    cpu_s: float
    """User and system time."""
    memory_mb: float
    """The most memory it had."""


def policy(number: int, random: Random) -> str:
    """Write a policy."""
    lines = [f"# {random.choice(_THINGS).title()} Policy {number}", ""]
    for section in range(1, SECTIONS + 1):
        thing, role = random.choice(_THINGS), random.choice(_ROLES)
        lines += [
            f"## {section} Rules for each {thing} of kind {number}-{section}",
            "",
            f"Employees must report each {thing} above EUR {random.randint(2, 90)}0 to the {role}"
            f" within {random.randint(2, 30)} days. Contractors must not accept any {thing}. The"
            f" {role} may approve a {thing} of kind {section}.",
            "",
            f'"Kind {section} {thing}" means a {thing} that unit {number} handles.',
            "",
        ]
    return "\n".join(lines)


def command(home: Path, *arguments: str) -> Cost:
    """Run `citebound`, and say what it used.

    Raises:
        RuntimeError: it failed.
    """
    known = {**os.environ, "CITEBOUND_HOME": str(home)}  # noqa: TID251  # the child's own
    for name in [name for name in known if name.startswith(("ANTHROPIC_", "CITEBOUND_REASONER"))]:
        del known[name]
    child = subprocess.Popen(  # noqa: S603  # this program itself
        [sys.executable, "-m", "bot", *arguments],
        env=known,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    told = child.stderr.read() if child.stderr else b""
    _, status, used = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"citebound {arguments[0]} failed: {told.decode()[-300:]}")
    return Cost(cpu_s=used.ru_utime + used.ru_stime, memory_mb=used.ru_maxrss / 1024)


def measure(policies: int, folder: Path) -> float:
    """Ingest so many policies, print what questions cost, and return the memory of one."""
    random = Random(policies)  # noqa: S311  # repeatable
    source, home = folder / f"policies-{policies}", folder / f"home-{policies}"
    source.mkdir()
    for number in range(policies):
        (source / f"policy-{number:04d}.md").write_text(policy(number, random))
    ingested = command(home, "ingest", str(source), "--no-rag")
    alone = [command(home, "ask", question) for question in QUESTIONS]
    began = monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = [QUESTIONS[number % len(QUESTIONS)] for number in range(AT_ONCE)]
        together = list(pool.map(partial(command, home, "ask"), asked))
    took_s = monotonic() - began
    memory_mb = max(cost.memory_mb for cost in alone)
    print(
        f"{policies:6} policies: ask {min(cost.cpu_s for cost in alone):.2f} to"
        f" {max(cost.cpu_s for cost in alone):.2f} s of processor time, {memory_mb:.0f} MB;"
        f" {len(together)} at once in {took_s:.1f} s; ingested with {ingested.cpu_s:.0f} s"
    )
    return memory_mb


def main(sizes: list[int]) -> int:
    """Measure each size; 1 if memory grows with the corpus."""
    with tempfile.TemporaryDirectory(prefix="citebound-bench-") as folder:
        taken = [measure(size, Path(folder)) for size in sizes]
    growth = max(taken) / taken[0]
    print(f"memory grows {growth:.2f} times (at most {ALLOWED})")
    return int(growth > ALLOWED)


if __name__ == "__main__":
    sys.exit(main([int(size) for size in sys.argv[1:]] or [16, 100, 400]))
