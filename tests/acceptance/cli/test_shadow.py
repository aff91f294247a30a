"""`citebound eval shadow`, as somebody types it before a switch."""

import getpass
import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest

from core.adapters.postgres.engine.roles import DatabaseRole
from tests.acceptance.cli.conftest import GIFTS, ROOT, Run
from tests.children import watched
from tests.databases import admit_officer, as_role
from tests.servers.anthropic import anthropic_server
from tests.servers.anthropic_steps import reply

ASKED = ("May employees accept a gift worth EUR 40?", "May contractors accept gifts?")
SILENT = "How many days of parental leave may I take?"
SINCE = ("--since", "2020-01-01")


@pytest.fixture
def corpora(citebound: Run, tmp_path: Path, database_url: str, environment: dict[str, str]) -> Path:
    """A deployment that was asked, and a folder `next` with a lower limit and one section less."""
    now, after = tmp_path / "now", tmp_path / "next"
    for folder, words in ((now, GIFTS), (after, GIFTS.replace("EUR 50", "EUR 30"))):
        folder.mkdir()
        (folder / "gifts.md").write_text(words)
    policy = after / "gifts.md"
    policy.write_text(policy.read_text().replace("2.3 Contractors must not accept gifts.\n", ""))
    assert citebound("ingest", str(now), "--audience", "staff").code == 0
    for question in ASKED:
        assert citebound("ask", question, "--group", "staff").code == 0
    assert citebound("ask", SILENT).code == 0
    environment["CITEBOUND_RECORD_URL"] = as_role(database_url, DatabaseRole.CONSOLE)
    admit_officer(database_url, getpass.getuser())
    return after


def counted(database_url: str) -> dict[str, int]:
    """The rows of every table that people would notice, and of records by tag."""
    tables = ("questions", "answers", "conversations", "cases", "inbox", "outbox", "model_calls")
    with psycopg.connect(database_url) as connection:
        rows = {
            table: connection.execute(f"SELECT count(*) FROM citebound.{table}").fetchone()  # noqa: S608  # constants
            for table in (*tables, "policy_versions")
        }
        tags = connection.execute("SELECT tag, count(*) FROM audit.record GROUP BY tag").fetchall()
    return {**{name: row[0] for name, row in rows.items() if row}, **dict(tags)}


def test_a_new_corpus_is_tried_and_nobody_hears_of_it(
    citebound: Run, corpora: Path, database_url: str, tmp_path: Path
) -> None:
    """What would change is listed; only the readings and the run are recorded; nothing is left."""
    before, out = counted(database_url), tmp_path / "shadow.json"
    told = citebound("eval", "shadow", *SINCE, "--corpus", str(corpora), "--out", str(out))
    assert told.code == 12, told.err
    assert "contradicts what was told" in told.out
    assert "EUR 50" in told.out
    assert "EUR 30" in told.out
    after = counted(database_url)
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"query:executed", "shadow:compared"}
    assert after["shadow:compared"] == 1

    run = json.loads(out.read_text())
    found = {one["question"]: one for one in run["questions"]}
    assert found[ASKED[0]]["contradiction"]["now"] == "EUR 30"
    assert found[SILENT]["change"] == "same"
    assert (out.stat().st_mode & 0o777, out.with_suffix(".jsonl").stat().st_mode & 0o777) == (
        0o600,
        0o600,
    )
    assert not list((tmp_path / "home" / "eval" / "shadow").glob("postgres*"))

    again = citebound("eval", "shadow", *SINCE, "--corpus", str(corpora), "--out", str(out))
    assert (again.code, "3 were compared before, 0 are left" in again.err) == (12, True)


def test_the_asker_is_who_they_were(citebound: Run, corpora: Path, tmp_path: Path) -> None:
    """A question of everybody is not answered from a policy of staff, wherever it is ingested."""
    question = "May employees accept a gift worth EUR 45?"
    assert citebound("ask", question).code == 0
    out = tmp_path / "shadow.json"
    citebound("eval", "shadow", *SINCE, "--corpus", str(corpora), "--out", str(out))
    found = {one["question"]: one for one in json.loads(out.read_text())["questions"]}
    assert found[question]["now"]["outcome"] != "answered"
    assert not found[question]["now"]["quotes"]


