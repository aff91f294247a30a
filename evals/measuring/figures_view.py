"""The figures of a run, for people and for programs. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from rich.console import RenderableType
from rich.text import Text

from bot.console.views.terminal import Row, one_line
from core.domain.run import total_cost, total_tokens
from evals.measuring import figures
from evals.measuring.estimates import percentile
from evals.measuring.figures import ConfidenceFigures, Share
from evals.measuring.results import QuestionResult, RunFile

Told = TypeVar("Told")
_LABEL = 16
_NAME_LENGTH = 40
"""Characters of a document's name in the table."""
_CALIBRATED, _REPORTED = attrgetter("calibrated"), attrgetter("reported")


def figures_rows(results: Sequence[QuestionResult]) -> Iterator[RenderableType]:
    """Yield the figures for people, a row each."""
    yield from _documents(results)
    asked, shares = figures.answerable(results), figures.shares_of(results)
    yield _line("passed", share_words(figures.passed(results)))
    for name in ("kind", "difficulty"):
        groups = figures.grouped(results, attrgetter(name))
        if set(groups) != {figures.UNLABELLED}:
            yield _line(
                f"  by {name}", _shares({key: figures.passed(of) for key, of in groups.items()})
            )
    yield _line("right outcome", share_words(shares["right outcome"]))
    yield _line("answerable", share_words(shares["answerable: right"]))
    yield _line("  wrong", share_words(shares["answerable: wrong"]))
    shown = f"{asked.closest_right} show the right one instead, {asked.closest_other} another"
    yield _line("  closest", shown)
    yield _line("  refused", share_words(shares["answerable: refused"]))
    refused = share_words(shares["not answerable: not answered"])
    yield _line("not answerable", f"{refused} not answered")
    stored = "all" if all(one.quotes_stored for one in results) else "NOT ALL"
    precision, recall = _of(shares["citation precision"]), _of(shares["citation recall"])
    cited = f"precision {precision}, recall {recall}; {stored} quotes equal the stored text"
    yield _line("citations", cited)
    yield _line("right by badge", _shares(_by_badge(shares)))
    yield from _confidence("confidence", figures.confidence(results, _CALIBRATED))
    yield from _confidence("reported", figures.confidence(results, _REPORTED))
    used = figures.retrieval(results)
    often = _of(Share(count=used[True].of, of=used[True].of + used[False].of))
    passed = f"passed with it {_of(used[True])}, without {_of(used[False])}"
    yield _line("retrieval", f"{often}; {passed}")
    times = ", ".join(f"{name} {took:.0f} ms" for name, took in figures.latency_ms(results).items())
    yield _line("time", times)
    if any(one.model_calls for one in results):
        yield _line("models", _models(results))
    if any(one.model_grade or one.not_graded for one in results):
        yield _line("grader", _grading(results))


def run_json(run: RunFile) -> dict[str, object]:
    """Return a run for programs: what was run, the figures, every question."""
    return {
        "run": asdict(run.header),
        "figures": figures_json(run.results),
        "questions": [asdict(one) for one in run.results],
    }


def figures_json(results: Sequence[QuestionResult]) -> dict[str, object]:
    """Return the figures for programs."""
    graded, used = figures.grading(results), figures.retrieval(results)
    shares = {name: share_json(share) for name, share in figures.shares_of(results).items()}
    return {
        "passed": shares["passed"],
        "right_outcome": shares["right outcome"],
        **{
            f"by_{name}": {
                key: share_json(figures.passed(group))
                for key, group in figures.grouped(results, attrgetter(name)).items()
            }
            for name in ("kind", "difficulty", "document")
        },
        "answerable": asdict(figures.answerable(results)),
        "refusals": {
            "right": shares["not answerable: not answered"],
            "false": shares["answerable: refused"],
        },
        "citations": {
            "precision": shares["citation precision"],
            "recall": shares["citation recall"],
            "all_stored": all(one.quotes_stored for one in results),
        },
        "badges": _by_badge(shares),
        "confidence": asdict(figures.confidence(results, _CALIBRATED)),
        "reported": asdict(figures.confidence(results, _REPORTED)),
        "retrieval": {
            "used": used[True].of,
            "of": used[True].of + used[False].of,
            "passed_with": share_json(used[True]),
            "passed_without": share_json(used[False]),
        },
        "round_trips": _trips(results),
        "tokens": asdict(total_tokens(one.tokens for one in results)),
        "cost_usd": total_cost(one.cost_usd for one in results),
        "ms": figures.latency_ms(results),
        "grading": asdict(graded),
        "failed": sum(not one.was_asked for one in results),
    }


