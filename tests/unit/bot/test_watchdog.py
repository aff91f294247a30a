"""A process whose loop stands still ends itself; one that only has much to do, or sleeps, does not.

Each in a process of its own, under a limit of a second.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.app.watchdog import EXIT_STILL

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
LONGEST_S = 60.0
LIMIT_S = 1.0
PROGRAM = """
import asyncio, re, sys, time
from bot.app.logs import log_to_stderr
from bot.app.watchdog import watched

async def main() -> None:
    with watched({limit}):
        print("watched", flush=True)
        {body}

log_to_stderr()
asyncio.run(main())
print("regular", flush=True)
"""
STANDING = {
    "in a call": "time.sleep(600)",
    "in Python": "while True: pass",
    "in a regular expression": 're.match(r"(a+)+$", "a" * 64 + "b")',
}
GOING_ON = {
    "always busy": "for _ in range(300): await asyncio.sleep(0); time.sleep(0.01)",
    "idle": "for _ in range(300): await asyncio.sleep(0.01)",
    "in long steps": "for _ in range(6): time.sleep(0.5); await asyncio.sleep(0)",
}


def started_at_once(bodies: Mapping[str, str]) -> dict[str, "subprocess.Popen[str]"]:
    """Start several: their time passes together."""
    return {how: started(body) for how, body in bodies.items()}


def started(body: str, *, stderr: int = subprocess.PIPE) -> "subprocess.Popen[str]":
    """Start a process that does this on its loop, and wait until it is watched."""
    process = subprocess.Popen(  # noqa: S603  # our own program
        [sys.executable, "-c", PROGRAM.format(limit=LIMIT_S, body=body)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},  # noqa: TID251  # of the test's own process
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "watched\n"
    return process


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Return its exit code and what it said to standard error."""
    with process:
        try:
            _, told = process.communicate(timeout=LONGEST_S)
        finally:
            process.kill()
    return process.returncode, told


def test_a_loop_that_stands_still_ends_its_process() -> None:
    """With one line that says where, in code and not in words of anybody."""
    for how, process in started_at_once(STANDING).items():
        code, told = ended(process)
        assert code == EXIT_STILL, how
        (line,) = map(json.loads, told.splitlines())
        assert line["level"] == "critical", how
        assert "<string>:9" in line["message"], how


def test_nobody_reads_the_log() -> None:
    """What stands still may be the log itself: the end does not wait for it."""
    reading, writing = os.pipe()
    process = started("sys.stderr.write('x' * 10_000_000)", stderr=writing)
    os.close(writing)
    assert ended(process)[0] == EXIT_STILL
    os.close(reading)


def test_a_loop_that_goes_on_is_left_alone() -> None:
    """For three times the limit."""
    for how, process in started_at_once(GOING_ON).items():
        assert ended(process) == (0, ""), how


def test_a_process_that_was_frozen_goes_on() -> None:
    """Nobody was asked meanwhile: a machine that slept has nothing to answer for."""
    process = started("await asyncio.sleep(600)")
    process.send_signal(signal.SIGSTOP)
    time.sleep(3 * LIMIT_S)  # noqa: TID251  # while it is stopped
    process.send_signal(signal.SIGCONT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=2 * LIMIT_S)
    process.send_signal(signal.SIGKILL)
    assert ended(process)[0] == -signal.SIGKILL
