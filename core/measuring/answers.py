"""Measure answers on labelled questions.

Outcome kinds, quotes, and honesty with the answer's sections removed.

The answering service is handed in as a callable, so that evaluation knows nothing of how answers
come about.
"""

import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, TypeVar

from core.domain.answer import Answer, Outcome
from core.domain.errors import UsageError
from core.domain.run import Run

Label = TypeVar("Label")


def labelled_lines(path: Path, read: Callable[[Any, int], Label], *, named: str) -> list[Label]:
    """Return what is read of each line that is not blank, in order.

    Args:
        path: The file, UTF-8.
        read: Takes a line's JSON and its number, from 1; raises ValueError, KeyError or TypeError
            for what is no label.
        named: What a line should be, for the message.

    Raises:
        UsageError: The file can't be read, or a line is something else.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    found: list[Label] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(read(json.loads(line.decode()), number))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UsageError(f"{path}:{number}: not {named} ({error!r})") from error
    return found


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of all do not exceed (nearest rank)."""
    if not values:
        return 0.0
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


ANSWERABLE = frozenset({"graph", "chunks", "two_policies"})
"""Kinds of question that a policy answers."""
DECLINED = frozenset({Outcome.REFUSED, Outcome.CLARIFICATION, Outcome.ESCALATED})
"""What should become of a question whose answer is not there."""
CLOSEST = "not_sure"
"""Kind of a refusal that shows the closest passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """One question with what is right."""

    id: str
    """Identity in its file."""
    question: str
    """As typed."""
    kind: str
    """`graph`, `chunks`, `two_policies`, `facts`, `ambiguous`, `unanswerable`, `off_topic`,
    `sensitive`, `small_talk`."""
    expected: frozenset[str]
    """Outcomes that are right."""
    gold: frozenset[tuple[str, str]]
    """Policy key and section (lower case) that hold the answer."""
    must_quote: tuple[str, ...]
    """Texts of which a right answer quotes one, or tells one if it is of the kind `facts`; one that
    is `ambiguous` all of them, which are its branches. Empty: any."""
    thread: tuple[Mapping[str, str], ...] = ()
    """Earlier turns: `question`, and for one that is not to be asked `outcome` and `reply`."""
    scope: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`jurisdiction`, `groups`, `as_of`, where set."""


