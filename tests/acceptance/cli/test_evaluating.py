"""`citebound eval`: sets are asked, results are kept, interrupted runs go on."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from core.adapters.postgres.engine.embedded import stop_embedded
from core.confidence.calibration import SHIPPED, calibration_json
from tests.servers.anthropic import anthropic_server
from tests.servers.anthropic_steps import Reply, reply, tool_use

SAMPLES = Path(__file__).parents[3] / "samples" / "questions"
PARKING = """# Parking

## 1 Places

1.1 Employees must park their bicycles in the yard behind the building.
"""
VOUCHERS = "Employees must not accept cash or vouchers in any amount."


@pytest.fixture(autouse=True)
def stopped(tmp_path: Path) -> Iterator[None]:
    """Each home of a run has a server of its own, which this process would end only at its end."""
    yield
    for home in (tmp_path / "home" / "eval").glob("*/.lock"):
        stop_embedded(home.parent)


def line(document: str, question: str, *gold: str) -> str:
    return json.dumps(
        {
            "document": document,
            "question": question,
            "expected_outcome": "answered" if gold else "refused",
            "gold_quotes": gold,
        }
    )


def test_a_document_is_asked_alone(
    citebound: Callable[..., Any], policies: Path, tmp_path: Path
) -> None:
    """What another document says is no answer; one that can't be read is named and counted."""
    (policies / "parking.md").write_text(PARKING)
    (policies / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    questions = tmp_path / "set" / "asked.jsonl"
    questions.parent.mkdir()
    vouchers = "May employees accept vouchers?"
    questions.write_text(
        "\n".join(
            [
                line("policies/gifts.md", vouchers, VOUCHERS),
                line("policies/parking.md", vouchers),
                line("policies/broken.pdf", vouchers),
                line("policies/none.md", vouchers),
            ]
        )
    )
    done = citebound("eval", "run", "--questions", str(questions), "--json", "--verbose")
    said = json.loads(done.out)
    assert endings(said) == {
        "policies/gifts.md": ("answered", True),
        "policies/parking.md": ("refused", True),
        "policies/broken.pdf": ("failed", False),
        "policies/none.md": ("failed", False),
    }
    assert VOUCHERS in said["questions"][0]["text"]
    assert said["figures"]["answerable"]["right"] == 1
    assert said["figures"]["refusals"]["right"]["count"] == 1
    assert "policies/broken.pdf can't be ingested" in done.err
    assert "policies/none.md can't be ingested" in done.err
    assert "[RAG] passed" in done.err
    assert done.code == 1

    asking = ("eval", "run", "--questions", str(questions), "--only")
    none = citebound(*asking, "nothing")
    assert (none.code, none.err.count("\n")) == (2, 1)
    no_reader = {"CITEBOUND_READER_MODEL": str(tmp_path)}
    assert citebound(*asking, "*.md", **no_reader).code == 3
    databases = tmp_path / "home" / "eval"
    shared = len([*databases.glob("*/*/base/*")])
    alone = citebound(*asking, "*.md", "--alone", "--no-reader", "--json", **no_reader)
    assert endings(json.loads(alone.out)) == {
        "policies/gifts.md": ("answered", True),
        "policies/parking.md": ("refused", True),
        "policies/none.md": ("failed", False),
    }
    assert len([*databases.glob("*/*/base/*")]) >= shared + 2
    assert "changed: all is asked anew" in alone.err


def endings(said: Any) -> dict[str, tuple[str, bool]]:
    return {one["document"]: (one["outcome"], one["passed"]) for one in said["questions"]}


def test_an_interrupted_run_goes_on(
    citebound_process: Callable[..., Any],
    citebound: Callable[..., Any],
    policies: Path,
    tmp_path: Path,
) -> None:
    """What was asked is not asked again; what is left is; and the figures are of all."""
    questions, out = tmp_path / "asked.jsonl", tmp_path / "run.json"
    labels = [
        {"question": "May employees accept vouchers?", "must_quote": [VOUCHERS]},
        {"question": "Where do I park my boat?", "expected": ["refused"]},
    ]
    lines = [json.dumps({"expected": ["answered"], **one}) for one in labels]
    questions.write_text("\n".join(lines))
    asking = ("eval", "run", "--questions", str(questions), "--policies", str(policies))
    first = citebound_process(*asking, "--out", str(out))
    assert first.code == 0
    assert "passed           2 of 2" in first.out
    kept = out.with_suffix(".jsonl")
    whole = kept.read_text().splitlines(keepends=True)
    marked = whole[1].replace('"ms": ', '"ms": 987654')
    kept.write_text(whole[0] + marked + whole[2][:50])
    out.unlink()
    again = citebound(*asking, "--out", str(out))
    assert "1 were asked before, 1 are left" in again.err
    said = json.loads(out.read_text())
    assert [one["passed"] for one in said["questions"]] == [True, True]
    assert said["questions"][0]["ms"] >= 987654
    assert said["run"]["settings"]["CITEBOUND_MODEL"]
    assert "sk-ant-key" not in kept.read_text()

    questions.write_text("\n".join([lines[0], "{}", "[]"]))
    wrong = citebound(*asking, "--out", str(out))
    assert (wrong.code, wrong.err.count("\n")) == (2, 3)
    assert "asked.jsonl:2: `expected` is a list of" in wrong.err
    assert "asked.jsonl:3: expected a JSON object" in wrong.err
    assert len(kept.read_text().splitlines()) == 3


def test_claude_is_not_asked_without_access(citebound: Callable[..., Any]) -> None:
    """The rules do not answer in its name."""
    questions = SAMPLES / "dev.jsonl"
    done = citebound("eval", "run", "--questions", str(questions), "--reasoner", "claude")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "ANTHROPIC_API_KEY" in done.err


def test_a_model_grades_beside_the_code(
    citebound: Callable[..., Any], policies: Path, tmp_path: Path
) -> None:
    """It decides where a fact is in other words; what is outside the scale is counted apart."""
    questions = tmp_path / "asked.jsonl"
    vouchers = "May employees accept vouchers?"
    labels = [
        {"id": "quoted", "must_quote": [VOUCHERS]},
        {"id": "in other words", "expected_facts": ["never, not even a voucher of one euro"]},
        {"id": "beside the scale", "must_quote": [VOUCHERS]},
        {"id": "missing", "must_quote": ["Vouchers are welcome."]},
    ]
    lines = [{"question": vouchers, "expected": ["answered"], **one} for one in labels]
    questions.write_text("\n".join(map(json.dumps, lines)))
    grades = iter(["right", "right", "7", "wrong"])

    def grade(body: dict[str, Any]) -> Reply:
        assert [tool["name"] for tool in body["tools"]] == ["submit_grade"]
        return reply(tool_use("submit_grade", {"grade": next(grades), "reason": "So."}))

    asking = ("eval", "run", "--questions", str(questions), "--policies", str(policies))
    with anthropic_server(grade) as server:
        access = {"ANTHROPIC_API_KEY": server.key, "ANTHROPIC_BASE_URL": server.url}
        done = citebound(*asking, "--reasoner", "extractive", "--grader", "model", **access)
        assert len(server.received) == 4
    assert done.code == 0
    assert "agrees with the code on 2 of 3" in done.out
    assert "decided 1, 1 not graded" in done.out
    assert "which has its price" in done.err
    run = next((tmp_path / "home" / "eval" / "runs").glob("asked.json"))
    said = {one["id"]: one for one in json.loads(run.read_text())["questions"]}
    assert [one["passed"] for one in said.values()] == [True, True, True, False]
    assert said["in other words"]["graded_by"] == "model"
    assert (said["beside the scale"]["model_grade"], said["missing"]["model_grade"]) == (
        None,
        "wrong",
    )
    assert "'7' is none of right, partly, wrong" in said["beside the scale"]["not_graded"]
    assert [one["tokens"]["output"] for one in said.values()] == [20] * 4
    assert all(one["cost_usd"] != 0 for one in said.values()), "grading has its price"
    assert all(one["model_calls"] == 0 for one in said.values()), "grading answers nothing"
    assert server.key not in run.read_text()


def test_a_run_says_which_calibration_it_rests_on(
    citebound: Callable[..., Any], policies: Path, tmp_path: Path, database_url: str
) -> None:
    """That in force where the deployment's own corpus is measured, else that of the release."""
    questions = tmp_path / "asked.jsonl"
    questions.write_text(
        json.dumps({"question": "May employees accept vouchers?", "expected": ["answered"]})
    )
    asking = ("eval", "run", "--questions", str(questions), "--policies", str(policies))
    runs = tmp_path / "home" / "eval" / "runs"

    def told(*more: str) -> str:
        done = citebound(*asking, *more)
        assert done.code == 0, done.err
        run = json.loads((runs / "asked.json").read_text())["run"]
        assert run["options"]["calibration"] in done.err
        return str(run["options"]["calibration"])

    assert told().endswith("(shipped)"), "nobody has ingested these policies"
    asked = str(runs / "asked.json")
    measured = citebound("eval", "calibration", "--runs", asked, "--json")
    assert json.loads(measured.out)["measured"]["labels"] == 1, "the one in force, on one question"
    shown = citebound("eval", "calibration", "--runs", asked)
    assert all(one in shown.out for one in ("ECE", "Brier", "AUROC"))
    assert citebound("eval", "calibration", "--runs", asked, "--of", "models").code == 2
    assert citebound("ingest", str(policies)).code == 0
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO citebound.calibrations (name, of_models, data_hash, labels, coefficients,"
            " figures, spreads) VALUES ('own/1', false, 'ab', '{}', %s, '{}', '{}')",
            (json.dumps(calibration_json(replace(SHIPPED.rules, name="own/1"))),),
        )
        connection.execute(
            "INSERT INTO citebound.calibration_activations (of_models, name)"
            " VALUES (false, 'own/1')"
        )
    own = told()
    assert own.startswith("own/1, ")
    assert own.endswith("(active)")
    assert told("--calibration", "shipped").endswith("(shipped)")
    assert told("--calibration", "own/1").endswith("(named)")
    unknown = citebound(*asking, "--calibration", "own/9")
    assert (unknown.code, "own/9" in unknown.err) == (2, True)
    (policies / "gifts.md").write_text("# Gifts\n\n1.1 Employees must not accept vouchers.\n")
    assert told().endswith("(shipped)"), "these are not the policies of the deployment"
