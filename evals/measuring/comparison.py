"""Rates of a run with their intervals, and two runs side by side.

A rate is a sum over a sum, each with a part from every question, so one bootstrap serves all. Of
two runs that asked the same questions each is compared with itself, which tells small differences
from chance that two independent samples could not.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evals.measuring.estimates import Interval, bootstrap, proportion
from evals.measuring.figures import is_cited
from evals.measuring.results import QuestionResult, RunFile

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
    return (count, of) if is_cited(one) else (0, 0)


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
class ComparedRate:
    """A rate of two runs."""

    rate: Rate
    """Which."""
    before: Interval | None
    """Of the first run; None if nothing counts there."""
    after: Interval | None
    """Of the second one."""
    difference: Interval | None
    """After less before; None if one of them has no value."""

    @property
    def verdict(self) -> str:
        """`better` or `worse` where the interval leaves out 0; `same` where it may be chance."""
        if self.difference is None or self.difference.low <= 0 <= self.difference.high:
            return "same"
        return "better" if (self.difference.low > 0) is self.rate.is_better_higher else "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedQuestion:
    """A question that ended otherwise."""

    before: QuestionResult
    """In the first run."""
    after: QuestionResult
    """In the second one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs side by side."""

    rates: tuple[ComparedRate, ...]
    """Of the questions compared."""
    changed: tuple[ChangedQuestion, ...]
    """Those that pass in one run alone or have another outcome, in order."""
    paired: int
    """Questions that both asked, each compared with itself; 0: the runs share none, and are
    compared as two samples."""
    only_before: int
    """Questions that the first one alone asked."""
    only_after: int
    """Questions that the second one alone asked."""


def rate_of(results: Sequence[QuestionResult], rate: Rate) -> Interval | None:
    """Return a rate with its interval; None if nothing counts.

    Where all or none is right, a resample has nothing else to draw: Wilson's interval stands in.
    """
    parts = [rate.parts(one) for one in results]
    found = bootstrap([parts], lambda means: _ratio(means[0]))
    if found is None or not rate.is_share or found.value not in {0.0, 1.0}:
        return found
    return proportion(round(sum(count for count, _ in parts)), round(sum(of for _, of in parts)))


def compare(before: RunFile, after: RunFile) -> Comparison:
    """Put two runs side by side, over the questions that both asked if there are any."""
    first, second = _asked(before.results), _asked(after.results)
    both = [name for name in first if name in second]
    pairs = [(first[name], second[name]) for name in both]
    return Comparison(
        rates=tuple(
            _paired(pairs, rate)
            if pairs
            else _unpaired(list(first.values()), list(second.values()), rate)
            for rate in (*RATES, *COSTS)
        ),
        changed=tuple(
            ChangedQuestion(before=one, after=other)
            for one, other in pairs
            if (one.passed, one.outcome) != (other.passed, other.outcome)
        ),
        paired=len(pairs),
        only_before=len(first) - len(pairs),
        only_after=len(second) - len(pairs),
    )


def _asked(results: Iterable[QuestionResult]) -> dict[object, QuestionResult]:
    """Return results by what makes questions the same: words and labels, not the id alone."""
    return {(one.id, one.document, one.question, one.expected): one for one in results}


def _paired(pairs: Sequence[tuple[QuestionResult, QuestionResult]], rate: Rate) -> ComparedRate:
    rows = [(*rate.parts(one), *rate.parts(other)) for one, other in pairs]
    return ComparedRate(
        rate=rate,
        before=rate_of([one for one, _ in pairs], rate),
        after=rate_of([other for _, other in pairs], rate),
        difference=bootstrap(
            [rows], lambda means: _ratio(means[0][..., 2:]) - _ratio(means[0][..., :2])
        ),
    )


def _unpaired(
    before: Sequence[QuestionResult], after: Sequence[QuestionResult], rate: Rate
) -> ComparedRate:
    samples = [[rate.parts(one) for one in results] for results in (before, after)]
    return ComparedRate(
        rate=rate,
        before=rate_of(before, rate),
        after=rate_of(after, rate),
        difference=bootstrap(samples, lambda means: _ratio(means[1]) - _ratio(means[0])),
    )


def _ratio(means: Any) -> Any:
    return means[..., 0] / means[..., 1]
