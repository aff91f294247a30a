"""The figures of a run, on results that are known."""

import io
import json

import pytest
from rich.console import Console

from evals.measuring import figures
from evals.measuring.figures_view import figures_json, figures_rows, run_json
from evals.measuring.grading import CitationCounts, Grade
from evals.measuring.results import QuestionResult, RunFile
from tests.unit.evals.runs import HEADER, make_result

WRONG = {"passed": False, "quoted": False, "code_passed": False}
NOT_ANSWERED = {"passed": False, "outcome": "refused", "outcome_right": False, "code_passed": False}
DECLINED = ("clarification", "escalated", "refused")
COUNTS = CitationCounts(shown=2, right=1, labelled=2, found=1)
RESULTS = (
    make_result("1", calibrated=0.9, badge="high", retrieval_used=True, citations=COUNTS),
    make_result("2", calibrated=0.6, badge="medium", **WRONG),
    make_result("3", calibrated=0.4, is_closest=True, difficulty="hard", **NOT_ANSWERED),
    make_result("4", calibrated=0.1, is_closest=True, **{**NOT_ANSWERED, "quoted": False}),
    make_result("5", **{**NOT_ANSWERED, "quoted": None}),
    make_result("6", expected=DECLINED, kind="unanswerable", outcome="refused", quoted=None, ms=30),
    make_result("7", expected=DECLINED, kind="unanswerable", **WRONG, badge="medium"),
    make_result("8", **{**NOT_ANSWERED, "outcome": "failed", "quoted": None}),
)


def shown(results: tuple[QuestionResult, ...]) -> str:
    file = io.StringIO()
    console = Console(file=file, width=400)
    console.print(*figures_rows(results))
    return file.getvalue()


def test_the_endings_are_counted_apart() -> None:
    """Right, wrong, closest and declined; a failure is none of them."""
    found = figures.answerable(RESULTS)
    assert (found.right, found.wrong, found.of) == (1, 1, 6)
    assert (found.closest_right, found.closest_other, found.declined) == (1, 1, 1)
    shares = figures.shares_of(RESULTS)
    assert shares["not answerable: not answered"] == figures.Share(count=1, of=2)
    assert shares["answerable: refused"] == figures.Share(count=1, of=6)
    assert shares["answerable: right"] == figures.Share(count=found.right, of=found.of)
    assert shares["answerable: wrong"] == figures.Share(count=found.wrong, of=found.of)
    assert figures.passed(RESULTS) == figures.Share(count=2, of=8)


def test_confidence_is_held_against_what_drafts_are_worth() -> None:
    """Answers and closest passages, right or not, in the bins of the badges."""
    found = figures.confidence(RESULTS, lambda one: one.calibrated)
    assert found.mean == 0.5
    assert [(one.passed.count, one.passed.of) for one in found.histogram] == [
        (0, 1),
        (1, 1),
        (0, 1),
        (1, 1),
    ]
    assert found.correlation == pytest.approx(0.514, abs=0.001)
    nothing = figures.confidence(RESULTS, lambda one: one.reported)
    assert (nothing.mean, nothing.correlation) == (None, None)


def test_the_last_bin_has_its_upper_end() -> None:
    """Certainty is counted."""
    found = figures.confidence([make_result(calibrated=1.0)], lambda one: one.calibrated)
    assert [one.passed.of for one in found.histogram] == [0, 0, 0, 1]


def test_graders_are_compared_where_both_graded() -> None:
    """What the model did not grade is counted apart, and never as wrong."""
    found = figures.grading(
        [
            make_result("1", model_grade=Grade.RIGHT),
            make_result("2", model_grade=Grade.PARTLY),
            make_result("3", model_grade=Grade.RIGHT, code_passed=False, graded_by="model"),
            make_result("4", not_graded="the grade is none of the scale"),
        ]
    )
    assert (found.by_model, found.not_graded) == (1, 1)
    assert found.agreement == figures.Share(count=1, of=3)


def test_people_and_programs_get_the_same_figures() -> None:
    """Every figure has a row, and stands in the JSON."""
    said = json.loads(json.dumps(run_json(RunFile(header=HEADER, results=RESULTS))))
    assert said["run"]["commit"] == "abc"
    assert [one["id"] for one in said["questions"]] == [one.id for one in RESULTS]
    value = said["figures"]
    assert value["passed"]["value"] == 0.25
    assert value["by_kind"]["unanswerable"]["count"] == 1
    assert value["by_difficulty"]["hard"]["of"] == 1
    assert value["citations"]["precision"]["count"] == 1
    assert value["retrieval"]["used"] == 1
    assert (value["ms"]["p50"], value["ms"]["p95"], value["failed"]) == (10.0, 30.0, 1)
    text = shown(RESULTS)
    for words in (
        "passed           2 of 8 (25.0%), between 7.1% and 59.1%",
        "graph 1/6, unanswerable 1/2",
        "not labelled 2/7, hard 0/1",
        "1 show the right one instead, 1 another",
        "1 of 2 (50.0%)",
        "precision 1 of 2 (50.0%), recall 1 of 2 (50.0%); all quotes equal",
        "high 1/1, medium 0/2, low 0/0",
        "1 of 7 (14.3%); passed with it 1 of 1 (100.0%), without 1 of 6",
        "p50 10 ms, p95 30 ms",
    ):
        assert words in text


def test_a_quote_that_is_not_stored_is_shouted() -> None:
    """In capitals, and in the figures for programs."""
    results = (make_result(quotes_stored=False),)
    assert "NOT ALL quotes" in shown(results)
    assert '"all_stored": false' in json.dumps(figures_json(results))


def test_documents_have_a_table() -> None:
    """A row each, if there are several."""
    two = (make_result("1", document="x/a.md"), make_result("2", document="x/b.md", **WRONG))
    assert "x/b.md      0      1" in shown(two)
    assert "x/a.md" not in shown(two[:1])


def test_nothing_has_no_figures() -> None:
    """Shares of nothing are told as such, and divide by nothing."""
    assert "passed           0 of 0" in shown(())
    assert figures_json(())["passed"] == {
        "count": 0,
        "of": 0,
        "value": None,
        "low": None,
        "high": None,
    }
