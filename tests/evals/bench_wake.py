"""What a command costs from its start to its end, as a table in Markdown.

    python -m tests.evals.bench_wake [RUNS]

Runs each command in a process of its own, with the embedded Postgres and the sample policies, and
prints the least of RUNS (three): other work on the machine only adds. Of `chat` it is the second
question, in a process that has answered one. Postgres' own processor time is not in it.
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import psutil

ROOT = Path(__file__).parents[2]
QUESTION = "How long are receipts kept?"
COMMANDS = {
    "--version": ("--version",),
    "--help": ("--help",),
    "corpus list": ("corpus", "list"),
    "ask": ("ask", QUESTION),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a command took."""

    cpu_s: float
    """User and system time."""
    wall_s: float
    """By the clock."""
    memory_mb: float
    """The most memory it had."""


def begin(home: Path, *words: str, **options: int) -> "subprocess.Popen[bytes]":
    """Start a command in a home of its own, where no language model is asked."""
    known = {
        name: value
        for name, value in os.environ.items()  # noqa: TID251  # the child's own
        if not name.startswith(("ANTHROPIC_", "CITEBOUND_", "DATABASE_", "PYTHONDONTWRITE"))
    }
    return subprocess.Popen(  # noqa: S603  # this program itself
        [sys.executable, "-m", "bot", *words],
        env={**known, "CITEBOUND_HOME": str(home), "PYTHONUNBUFFERED": "1"},
        stdout=options.get("stdout", subprocess.DEVNULL),
        stdin=options.get("stdin", subprocess.DEVNULL),
    )


def cost_of(home: Path, *words: str) -> Cost:
    """Run a command to its end.

    Raises:
        RuntimeError: It failed.
    """
    began = monotonic()
    child = begin(home, *words)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"citebound {words[0]} ended with {child.returncode}")
    return Cost(
        cpu_s=used.ru_utime + used.ru_stime,
        wall_s=monotonic() - began,
        memory_mb=used.ru_maxrss / 1024,
    )


def second_question(home: Path) -> Cost:
    """Ask twice in one `chat`, and say what the second question took."""
    child = begin(home, "chat", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process = psutil.Process(child.pid)

    def ask(question: str) -> tuple[float, float]:
        began, used = monotonic(), sum(process.cpu_times()[:2])
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("expected pipes")
        child.stdin.write(f"{question}\n".encode())
        child.stdin.flush()
        for line in child.stdout:  # a rule ends each answer
            if set(line.decode().strip()) == {"─"}:
                break
        return sum(process.cpu_times()[:2]) - used, monotonic() - began

    with child:
        ask(QUESTION)
        cpu_s, wall_s = ask("Who approves a business trip?")
        memory_mb = process.memory_info().rss / 2**20
    return Cost(cpu_s=cpu_s, wall_s=wall_s, memory_mb=memory_mb)


def main(runs: int) -> None:
    """Print the table."""
    print("| `citebound` ... | processor time | by the clock | memory |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="citebound-bench-") as folder:
        home = Path(folder) / "home"
        cost_of(home, "ingest", str(ROOT / "samples" / "policies"))
        for name, words in COMMANDS.items():
            _print(f"`{name}`", [cost_of(home, *words) for _ in range(runs)])
        _print("second question of `chat`", [second_question(home) for _ in range(runs)])


def _print(name: str, costs: list[Cost]) -> None:
    cpu_s, wall_s = min(cost.cpu_s for cost in costs), min(cost.wall_s for cost in costs)
    memory_mb = min(cost.memory_mb for cost in costs)
    print(f"| {name} | {cpu_s:.2f} s | {wall_s:.2f} s | {memory_mb:.0f} MB |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
