"""Rates of a run with their intervals, and two runs side by side.

A rate is a sum over a sum, each with a part from every question, so one bootstrap serves all. Of
two runs that asked the same questions each is compared with itself, which tells small differences
from chance that two independent samples could not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evals.measuring.estimates import Interval, bootstrap
from evals.measuring.figures import COSTS, RATES, Rate, share_of
from evals.measuring.results import QuestionResult, RunFile


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
    return share_of(results, rate).interval


def compare(before: RunFile, after: RunFile) -> Comparison:
    """Put two runs side by side, over the questions that both asked if there are any."""
    first, second = _asked(before.results), _asked(after.results)
    both = [name for name in first if name in second]
    pairs = [(first[name], second[name]) for name in both]
    mine, theirs = ([asked[name] for name in both or asked] for asked in (first, second))
    return Comparison(
        rates=tuple(
            _compared(mine, theirs, rate, in_pairs=bool(both)) for rate in (*RATES, *COSTS)
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


def _compared(
    before: Sequence[QuestionResult], after: Sequence[QuestionResult], rate: Rate, *, in_pairs: bool
) -> ComparedRate:
    """Compare a rate: in pairs each question with itself, else as two samples."""
    samples = [[rate.parts(result) for result in results] for results in (before, after)]
    if in_pairs:
        rows = [(*one, *other) for one, other in zip(*samples, strict=True)]
        difference = bootstrap(
            [rows], lambda means: _ratio(means[0][..., 2:]) - _ratio(means[0][..., :2])
        )
    else:
        difference = bootstrap(samples, lambda means: _ratio(means[1]) - _ratio(means[0]))
    return ComparedRate(
        rate=rate, before=rate_of(before, rate), after=rate_of(after, rate), difference=difference
    )


def _ratio(means: Any) -> Any:
    return means[..., 0] / means[..., 1]
