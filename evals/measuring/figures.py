"""The figures of a run, from what became of its questions. Pure.

A rate is a sum over a sum, each with a part from every question: what is printed as a share, and
what two runs are compared by.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from evals.measuring.estimates import Interval, correlation, kappa, percentile, proportion
from evals.measuring.grading import Grade
from evals.measuring.results import BY_MODEL, QuestionResult

BOUNDS = (0.0, 0.25, 0.5, 0.85, 1.0)
"""Of the confidence's histogram: those of the badges, and one below."""
UNLABELLED = "not labelled"
"""The group of questions without a label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many of how many."""

    count: int
    """Those that are meant."""
    of: int
    """All of them."""

    @property
    def interval(self) -> Interval | None:
        """The share with its 95 % interval; None of nothing."""
        return proportion(self.count, self.of)


Parts = tuple[float, float]
"""What a question adds to the sum above and to the sum below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """One rate of a run."""

    name: str
    """As it is printed."""
    parts: Callable[[QuestionResult], Parts]
    """The question's part; (0, 0) if it does not count."""
    is_better_higher: bool = True
    """False for what should not happen."""
    is_share: bool = True
    """False: a mean of numbers beyond 1."""


def _among(*, counts: bool, of: bool) -> Parts:
    return (float(counts and of), float(of))


def _cited(one: QuestionResult, count: int, of: int) -> Parts:
    """Count citations of an answer to an answerable question, where labels say what to cite."""
    is_cited = one.is_answerable and one.is_answered and one.citations.labelled > 0
    return (count, of) if is_cited else (0, 0)


def _with_badge(badge: str) -> Callable[[QuestionResult], Parts]:
    return lambda one: _among(counts=one.passed, of=one.is_answered and one.badge == badge)


RATES = (
    Rate(name="passed", parts=lambda one: (float(one.passed), 1.0)),
    Rate(name="right outcome", parts=lambda one: (float(one.outcome_right), 1.0)),
    Rate(
        name="answerable: right",
        parts=lambda one: _among(counts=one.passed, of=one.is_answerable),
    ),
    Rate(
        name="answerable: wrong",
        parts=lambda one: _among(counts=one.is_answered and not one.passed, of=one.is_answerable),
        is_better_higher=False,
    ),
    Rate(
        name="answerable: right or closest",
        parts=lambda one: _among(
            counts=one.passed or (one.is_closest and one.quoted is True), of=one.is_answerable
        ),
    ),
    Rate(
        name="answerable: refused",
        parts=lambda one: _among(
            counts=one.was_asked and not one.is_answered and not one.is_closest,
            of=one.is_answerable,
        ),
        is_better_higher=False,
    ),
    Rate(
        name="not answerable: not answered",
        parts=lambda one: _among(
            counts=one.was_asked and not one.is_answered, of=not one.may_answer
        ),
    ),
    Rate(
        name="citation precision",
        parts=lambda one: _cited(one, one.citations.right, one.citations.shown),
    ),
    Rate(
        name="citation recall",
        parts=lambda one: _cited(one, one.citations.found, one.citations.labelled),
    ),
    Rate(name="High: right", parts=_with_badge("high")),
    Rate(name="Medium: right", parts=_with_badge("medium")),
)
"""What runs are compared by, and held to."""
LOW = Rate(name="Low: right", parts=_with_badge("low"))
"""What nothing is held to: an answer that is not posted."""
COSTS = (
    Rate(
        name="time, ms",
        parts=lambda one: (one.ms, float(one.was_asked)),
        is_better_higher=False,
        is_share=False,
    ),
    Rate(
        name="cost, USD",
        parts=lambda one: (one.cost_usd or 0.0, float(one.cost_usd is not None)),
        is_better_higher=False,
        is_share=False,
    ),
)
"""What it takes: compared, and held to nothing, since it depends on the machine and on prices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """A part of the confidence's histogram."""

    low: float
    """From here on."""
    high: float
    """Up to here; the last one with it."""
    passed: Share
    """Of its drafts: those that answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceFigures:
    """What a number says about being right."""

    mean: float | None
    """Of the drafts that have it; None if none has."""
    histogram: tuple[Bin, ...]
    """By `BOUNDS`."""
    correlation: float | None
    """With being right (point-biserial); None where one of them never varies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerable:
    """What became of the questions that something answers."""

    right: int
    """Answered, and fully quoted."""
    wrong: int
    """Answered otherwise."""
    closest_right: int
    """Not answered, and the closest passage shown answers."""
    closest_other: int
    """Not answered, and the closest passage shown is another one."""
    declined: int
    """Refused without a passage, or asked back."""
    of: int
    """All of them, those that failed included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingFigures:
    """Who graded, and how far the graders agree."""

    by_model: int
    """Questions that a model decided."""
    not_graded: int
    """Questions that the model was asked about in vain."""
    agreement: Share
    """Of those graded by both: those on which both say the same."""
    kappa: float | None
    """Cohen's, of the same; None where it is not defined."""


