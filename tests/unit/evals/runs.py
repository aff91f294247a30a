"""Questions, runs and results, small and valid; a test names only what it is about."""

from dataclasses import replace
from typing import Any

from core.domain.answer import Answer, Outcome
from core.domain.evidence import Evidence
from core.domain.run import BudgetUse, Plan, Run
from evals.measuring.questions import LabelledQuestion
from evals.measuring.results import QuestionResult, RunHeader
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
)
HEADER = RunHeader(
    questions="set.jsonl",
    questions_sha256="11",
    corpus_sha256="22",
    options={"rag": True},
    settings={"CITEBOUND_MODEL": "claude"},
    versions={"citebound": "1"},
    code_sha256="33",
    commit="abc",
    started_at="2026-01-15T09:30:00+00:00",
)


def make_answer(outcome: Outcome, *quotes: str, **changed: Any) -> Answer:
    shown = Answer(
        outcome=outcome,
        text=f"{outcome.value}.",
        citations=shown_citations(*quotes),
        confidence=NO_CONFIDENCE,
    )
    return replace(shown, **changed)


def make_run(answer: Answer, **changed: Any) -> Run:
    run = Run(
        question=make_question("?"),
        answer=answer,
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
        total_time_ms=10.0,
    )
    return replace(run, **changed)


def make_result(name: str = "q1", **changed: Any) -> QuestionResult:
    """Return the result of an answerable question that was answered rightly."""
    result = QuestionResult(
        id=name,
        question="May I accept cash?",
        document=None,
        kind="graph",
        difficulty=None,
        expected=("answered",),
        outcome="answered",
        passed=True,
        outcome_right=True,
        quoted=True,
        code_passed=True,
        ms=10.0,
    )
    return replace(result, **changed)
