"""`citebound ingest` and a file that breaks what reads it."""

import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.children import watched

SLOW = "- a\n" * 1_000_000
"""Half a minute's reading."""


@contextmanager
def ingesting(
    environment: Mapping[str, str], folder: Path
) -> Generator[tuple["subprocess.Popen[str]", psutil.Process]]:
    """Yield the command, and its child while that reads the slow file."""
    (folder / "a-slow.md").write_text(SLOW)
    with watched(
        subprocess.Popen(  # noqa: S603  # our own words
            [sys.executable, "-m", "bot", "ingest", str(folder)],
            env=dict(environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    ) as process:
        yield process, reading_child(psutil.Process(process.pid))


def reading_child(process: psutil.Process) -> psutil.Process:
    """Wait for the child that takes files apart, until it is at work."""
    for _ in range(600):
        for child in process.children(recursive=True):
            if "core.ingest.sandbox_process" in child.cmdline() and child.cpu_times().user > 0.6:
                return child
        time.sleep(0.1)  # noqa: TID251  # a test waits for another process
    raise AssertionError("nothing reads")


def test_a_file_that_ends_its_reader_is_one_line_and_the_others_go_on(
    environment: Mapping[str, str], policies: Path
) -> None:
    """Exit code 1, as for every file that could not be ingested."""
    with ingesting(environment, policies) as (process, child):
        child.kill()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "failed    a-slow.md: the process that read it was killed" in out.replace("\n", " ")
    assert "added     gifts.md: Gifts Policy" in out
    assert "1 added, 0 revised, 0 unchanged, 1 failed" in out
    assert err == ""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_a_command_that_is_ended_leaves_no_reader_behind(
    environment: Mapping[str, str], policies: Path, number: signal.Signals, code: int
) -> None:
    """Amid a file, however it is ended."""
    with ingesting(environment, policies) as (process, child):
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode == code
    gone, _ = psutil.wait_procs([child], timeout=10)
    assert gone
