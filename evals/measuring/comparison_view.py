"""Two runs side by side, for people and for programs. Pure."""

from collections.abc import Iterator
from dataclasses import asdict

from rich.console import RenderableType
from rich.text import Text

from bot.console.views.terminal import Row, one_line
from evals.measuring.comparison import ChangedQuestion, ComparedRate, Comparison
from evals.measuring.estimates import RESAMPLES, Interval

_NAME, _ID = 30, 40
_QUESTION = 100
"""Characters of a question in a line."""


def comparison_rows(found: Comparison) -> Iterator[RenderableType]:
    """Yield rates, then the questions that changed."""
    yield Text(f"{'':{_NAME}}  before   after  difference, 95 %")
    for one in found.rates:
        if one.before is not None or one.after is not None:
            yield Text(_rate(one))
    yield Text()
    yield Text(_basis(found))
    for passes, words in ((True, "now passed"), (False, "no longer passed")):
        for one in found.changed:
            if (one.before.passed, one.after.passed) == (not passes, passes):
                yield _changed(words, one)
    for one in found.changed:
        if one.before.passed is one.after.passed:
            yield _changed("ends otherwise", one)


def comparison_json(found: Comparison) -> dict[str, object]:
    """Return the same for programs."""
    return {
        "rates": [
            {
                "name": one.rate.name,
                "before": asdict(one.before) if one.before else None,
                "after": asdict(one.after) if one.after else None,
                "difference": asdict(one.difference) if one.difference else None,
                "verdict": one.verdict,
            }
            for one in found.rates
        ],
        "paired": found.paired,
        "only_before": found.only_before,
        "only_after": found.only_after,
        "resamples": RESAMPLES,
        "changed": [
            {
                "id": one.after.id,
                "question": one.after.question,
                "before": {"passed": one.before.passed, "outcome": one.before.outcome},
                "after": {"passed": one.after.passed, "outcome": one.after.outcome},
            }
            for one in found.changed
        ],
    }


def _rate(one: ComparedRate) -> str:
    before, after = (_number(side, is_share=one.rate.is_share) for side in (one.before, one.after))
    row = f"{one.rate.name:<{_NAME}}  {before:>6}  {after:>6}"
    if one.difference is None:
        return row
    value, low, high = (
        f"{number:+.1%}" if one.rate.is_share else f"{number:+.4g}"
        for number in (one.difference.value, one.difference.low, one.difference.high)
    )
    return f"{row}  {value} ({low} to {high})  {'' if one.verdict == 'same' else one.verdict}"


def _number(side: Interval | None, *, is_share: bool) -> str:
    if side is None:
        return "-"
    return f"{side.value:.1%}" if is_share else f"{side.value:.4g}"


def _basis(found: Comparison) -> str:
    if not found.paired:
        basis = f"no question in common: {found.only_before} and {found.only_after}, as two samples"
    else:
        basis = f"{found.paired} questions of both, each compared with itself"
        if found.only_before or found.only_after:
            basis += f"; left out: {found.only_before} of the first alone,"
            basis += f" {found.only_after} of the second alone"
    return f"{basis}; bootstrap, {RESAMPLES:,} resamples"


def _changed(words: str, one: ChangedQuestion) -> Row:
    name, asked = one_line(one.after.id, limit=_ID), one_line(one.after.question, limit=_QUESTION)
    ends = f"{one.before.outcome} -> {one.after.outcome}"
    return Row(heads=(Text(f"{words:<16}  {ends:<30} "),), lines=(Text(f"{name}  {asked}"),))
