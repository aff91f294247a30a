"""`python -m evals verify`: labelled statements are read strictly and counted rightly."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bot import cli
from bot.console.options import parser_of
from core.adapters.local.reader import GUARD_SHA256
from core.agent.stages import verify as stage
from core.domain.answer import Check
from core.domain.errors import UsageError
from core.grounding.support import ungrounded
from evals import statements
from evals.measures import EVALS
from evals.statements import (
    LabelledStatement,
    evaluate_statements,
    guard_supports,
    load_statements,
    report_json,
)

RULE = "Claims must be filed within fifteen (15) calendar days."
LINES: list[dict[str, object]] = [
    {"claim": RULE, "sources": [RULE], "supported": True, "kind": "faithful"},
    {"claim": "File in 99 days.", "sources": [RULE], "supported": True, "kind": "faithful"},
    {
        "claim": "Claims must be filed within 16 calendar days.",
        "sources": [RULE],
        "supported": False,
        "kind": "num",
        "heading": ["Claims", "Filing"],
    },
    {"claim": RULE, "sources": [RULE], "supported": False, "kind": "num", "heading": "Claims"},
    {"claim": RULE, "sources": [RULE], "supported": False, "kind": "who"},
]


def _run(words: list[str]) -> int:
    return cli.run(words, parser_of(EVALS))


def _file(folder: Path, *lines: object) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n")
    return path


def test_false_alarms_and_misses_are_counted(tmp_path: Path) -> None:
    """Shares of the supported statements by check, and of the others by kind."""
    told: list[tuple[int, int]] = []
    report = evaluate_statements(
        load_statements(_file(tmp_path, *LINES)),
        progress=lambda done, total: told.append((done, total)),
    )
    assert report.false_alarms == 0.5
    assert report.alarms_by_check() == {"numbers": 0.5}
    assert report.misses_by_kind() == {"num": (1, 2), "who": (1, 1)}
    misses = report_json(report)["misses"]
    assert misses == {
        "num": {"passed": 1, "all": 2, "share": 0.5, "with_judge": pytest.approx(0.05)},
        "who": {"passed": 1, "all": 1, "share": 1.0, "with_judge": pytest.approx(0.1)},
    }
    assert told[-1] == (len(LINES), len(LINES))


def test_the_command_prints_both(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines for people, one object for programs; neither needs a database."""
    path = _file(tmp_path, *LINES)
    assert _run(["verify", "--pairs", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "by code alone",
        "false alarms  50.0% of 2 supported statements (numbers 50.0%)",
    ]
    assert lines[2].split()[:5] == ["missed", "num", "50.0%", "of", "2"]
    assert f"with local:guard/{GUARD_SHA256[:12]}" in lines
    assert _run(["verify", "--pairs", str(path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["false_alarms"] == 0.5
    assert [one["kind"] for one in shown["wrong"]] == ["faithful", "num", "who"]
    assert shown["with_guard"]["supported"] == 2
    monkeypatch.setenv("CITEBOUND_READER_MODEL", "none")
    assert _run(["verify", "--pairs", str(path), "--json"]) == 0
    assert "with_guard" not in json.loads(capsys.readouterr().out)


def test_the_checks_are_those_of_verify() -> None:
    """There is one function that checks texts, and both take it from one place."""
    assert stage.ungrounded is ungrounded
    assert statements.ungrounded is ungrounded
    assert {Check.NUMBERS, Check.MODALITY, Check.NAMES, Check.SUPPORT} == set(
        ungrounded(RULE, statements.Grounds(texts=[RULE]))
    )


@pytest.mark.parametrize(
    "line",
    [
        [],
        "text",
        {},
        {**LINES[0], "sources": []},
        {**LINES[0], "sources": RULE},
        {**LINES[0], "sources": [1]},
        {**LINES[0], "supported": 1},
        {**LINES[0], "claim": None},
        {**LINES[0], "heading": 7},
    ],
)
def test_a_line_that_is_no_statement_is_named(tmp_path: Path, line: object) -> None:
    """File, line and cause, in one line."""
    path = _file(tmp_path, LINES[0], line)
    with pytest.raises(UsageError, match=r"pairs\.jsonl:2: not a labelled statement \(.+\)$"):
        load_statements(path)


@pytest.mark.parametrize(
    "content", [b"\xff\n", b"{\n", b"[" * 100_000, b'{"claim": "\xed\xa0\x80"}']
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    """Bytes that are no text, no JSON, or nested without end."""
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not a labelled statement"):
        load_statements(path)


class _Guard:
    """Finds every statement certain but one."""

    name = "guard"

    async def scores(self, question: str, texts: Sequence[str], /) -> list[float]:
        assert texts == [RULE]
        return [-1_000.0 if question.startswith("Claims") else 1_000.0 for _ in texts]


async def test_a_guard_rejects_besides_the_checks() -> None:
    """What it finds improbable is dropped; what the checks reject it does not save."""
    said = "Claims must be filed in fifteen days by all."
    found = [LabelledStatement(claim=said, sources=(RULE,), supported=False, kind="who")]
    found.append(replace(found[0], claim="File in 99 days.", supported=True))
    found.append(replace(found[0], claim="You have fifteen days to file.", supported=True))
    supports = await guard_supports(found, _Guard())
    assert supports == pytest.approx([0.0, 1.0, 1.0])
    report = evaluate_statements(found, supports=supports)
    assert [set(one.reasons) for one in report.results] == [{Check.SUPPORT}, {Check.NUMBERS}, set()]


def test_a_folder_without_a_guard_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that says what is missing."""
    words = ["verify", "--pairs", str(_file(tmp_path, *LINES)), "--guard", str(tmp_path)]
    assert _run(words) == 2
    assert "--guard: " in capsys.readouterr().err


def test_bad_files_end_the_command_with_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing there, a folder, nothing in it: one line each."""
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    for path in (tmp_path / "nowhere", tmp_path, empty):
        assert _run(["verify", "--pairs", str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