def share_json(share: Share) -> dict[str, float | int | None]:
    """Return a share with its 95 % interval."""
    found = share.interval
    low, high = (found.low, found.high) if found else (None, None)
    value = found.value if found else None
    return {"count": share.count, "of": share.of, "value": value, "low": low, "high": high}


def share_words(share: Share) -> str:
    """Return a share with its 95 % interval, in words."""
    found = share.interval
    return f"{_of(share)}, between {found.low:.1%} and {found.high:.1%}" if found else _of(share)


def _by_badge(shares: Mapping[str, Told]) -> dict[str, Told]:
    return {badge: shares[f"{badge.title()}: right"] for badge in ("high", "medium", "low")}


def _trips(results: Sequence[QuestionResult]) -> Mapping[str, float]:
    trips = [one.round_trips for one in results if one.model_calls]
    return {
        "p50": percentile(trips, 0.5),
        "p95": percentile(trips, 0.95),
        "most": max(trips, default=0),
    }


def _documents(results: Sequence[QuestionResult]) -> Iterator[RenderableType]:
    """Yield a table of documents, if there are several."""
    groups = figures.grouped(results, attrgetter("document"))
    if len(groups) <= 1:
        return
    width = max(len(_short(name)) for name in groups)
    yield Text(f"{'':{width}}  right  wrong  closest    of  declined")
    for name, group in groups.items():
        one = figures.answerable(group)
        declined = figures.shares_of(group)["not answerable: not answered"]
        yield Text(
            f"{_short(name):{width}}  {one.right:>5}  {one.wrong:>5}  {one.closest_right:>7}"
            f"  {one.of:>4}  {declined.count} of {declined.of}"
        )
    yield Text()


def _confidence(label: str, found: ConfidenceFigures) -> Iterator[RenderableType]:
    if found.mean is None:
        return
    bins = ", ".join(
        f"{one.low:g} to {one.high:g} {one.passed.count}/{one.passed.of}" for one in found.histogram
    )
    related = "" if found.correlation is None else f", correlation {found.correlation:.2f}"
    yield _line(label, f"mean {found.mean:.2f}{related}; right {bins}")


def _models(results: Sequence[QuestionResult]) -> str:
    trips, cost = _trips(results), total_cost(one.cost_usd for one in results)
    used = total_tokens(one.tokens for one in results)
    read = used.fresh + used.cache_read + used.cache_write
    price = "price not known" if cost is None else f"USD {cost:.4f}"
    waits = f"round trips p50 {trips['p50']:.0f}, p95 {trips['p95']:.0f}, most {trips['most']:.0f}"
    return f"{waits}; {read} tokens read, {used.output} written, {price}"


def _grading(results: Sequence[QuestionResult]) -> str:
    found = figures.grading(results)
    beyond = "" if found.kappa is None else f" (kappa {found.kappa:.2f})"
    return (
        f"agrees with the code on {_of(found.agreement)}{beyond};"
        f" decided {found.by_model}, {found.not_graded} not graded"
    )


def _shares(shares: Mapping[str, Share]) -> str:
    return ", ".join(f"{name} {share.count}/{share.of}" for name, share in shares.items())


def _of(share: Share) -> str:
    words = f"{share.count} of {share.of}"
    return f"{words} ({share.count / share.of:.1%})" if share.of else words


def _line(label: str, words: str) -> Row:
    return Row(heads=(Text(f"{label:<{_LABEL}}"),), lines=(Text(words),))


def _short(document: str) -> str:
    name = one_line("/".join(Path(document).parts[-2:]))
    return name if len(name) <= _NAME_LENGTH else f"\u2026{name[1 - _NAME_LENGTH :]}"
