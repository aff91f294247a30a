"""Measure the checks of `verify` on labelled statements with the texts that they cite."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from core.domain.answer import Check
from core.grounding.support import Grounds, guard_probability, guard_texts, ungrounded
from core.ports.text_models import Reader
from evals.measuring.questions import labelled_lines, text_of, texts_of

JUDGE = 0.9
"""Share of unsupported statements that a good judge finds, for the figures "with a judge"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledStatement:
    """A statement, and whether what it cites bears it out."""

    claim: str
    """The statement."""
    sources: tuple[str, ...]
    """The cited texts, at least one."""
    supported: bool
    """True if they bear it out."""
    kind: str
    """How it was made: `faithful`, or what was changed (`neg`, `num`, `who`, ...)."""
    titles: tuple[str, ...] = ()
    """Headings over the cited texts, where they are given."""
    question: str = ""
    """What was asked; empty if it is not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One statement with what was found."""

    statement: LabelledStatement
    """The statement."""
    reasons: Mapping[Check, str]
    """Why it was rejected, by check; empty if it passes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementsReport:
    """The figures."""

    results: tuple[Checked, ...]
    """Every statement, in the order of the file."""

    @property
    def supported(self) -> tuple[Checked, ...]:
        """Those that must pass."""
        return tuple(one for one in self.results if one.statement.supported)

    @property
    def false_alarms(self) -> float:
        """Share of the supported statements that are rejected, in [0, 1]; 0 without any."""
        return _share(sum(bool(one.reasons) for one in self.supported), len(self.supported))

    def alarms_by_check(self) -> dict[str, float]:
        """Return the share of the supported statements that each check rejects."""
        found = Counter(check.value for one in self.supported for check in one.reasons)
        return {name: _share(count, len(self.supported)) for name, count in found.most_common()}

    def misses_by_kind(self) -> dict[str, tuple[int, int]]:
        """Return (passed, all) of the unsupported statements of each kind."""
        false = [one for one in self.results if not one.statement.supported]
        every = Counter(one.statement.kind for one in false)
        passed = Counter(one.statement.kind for one in false if not one.reasons)
        return {kind: (passed[kind], count) for kind, count in sorted(every.items())}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def load_statements(path: Path) -> list[LabelledStatement]:
    """Read labelled statements, one JSON object a line.

    Raises:
        UsageError: The file can't be read, or a line is not a labelled statement.
    """
    return labelled_lines(path, lambda one, _: _statement(one), named="a labelled statement")


def _statement(data: object) -> LabelledStatement:
    if not isinstance(data, dict):
        raise TypeError(f"expected an object, got {type(data).__name__}")
    fields = cast("dict[str, Any]", data)
    sources = texts_of(fields, "sources")
    if not sources or isinstance(fields["sources"], str):
        raise ValueError("sources: expected at least one text")
    if not isinstance(fields["supported"], bool):
        raise TypeError("supported: expected true or false")
    return LabelledStatement(
        claim=text_of(fields, "claim"),
        sources=sources,
        supported=fields["supported"],
        kind=text_of(fields, "kind"),
        question=text_of(fields, "question") if fields.get("question") else "",
        titles=texts_of(fields, "heading"),
    )


async def guard_supports(
    statements: Sequence[LabelledStatement],
    guard: Reader,
    *,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[float]:
    """Return for each statement how probable a guard finds it by what it cites.

    Raises:
        ContractError: The guard's model can't be run.
    """
    found: list[float] = []
    for one in statements:
        logits = await guard.scores(one.claim, guard_texts(one.sources, one.titles))
        found.append(guard_probability(logits))
        progress(len(found), len(statements))
    return found


def evaluate_statements(
    statements: Sequence[LabelledStatement],
    *,
    supports: Sequence[float] | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> StatementsReport:
    """Check every statement as `verify` checks a claim, with a guard's probabilities if given."""
    results: list[Checked] = []
    for done, one in enumerate(statements, start=1):
        support = supports[done - 1] if supports is not None else None
        grounds = Grounds(texts=one.sources, titles=one.titles, asked=one.question, support=support)
        found = ungrounded(one.claim, grounds)
        reasons = {check: reason for check, reason in found.items() if reason is not None}
        results.append(Checked(statement=one, reasons=reasons))
        progress(done, len(statements))
    return StatementsReport(results=tuple(results))


def report_lines(report: StatementsReport) -> list[str]:
    """Return the report for people."""
    by_check = ", ".join(f"{name} {share:.1%}" for name, share in report.alarms_by_check().items())
    lines = [
        f"false alarms  {report.false_alarms:.1%} of {len(report.supported)} supported statements"
        + (f" ({by_check})" if by_check else ""),
    ]
    for kind, (passed, count) in report.misses_by_kind().items():
        lines.append(
            f"missed {kind:<9}{passed / count:6.1%} of {count:>4}"
            f"   with a judge right in nine of ten {(1 - JUDGE) * passed / count:.1%}"
        )
    return lines


def report_json(report: StatementsReport) -> dict[str, object]:
    """Return the report for programs."""
    misses = report.misses_by_kind()
    return {
        "supported": len(report.supported),
        "false_alarms": report.false_alarms,
        "false_alarms_by_check": report.alarms_by_check(),
        "misses": {
            kind: {
                "passed": passed,
                "all": count,
                "share": passed / count,
                "with_judge": (1 - JUDGE) * passed / count,
            }
            for kind, (passed, count) in misses.items()
        },
        "wrong": [_wrong(one) for one in _misjudged(report.results)],
    }


def _misjudged(results: Iterable[Checked]) -> Iterable[Checked]:
    return (one for one in results if one.statement.supported is bool(one.reasons))


def _wrong(one: Checked) -> dict[str, object]:
    return {
        "claim": one.statement.claim,
        "sources": list(one.statement.sources),
        "kind": one.statement.kind,
        "reasons": {check.value: reason for check, reason in one.reasons.items()},
    }
