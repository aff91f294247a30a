"""`citebound audit seal` and `verify`, as an operator and an auditor type them."""

import json
import signal
import subprocess
import sys
import zipfile
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from threading import Timer

import psycopg
import pytest

from core.adapters.postgres.engine.roles import DatabaseRole
from core.audit.checkpoint import LedgerKey
from tests.acceptance.cli.conftest import GIFTS, ROOT, Done, Run
from tests.children import watched
from tests.databases import as_role

QUESTION = "May employees accept gifts, and up to what value?"
SEALING = (sys.executable, "-m", "bot", "audit", "seal")


def sealer(environment: dict[str, str]) -> dict[str, str]:
    """Return what the sealing process finds around it."""
    url = as_role(environment["CITEBOUND_MIGRATION_URL"], DatabaseRole.SEQUENCER)
    return {**environment, "DATABASE_URL": url}


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


def recorded(database_url: str) -> int:
    """Count the records."""
    with psycopg.connect(database_url) as connection:
        (count,) = connection.execute("SELECT count(*) FROM audit.record").fetchone() or (0,)
    return count


def test_an_auditor_proves_the_record_and_finds_a_change(
    citebound: Run, anchors: Path, asked: Done, database_url: str
) -> None:
    assert asked.code == 0
    before = citebound("audit", "verify")
    assert (before.code, "ever sealed" in before.out) == (2, True)
    sealed = recorded(database_url)
    assert citebound("audit", "seal", "--once").out == f"{sealed} records are sealed.\n"
    found = json.loads(citebound("audit", "verify", "--json").out)
    assert found["result"] == "intact"
    assert (found["checked"]["records"], found["checked"]["anchors"]) == (sealed, 1)
    (record,) = (one["record_id"] for one in json.loads(citebound("audit", "list", "--json").out))
    leaf = json.loads(citebound("audit", "show", record, "--json").out)["leaf_hash"]
    assert citebound("audit", "show", record[:30], "--prefix", leaf[:16].upper()).code == 0
    other = "0" if leaf[0] != "0" else "1"
    altered = citebound("audit", "show", record, "--prefix", other + leaf[1:16])
    assert (altered.code, "does not begin with" in altered.out) == (1, True)
    assert citebound("audit", "show", record, "--prefix", "9f2").code == 2
    one = json.loads(citebound("audit", "verify", "--record", record[:13], "--json").out)
    assert (one["result"], one["record"], one["size"]) == ("intact", record, sealed)
    assert (
        f"Proven by {len(one['path'])} hashes"
        in citebound("audit", "verify", "--record", record).out
    )
    assert citebound("audit", "verify", "--record", "ffffffff").code == 2
    assert citebound("audit", "verify", "--record", record, "--since", "1").code == 2
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE audit.content DISABLE TRIGGER ALL")
        connection.execute("UPDATE audit.content SET body = 'No.' WHERE field = 'answer'")
    after = citebound("audit", "verify")
    assert after.code == 1
    assert "content-altered" in after.out
    assert citebound("audit", "show", record).code == 1
    assert citebound("audit", "verify", "--record", record).code == 1
    with psycopg.connect(database_url) as connection:
        told = connection.execute(
            "SELECT doc->>'result', count(*) FROM audit.record WHERE tag = 'ledger:verified'"
            " GROUP BY 1 ORDER BY 1"
        ).fetchall()
        read = connection.execute(
            "SELECT tag, count(*) FROM audit.record"
            " WHERE tag IN ('record:viewed', 'query:executed') GROUP BY 1 ORDER BY 1"
        ).fetchall()
        viewed = connection.execute(
            "SELECT DISTINCT subject FROM audit.record WHERE tag = 'record:viewed'"
        ).fetchall()
    assert told == [("incomplete", 1), ("intact", 3), ("tampered", 2)]
    assert read == [("query:executed", 2), ("record:viewed", 4)]
    assert viewed == [(record,)], "also of the beginning of an id"


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


