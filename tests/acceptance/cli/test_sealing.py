"""`citebound audit seal` and `verify`, as an operator and an auditor type them."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psycopg
import pytest

from core.audit.checkpoint import LedgerKey
from tests.acceptance.cli.conftest import GIFTS, ROOT, Done, Run

QUESTION = "May employees accept gifts, and up to what value?"
SEALING = (sys.executable, "-m", "bot", "audit", "seal")


@pytest.fixture
def anchors(environment: dict[str, str], tmp_path: Path) -> Path:
    """A folder outside the database, named by the settings."""
    folder = tmp_path / "anchors"
    environment["CITEBOUND_LEDGER_ANCHORS"] = str(folder)
    return folder


@pytest.fixture
def asked(citebound: Run, tmp_path: Path) -> Done:
    """A policy, and one recorded answer."""
    source = tmp_path / "gifts.md"
    source.write_text(GIFTS)
    assert citebound("ingest", str(source)).code == 0
    return citebound("ask", QUESTION)


def test_an_auditor_proves_the_record_and_finds_a_change(
    citebound: Run, anchors: Path, asked: Done, database_url: str
) -> None:
    assert asked.code == 0
    before = citebound("audit", "verify")
    assert (before.code, "ever sealed" in before.out) == (2, True)
    assert citebound("audit", "seal", "--once").out == "1 records are sealed.\n"
    found = json.loads(citebound("audit", "verify", "--json").out)
    assert found["result"] == "intact"
    assert found["checked"]["records"] == found["checked"]["anchors"] == 1
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE audit.content DISABLE TRIGGER ALL")
        connection.execute("UPDATE audit.content SET body = 'No.' WHERE field = 'answer'")
    after = citebound("audit", "verify")
    assert after.code == 1
    assert "content-altered" in after.out
    (record,) = (line for line in citebound("audit", "list").out.split() if len(line) == 36)
    assert citebound("audit", "show", record).code == 1


def test_without_a_trusted_key_nothing_is_proven(
    citebound: Run, anchors: Path, asked: Done, tmp_path: Path
) -> None:
    assert asked.code == 0
    citebound("audit", "seal", "--once")
    empty = tmp_path / "keys.txt"
    empty.write_text("# none\n")
    without = citebound("audit", "verify", "--keys", str(empty))
    assert (without.code, "no public key" in without.out) == (2, True)
    missing = citebound("audit", "verify", "--keys", str(tmp_path / "absent"), "--json")
    assert missing.code == 2
    assert json.loads(missing.out)["result"] == "incomplete"
    assert citebound("audit", "verify", "--keys", str(anchors / "keys.txt")).code == 0


def test_production_needs_a_key_and_an_anchor(
    citebound: Run, environment: dict[str, str], tmp_path: Path
) -> None:
    environment["CITEBOUND_ENVIRONMENT"] = "production"
    refused = citebound("audit", "seal", "--once")
    assert (refused.code, "CITEBOUND_LEDGER_KEY" in refused.err) == (3, True), refused.err
    key = tmp_path / "key.pem"
    key.write_bytes(LedgerKey.generate("citebound").to_pem())
    environment["CITEBOUND_LEDGER_KEY"] = str(key)
    refused = citebound("audit", "seal", "--once")
    assert (refused.code, "CITEBOUND_LEDGER_ANCHORS" in refused.err) == (3, True), refused
    assert "PRIVATE" not in refused.err


def test_the_sealing_process_may_be_killed_at_any_time(
    environment: Mapping[str, str], citebound: Run, anchors: Path, asked: Done
) -> None:
    """What it left is sealed and anchored by the next; SIGTERM ends it with 0."""
    assert asked.code == 0
    for number in (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM):
        with subprocess.Popen(  # noqa: S603  # our own words
            SEALING, env=dict(environment), cwd=ROOT, stderr=subprocess.PIPE
        ) as process:
            assert process.stderr is not None
            assert b"sealing each second" in process.stderr.readline()
            citebound("ask", QUESTION)
            process.send_signal(number)
            process.communicate(timeout=60)
            assert process.returncode == (0 if number == signal.SIGTERM else -number)
        with anchors.joinpath("checkpoints.jsonl").open("a") as file:
            file.write('{"note": "citebound/au')  # a write that was cut off
    assert citebound("audit", "seal", "--once").out == "4 records are sealed.\n"
    assert citebound("audit", "verify").code == 0
