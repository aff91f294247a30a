"""The page of a run: what it shows, that it needs nothing else, and that texts stay texts."""

import re

import pytest
from lxml import html

from evals.measuring.figures import RATES
from evals.measuring.report import plots
from evals.measuring.report.plots import BOTTOM, HEIGHT, LEFT, TOP
from evals.measuring.report.report_page import MEANINGS, report_page
from evals.measuring.results import QuestionResult, RunFile
from tests.unit.evals.runs import HEADER, make_result

HOSTILE = "</p><script src='https://example.org/x.js'>alert(1)</script><img src=x onerror=a()>"


def drafts(*given: tuple[float, bool]) -> list[QuestionResult]:
    return [
        make_result(str(number), calibrated=value, passed=right, quoted=right)
        for number, (value, right) in enumerate(given)
    ]


def page_of(*results: QuestionResult) -> str:
    return report_page(RunFile(header=HEADER, results=results))


def test_each_rate_has_words() -> None:
    """An officer reads what a figure means beside it."""
    assert set(MEANINGS) == {rate.name for rate in RATES}


def test_the_page_needs_nothing_else() -> None:
    """No script, no address, no picture: it is read without a network, years later."""
    page = page_of(*drafts((0.9, True), (0.2, False)))
    assert not re.search(r"<script|<img|<link|url\(|https?:|@import| on\w+=", page)
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_texts_stay_texts() -> None:
    """A question, a document or a label that is HTML is shown as it was typed."""
    one = make_result(
        HOSTILE, question=HOSTILE, kind=HOSTILE[:60], difficulty=HOSTILE[:60], text=HOSTILE,
        passed=False, document=HOSTILE,
    )  # fmt: skip
    tree = html.fromstring(page_of(one))
    assert not tree.xpath("//script | //img | //*[@onerror]")
    assert HOSTILE in [node.text for node in tree.iter("p")]


def test_the_page_says_what_did_not_pass() -> None:
    """Wrong answers first, then those that are missing, each with what would be right."""
    wrong = make_result("q1", passed=False, question="May I?", text="You may.")
    missed = make_result("q2", passed=False, outcome="refused", question="Who?", quoted=None)
    page = page_of(wrong, missed, make_result("q3", outcome="failed", passed=False))
    assert page.index("Answered wrongly: 1") < page.index("May I?") < page.index("You may.")
    assert page.index("Not answered, and should have been: 2") < page.index("Who?")
    assert "not answered; right would be: answered" in page
    assert "1 could not be asked" in page
    assert "Of 3 that the policies answer, 0 were answered rightly and 1 wrongly" in page


def test_a_quote_that_is_not_stored_is_shouted() -> None:
    """On top, before any figure."""
    page = page_of(make_result(quotes_stored=False))
    assert page.index("NOT ALL quotes equal the stored text") < page.index("Figures")


def test_a_page_of_nothing_is_a_page() -> None:
    """A run in which nothing could be asked has no plots."""
    assert "<svg" not in page_of()


def test_the_reliability_diagram_has_groups_of_equal_size() -> None:
    """Ten drafts at .2, of which two are right; ten at .8, of which all are."""
    given = [(0.2, number < 2) for number in range(10)] + [(0.8, True)] * 10
    found = plots.reliability(drafts(*given))
    assert found is not None
    assert found.rows == (("20%", "2 of 10", "20%"), ("80%", "10 of 10", "100%"))
    low, high = found.dots
    assert (low.x < high.x, low.y > high.y) == (True, True)
    assert high.y == TOP
    on_the_line = HEIGHT - BOTTOM - 0.2 * (HEIGHT - TOP - BOTTOM)
    assert low.y == pytest.approx(on_the_line, abs=0.1)
    assert low.high < low.y < low.low


def test_the_risk_coverage_curve_begins_with_the_surest() -> None:
    """Of four questions two are answered: the surer one rightly, the other one wrongly."""
    results = [
        *drafts((0.9, True), (0.6, False)),
        make_result("a", outcome="refused", passed=False, quoted=None),
        make_result("b", outcome="clarification", passed=False, quoted=None),
    ]
    found = plots.risk_coverage(results)
    assert found is not None
    first, second = found.line.split()
    assert first.endswith(f",{float(HEIGHT - BOTTOM)}")
    assert second.endswith(f",{float(TOP)}")
    assert float(first.split(",")[0]) > LEFT
    assert found.rows[1] == ("5%", "25%")
    assert found.y_ticks[-1].text == "50.0%"


def test_bars_are_as_high_as_their_counts() -> None:
    """Half of a bar is right; the highest fills the height."""
    results = drafts((0.9, True), (0.9, False), (0.3, True))
    found = plots.confidence_histogram(results)
    assert found is not None
    heights = {(bar.kind, bar.x): bar.height for bar in found.bars if bar.height}
    assert sorted(heights.values()) == [(HEIGHT - TOP - BOTTOM) / 2] * 3
    assert plots.passed_by(results, "difficulty") is None
    by_kind = plots.passed_by(results, "kind")
    assert by_kind is not None
    assert by_kind.rows == (("graph", "2", "3"),)


def test_times_are_counted_whatever_they_are() -> None:
    """The longest belongs to the last bar; times of 0 divide by nothing."""
    found = plots.times([make_result("1", ms=0.0), make_result("2", ms=1_200.0)])
    assert found is not None
    assert [count for _, count in found.rows] == ["1", *["0"] * 10, "1"]
    nothing = plots.times([make_result(ms=0.0)])
    assert nothing is not None
    assert nothing.rows[0][1] == "1"
