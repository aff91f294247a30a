"""What keeps a database from being used is found by the doctor, and named by every command."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from core.adapters.system import SystemClock
from tests.acceptance.cli.conftest import Run


def test_the_doctor_finds_a_database_that_takes_no_writes(
    citebound: Run, database_url: str
) -> None:
    """As a standby does, or a server whose disk is nearly full: it tries what storing takes."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        name = connection.info.dbname
        read_only = f'ALTER DATABASE "{name}" SET default_transaction_read_only = on'
        connection.execute(read_only.encode())
    done = citebound("doctor")
    assert (done.code, "Broken: database." in done.out) == (3, True)
    assert "cannot execute INSERT in a read-only transaction" in done.out


def test_the_doctor_finds_a_lock_of_somebody_else(citebound: Run, database_url: str) -> None:
    """It does not wait for its end; it leaves nothing behind where it could write."""
    with psycopg.connect(database_url) as outsider:
        outsider.execute("LOCK TABLE audit.record IN ACCESS EXCLUSIVE MODE")
        done = citebound("doctor")
    assert (done.code, "Broken: database." in done.out) == (3, True)
    assert "a lock on a table keeps messages and answers from being stored" in done.out
    fine = citebound("doctor")
    assert fine.code == 0
    with psycopg.connect(database_url) as connection:
        (left,) = connection.execute("SELECT count(*) FROM citebound.channel_paces").fetchone() or (
            None,
        )
    assert left == 0


def test_the_doctor_finds_a_clock_that_is_wrong(
    citebound: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is broken by it, as all is dated by the database; it says by how much."""
    now = SystemClock.now

    def fast(clock: SystemClock) -> datetime:
        return now(clock) + timedelta(seconds=90)

    monkeypatch.setattr(SystemClock, "now", fast)
    done = citebound("doctor")
    assert (done.code, "Check: clock" in done.out) == (0, True)
    assert "this machine's clock is 90 s ahead the database's" not in done.out
    assert "this machine's clock is 90 s ahead of the database's" in done.out


@pytest.fixture
def crowded(tmp_path: Path) -> Iterator[Path]:
    """The home of an embedded database whose connections are all used."""
    home = tmp_path / "crowded"
    url = start_embedded(home)
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("max_connections = 4", "superuser_reserved_connections = 0"):
            connection.execute(f"ALTER SYSTEM SET {setting}".encode())
    stop_embedded(home)
    url = start_embedded(home)
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(psycopg.connect(url))
        yield home
    stop_embedded(home)


@pytest.mark.parametrize("words", [("doctor",), ("ask", "May I accept a gift?")])
def test_all_connections_used_is_one_line(
    environment: Mapping[str, str], crowded: Path, words: tuple[str, ...]
) -> None:
    """Code 3, with what the server says and what to look at."""
    done = run(environment, crowded, *words)
    assert done.returncode == 3
    assert "too many clients already" in done.stdout + done.stderr
    assert "max_connections" in done.stdout + done.stderr
    assert "unexpected" not in done.stderr


POLICY = "# Gifts\n\n## 1 Limit\n\n1.1 Employees may accept gifts of up to EUR 50.\n"
ELSEWHERE = {
    "PGPORT": "6001",
    "PGHOST": "127.0.0.9",
    "PGHOSTADDR": "127.0.0.9",
    "PGUSER": "eve",
    "PGDATABASE": "elsewhere",
    "PGSERVICE": "elsewhere",
    "PGOPTIONS": "-c default_transaction_read_only=on",
    "PGTARGETSESSIONATTRS": "standby",
    "PGREQUIREPEER": "eve",
    "PGDATA": "/nowhere",
}
"""Where libpq would go, and what it would do there, where a URL says nothing."""


def test_variables_of_libpq_do_not_move_the_embedded_database(
    environment: Mapping[str, str], tmp_path: Path
) -> None:
    """A command with them finds what one without them stored, while that one runs or after it."""
    home = tmp_path / "home"
    (tmp_path / "gifts.md").write_text(POLICY)
    first = run({**environment, **ELSEWHERE}, home, "ingest", str(tmp_path / "gifts.md"))
    assert first.returncode == 0, first.stderr
    start_embedded(home)
    try:
        for variables in ({}, ELSEWHERE):
            done = run({**environment, **variables}, home, "corpus", "list")
            assert (done.returncode, "Gifts" in done.stdout) == (0, True), done.stderr
    finally:
        stop_embedded(home)


def test_variables_of_libpq_do_not_lead_elsewhere_than_the_url(
    citebound_process: Run, database_url: str
) -> None:
    """Which says nothing of its port: it is the usual one, whatever the environment has."""
    elsewhere = {name: value for name, value in ELSEWHERE.items() if name != "PGREQUIREPEER"}
    assert citebound_process("doctor", **elsewhere).code == 0
    silent = citebound_process(
        "doctor", DATABASE_URL="postgresql://anna@127.0.0.1/x", PGPORT="1", PGHOSTADDR="127.0.0.9"
    )
    assert silent.code == 3
    assert "port 1 " not in silent.out
    assert "127.0.0.9" not in silent.out


def run(
    variables: Mapping[str, str], home: Path, *words: str
) -> "subprocess.CompletedProcess[Any]":
    """Run a command on the embedded database of a home."""
    own = {name: value for name, value in variables.items() if "DATABASE" not in name[:12]}
    return subprocess.run(  # noqa: S603  # our own words
        [sys.executable, "-m", "bot", *words],
        env={**own, "CITEBOUND_HOME": str(home), "CITEBOUND_MIGRATION_URL": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
