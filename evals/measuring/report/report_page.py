"""A run as one page that needs nothing else: what it means, for an officer.

No script, no asset, no network. Whatever came from questions and policies is text: the template
escapes it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from bot.console.views.terminal import clean
from core.domain.answer import Outcome
from evals.measuring import figures
from evals.measuring.comparison import rate_of
from evals.measuring.estimates import Interval
from evals.measuring.figures import RATES
from evals.measuring.report import plots
from evals.measuring.report.plots import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from evals.measuring.results import QuestionResult, RunFile

_BOX = {
    "width": WIDTH,
    "height": HEIGHT,
    "left": LEFT,
    "right": WIDTH - RIGHT,
    "top": TOP,
    "bottom": HEIGHT - BOTTOM,
}
_SHOWN = 600
"""Characters of what was shown to whoever asked."""
MEANINGS: Mapping[str, str] = {
    "passed": "answered rightly and quoted in full, or rightly not answered",
    "right outcome": "ended as it should, whatever was quoted",
    "answerable: right": "of the questions that the policies answer",
    "answerable: wrong": "of the same: answered with something else, the worst that can happen",
    "answerable: right or closest": "answered rightly, or the right passage shown as the closest",
    "answerable: refused": "of the same: not answered, and no passage shown",
    "not answerable: not answered": "of the questions that the policies do not answer",
    "citation precision": "citations that are of a labelled section or sentence",
    "citation recall": "labelled sections or sentences that are cited; some are alternatives",
    "High: right": "of the answers with the badge High",
    "Medium: right": "of the answers with the badge Medium",
}
"""What each rate says."""
_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def report_page(run: RunFile) -> str:
    """Return the page of a run."""
    results = run.results
    found = [
        plots.reliability(results),
        plots.risk_coverage(results),
        plots.confidence_histogram(results),
        plots.passed_by(results, "difficulty"),
        plots.passed_by(results, "kind"),
        plots.times(results),
    ]
    return _PAGES.get_template("report_page.html").render(
        title=f"Answers to {clean(run.header.questions)}",
        run=run.header,
        summary=_summary(results),
        rates=[(name, _words(rate), MEANINGS[name]) for name, rate in _rates(results)],
        plots=[plot for plot in found if plot is not None],
        box=_BOX,
        wrong=[_shown(one) for one in results if one.is_answered and not one.passed],
        missed=[_shown(one) for one in results if not one.is_answered and not one.passed],
    )


def _rates(results: Sequence[QuestionResult]) -> list[tuple[str, Interval]]:
    rates = [(rate.name, rate_of(results, rate)) for rate in RATES]
    return [(name, rate) for name, rate in rates if rate is not None]


def _words(rate: Interval) -> str:
    return f"{rate.value:.1%} (between {rate.low:.1%} and {rate.high:.1%})"


def _summary(results: Sequence[QuestionResult]) -> list[str]:
    asked = figures.answerable(results)
    refused = figures.shares_of(results)["not answerable: not answered"]
    lines = [f"{len(results)} questions were asked."]
    if asked.of:
        lines.append(
            f"Of {asked.of} that the policies answer, {asked.right} were answered rightly and"
            f" {asked.wrong} wrongly; for {asked.closest_right} more the right passage was shown"
            " as the closest one."
        )
    if refused.of:
        lines.append(f"Of {refused.of} that they do not answer, {refused.count} were not answered.")
    if not all(one.quotes_stored for one in results):
        lines.append("NOT ALL quotes equal the stored text: nothing on this page may be relied on.")
    if failed := sum(not one.was_asked for one in results):
        lines.append(f"{failed} could not be asked, and count as not passed.")
    return lines


def _shown(one: QuestionResult) -> dict[str, str]:
    text = clean(one.text)
    return {
        "id": clean(one.id),
        "question": clean(one.question),
        "where": clean(one.document or one.kind),
        "outcome": _OUTCOMES.get(one.outcome, one.outcome),
        "expected": " or ".join(_OUTCOMES.get(word, word) for word in one.expected),
        "text": text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}\u2026",
    }


_OUTCOMES: Mapping[str, str] = {
    Outcome.ANSWERED: "answered",
    Outcome.CLARIFICATION: "asked back",
    Outcome.REFUSED: "not answered",
    Outcome.ESCALATED: "handed to Compliance",
    Outcome.IGNORED: "not taken as a question",
    Outcome.FAILED: "could not be asked",
}
