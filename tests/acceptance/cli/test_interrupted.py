"""Many files: killed in the middle and resumed, two commands at once, a file that changes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli.conftest import ROOT
from tests.children import watched
from tests.databases import as_role, role_of

FILES = 300
"""Of which some are stored when the first command is killed."""
STORED = 10

pytestmark = pytest.mark.slow


def begun(folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start an ingestion in a process of its own."""
    words = ("ingest", "--no-rag", str(folder))
    url = as_role(environment["CITEBOUND_MIGRATION_URL"], role_of(words))
    return subprocess.Popen(  # noqa: S603  # this program itself
        (sys.executable, "-u", "-m", "bot", *words),
        env={**environment, "DATABASE_URL": url},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def folder_of(path: Path, count: int) -> Path:
    """A folder of small policies, one with a line end in its name, and a link to itself."""
    path.mkdir()
    for number in range(count):
        name = "odd\nname.md" if number == 1 else f"policy-{number:03}.md"
        rule = f"{number}.1 Staff must report case {number} within {number % 9 + 1} days."
        (path / name).write_text(f"# Policy {number}\n\n## {number} Rules\n\n{rule}\n")
    (path / "loop").symlink_to(path)
    return path


@pytest.mark.parametrize("count", [40, pytest.param(FILES, marks=pytest.mark.nightly)])
def test_kill_in_the_middle_loses_and_doubles_nothing(
    citebound: Callable[..., Any], environment: Mapping[str, str], tmp_path: Path, count: int
) -> None:
    folder = folder_of(tmp_path / "many", count)
    stored = 0
    with watched(begun(folder, environment)) as first:
        assert first.stdout is not None
        for line in first.stdout:
            stored += line.startswith("added")
            if stored == STORED:
                os.killpg(first.pid, signal.SIGKILL)
                break
    assert stored == STORED
    second = citebound("ingest", "--no-rag", str(folder))
    assert " 0 failed, 1 skipped" in second.out  # the link
    listed = json.loads(citebound("corpus", "list", "--json").out)
    assert len(listed) == count
    assert len({each["key"] for each in listed}) == count
    third = citebound("ingest", "--no-rag", str(folder))
    assert f"0 added, 0 revised, {count} unchanged, 0 failed" in third.out


def test_two_at_once_store_each_policy_once(
    citebound: Callable[..., Any], environment: Mapping[str, str], tmp_path: Path
) -> None:
    folder = folder_of(tmp_path / "many", 12)
    citebound("ingest", "--no-rag", str(folder_of(tmp_path / "one", 1)))
    running = [begun(folder, environment) for _ in range(2)]
    said = [one.communicate(timeout=300)[0] for one in running]
    assert all(" 0 failed, 1 skipped" in one for one in said), said
    listed = json.loads(citebound("corpus", "list", "--json").out)
    assert len(listed) == 12
    assert citebound("corpus", "validate").code in {0, 1}


def test_file_that_changes_while_it_is_read_is_stored_as_one_of_its_states(
    citebound: Callable[..., Any], environment: Mapping[str, str], tmp_path: Path
) -> None:
    """Never half of each: what is stored is what one reading found."""
    folder = folder_of(tmp_path / "many", 12)
    changing = folder / "policy-011.md"
    running = begun(folder, environment)
    turn = 0
    while running.poll() is None:
        turn += 1
        changing.write_text(
            f"# Policy 11\n\n## 11 Rules\n\n11.1 Staff must report {turn} of {turn}.\n"
        )
        time.sleep(0.02)  # noqa: TID251  # no event loop here
    out = running.communicate()[0]
    assert running.returncode in {0, 1}, out
    if running.returncode == 1:
        assert "changed while it was read" in out or "empty" in out
    assert " 0 failed, 1 skipped" in citebound("ingest", "--no-rag", str(folder)).out
