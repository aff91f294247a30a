"""From files to cited and recorded answers, with the real command."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.children import watched

QUESTION = "May employees accept gifts, and up to what value?"


def answer_keys() -> set[str]:
    """Return the keys that `ask --json` promises."""
    return {
        "answer",
        "citations",
        "referenced_entities",
        "confidence",
        "used_rag",
        "rag_chunks_used",
        "grounded",
        "refused",
        "trace",
    }


def test_the_main_path(
    citebound_process: Callable[..., Any],
    citebound: Callable[..., Any],
    policies: Path,
    tmp_path: Path,
) -> None:
    """Ingest, ask, look the record up, and go on in the conversation."""
    ingested = citebound_process("ingest", str(policies))
    assert (ingested.code, ingested.err) == (0, "")
    assert "added     gifts.md: Gifts Policy" in ingested.out

    again = citebound("ingest", str(policies), "--json")
    assert json.loads(again.out)["files"][0]["status"] == "unchanged"

    asked = citebound_process(
        "ask", QUESTION, "--json", "--thread", "anna", "--trace-dir", str(tmp_path / "traces")
    )
    assert asked.code == 0
    reply = json.loads(asked.out)
    assert answer_keys() <= reply.keys()
    assert reply["outcome"] == "answered"
    assert "EUR 50" in reply["answer"]
    assert reply["citations"]
    for citation in reply["citations"]:
        assert citation["quote"] in (policies / "gifts.md").read_text()
        assert len(citation["quote"]) == citation["char_end"] - citation["char_start"]
    (trace,) = (tmp_path / "traces").iterdir()
    assert json.loads(trace.read_text())["final_state"] == "answered"

    shown = citebound("audit", "show", reply["record_id"])
    assert shown.code == 0
    assert QUESTION in shown.out
    assert "intact" in shown.out
    assert json.loads(citebound("audit", "show", reply["record_id"], "--json").out)["is_intact"]

    followed = citebound("ask", "and for contractors?", "--thread", "anna", "--verbose")
    assert followed.code == 0
    assert "Contractors must not accept gifts." in followed.out
    assert "gate" in followed.err
    assert "threshold 0.85" in followed.err

    listed = json.loads(citebound("audit", "list", "--json").out)
    assert [line["question"] for line in listed] == ["and for contractors?", QUESTION]
    assert f"(record {listed[0]['record_id']}, thread anna)" in followed.out


def test_one_reference_leads_to_the_record_and_on(
    citebound: Callable[..., Any], policies: Path
) -> None:
    """The line under an answer finds its record, and goes on in its conversation."""
    citebound("ingest", str(policies))
    reference = citebound("ask", QUESTION).out.splitlines()[-1]
    assert re.fullmatch("Ref [0-9a-f]{8}", reference)
    digits = reference.removeprefix("Ref ")
    assert citebound("audit", "list").out.startswith(f"{digits} {QUESTION}")
    for named in (reference, digits):
        assert QUESTION in citebound("audit", "show", named).out
        followed = citebound("ask", "and for contractors?", "--thread", named)
        assert "Contractors must not accept gifts." in followed.out
    last = followed.out.splitlines()[-1]
    chatted = citebound("chat", "--thread", last, stdin="and for contractors?\n")
    assert "Contractors must not accept gifts." in chatted.out
    lost = citebound("ask", "and for contractors?", "--thread", "0badcafe")
    assert (lost.code, "0badcafe" in lost.err) == (2, True)
    assert citebound("audit", "show", "0badcafe").code == 2


def test_a_conversation_by_pipe(citebound: Callable[..., Any], policies: Path) -> None:
    """Piped lines are answered in order; commands work; nothing but replies is printed."""
    citebound("ingest", str(policies))
    done = citebound("chat", stdin=f"{QUESTION}\n/sources\n\n/new\n/nonsense\n/help\n/quit\nlost\n")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("Sources") == 2
    assert "A new conversation." in done.out
    assert "/nonsense is not a command" in done.out
    assert "lost" not in done.out
    assert "\x1b" not in done.out


def test_a_question_by_pipe(citebound: Callable[..., Any], policies: Path) -> None:
    """`-` reads standard input; an empty one is wrong usage."""
    citebound("ingest", str(policies))
    assert json.loads(citebound("ask", "-", "--json", stdin=QUESTION).out)["grounded"]
    empty = citebound("ask", "-", stdin=" \n")
    assert empty.code == 2
    assert empty.err.count("\n") == 1


def test_a_conversation_of_six_turns(citebound: Callable[..., Any], policies: Path) -> None:
    """What was told holds, small talk is no turn, and a new condition is what is asked about."""
    citebound("ingest", str(policies))
    replies = [
        json.loads(citebound("ask", text, "--json", "--thread", "anna").out)
        for text in (
            "hello there",
            "I'm an employee. May I accept a gift worth EUR 20?",
            "thanks",
            "what if it is from a public official?",
            "How soon must employees report gifts above EUR 50?",
            "whats the deadline to report gfits above EUR 50?",
        )
    ]
    hello, first, thanks, official, later, sloppy = replies
    assert hello["answer"].startswith("Hello.")
    assert thanks["answer"].startswith("You're welcome.")
    assert [one["slot"] for one in (hello, thanks)] == ["question", "question"]
    assert (first["outcome"], first["assumptions"]) == ("answered", ["employee"])
    assert official["trace"]["standalone"].endswith("EUR 20 from a public official?")
    assert official["outcome"] == "refused"
    assert 'The passages that I found do not mention "public official".' in official["notes"]
    assert (later["outcome"], later["assumptions"]) == ("answered", ["employee"])
    assert sloppy["trace"]["question"].startswith("whats the deadline to report gfits")
    assert sloppy["trace"]["searched"] == "what is the deadline to report gifts above EUR 50?"


def test_a_bad_file_is_named_and_the_others_go_on(
    citebound: Callable[..., Any], policies: Path
) -> None:
    """One line with cause and cure, code 1, and the good file is in."""
    (policies / "a-broken.pdf").write_bytes(b"no pdf at all")
    (policies / "empty.txt").write_bytes(b"")
    done = citebound("ingest", str(policies), "--json")
    assert done.code == 1
    files = {Path(item["file"]).name: item for item in json.loads(done.out)["files"]}
    assert files["gifts.md"]["status"] == "added"
    for name in ("a-broken.pdf", "empty.txt"):
        assert files[name]["status"] == "failed"
        assert ":" in files[name]["reason"]
    assert len(json.loads(citebound("corpus", "list", "--json").out)) == 1


def test_the_corpus_is_counted_checked_and_drawn(
    citebound: Callable[..., Any], policies: Path, tmp_path: Path
) -> None:
    """Each look at the corpus works; a contradiction is a problem with code 1."""
    (policies / "other.md").write_text(
        "# Presents Policy\n\n## 1 Rules\n\n1.1 See section 9.9 of the Gifts Policy.\n"
    )
    citebound("ingest", str(policies))
    counts = json.loads(citebound("corpus", "summary", "--json").out)
    assert counts["policies"] == 2
    checked = citebound("corpus", "validate")
    assert checked.code == 1
    assert "9.9" in checked.out
    assert citebound("corpus", "graph", "-o", "g.html").code == 0
    assert "<html" in (tmp_path / "g.html").read_text()
    assert citebound("corpus", "graph", "-o", "g.graphml").code == 0
    assert citebound("corpus", "graph", "-o", "g.png").code == 2


def test_what_an_asker_may_not_read_is_not_used(
    citebound: Callable[..., Any], policies: Path
) -> None:
    """A policy for one group answers that group alone."""
    citebound("ingest", str(policies), "--audience", "board")
    assert json.loads(citebound("ask", QUESTION, "--json", "--group", "board").out)["grounded"]
    outside = json.loads(citebound("ask", QUESTION, "--json").out)
    assert outside["refused"]
    assert "EUR 50" not in json.dumps(outside)


def test_without_policies_nothing_is_answered(citebound: Callable[..., Any]) -> None:
    """Code 4, and how to ingest."""
    for words in (["ask", "x"], ["chat"], ["corpus", "summary"]):
        done = citebound(*words)
        assert done.code == 4
        assert not done.out
        assert "citebound ingest PATH" in done.err
        assert done.err.count("\n") == 1


def test_wrong_words_are_code_2(citebound: Callable[..., Any], policies: Path) -> None:
    """Unknown records, editions and paths are wrong usage, each in one line."""
    citebound("ingest", str(policies))
    for words in (
        ["audit", "show", "01a1"],
        ["ask", "x", "--as-of", "edition:7"],
        ["ask", "x" * 8_001],
        ["ingest", "nowhere"],
        ["eval", "run", "--questions", "nowhere"],
    ):
        done = citebound(*words)
        assert (done.code, done.out) == (2, ""), words
        assert done.err.startswith("citebound: error: ")
        assert done.err.count("\n") == 1


def test_a_database_that_is_not_there_is_code_3(citebound: Callable[..., Any]) -> None:
    """One line with cause and cure, without the password."""
    done = citebound("ask", "x", DATABASE_URL="postgresql://u:secret@127.0.0.1:1/x")
    assert done.code == 3
    assert done.err.count("\n") == 1
    assert "DATABASE_URL" in done.err
    assert "secret" not in done.err


def test_a_wrong_setting_is_code_3(citebound: Callable[..., Any]) -> None:
    """The variable is named."""
    done = citebound("corpus", "list", CITEBOUND_RETRIEVAL_DEPTH="99")
    assert done.code == 3
    assert "CITEBOUND_RETRIEVAL_DEPTH" in done.err


def test_the_doctor_finds_what_is_there_and_what_is_not(citebound: Callable[..., Any]) -> None:
    """Code 0 where all that is needed works, 3 where it does not; no secret is printed."""
    fine = citebound("doctor", "--json")
    assert fine.code == 0
    findings = {item["subject"]: item for item in json.loads(fine.out)["findings"]}
    assert findings["database"]["health"] == "fine"
    assert findings["corpus"]["health"] == "missing"
    broken = citebound("doctor", DATABASE_URL="postgresql://u:secret@127.0.0.1:1/x")
    assert broken.code == 3
    assert "Broken: database." in broken.out
    assert "secret" not in broken.out + broken.err
    assert "DATABASE_URL" in broken.out
    assert "CITEBOUND_UNIT" not in broken.out
    assert "CITEBOUND_UNIT" in citebound("doctor", "--all").out
    assert "CITEBOUND_UNIT" in findings


def test_a_policy_that_was_changed_in_place_is_told(
    citebound: Callable[..., Any], policies: Path, database_url: str
) -> None:
    """Code 3 of the doctor, and 1 of the corpus; whoever asks is not given the changed words."""
    assert citebound("ingest", str(policies)).code == 0
    with psycopg.connect(database_url, autocommit=True) as connection:
        for table in ("policy_versions", "chunks"):
            changed = f"UPDATE citebound.{table} SET text = replace(text, 'EUR', 'USD')"  # noqa: S608
            connection.execute(changed.encode())
    doctor = citebound("doctor")
    assert (doctor.code, "Broken: corpus." in doctor.out) == (3, True)
    assert "its text is not what was published" in doctor.out
    checked = citebound("corpus", "validate")
    assert checked.code == 1
    assert "its text is not what was published" in checked.out
    assert json.loads(citebound("corpus", "validate", "--json").out)["altered"]
    asked = citebound("ask", "May employees accept a gift worth EUR 40?")
    assert "USD" not in asked.out
    assert "must not be quoted" in asked.out


def test_a_reader_that_leaves_is_no_error(
    environment: Mapping[str, str], citebound: Callable[..., Any], policies: Path
) -> None:
    """A closed pipe ends the command without a word."""
    citebound("ingest", str(policies))
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(  # our own words
        [sys.executable, "-m", "bot", "corpus", "list"],
        env=dict(environment),
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_ctrl_c_leaves_a_chat_cleanly(
    environment: Mapping[str, str], citebound: Callable[..., Any], policies: Path
) -> None:
    """An interruption ends with 130 and no traceback."""
    citebound("ingest", str(policies))
    with watched(
        subprocess.Popen(  # our own words
            [sys.executable, "-m", "bot", "chat"],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{QUESTION}\n")
        process.stdin.flush()
        while "Ref " not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == "citebound: interrupted: what was answered is in the record\n"


def test_two_homes_are_two_corpora(
    citebound_process: Callable[..., Any], policies: Path, tmp_path: Path
) -> None:
    """Without a server each home has a database of its own, and none runs on."""
    alone = {"DATABASE_URL": "", "CITEBOUND_MIGRATION_URL": "", "CITEBOUND_RECORD_URL": ""}
    citebound = partial(citebound_process, **alone)
    tmp_path.chmod(0o755)
    first, second = str(tmp_path / "one"), str(tmp_path / "two")
    assert citebound("ingest", str(policies), CITEBOUND_HOME=first).code == 0
    asked = citebound("ask", QUESTION, "--json", CITEBOUND_HOME=first)
    assert json.loads(asked.out)["grounded"]
    assert citebound("ask", QUESTION, CITEBOUND_HOME=second).code == 4
    assert not list(tmp_path.glob("*/postgres/postmaster.pid"))


@pytest.mark.parametrize("as_of", ["2024-12-01", "edition:1"])
def test_an_earlier_state_still_answers(
    citebound: Callable[..., Any], policies: Path, as_of: str
) -> None:
    """A later version does not change what an earlier day or edition says."""
    old, new = policies / "gifts.md", policies / "new" / "gifts.md"
    new.parent.mkdir()
    new.write_text(old.read_text().replace("EUR 50", "EUR 75"))
    citebound("ingest", str(old), "--effective-from", "2024-01-01")
    citebound("ingest", str(new), "--effective-from", "2025-01-01")
    now = json.loads(citebound("ask", QUESTION, "--json").out)
    then = json.loads(citebound("ask", QUESTION, "--json", "--as-of", as_of).out)
    assert "EUR 75" in now["answer"]
    assert "EUR 50" in then["answer"]