def passed(results: Iterable[QuestionResult]) -> Share:
    """Return how many passed."""
    return _share(one.passed for one in results)


def share_of(results: Iterable[QuestionResult], rate: Rate) -> Share:
    """Return a rate as a share: how many of how many."""
    parts = [rate.parts(one) for one in results]
    return Share(
        count=round(sum(count for count, _ in parts)), of=round(sum(of for _, of in parts))
    )


def shares_of(results: Sequence[QuestionResult]) -> dict[str, Share]:
    """Return the rates that are shares, by their names."""
    return {rate.name: share_of(results, rate) for rate in (*RATES, LOW)}


def grouped(
    results: Iterable[QuestionResult], key: Callable[[QuestionResult], str | None]
) -> dict[str, list[QuestionResult]]:
    """Return the results by one of their labels, in the order in which its values appear."""
    groups: dict[str, list[QuestionResult]] = {}
    for one in results:
        groups.setdefault(key(one) or UNLABELLED, []).append(one)
    return groups


def answerable(results: Iterable[QuestionResult]) -> Answerable:
    """Return what became of the questions that something answers."""
    found = [one for one in results if one.is_answerable]
    answered = [one for one in found if one.is_answered]
    closest = [one.quoted is True for one in found if one.is_closest]
    right = sum(one.passed for one in answered)
    return Answerable(
        right=right,
        wrong=len(answered) - right,
        closest_right=sum(closest),
        closest_other=len(closest) - sum(closest),
        declined=sum(one.was_asked for one in found) - len(answered) - len(closest),
        of=len(found),
    )


def drafts(results: Iterable[QuestionResult]) -> list[tuple[QuestionResult, bool]]:
    """Return what was answered or shown as the closest passage, and whether it answers."""
    return [
        (one, one.passed if one.is_answered else one.quoted is True)
        for one in results
        if one.was_asked and (one.is_answered or one.is_closest)
    ]


def confidence(
    results: Iterable[QuestionResult], number: Callable[[QuestionResult], float | None]
) -> ConfidenceFigures:
    """Return what a number of the drafts says about their being right."""
    known = [(value, ok) for one, ok in drafts(results) if (value := number(one)) is not None]
    values, right = [value for value, _ in known], [float(ok) for _, ok in known]
    return ConfidenceFigures(
        mean=fmean(values) if values else None,
        histogram=tuple(
            Bin(
                low=low,
                high=high,
                passed=_share(ok for value, ok in known if _in(value, low, high)),
            )
            for low, high in pairwise(BOUNDS)
        ),
        correlation=correlation(values, right),
    )


def _in(value: float, low: float, high: float) -> bool:
    return low <= value < high or value == high == BOUNDS[-1]


def retrieval(results: Iterable[QuestionResult]) -> dict[bool, Share]:
    """Return how many passed with retrieval, and without."""
    asked = [one for one in results if one.was_asked]
    return {
        used: passed(one for one in asked if one.retrieval_used is used) for used in (True, False)
    }


def grading(results: Iterable[QuestionResult]) -> GradingFigures:
    """Return who graded, and how far the graders agree."""
    found = list(results)
    both = [(one.code_passed, one.model_grade is Grade.RIGHT) for one in found if one.model_grade]
    return GradingFigures(
        by_model=sum(one.graded_by == BY_MODEL for one in found),
        not_graded=sum(one.not_graded is not None for one in found),
        agreement=_share(code == model for code, model in both),
        kappa=kappa([code for code, _ in both], [model for _, model in both]),
    )


def latency_ms(results: Iterable[QuestionResult]) -> Mapping[str, float]:
    """Return p50, p95 and p99 of the times, in milliseconds."""
    times = [one.ms for one in results if one.was_asked]
    return {f"p{round(100 * share)}": percentile(times, share) for share in (0.5, 0.95, 0.99)}


def _share(found: Iterable[bool]) -> Share:
    counted = list(found)
    return Share(count=sum(counted), of=len(counted))