def test_production_needs_a_key_and_two_anchors(
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
    environment["CITEBOUND_LEDGER_ANCHORS"] = str(tmp_path / "one")
    refused = citebound("audit", "seal", "--once")
    assert (refused.code, "production needs 2" in refused.err) == (3, True), refused
    for unread in ("channel", "tsa:https://timestamps.example.com"):
        environment["CITEBOUND_LEDGER_ANCHORS"] = f"{tmp_path / 'one'},{unread}"
        refused = citebound("audit", "seal", "--once")
        assert (refused.code, "reads no other place" in refused.err) == (3, True), refused


def test_production_trusts_pinned_keys_alone(
    citebound: Run, anchors: Path, asked: Done, environment: dict[str, str], tmp_path: Path
) -> None:
    """Keys beside an anchor prove nothing, and one anchor alone is too few to compare."""
    assert asked.code == 0
    other, pinned = tmp_path / "other", tmp_path / "pinned.txt"
    environment["CITEBOUND_LEDGER_ANCHORS"] = f"{anchors},{other}"
    assert citebound("audit", "seal", "--once").code == 0
    pinned.write_text((anchors / "keys.txt").read_text())
    environment["CITEBOUND_ENVIRONMENT"] = "production"
    unpinned = citebound("audit", "verify")
    assert (unpinned.code, "CITEBOUND_LEDGER_PUBLIC_KEYS" in unpinned.out) == (2, True), unpinned
    environment["CITEBOUND_LEDGER_PUBLIC_KEYS"] = str(pinned)
    assert citebound("audit", "verify").code == 0
    alone = citebound("audit", "verify", "--anchors", str(anchors))
    assert (alone.code, "production compares 2" in alone.out) == (2, True), alone
    stranger = LedgerKey.generate("citebound").public.text()
    pinned.write_text(f"{stranger}\n")
    assert citebound("audit", "verify").code == 1


def test_a_key_is_rotated(
    citebound: Run, anchors: Path, asked: Done, environment: dict[str, str], tmp_path: Path
) -> None:
    """Of our own making, then of the operator's; each later verification knows which signed."""
    assert asked.code == 0
    sealed = recorded(environment["CITEBOUND_MIGRATION_URL"])
    citebound("audit", "seal", "--once")
    made = citebound("audit", "rotate-key")
    shared = f"up to checkpoint {sealed + 1} of generation 1"
    assert (made.code, shared in made.out) == (0, True), made
    citebound("ask", QUESTION)
    assert citebound("audit", "seal", "--once").out == f"{sealed + 3} records are sealed.\n"
    assert citebound("audit", "verify").code == 0
    current = Path(environment["CITEBOUND_HOME"]) / "ledger-key.pem"
    environment["CITEBOUND_LEDGER_KEY"] = str(current)
    refused = citebound("audit", "rotate-key")
    assert (refused.code, "--to FILE" in refused.err) == (2, True), refused
    new = tmp_path / "new.pem"
    assert citebound("audit", "rotate-key", "--to", str(new)).code == 0
    assert new.stat().st_mode & 0o077 == 0
    again = citebound("audit", "rotate-key", "--to", str(new))
    assert (again.code, "CITEBOUND_LEDGER_KEY" in again.out) == (0, True), again
    refused = citebound("audit", "seal", "--once")
    assert (refused.code, "another key" in refused.err) == (3, True), refused
    environment["CITEBOUND_LEDGER_KEY"] = str(new)
    assert citebound("audit", "seal", "--once").code == 0
    assert citebound("audit", "verify").code == 0
    assert len((anchors / "keys.txt").read_text().splitlines()) == 5


def test_seal_once_waits_for_transactions_under_way(
    environment: dict[str, str], citebound: Run, anchors: Path, asked: Done, database_url: str
) -> None:
    """Any older transaction of the server holds up sealing, though it has nothing to do with us."""
    assert (asked.code, anchors.exists()) == (0, False)
    with psycopg.connect(database_url) as under_way:
        in_a_while = Timer(4, under_way.rollback)
        under_way.execute("SELECT pg_current_xact_id()")
        citebound("ask", QUESTION)
        in_a_while.start()
        done = subprocess.run(  # noqa: S603  # our own words
            (*SEALING, "--once"),
            env=sealer(environment),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        in_a_while.join()
    sealed = recorded(database_url)
    assert (done.returncode, done.stdout) == (0, f"{sealed} records are sealed.\n"), done


def test_the_sealing_process_may_be_killed_at_any_time(
    environment: dict[str, str], citebound: Run, anchors: Path, asked: Done, database_url: str
) -> None:
    """What it left is sealed and anchored by the next; SIGTERM ends it with 0."""
    environment["CITEBOUND_OPERATIONS_PORT"] = "0"
    assert asked.code == 0
    for number in (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM):
        with watched(
            subprocess.Popen(  # noqa: S603  # our own words
                SEALING, env=sealer(environment), cwd=ROOT, stderr=subprocess.PIPE
            )
        ) as process:
            assert process.stderr is not None
            assert any(b"sealing each second" in line for line in process.stderr)
            citebound("ask", QUESTION)
            process.send_signal(number)
            process.communicate(timeout=60)
            assert process.returncode == (0 if number == signal.SIGTERM else -number)
        with anchors.joinpath("checkpoints.jsonl").open("a") as file:
            file.write('{"note": "citebound/au')  # a write that was cut off
    with psycopg.connect(database_url) as connection:
        ends = connection.execute(
            "SELECT tag, count(*) FROM audit.record WHERE tag LIKE 'service:%' GROUP BY 1"
        ).fetchall()
    assert dict(ends) == {"service:started": 3, "service:stopped": 1}, "what is killed has no end"
    sealed = recorded(database_url)
    assert citebound("audit", "seal", "--once").out == f"{sealed} records are sealed.\n"
    assert citebound("audit", "verify").code == 0


def test_the_sealing_process_tells_how_it_is(
    environment: dict[str, str], citebound: Run, anchors: Path, asked: Done, database_url: str
) -> None:
    assert asked.code == 0
    environment["CITEBOUND_OPERATIONS_PORT"] = "0"
    with watched(
        subprocess.Popen(  # noqa: S603  # our own words
            SEALING, env=sealer(environment), cwd=ROOT, stderr=subprocess.PIPE
        )
    ) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().rpartition(b"port ")[2].split(b'"')[0])
        assert any(b"sealing each second" in line for line in process.stderr)
        assert _asked(port, "/livez")[0] == _asked(port, "/readyz")[0] == 200
        told, settled = "", False
        while not settled:  # a record may be sealed between the one figure and the other
            told = _asked(port, "/metrics")[1]
            sealed = f"\ncitebound_sealed_records {recorded(database_url)}.0\n"
            settled = sealed in told and "\ncitebound_oldest_unsealed_seconds 0.0\n" in told
        assert 'role="seal"' in told
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 0


def _asked(port: int, path: str) -> tuple[int, str]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()


def test_a_bundle_proves_itself_with_python_alone(
    citebound: Run, anchors: Path, asked: Done, database_url: str, tmp_path: Path
) -> None:
    """And no change of a byte of it passes."""
    assert asked.code == 0
    refused = citebound("audit", "export", "--policy", "gifts")
    assert (refused.code, "audit seal" in refused.err) == (3, True)
    citebound("ask", "May contractors accept gifts?")
    sealed = recorded(database_url)
    citebound("audit", "seal", "--once")
    assert citebound("audit", "export").code == 2
    for nothing in (("--policy", "travel"), ("--record", "%")):
        assert citebound("audit", "export", *nothing).code == 2, nothing
    out = tmp_path / "gifts.zip"
    made = citebound("audit", "export", "--policy", "gifts", "-o", str(out))
    assert (made.code, "3 records" in made.out) == (0, True), "two answers, and what they quote"
    folder = tmp_path / "bundle"
    with zipfile.ZipFile(out) as archive:
        archive.extractall(folder)
    key = (anchors / "keys.txt").read_text().strip()
    checked = _checked(folder, "--key", key)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert f"3 records stand in citebound/audit/1, among {sealed}" in checked.stdout
    told = citebound("audit", "verify", "--bundle", str(out))
    assert (told.code, "3 records stand in" in told.out) == (0, True), told
    assert citebound("audit", "verify", "--bundle", str(tmp_path / "gifts.md")).code == 2
    unknown = citebound("audit", "verify", "--bundle", str(out), "--anchors", str(tmp_path / "no"))
    assert (unknown.code, "no anchor has" in unknown.out) == (2, True), unknown
    untrusted = tmp_path / "untrusted.txt"
    untrusted.write_text(LedgerKey.generate("citebound").public.text())
    refused = citebound("audit", "verify", "--bundle", str(out), "--keys", str(untrusted), "--json")
    assert (refused.code, json.loads(refused.out)["result"]) == (1, "tampered")
    stranger = LedgerKey.generate("citebound").public.text()
    assert _checked(folder, "--key", stranger).returncode == 1
    (policy,) = (path.relative_to(folder) for path in folder.glob("policies/*.txt"))
    for name in ("records.jsonl", "proofs.jsonl", "contents.jsonl", "index.html", policy):
        whole = (folder / name).read_bytes()
        for place in range(11, len(whole), len(whole) // 4):
            changed = bytes([whole[place] ^ 1])
            (folder / name).write_bytes(whole[:place] + changed + whole[place + 1 :])
            assert _checked(folder, "--key", key).returncode == 1, (name, place)
        (folder / name).write_bytes(whole)
    (folder / "proofs.jsonl").unlink()
    assert _checked(folder).returncode == 2
    citebound("audit", "seal", "--once")
    assert citebound("audit", "verify").code == 0


def _checked(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603  # our own words
        (sys.executable, "-I", "-S", str(folder / "verify.py"), *words),
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_later_schema_is_verified_by_its_release(
    citebound: Run, anchors: Path, asked: Done, database_url: str
) -> None:
    """What it added would pass for a change: that is not told to anybody as one."""
    assert asked.code == 0
    citebound("audit", "seal", "--once")
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO citebound.schema_compatibility"
            " SELECT '9999_next', version_num FROM citebound.alembic_version"
        )
        connection.execute("UPDATE citebound.alembic_version SET version_num = '9999_next'")
        connection.execute("ALTER TABLE audit.tag ADD COLUMN later text")
    found = citebound("audit", "verify")
    assert (found.code, "the schema is at 9999_next" in found.out) == (2, True)


@pytest.mark.parametrize("words", [("ask", QUESTION), ("serve",), ("work",), ("audit", "seal")])
def test_production_refuses_who_could_change_the_record(
    citebound: Run, anchors: Path, database_url: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """In one line, with an exit code of its own and the cure; before anything is served."""
    key = tmp_path / "key.pem"
    key.write_bytes(LedgerKey.generate("citebound").to_pem())
    production = {
        "CITEBOUND_ENVIRONMENT": "production",
        "CITEBOUND_LEDGER_KEY": str(key),
        "CITEBOUND_LEDGER_ANCHORS": f"{anchors},{tmp_path / 'other'}",
        "CITEBOUND_OPERATIONS_PORT": "0",
        "SLACK_BOT_TOKEN": "xoxb-1-T0HOME-fake",
        "SLACK_SIGNING_SECRET": "0123456789abcdef0123456789abcdef",
        "DATABASE_URL": database_url,
    }
    refused = citebound(*words, **production)
    assert (refused.code, refused.out) == (8, "")
    (line,) = (line for line in refused.err.splitlines() if "error:" in line)
    assert "is a superuser, or may become one" in line
    assert "CREATE ROLE name LOGIN PASSWORD '...' IN ROLE citebound_" in line
