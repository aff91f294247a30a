"""The figures of answers, on results that are known."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.domain.answer import Answer, Outcome
from core.domain.errors import UsageError
from core.domain.evidence import Evidence
from core.domain.run import BudgetUse, Plan, Run
from core.measuring.answers import (
    AnswersReport,
    LabelledQuestion,
    Result,
    evaluate_answers,
    load_questions,
    report_json,
    report_lines,
)
from tests.factories import NO_CONFIDENCE, make_question, shown_citations

CASH = LabelledQuestion(
    id="q1",
    question="May I accept cash?",
    kind="graph",
    expected=frozenset({"answered"}),
    gold=frozenset({("gifts", "1")}),
    must_quote=("must not  accept cash",),
)
PARKING = LabelledQuestion(
    id="q2",
    question="Where do I park?",
    kind="unanswerable",
    expected=frozenset({"refused", "escalated"}),
    gold=frozenset(),
    must_quote=(),
)


def make_run(outcome: Outcome, *quotes: str, took_ms: float = 10.0) -> Run:
    return Run(
        question=make_question("?"),
        answer=Answer(
            outcome=outcome,
            text=f"{outcome.value}.",
            citations=shown_citations(*quotes),
            confidence=NO_CONFIDENCE,
        ),
        edition=1,
        reasoner="scripted/1",
        plan=Plan(intent="general"),
        exploration=None,
        gate=None,
        evidence=Evidence(items=()),
        used_rag=False,
        chunks_used=(),
        entities=(),
        attempts=(),
        budget=BudgetUse(),
        steps=(),
        retrieval_time_ms=0.0,
        generation_time_ms=0.0,
        total_time_ms=took_ms,
    )


def make_result(
    *, right: bool, ablated: bool = False, kind: str = "graph", took_ms: float = 10.0
) -> Result:
    return Result(
        question=replace(CASH, kind=kind),
        ablated=ablated,
        outcome="answered",
        is_right=right,
        quotes_right=None,
        quotes_stored=True,
        closest_right=False,
        took_ms=took_ms,
        text="No.",
    )


async def evaluated(
    *pairs: tuple[LabelledQuestion, Run], ablate: bool = False, stored: bool = True
) -> AnswersReport:
    runs = {question.id: run for question, run in pairs}

    async def answer(question: LabelledQuestion, _without: frozenset[tuple[str, str]]) -> Run:
        return runs[question.id]

    async def quotes_stored(_run: Run) -> bool:
        return stored

    return await evaluate_answers(
        [question for question, _ in pairs],
        answer=answer,
        quotes_stored=quotes_stored,
        ablate=ablate,
    )


def test_shares_are_counted_apart() -> None:
    """Questions as they are and questions without their sections have figures of their own."""
    report = AnswersReport(
        results=(
            make_result(right=True),
            make_result(right=False),
            make_result(right=True, kind="chunks"),
            make_result(right=True),
            make_result(right=False, ablated=True),
        )
    )
    assert report.share_right(ablated=False) == 0.75
    assert report.share_right(ablated=True) == 0.0
    assert report.by_kind(ablated=False) == {"graph": (2, 3), "chunks": (1, 1)}
    assert report.by_kind(ablated=True) == {"graph": (0, 1)}


def test_the_figures_of_nothing() -> None:
    """Without questions every share and time is 0, and no quote is wrong."""
    report = AnswersReport(results=())
    assert report.share_right(ablated=False) == 0.0
    assert report.share_quoting_right() == 0.0
    assert report.latency_ms(0.99) == 0.0
    assert report.all_quotes_stored()
    assert report.by_kind(ablated=False) == {}


def test_times_are_those_of_questions_as_they_are() -> None:
    """Runs without their sections do not count in the times."""
    times = (5.0, 1.0, 3.0)
    report = AnswersReport(
        results=(
            *(make_result(right=True, took_ms=time) for time in times),
            make_result(right=True, ablated=True, took_ms=99.0),
        )
    )
    assert [report.latency_ms(share) for share in (0.0, 0.5, 0.99, 1.0)] == [1.0, 3.0, 5.0, 5.0]


@pytest.mark.parametrize(("share", "time"), [(0.5, 50.0), (0.99, 99.0), (1.0, 100.0)])
def test_times_are_of_the_nearest_rank(share: float, time: float) -> None:
    """Of the times 1 to 100, the median is the 50th, not the 51st."""
    results = [make_result(right=True, took_ms=float(n)) for n in range(1, 101)]
    assert AnswersReport(results=tuple(results)).latency_ms(share) == time


@pytest.mark.parametrize(
    ("question", "outcome", "right"),
    [
        (CASH, Outcome.ANSWERED, True),
        (CASH, Outcome.REFUSED, False),
        (CASH, Outcome.CLARIFICATION, False),
        (CASH, Outcome.FAILED, False),
        (PARKING, Outcome.REFUSED, True),
        (PARKING, Outcome.ESCALATED, True),
        (PARKING, Outcome.ANSWERED, False),
    ],
)
async def test_an_outcome_is_right_if_expected(
    question: LabelledQuestion, outcome: Outcome, *, right: bool
) -> None:
    """Each question has the outcomes that are right for it."""
    report = await evaluated((question, make_run(outcome)))
    assert [result.is_right for result in report.results] == [right]


@pytest.mark.parametrize(
    ("quotes", "right"),
    [
        (("Employees must not accept cash.",), True),
        (("Employees must\nnot accept cash.",), True),
        (("Gifts are registered.", "Employees must not accept cash."), True),
        (("Employees must accept cash.",), False),
        ((), False),
    ],
)
async def test_an_answer_quotes_what_it_should(quotes: tuple[str, ...], *, right: bool) -> None:
    """One of the wanted texts is quoted, white space aside."""
    report = await evaluated((CASH, make_run(Outcome.ANSWERED, *quotes)))
    assert [result.quotes_right for result in report.results] == [right]
    assert report.share_quoting_right() == float(right)


SIDE_JOB = LabelledQuestion(
    id="q4",
    question="May I drive a taxi at weekends?",
    kind="ambiguous",
    expected=frozenset({"clarification", "answered"}),
    gold=frozenset({("jobs", "1"), ("jobs", "2")}),
    must_quote=("Employees must ask", "Contractors may"),
)


@pytest.mark.parametrize(
    ("outcome", "quotes", "right"),
    [
        (Outcome.CLARIFICATION, (), True),
        (Outcome.ANSWERED, ("Employees must ask first.", "Contractors may do so."), True),
        (Outcome.ANSWERED, ("Contractors may do so.",), False),
        (Outcome.REFUSED, (), False),
    ],
)
async def test_one_branch_alone_answers_nothing_ambiguous(
    outcome: Outcome, quotes: tuple[str, ...], *, right: bool
) -> None:
    """Whoever asks is told the rule of each group, or is asked of which one they are."""
    report = await evaluated((SIDE_JOB, make_run(outcome, *quotes)))
    assert [result.is_right for result in report.results] == [right]
    only_asked = replace(SIDE_JOB, expected=frozenset({"clarification"}))
    report = await evaluated((only_asked, make_run(outcome, *quotes)))
    assert [result.is_right for result in report.results] == [outcome is Outcome.CLARIFICATION]


@pytest.mark.parametrize(("kind", "right"), [("facts", True), ("graph", False)])
async def test_a_fact_about_a_policy_may_be_told_without_a_quote(kind: str, *, right: bool) -> None:
    """Owner and version stand in no section; a rule has to be quoted."""
    run = make_run(Outcome.ANSWERED)
    told = replace(run, answer=replace(run.answer, text="The owner must not accept cash."))
    report = await evaluated((replace(CASH, kind=kind), told))
    assert [result.quotes_right for result in report.results] == [right]


async def test_the_right_closest_passage_is_counted_apart() -> None:
    """It is no answer, and it is more than nothing."""
    run = make_run(Outcome.REFUSED, "Employees must not accept cash.")
    kind: Any = "not_sure"  # as it is written down
    unsure = replace(run, answer=replace(run.answer, refusal=kind))
    report = await evaluated((CASH, unsure), (PARKING, unsure), (replace(CASH, id="q5"), run))
    assert report.closest_right() == report_json(report)["closest_right"] == 1
    assert "closest passage   1 more" in "\n".join(report_lines(report))
    assert report.share_right(ablated=False) == pytest.approx(1 / 3)


async def test_only_answers_are_held_to_their_quotes() -> None:
    """A refusal quotes nothing, and a question without wanted texts asks for none."""
    report = await evaluated(
        (CASH, make_run(Outcome.REFUSED)), (PARKING, make_run(Outcome.ANSWERED))
    )
    assert [result.quotes_right for result in report.results] == [None, None]


async def test_without_its_sections_a_question_should_be_declined() -> None:
    """Answerable questions are asked again without their sections; an answer is then wrong."""
    asked: list[tuple[str, frozenset[tuple[str, str]]]] = []
    seen: list[tuple[int, int]] = []

    async def answer(question: LabelledQuestion, without: frozenset[tuple[str, str]]) -> Run:
        asked.append((question.id, without))
        return make_run(Outcome.ANSWERED)

    async def quotes_stored(_run: Run) -> bool:
        return True

    unsure = replace(CASH, id="q3", expected=frozenset({"answered", "clarification"}))
    report = await evaluate_answers(
        [CASH, PARKING, unsure],
        answer=answer,
        quotes_stored=quotes_stored,
        ablate=True,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert asked == [
        ("q1", frozenset()),
        ("q2", frozenset()),
        ("q3", frozenset()),
        ("q1", CASH.gold),
    ]
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert report.share_right(ablated=True) == 0.0
    declined = await evaluated((CASH, make_run(Outcome.REFUSED)), ablate=True)
    assert declined.share_right(ablated=True) == 1.0


async def test_a_quote_that_is_not_stored_is_shouted() -> None:
    """One false quote is said in capitals and in the report for programs."""
    report = await evaluated((CASH, make_run(Outcome.ANSWERED)), stored=False)
    assert not report.all_quotes_stored()
    assert any("NOT ALL" in line for line in report_lines(report))
    assert report_json(report)["all_quotes_stored"] is False


async def test_the_reports() -> None:
    """People read percentages by kind; programs get each wrong answer with what was expected."""
    report = await evaluated(
        (CASH, make_run(Outcome.ANSWERED, "Employees must not accept cash.")),
        (PARKING, make_run(Outcome.ANSWERED)),
    )
    lines = "\n".join(report_lines(report))
    assert "50.0%" in lines
    assert "graph 1/1, unanswerable 0/1" in lines
    assert "sections removed" not in lines
    printed = report_json(report)
    assert (printed["right_outcome"], printed["right_quote"]) == (0.5, 1.0)
    assert printed["wrong"] == [
        {
            "id": "q2",
            "ablated": False,
            "question": "Where do I park?",
            "expected": ["escalated", "refused"],
            "outcome": "answered",
            "text": "answered.",
        }
    ]
    assert json.dumps(printed)


LINE: dict[str, Any] = {
    "id": "q1",
    "question": "May I?",
    "kind": "graph",
    "expected": ["answered"],
    "gold": [{"policy": "gifts", "section": "Annex A"}],
    "must_quote": ["no cash"],
    "thread": [{"question": "Q", "outcome": "answered"}],
    "scope": {"jurisdiction": "DE"},
}


def test_questions_are_read(tmp_path: Path) -> None:
    """One JSON object a line; blank lines are skipped, sections are in lower case."""
    path = tmp_path / "questions.jsonl"
    bare = {key: LINE[key] for key in ("id", "question", "kind", "expected")}
    path.write_text(f"{json.dumps(LINE)}\n\n{json.dumps(bare)}\n")
    full, plain = load_questions(path)
    assert full.gold == {("gifts", "annex a")}
    assert (full.expected, full.must_quote) == ({"answered"}, ("no cash",))
    assert (full.thread, full.scope) == (tuple(LINE["thread"]), LINE["scope"])
    assert (plain.gold, plain.must_quote, plain.thread, plain.scope) == (frozenset(), (), (), {})


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "not json",
        "[]",
        "7",
        '"text"',
        json.dumps({key: value for key, value in LINE.items() if key != "kind"}),
        json.dumps({**LINE, "expected": None}),
        json.dumps({**LINE, "expected": "answered"}),
        json.dumps({**LINE, "expected": {"answered": True}}),
        json.dumps({**LINE, "gold": [{"policy": "gifts"}]}),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str) -> None:
    """The file and the number of the line that is no question are said."""
    path = tmp_path / "questions.jsonl"
    path.write_text(f"{json.dumps(LINE)}\n\n{line}\n")
    with pytest.raises(UsageError, match=r"questions\.jsonl:3: not a labelled question"):
        load_questions(path)


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    """A byte that is not UTF-8 is found in its line."""
    path = tmp_path / "questions.jsonl"
    path.write_bytes(json.dumps(LINE).encode() + b'\n{"id": "caf\xe9"}\n')
    with pytest.raises(UsageError, match=r"questions\.jsonl:2: not a labelled question"):
        load_questions(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A file that can't be read is named with the reason."""
    with pytest.raises(UsageError, match="No such file"):
        load_questions(tmp_path / "absent.jsonl")
