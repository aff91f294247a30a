"""`citebound audit replay` and `audit affected`, as an officer types them."""

import getpass
import json
from pathlib import Path

import psycopg
import pytest

from core.adapters.postgres.engine.roles import DatabaseRole
from tests.acceptance.cli.conftest import GIFTS, Run
from tests.databases import admit_officer, as_role

QUESTION = "May employees accept a gift worth EUR 40?"


@pytest.fixture
def record(citebound: Run, tmp_path: Path, database_url: str, environment: dict[str, str]) -> str:
    """The record of an answer that rests on a limit, which a later edition lowers."""
    source = tmp_path / "gifts.md"
    source.write_text(GIFTS)
    assert citebound("ingest", str(source)).code == 0
    asked = citebound("ask", QUESTION, "--json")
    environment["CITEBOUND_RECORD_URL"] = as_role(database_url, DatabaseRole.CONSOLE)
    admit_officer(database_url, getpass.getuser())
    source.write_text(GIFTS.replace("up to EUR 50", "up to EUR 30"))
    assert citebound("ingest", str(source)).code == 0
    return str(json.loads(asked.out)["record_id"])


def test_an_officer_replays_a_record(citebound: Run, record: str) -> None:
    """As it was answered then, and as it would be today."""
    then = citebound("audit", "replay", record[:18])
    assert (then.code, "Identical" in then.out) == (0, True)

    today = citebound("audit", "replay", "--today", record)
    assert today.code == 0
    assert "Today's answer is different." in today.out
    assert "[-50-] [+30+]" in today.out
    told = json.loads(citebound("audit", "replay", "--today", record, "--json").out)
    assert told["is_same"] is False
    assert [one["policy"] for one in told["clauses"]] == ["gifts"]


def test_what_differs_or_is_missing_is_named(
    citebound: Run, record: str, database_url: str
) -> None:
    """Exit codes 1 and 2, and 2 of a wrong word."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "UPDATE citebound.policy_versions SET text = replace(text, 'EUR 50', 'EUR 90')"
            " WHERE number = 1"
        )
        differs = citebound("audit", "replay", record, "--json")
        assert differs.code == 1
        assert json.loads(differs.out)["difference"]["stage"]
        connection.execute("ALTER TABLE audit.content DISABLE TRIGGER ALL")
        connection.execute("DELETE FROM audit.content WHERE field = 'question'")
    gone = citebound("audit", "replay", record)
    assert (gone.code, "was erased" in gone.out) == (2, True)
    assert citebound("audit", "replay", "0198").code == 2


def test_affected_answers_are_listed(citebound: Run, record: str, database_url: str) -> None:
    """With what became of each; a replay of any kind posts nothing, and is recorded."""
    assert citebound("audit", "replay", record[:-1]).code == 0, "the beginning of an id is enough"
    listed = citebound("audit", "affected", "--edition", "2")
    assert "1 of them quote text that no longer exists" in listed.out
    assert "gifts 2.1, 1 → 2: changed" in listed.out
    (one,) = [
        found
        for found in json.loads(citebound("audit", "affected", "--json").out)
        if found["change"] == "changed"
    ]
    assert (one["record_id"], one["still_holds"], one["question"]) == (record, False, QUESTION)
    assert "No past answer" in citebound("audit", "affected", "--policy", "travel").out
    nobody = citebound("audit", "affected", "--approve", "maria")
    assert (nobody.code, "not an officer" in nobody.err) == (2, True)
    officers = '[{"login": "maria", "name": "Maria"}]'
    approved = citebound("audit", "affected", "--approve", "maria", CITEBOUND_OFFICERS=officers)
    assert approved.out.startswith("0 questions"), "nobody can be told at the terminal"
    with psycopg.connect(database_url) as connection:
        tags = connection.execute(
            "SELECT tag, count(*) FROM audit.record WHERE tag NOT LIKE 'corpus:%'"
            " AND tag NOT LIKE 'policy:%' GROUP BY tag ORDER BY tag"
        ).fetchall()
        assert dict(tags) == {
            "answer:affected": 1,
            "answer:replayed": 1,
            "officer:granted": 1,
            "query:executed": 4,
            "question:answered": 1,
            "record:viewed": 1,
        }
        viewed = "SELECT subject FROM audit.record WHERE tag = 'record:viewed'"
        assert connection.execute(viewed).fetchone() == (record,)
        assert connection.execute("SELECT count(*) FROM citebound.outbox").fetchone() == (0,)