AnswerOne = Callable[[LabelledQuestion, frozenset[tuple[str, str]]], Awaitable[Run]]
"""Answers a question without the given sections."""
CheckQuotes = Callable[[Run], Awaitable[bool]]
"""Says whether every quote of an answer is the stored text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One question answered."""

    question: LabelledQuestion
    """The question."""
    ablated: bool
    """True if its sections were removed."""
    outcome: str
    """How it ended."""
    is_right: bool
    """True if that is what was expected."""
    quotes_right: bool | None
    """True if one of `must_quote` was quoted; None if it was not answered or nothing is asked
    for."""
    quotes_stored: bool
    """True if every quote is the stored text."""
    closest_right: bool
    """True if it was not answered, and the closest passage shown holds one of `must_quote`."""
    took_ms: float
    """Time of the run."""
    text: str
    """What would be shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersReport:
    """The figures."""

    results: tuple[Result, ...]
    """Every question, then every ablated one."""

    def share_right(self, *, ablated: bool) -> float:
        """Return the share of right outcomes, in [0, 1]; 0 without questions."""
        found = [result for result in self.results if result.ablated is ablated]
        return sum(result.is_right for result in found) / len(found) if found else 0.0

    def by_kind(self, *, ablated: bool) -> dict[str, tuple[int, int]]:
        """Return (right, all) for each kind."""
        counts: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for result in self.results:
            if result.ablated is ablated:
                right, total = counts[result.question.kind]
                counts[result.question.kind] = (right + result.is_right, total + 1)
        return dict(counts)

    def share_quoting_right(self) -> float:
        """Return, of the answers to answerable questions, the share that quotes what it should."""
        found = [
            result.quotes_right
            for result in self.results
            if not result.ablated and result.quotes_right is not None
        ]
        return sum(found) / len(found) if found else 0.0

    def closest_right(self) -> int:
        """Return how many questions that should be answered show the right passage instead."""
        return sum(
            result.closest_right and result.question.kind in ANSWERABLE
            for result in self.results
            if not result.ablated
        )

    def all_quotes_stored(self) -> bool:
        """Say whether every quote of every answer is the stored text."""
        return all(result.quotes_stored for result in self.results)

    def latency_ms(self, share: float) -> float:
        """Return the time that `share` (in [0, 1]) of all runs do not exceed (nearest rank)."""
        return percentile([one.took_ms for one in self.results if not one.ablated], share)


def load_questions(path: Path) -> list[LabelledQuestion]:
    """Read labelled questions, one JSON object a line.

    Raises:
        UsageError: The file can't be read, or a line is not a question.
    """
    return labelled_lines(path, lambda one, _: _question(one), named="a labelled question")


def _question(data: Mapping[str, Any]) -> LabelledQuestion:
    expected: object = data["expected"]
    if not isinstance(expected, list):
        raise TypeError(f"expected a list of outcomes, got {expected!r}")
    return LabelledQuestion(
        id=data["id"],
        question=data["question"],
        kind=data["kind"],
        expected=frozenset[str](data["expected"]),
        gold=frozenset((gold["policy"], gold["section"].lower()) for gold in data.get("gold", ())),
        must_quote=tuple(data.get("must_quote", ())),
        thread=tuple(data.get("thread", ())),
        scope=data.get("scope", {}),
    )


async def evaluate_answers(
    questions: Sequence[LabelledQuestion],
    *,
    answer: AnswerOne,
    quotes_stored: CheckQuotes,
    ablate: bool,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> AnswersReport:
    """Answer every question, and with `ablate` every answerable one again without its sections."""
    tasks = [(question, False) for question in questions]
    if ablate:
        tasks += [
            (question, True)
            for question in questions
            if question.kind in ANSWERABLE
            and question.expected == frozenset({Outcome.ANSWERED.value})
        ]
    results: list[Result] = []
    for done, (question, ablated) in enumerate(tasks, start=1):
        run = await answer(question, question.gold if ablated else frozenset())
        results.append(_result(question, run, ablated=ablated, stored=await quotes_stored(run)))
        progress(done, len(tasks))
    return AnswersReport(results=tuple(results))


def _result(question: LabelledQuestion, run: Run, *, ablated: bool, stored: bool) -> Result:
    outcome = run.answer.outcome
    return Result(
        question=question,
        ablated=ablated,
        outcome=outcome.value,
        is_right=outcome in DECLINED if ablated else _is_right(question, run.answer),
        quotes_right=_quotes_right(question, run),
        quotes_stored=stored,
        closest_right=_is_closest(run.answer) and any(_found(question, run.answer)),
        took_ms=run.total_time_ms,
        text=run.answer.text,
    )


def _ending(answer: Answer) -> str:
    """Return how a run ended; a refusal that is passed on to a person is one."""
    is_refusal = answer.outcome is Outcome.ESCALATED and not answer.is_report
    return Outcome.REFUSED.value if is_refusal else answer.outcome.value


def _is_right(question: LabelledQuestion, answer: Answer) -> bool:
    """Say whether a question ended as it should.

    An answer to a question that is ambiguous is right only with all branches: one of them alone
    tells somebody the rule of others.
    """
    if question.kind == "ambiguous" and answer.outcome is Outcome.ANSWERED:
        return Outcome.ANSWERED in question.expected and all(_found(question, answer))
    return _ending(answer) in question.expected


def _is_closest(answer: Answer) -> bool:
    return answer.refusal is not None and str(answer.refusal) == CLOSEST


def _quotes_right(question: LabelledQuestion, run: Run) -> bool | None:
    if run.answer.outcome is not Outcome.ANSWERED or not question.must_quote:
        return None
    return any(_found(question, run.answer))


def _found(question: LabelledQuestion, answer: Answer) -> list[bool]:
    """Say of each text of `must_quote` whether it is there."""
    quoted = [citation.quote for citation in answer.citations]
    told = [answer.text, *answer.notes] if question.kind == "facts" else []
    there = _folded(" ".join([*quoted, *told]))
    return [_folded(wanted) in there for wanted in question.must_quote]


def _folded(text: str) -> str:
    return " ".join(text.split())


def report_lines(report: AnswersReport) -> list[str]:
    """Return the report for people."""
    right, declined = report.share_right(ablated=False), report.share_right(ablated=True)
    median, slow = report.latency_ms(0.5), report.latency_ms(0.99)
    stored = "all" if report.all_quotes_stored() else "NOT ALL"
    lines = [f"right outcome     {right:.1%}  {_kinds(report, ablated=False)}"]
    if any(result.ablated for result in report.results):
        lines.append(f"sections removed  {declined:.1%} declined  {_kinds(report, ablated=True)}")
    lines += [
        f"right quote       {report.share_quoting_right():.1%} of answers quote what they should",
        f"closest passage   {report.closest_right()} more show the right one",
        f"stored quotes     {stored} quotes equal the stored text",
        f"time              p50 {median:.0f} ms, p99 {slow:.0f} ms",
    ]
    return lines


def report_json(report: AnswersReport) -> dict[str, object]:
    """Return the report for programs."""
    return {
        "right_outcome": report.share_right(ablated=False),
        "declined_without_sections": report.share_right(ablated=True),
        "right_quote": report.share_quoting_right(),
        "closest_right": report.closest_right(),
        "all_quotes_stored": report.all_quotes_stored(),
        "p50_ms": report.latency_ms(0.5),
        "p99_ms": report.latency_ms(0.99),
        "by_kind": report.by_kind(ablated=False),
        "wrong": [
            {
                "id": result.question.id,
                "ablated": result.ablated,
                "question": result.question.question,
                "expected": sorted(result.question.expected),
                "outcome": result.outcome,
                "text": result.text,
            }
            for result in report.results
            if not result.is_right
        ],
    }


def _kinds(report: AnswersReport, *, ablated: bool) -> str:
    counts = report.by_kind(ablated=ablated)
    return ", ".join(f"{kind} {right}/{total}" for kind, (right, total) in counts.items())
