"""The regression gate: what falls short fails, what is accepted stands in the file and the page."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.domain.errors import UsageError
from evals import gate
from evals.gate import Acceptance, Figure, faults_of, last_accepted, read_history, trend_table

PASSED = Figure(set="a", figure="passed", value=0.7, tolerance=0.02, is_better_higher=True)
WRONG = Figure(set="a", figure="wrong", value=0.1, tolerance=0.02, is_better_higher=False)
OTHER = replace(PASSED, set="b")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty file of acceptances, and a page with its table."""
    monkeypatch.setattr(gate, "ACCEPTED", tmp_path / "accepted.json")
    monkeypatch.setattr(gate, "PAGE", tmp_path / "page.md")
    gate.ACCEPTED.write_text("[]")
    gate.PAGE.write_text(f"Before.\n{gate.BEGIN}{gate.END}\nAfter.\n")
    return tmp_path


def run_gate(monkeypatch: pytest.MonkeyPatch, *figures: Figure, accepts: bool = False) -> int:
    def measure(*_given: Any) -> list[Figure]:
        return list(figures)

    monkeypatch.setattr(gate, "_figures", measure)
    return gate.gate(data=Path(), sets=(), accepts=accepts, as_json=False)


@pytest.mark.parametrize(
    ("figure", "value", "falls_short"),
    [
        (PASSED, 0.7, False),
        (PASSED, 0.68, False),
        (PASSED, 0.679, True),
        (PASSED, 0.9, False),
        (WRONG, 0.12, False),
        (WRONG, 0.121, True),
        (WRONG, 0.0, False),
    ],
)
def test_a_figure_may_fall_by_its_tolerance(
    figure: Figure, value: float, *, falls_short: bool
) -> None:
    """What should not happen may rise by it."""
    now = replace(figure, value=value, tolerance=0.5)
    assert now.falls_short_of(figure) is falls_short
    assert bool(list(faults_of([now], last_accepted([accepted(figure)])))) is falls_short


def accepted(*figures: Figure) -> Acceptance:
    return Acceptance(date="2026-01-01", commit="abc", figures=figures)


def test_the_last_acceptance_counts() -> None:
    """Each figure's own: a set that was not measured keeps what it had."""
    later = replace(PASSED, value=0.8)
    known = last_accepted([accepted(PASSED, OTHER), accepted(later)])
    assert known == {("a", "passed"): later, ("b", "passed"): OTHER}


def test_a_figure_that_is_gone_fails(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    """An answer with a badge that no longer exists can't fall short, and is worse."""
    assert files
    assert run_gate(monkeypatch, PASSED, WRONG, OTHER, accepts=True) == 0
    assert run_gate(monkeypatch, PASSED, WRONG) == 0
    assert run_gate(monkeypatch, PASSED) == 1


def test_what_was_never_accepted_fails_until_it_is(
    monkeypatch: pytest.MonkeyPatch, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Then the file has it, and the page a row; what falls behind it fails."""
    assert run_gate(monkeypatch, PASSED) == 1
    assert "NOT ACCEPTED YET: a, passed 70.0%" in capsys.readouterr().err
    assert run_gate(monkeypatch, PASSED, accepts=True) == 0
    assert run_gate(monkeypatch, PASSED) == 0
    capsys.readouterr()
    assert run_gate(monkeypatch, replace(PASSED, value=0.6)) == 1
    assert "FALLS SHORT: a, passed 60.0%, accepted 70.0%" in capsys.readouterr().err
    page = (files / "page.md").read_text()
    assert page.startswith("Before.\n")
    assert page.endswith("After.\n")
    assert page.count("| a | passed 70.0% |") == 1


def test_nothing_measured_is_no_success(monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    """A name that is misspelt does not pass."""
    assert files
    with pytest.raises(UsageError, match="nothing was measured"):
        run_gate(monkeypatch)


def test_sets_that_are_not_there_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each by itself, with what would bring it."""
    with pytest.raises(UsageError, match="nothing was measured"):
        gate.gate(data=tmp_path, sets=("workplace", "statements"), accepts=False, as_json=False)
    said = capsys.readouterr().err
    assert "NOT MEASURED: workplace" in said
    assert "NOT MEASURED: statements" in said


def test_the_table_of_the_page_is_that_of_the_file() -> None:
    """Nobody edits a figure by hand."""
    _, _, rest = gate.PAGE.read_text().partition(gate.BEGIN)
    assert rest.partition(gate.END)[0] == trend_table(read_history())
