"""Two runs side by side, on results that are known."""

from dataclasses import replace

from evals.measuring.comparison import Comparison, compare, rate_of
from evals.measuring.figures import COSTS, RATES
from evals.measuring.results import QuestionResult, RunFile
from tests.unit.evals.runs import HEADER, make_result


def results(*passed: bool) -> list[QuestionResult]:
    return [
        replace(make_result(f"q{number}"), passed=ok, quoted=ok) for number, ok in enumerate(passed)
    ]


def compared(before: list[QuestionResult], after: list[QuestionResult]) -> Comparison:
    return compare(
        RunFile(header=HEADER, results=tuple(before)), RunFile(header=HEADER, results=tuple(after))
    )


def verdicts(found: Comparison) -> dict[str, str]:
    return {one.rate.name: one.verdict for one in found.rates}


def test_a_run_is_the_same_as_itself() -> None:
    """No difference, no changed question."""
    found = compared(results(True, False, True), results(True, False, True))
    assert set(verdicts(found).values()) == {"same"}
    assert found.changed == ()
    assert (found.paired, found.only_before, found.only_after) == (3, 0, 0)


def test_the_same_questions_are_compared_with_themselves() -> None:
    """8 of 100 more are no chance where none got worse, and may be one between other questions."""
    before = results(*[True] * 50, *[False] * 50)
    after = results(*[True] * 58, *[False] * 42)
    paired = compared(before, after)
    assert verdicts(paired)["passed"] == "better"
    assert verdicts(paired)["answerable: wrong"] == "better"
    difference = paired.rates[0].difference
    assert difference is not None
    assert round(difference.value, 3) == 0.08
    assert 0 < difference.low < 0.08 < difference.high
    assert [one.after.id for one in paired.changed] == [f"q{number}" for number in range(50, 58)]
    others = [replace(one, question="Another one?") for one in after]
    unpaired = compared(before, others)
    assert (unpaired.paired, unpaired.only_before, unpaired.only_after) == (0, 100, 100)
    assert verdicts(unpaired)["passed"] == "same"
    assert unpaired.changed == ()
    assert verdicts(compared(after, before))["passed"] == "worse"


def test_only_what_both_asked_is_compared() -> None:
    """A question with another label is another question."""
    before = results(True, True, False)
    after = [before[0], replace(before[1], expected=("refused",), passed=False)]
    found = compared(before, after)
    assert (found.paired, found.only_before, found.only_after) == (1, 2, 1)
    assert found.changed == ()


def test_a_changed_outcome_is_told_though_both_fail() -> None:
    """From refused to answered wrongly is a change that an officer wants to see."""
    before = [replace(make_result(), outcome="refused", passed=False)]
    found = compared(before, [replace(before[0], outcome="answered")])
    assert [one.before.outcome for one in found.changed] == ["refused"]


def test_each_rate_counts_what_it_names() -> None:
    """Of an answerable question that was answered rightly, and of one that nothing answers."""
    right = make_result("1", badge="high", ms=20.0, cost_usd=None)
    declined = make_result("2", expected=("refused",), outcome="refused", quoted=None)
    values = {
        rate.name: found.value
        for rate in (*RATES, *COSTS)
        if (found := rate_of([right, declined], rate)) is not None
    }
    assert values == {
        "passed": 1.0,
        "right outcome": 1.0,
        "answerable: right": 1.0,
        "answerable: wrong": 0.0,
        "answerable: right or closest": 1.0,
        "answerable: refused": 0.0,
        "not answerable: not answered": 1.0,
        "High: right": 1.0,
        "time, ms": 15.0,
        "cost, USD": 0.0,
    }
