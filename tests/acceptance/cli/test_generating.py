"""`citebound eval generate`: drafts from one's own policies, which count once they are accepted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.measuring.questions import load_questions


def test_from_policies_to_a_run(
    citebound_process: Callable[..., Any], policies: Path, tmp_path: Path
) -> None:
    """Drafted, drafted again, exported and asked: each with its span, marked as a draft."""
    nothing = citebound_process("eval", "generate")
    assert nothing.code == 4
    assert citebound_process("ingest", str(policies)).code == 0
    shown = citebound_process("eval", "generate", "--dry-run", "--kinds", "norm,deadline")
    assert shown.code == 0, shown.err
    assert "Can contractors accept gifts?" in shown.out or "May contractors" in shown.out
    assert "nothing was stored" in shown.err

    out = tmp_path / "drafts.jsonl"
    first = citebound_process("eval", "generate", "--out", str(out), "--json")
    assert first.code == 0, first.err
    said = json.loads(first.out)
    assert said["added"] == said["draft"] > 5
    again = json.loads(citebound_process("eval", "generate", "--json").out)
    assert (again["added"], again["draft"]) == (0, said["draft"])
    questions = load_questions(out)
    assert len(questions) == said["draft"]
    assert all(one.review == "draft" for one in questions)
    assert all(one.spans or one.kind == "unanswerable" for one in questions)

    empty = tmp_path / "own.jsonl"
    exported = citebound_process("eval", "questions", "export", "--out", str(empty))
    assert exported.code == 0
    assert empty.read_text() == ""
    listed = citebound_process("eval", "questions", "list")
    assert "deadline" in listed.out

    asked = ("eval", "run", "--questions", str(out), "--policies", str(policies))
    run = citebound_process(*asked, "--limit", "8", "--out", str(tmp_path / "run.json"))
    assert run.code == 0, run.err
    assert "8 of 8 questions were accepted by nobody" in run.err
    assert "by kind" in run.out
    assert "by difficulty" in run.out
    assert json.loads((tmp_path / "run.json").read_text())["run"]["unreviewed"] == 8


def test_what_can_not_be_drafted_is_said(
    citebound_process: Callable[..., Any], policies: Path, tmp_path: Path
) -> None:
    """Wrong kinds and policies are named; a policy without a rule gives a clear line."""
    (policies / "note.md").write_text("# Note\n\n## 1 Words\n\nWe like boats. Boats are nice.\n")
    assert citebound_process("ingest", str(policies)).code == 0
    wrong = citebound_process("eval", "generate", "--kinds", "riddle")
    assert wrong.code == 2
    assert "there is no kind 'riddle'" in wrong.err
    unknown = citebound_process("eval", "generate", "--policy", "nowhere")
    assert unknown.code == 2
    assert "there is no policy 'nowhere' in force" in unknown.err
    none = citebound_process("eval", "generate", "--policy", "note")
    assert none.code == 0
    assert "No rule of these policies is plain enough" in none.err
    folder = citebound_process("eval", "questions", "export", "--out", str(tmp_path))
    assert folder.code == 2
    assert "can't be written" in folder.err
    no_key = citebound_process("eval", "generate", "--by", "claude")
    assert no_key.code == 3
    assert "set ANTHROPIC_API_KEY" in no_key.err
