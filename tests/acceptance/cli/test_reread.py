"""`citebound corpus reread` after an upgrade, and what `doctor` says of it."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

KILLED = """
import os, signal, sys
from bot import cli
from core.adapters.postgres.corpus.corpus import PostgresCorpusStore
note = PostgresCorpusStore.note_reading
async def killed(self, version, /):
    await note(self, version)
    os.kill(os.getpid(), signal.SIGKILL)
PostgresCorpusStore.note_reading = killed
sys.exit(cli.run(["corpus", "reread"]))
"""
"""The command, which kills itself once it has read one policy."""


def finding(citebound: Callable[..., Any]) -> dict[str, str]:
    """What the doctor says of how policies were read."""
    told = json.loads(citebound("doctor", "--json").out)
    (found,) = (one for one in told["findings"] if one["subject"] == "reading of policies")
    return found


def test_it_goes_on_where_it_was_killed(
    citebound: Callable[..., Any],
    environment: Mapping[str, str],
    database_url: str,
    policies: Path,
) -> None:
    """The doctor counts what is left, and nothing is read twice."""
    (policies / "cash.md").write_text("# Cash Policy\n\n## 1 Cash\n\n1.1 Nobody may take cash.\n")
    assert citebound("ingest", str(policies)).code == 0
    assert finding(citebound)["health"] == "fine"
    engine = create_engine(database_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("UPDATE citebound.policy_versions SET reading = 0"))
    engine.dispose()
    due = finding(citebound)
    assert due["found"].startswith("2 policies were read by an earlier release")
    assert (due["health"], due["cure"]) == ("doubtful", "citebound corpus reread")

    command = [sys.executable, "-c", KILLED]
    killed = subprocess.run(command, env=dict(environment), check=False, timeout=120)  # noqa: S603
    assert killed.returncode == -9
    assert finding(citebound)["found"].startswith("1 policy was read")

    rest = citebound("corpus", "reread")
    assert (rest.code, rest.out.splitlines()[-1]) == (0, "1 unchanged")
    assert "gifts: Gifts Policy" in rest.out
    assert "nothing to do" in citebound("corpus", "reread").out
    assert json.loads(citebound("corpus", "reread", "--json").out) == {}
    assert finding(citebound)["health"] == "fine"