def test_without_anything_new_the_product_answers_as_it_did(
    citebound: Run, corpora: Path, database_url: str
) -> None:
    """Exit code 0; what was erased is left out and counted; `--sample` draws."""
    same = citebound("eval", "shadow", *SINCE, "--json")
    assert same.code == 0, same.err
    figures = json.loads(same.out)["figures"]
    assert (figures["compared"], figures["changes"]["same"]) == (3, 3)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE audit.content DISABLE TRIGGER ALL")
        connection.execute("DELETE FROM audit.content WHERE body = %s", (SILENT,))
    left = citebound("eval", "shadow", *SINCE, "--json", "--out", "/dev/null/x.json")
    assert left.code == 2
    left = citebound("eval", "shadow", *SINCE, "--json", "--until", "2099-01-01")
    assert json.loads(left.out)["figures"]["left_out"] == {}, "its line was kept"
    one = citebound("eval", "shadow", "--since", "2020-01-02", "--sample", "1", "--json")
    assert (
        json.loads(one.out)["figures"]["compared"]
        + sum(json.loads(one.out)["figures"]["left_out"].values())
        == 1
    )
    fresh = citebound("eval", "shadow", "--since", "2020-01-03", "--json")
    assert json.loads(fresh.out)["figures"]["left_out"] == {"erased": 1}


def test_who_may_not_read_the_record_compares_nothing(
    citebound: Run, corpora: Path, database_url: str
) -> None:
    """It takes what `audit replay` takes; a model takes a budget, a name one that exists."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("DELETE FROM audit.officer")
    refused = citebound("eval", "shadow", *SINCE)
    assert (refused.code, "is not an officer" in refused.err) == (3, True)
    with psycopg.connect(database_url, autocommit=True) as connection:
        admitted = "INSERT INTO audit.officer (login, units, audiences) VALUES (%s, '{*}', '{*}')"
        connection.execute(admitted, (getpass.getuser(),))
    unknown = citebound("eval", "shadow", *SINCE, "--calibration", "own/9")
    assert (unknown.code, "own/9" in unknown.err) == (2, True)
    assert citebound("eval", "shadow", *SINCE, "--calibration", "shipped").code == 0
    nowhere = citebound("eval", "shadow", *SINCE, "--corpus", "/nowhere")
    assert nowhere.code == 2
    unpaid = citebound("eval", "shadow", *SINCE, "--model", "claude-x", ANTHROPIC_API_KEY="k")
    assert (unpaid.code, "--budget" in unpaid.err) == (2, True)


def test_another_prompt_is_tried_with_its_own_name(
    citebound: Run, corpora: Path, tmp_path: Path
) -> None:
    """Its words are sent, its hash is kept; one that does not exist is named before it costs."""
    folder, out = tmp_path / "prompts", tmp_path / "shadow.json"
    folder.mkdir()
    front = "---\nname: answer\nversion: 9\ncontract: c\ntest: t\n---\n"
    (folder / "answer.md").write_text(f"{front}Say MISSING, always.\n")
    asking = ("eval", "shadow", *SINCE, "--sample", "1", "--out", str(out))
    without = citebound(*asking, "--prompts", "answer/2", "--budget", "5")
    assert (without.code, "ANTHROPIC_API_KEY" in without.err) == (3, True)
    with anthropic_server(lambda _: reply("MISSING: all of it")) as server:
        price = dict.fromkeys(("input", "cache_write", "cache_read", "output"), 1.0)
        access = {
            "ANTHROPIC_API_KEY": server.key,
            "ANTHROPIC_BASE_URL": server.url,
            "CITEBOUND_PRICES": json.dumps({"claude-": price}),
        }
        unknown = citebound(*asking, "--prompts", "answer/77", "--budget", "5", **access)
        assert (unknown.code, "answer/2" in unknown.err, server.received) == (2, True, [])
        told = citebound(*asking, "--prompts", str(folder), "--budget", "5", **access)
    assert told.code in {0, 12}, told.err
    asked = [str(body["system"]) for body in server.bodies]
    assert any("Say MISSING, always." in one for one in asked)
    new = json.loads(out.read_text())["run"]["new"]
    assert new["prompts"].startswith("answer/9+")


def test_a_killed_run_leaves_nothing_to_the_next(
    citebound: Run,
    corpora: Path,
    database_url: str,
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    """The corpus that it ingested is gone once anybody compares again."""
    data = tmp_path / "home" / "eval" / "shadow"
    command = [sys.executable, "-m", "bot", "eval", "shadow", *SINCE, "--corpus", str(corpora)]
    environment["DATABASE_URL"] = as_role(database_url, DatabaseRole.APP)
    with watched(
        subprocess.Popen(  # noqa: S603  # our own words
            command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    ) as process:
        while not list(data.glob("postgres/postmaster.pid")) and process.poll() is None:
            threading.Event().wait(0.1)
        process.send_signal(signal.SIGKILL)
    left = list(data.glob("*/PG_VERSION"))
    assert left, "it was killed before it had made something"
    told = citebound("eval", "shadow", *SINCE)
    assert "left behind was removed" in told.err
    assert not list(data.glob("*/PG_VERSION"))
