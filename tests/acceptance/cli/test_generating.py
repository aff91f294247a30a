"""`citebound eval generate`: drafts from one's own policies, which count once they are accepted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evals.measuring.questions import load_questions
from tests.servers.anthropic import anthropic_server
from tests.servers.anthropic_steps import Reply, reply, text, tool_use
from tests.servers.extraction import section_of


def test_from_policies_to_a_run(
    citebound: Callable[..., Any],
    citebound_process: Callable[..., Any],
    policies: Path,
    tmp_path: Path,
) -> None:
    """Drafted, drafted again, exported and asked: each with its span, marked as a draft."""
    nothing = citebound("eval", "generate")
    assert nothing.code == 4
    assert citebound("ingest", str(policies)).code == 0
    shown = citebound("eval", "generate", "--dry-run", "--kinds", "norm,deadline")
    assert shown.code == 0, shown.err
    assert "Can contractors accept gifts?" in shown.out or "May contractors" in shown.out
    assert "nothing was stored" in shown.err

    out = tmp_path / "drafts.jsonl"
    first = citebound("eval", "generate", "--out", str(out), "--json")
    assert first.code == 0, first.err
    said = json.loads(first.out)
    assert said["added"] == said["draft"] > 5
    again = json.loads(citebound("eval", "generate", "--json").out)
    assert (again["added"], again["draft"]) == (0, said["draft"])
    questions = load_questions(out)
    assert len(questions) == said["draft"]
    assert all(one.review == "draft" for one in questions)
    assert all(one.spans or one.kind == "unanswerable" for one in questions)

    empty = tmp_path / "own.jsonl"
    exported = citebound("eval", "questions", "export", "--out", str(empty))
    assert exported.code == 0
    assert empty.read_text() == ""
    listed = citebound("eval", "questions", "list")
    assert "deadline" in listed.out

    asked = ("eval", "run", "--questions", str(out), "--policies", str(policies))
    run = citebound_process(*asked, "--limit", "6", "--out", str(tmp_path / "run.json"))
    assert run.code == 0, run.err
    assert "6 of 6 questions were accepted by nobody" in run.err
    assert "by kind" in run.out
    assert "by difficulty" in run.out
    assert json.loads((tmp_path / "run.json").read_text())["run"]["unreviewed"] == 6


def test_what_can_not_be_drafted_is_said(
    citebound: Callable[..., Any], policies: Path, tmp_path: Path
) -> None:
    """Wrong kinds and policies are named; a policy without a rule gives a clear line."""
    (policies / "note.md").write_text("# Note\n\n## 1 Words\n\nWe like boats. Boats are nice.\n")
    assert citebound("ingest", str(policies)).code == 0
    wrong = citebound("eval", "generate", "--kinds", "riddle")
    assert wrong.code == 2
    assert "there is no kind 'riddle'" in wrong.err
    unknown = citebound("eval", "generate", "--policy", "nowhere")
    assert unknown.code == 2
    assert "there is no policy 'nowhere' in force" in unknown.err
    none = citebound("eval", "generate", "--policy", "note")
    assert none.code == 0
    assert "No rule of these policies is plain enough" in none.err
    folder = citebound("eval", "questions", "export", "--out", str(tmp_path))
    assert folder.code == 2
    assert "can't be written" in folder.err
    no_key = citebound("eval", "generate", "--by", "claude")
    assert no_key.code == 3
    assert "set ANTHROPIC_API_KEY" in no_key.err


def test_claude_writes_and_code_decides(
    citebound: Callable[..., Any], policies: Path, tmp_path: Path
) -> None:
    """A hostile model's inventions are dropped and told; each section is paid for once."""
    assert citebound("ingest", str(policies)).code == 0
    rule = "Employees must not accept cash or vouchers in any amount."

    def write(body: dict[str, Any]) -> Reply:
        section = section_of(body)
        good = {"question": "Is a voucher all right?", "kind": "norm", "quotes": [rule]}
        invented = [
            {"question": "May I accept EUR 900?", "kind": "norm", "quotes": ["EUR 900 is fine."]},
            {"question": "Did Mallory take cash?", "kind": "norm", "quotes": [rule]},
            {"question": "Ignore this: <script>?", "kind": "norm", "quotes": [rule]},
        ]
        questions = [good, *invented] if rule in section else invented[:1]
        return reply(tool_use("propose_questions", {"questions": questions}))

    generate = ("eval", "generate", "--by", "claude")
    with anthropic_server(write) as server:
        access = {"ANTHROPIC_API_KEY": server.key, "ANTHROPIC_BASE_URL": server.url}
        dry = citebound(*generate, "--dry-run", **access)
        assert dry.code == 0, dry.err
        assert "reads about" in dry.err
        assert not server.received
        tight = citebound(*generate, "--budget", "0.0000001", **access)
        assert "Not all was read: the budget is spent" in tight.err
        assert not server.received
        out = tmp_path / "drafts.jsonl"
        done = citebound(*generate, "--out", str(out), "--json", **access)
        assert done.code == 0, done.err
        read = len(server.received)
        assert read > 1
        again = citebound(*generate, **access)
        assert len(server.received) == read
    assert "has read every section that there is" in again.err
    assert "quotes what does not stand there" in done.err
    assert "names somebody or something that the section does not" in done.err
    assert "no plain question" in done.err
    (one,) = load_questions(out)
    assert one.question == "Is a voucher all right?"
    assert [span.quote for span in one.spans] == [rule]
    assert '"made_by": "claude-haiku-5-5/questions/1"' in out.read_text()
    assert server.key not in done.err


def test_a_model_that_is_down_is_left(citebound: Callable[..., Any], policies: Path) -> None:
    """After a few sections in vain it is told, and nothing is marked as read."""
    assert citebound("ingest", str(policies)).code == 0
    with anthropic_server(lambda _: reply(text("I would rather not."))) as server:
        access = {"ANTHROPIC_API_KEY": server.key, "ANTHROPIC_BASE_URL": server.url}
        first = citebound("eval", "generate", "--by", "claude", **access)
        asked = len(server.received)
        citebound("eval", "generate", "--by", "claude", **access)
        assert len(server.received) == 2 * asked
    assert first.code == 0
    assert "expected one call of propose_questions" in first.err
