"""Files of runs: what is written is read again, and a run that differs is told apart."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.errors import OccupiedError, UsageError
from evals.measuring.figures_view import run_json
from evals.measuring.grading import CitationCounts, Grade
from evals.measuring.results import RunFile, line_of, read_run
from evals.measuring.run_files import check_out, open_run, write_whole
from tests.unit.evals.runs import HEADER, make_result

FULL = make_result(
    difficulty="hard",
    document="a.md",
    model_grade=Grade.PARTLY,
    not_graded="why",
    features={"reader": 0.5},
    citations=CitationCounts(shown=2, right=1, labelled=1, found=1),
    quotes=("Eins, zwei \u2028 drei.",),
    cost_usd=None,
)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """Every field, whatever is in it; a result that stands twice counts as it is in the end."""
    path = tmp_path / "runs" / "a.jsonl"
    with open_run(path, HEADER) as run:
        assert (run.kept, run.put_aside) == ((), None)
        run.keep(make_result(FULL.id, passed=False))
        run.keep(FULL)
    found = read_run(path)
    assert found.header == HEADER
    assert found.results == (FULL,)


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    """A line that was cut off is dropped; what failed is asked again; the rest stays."""
    path = tmp_path / "a.jsonl"
    with open_run(path, HEADER) as run:
        run.keep(make_result("q1"))
        run.keep(make_result("q2", outcome="failed"))
    with path.open("ab") as file:
        file.write(line_of(make_result("q3")).encode()[:40])
    later = replace(HEADER, started_at="2027-01-01T00:00:00+00:00", commit="def", questions="b")
    with open_run(path, later) as run:
        assert [one.id for one in run.kept] == ["q1"]
        assert run.put_aside is None
        run.keep(make_result("q3"))
    assert [one.id for one in read_run(path).results] == ["q1", "q2", "q3"]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        (replace(HEADER, questions_sha256="12"), "questions"),
        (replace(HEADER, corpus_sha256="23"), "corpus"),
        (replace(HEADER, code_sha256="34"), "code"),
        (replace(HEADER, options={"rag": False}), "rag"),
        (replace(HEADER, settings={"CITEBOUND_MODEL": "other"}), "CITEBOUND_MODEL"),
        (replace(HEADER, versions={"citebound": "1", "reader": "x"}), "reader"),
    ],
)
def test_what_changed_is_asked_anew(tmp_path: Path, changed: object, named: str) -> None:
    """Results of two conditions are never mixed; the earlier ones are kept beside."""
    path = tmp_path / "a.jsonl"
    with open_run(path, HEADER) as run:
        run.keep(FULL)
    before = path.read_bytes()
    with open_run(path, changed) as run:  # pyright: ignore[reportArgumentType]
        assert run.kept == ()
        assert run.put_aside is not None
        assert run.put_aside.startswith(f"{named} changed")
    assert (tmp_path / "a.previous.jsonl").read_bytes() == before
    assert read_run(path).header == changed


def test_two_do_not_write_one_run(tmp_path: Path) -> None:
    """The second one is told, and nothing is lost."""
    path = tmp_path / "a.jsonl"
    with open_run(path, HEADER) as run:
        run.keep(FULL)
        with pytest.raises(OccupiedError, match="another process"), open_run(path, HEADER):
            pass
    assert read_run(path).results == (FULL,)


@pytest.mark.parametrize("content", [b"{}\n", b"7\n", b"notes", b"\xff\n", b"[" * 100_000 + b"\n"])
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, content: bytes) -> None:
    """Who names a file of their own by mistake does not lose it."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"a\.jsonl"), open_run(path, HEADER):
        pass
    assert path.read_bytes() == content


def test_a_finished_run_does_not_replace_something_else(tmp_path: Path) -> None:
    """A question set that is named as the place of its run stays what it is."""
    path = tmp_path / "set.json"
    check_out(path)
    with pytest.raises(UsageError, match="is a folder"):
        check_out(tmp_path)
    path.write_text('[{"question": "May I?", "expected": ["answered"]}]')
    with pytest.raises(UsageError, match=r"set\.json"):
        check_out(path)
    write_whole(path, run_json(RunFile(header=HEADER, results=(FULL,))))
    check_out(path)
    assert read_run(path).results == (FULL,)


def test_a_line_that_is_none_is_named(tmp_path: Path) -> None:
    """With its number and what is wrong."""
    path = tmp_path / "a.jsonl"
    line = line_of(make_result()).replace('"passed": true', '"passed": "maybe"')
    path.write_text(f"{line_of(HEADER)}\n{line}\n")
    with pytest.raises(UsageError, match=r"a\.jsonl:2: no part of a run \(passed "):
        read_run(path)


def test_no_folder_can_be_a_file(tmp_path: Path) -> None:
    """The path and the cause are said."""
    with (
        pytest.raises(UsageError, match="can't be written: Is a directory"),
        open_run(tmp_path, HEADER),
    ):
        pass
