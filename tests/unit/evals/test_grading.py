"""Grades: what counts as right by code, and when a model decides."""

from dataclasses import replace

import pytest

from core.domain.answer import Outcome, RefusalKind, ShownClaim
from core.domain.run import ModelCall, TokenUse
from evals.measuring.grading import Grade, NotGraded, grade_by_code
from evals.measuring.questions import TWO_POLICIES, LabelledQuestion, LabelledSpan
from evals.measuring.results import QuestionResult, not_asked, result_of
from tests.unit.evals.runs import CASH, PARKING, make_answer, make_run

SIDE_JOB = replace(
    CASH,
    kind="ambiguous",
    expected=frozenset({"clarification", "answered"}),
    must_quote=("Employees must ask", "Contractors may"),
)
KEY = replace(CASH, gold=frozenset(), must_quote=(), gold_quotes=("Return the key.", "Lock it."))
CLOSEST = {"refusal": RefusalKind.NOT_SURE, "claims": (ShownClaim(text="x", numbers=(1,)),)}
NO_CASH = "Employees must not accept cash."


@pytest.mark.parametrize(
    ("question", "outcome", "right"),
    [
        (CASH, Outcome.REFUSED, False),
        (CASH, Outcome.CLARIFICATION, False),
        (CASH, Outcome.FAILED, False),
        (PARKING, Outcome.REFUSED, True),
        (PARKING, Outcome.ESCALATED, True),
        (PARKING, Outcome.ANSWERED, False),
        (PARKING, Outcome.FAILED, False),
    ],
)
def test_an_outcome_is_right_if_expected(
    question: LabelledQuestion, outcome: Outcome, *, right: bool
) -> None:
    """Each question has the outcomes that are right for it."""
    assert grade_by_code(question, make_answer(outcome)).passed is right


def test_a_refusal_that_is_passed_on_is_one() -> None:
    """Handing the question to a person is a refusal; a report is not."""
    refused_only = replace(PARKING, expected=frozenset({"refused"}))
    passed_on = make_answer(Outcome.ESCALATED, refusal=RefusalKind.NOT_FOUND)
    assert grade_by_code(refused_only, passed_on).passed
    assert not grade_by_code(refused_only, make_answer(Outcome.ESCALATED)).passed


@pytest.mark.parametrize(
    ("quotes", "right"),
    [
        ((NO_CASH,), True),
        (("Employees must\nnot accept cash.",), True),
        (("Gifts are registered.", NO_CASH), True),
        (("Employees must accept cash.",), False),
        ((), False),
    ],
)
def test_an_answer_quotes_what_it_should(quotes: tuple[str, ...], *, right: bool) -> None:
    """One of the wanted phrases is quoted, white space aside; the outcome alone is not enough."""
    found = grade_by_code(CASH, make_answer(Outcome.ANSWERED, *quotes))
    assert (found.passed, found.is_quoted, found.is_outcome_right) == (right, right, True)


@pytest.mark.parametrize(
    ("outcome", "quotes", "right"),
    [
        (Outcome.CLARIFICATION, (), True),
        (Outcome.ANSWERED, ("Employees must ask first.", "Contractors may do so."), True),
        (Outcome.ANSWERED, ("Contractors may do so.",), False),
        (Outcome.REFUSED, (), False),
    ],
)
def test_one_branch_alone_answers_nothing_ambiguous(
    outcome: Outcome, quotes: tuple[str, ...], *, right: bool
) -> None:
    """Whoever asks is told the rule of each group, or is asked of which one they are."""
    found = grade_by_code(SIDE_JOB, make_answer(outcome, *quotes))
    assert found.passed is found.is_outcome_right is right
    only_asked = replace(SIDE_JOB, expected=frozenset({"clarification"}))
    asked = grade_by_code(only_asked, make_answer(outcome, *quotes))
    assert asked.passed is (outcome is Outcome.CLARIFICATION)


def test_two_policies_are_both_cited() -> None:
    """The phrase of one of them answers half of the question."""
    one = replace(CASH, kind="two_policies")
    assert grade_by_code(one, make_answer(Outcome.ANSWERED, NO_CASH)).passed
    two = replace(one, gold=CASH.gold | {("travel", "3")})
    found = grade_by_code(two, make_answer(Outcome.ANSWERED, NO_CASH))
    assert not found.passed
    assert found.is_outcome_right


@pytest.mark.parametrize(("kind", "right"), [("facts", True), ("graph", False)])
def test_a_fact_about_a_policy_may_be_told_without_a_quote(kind: str, *, right: bool) -> None:
    """Owner and version stand in no section; a rule has to be quoted."""
    told = make_answer(Outcome.ANSWERED, text="The owner must not accept cash.")
    assert grade_by_code(replace(CASH, kind=kind), told).passed is right


@pytest.mark.parametrize(("quote", "right"), [("Return the key.", True), ("Be quick.", False)])
def test_the_closest_passage_is_no_answer(quote: str, *, right: bool) -> None:
    """Whether it would have been one is known; of what nothing answers it never is."""
    shown = make_answer(Outcome.REFUSED, quote, **CLOSEST)
    found = grade_by_code(KEY, shown)
    assert (found.passed, found.is_quoted) == (False, right)
    nowhere = grade_by_code(PARKING, shown)
    assert (nowhere.passed, nowhere.is_quoted) == (True, False)


def test_citations_meet_labels() -> None:
    """Two citations, one of a labelled section or sentence; one of two labels is cited."""
    sections = replace(CASH, gold=frozenset({("gifts", "9"), ("travel", "3")}))
    shown = make_answer(Outcome.ANSWERED, NO_CASH, "Be quick.")
    place = replace(shown.citations[0].place, policy_key="travel", number="3")
    moved = replace(shown, citations=(replace(shown.citations[0], place=place), shown.citations[1]))
    for found in (
        grade_by_code(sections, moved).citations,
        grade_by_code(KEY, make_answer(Outcome.ANSWERED, "Return the key.", "No.")).citations,
    ):
        assert (found.shown, found.right, found.labelled, found.found) == (2, 1, 2, 1)


def result(
    given: Grade | NotGraded | None, *, says: str = "It takes long.", stored: bool = True
) -> QuestionResult:
    question = replace(CASH, must_quote=(), expected_facts=("30 days",))
    answer = make_answer(Outcome.ANSWERED, text=says)
    by_code = grade_by_code(question, answer)
    return result_of(
        question, make_run(answer), by_code=by_code, by_model=given, quotes_stored=stored
    )


def test_a_model_decides_only_where_facts_are_not_found_word_for_word() -> None:
    """What code finds stands, whatever the model says."""
    right = result(Grade.RIGHT)
    assert (right.passed, right.code_passed, right.graded_by) == (True, False, "model")
    assert not result(Grade.PARTLY).passed
    found = result(Grade.WRONG, says="It takes thirty days.")
    assert (found.passed, found.graded_by, found.model_grade) == (True, "code", Grade.WRONG)


def test_what_is_not_graded_is_no_grade() -> None:
    """The code's word stands; why there is no grade is kept."""
    failed = result(NotGraded(reason="the grade is none of the scale"))
    assert (failed.passed, failed.graded_by, failed.model_grade) == (False, "code", None)
    assert failed.not_graded == "the grade is none of the scale"
    assert result(None).not_graded is None


def test_a_quote_that_is_not_stored_passes_nothing() -> None:
    """One false quote is worse than no answer."""
    assert not result(None, says="30 days", stored=False).passed
    assert not result(Grade.RIGHT, stored=False).passed


def test_calls_are_added_up() -> None:
    """Critic and judge are one wait; a price that is not known makes the sum unknown."""
    tokens = TokenUse(fresh=10, cache_read=5, output=2)
    calls = tuple(
        ModelCall(
            purpose=purpose,
            model="m",
            prompt="p/1",
            request_hash="",
            tokens=tokens,
            cost_usd=cost,
            attempts=1,
            started_s=0.0,
            ended_s=1.0,
        )
        for purpose, cost in (("answer", 0.5), ("critique", 0.25), ("judge", 0.25))
    )
    answer = make_answer(Outcome.ANSWERED, NO_CASH)

    def of(*made: ModelCall) -> QuestionResult:
        run = make_run(answer, model_calls=made)
        by_code = grade_by_code(CASH, answer)
        return result_of(CASH, run, by_code=by_code, by_model=None, quotes_stored=True)

    found = of(*calls)
    assert (found.model_calls, found.round_trips, found.cost_usd) == (3, 2, 1.0)
    assert (found.tokens.fresh, found.tokens.cache_read, found.tokens.output) == (30, 15, 6)
    assert of(*calls, replace(calls[0], cost_usd=None)).cost_usd is None


def test_what_was_not_asked_passes_nothing() -> None:
    """Not even where no answer is what is right."""
    failed = not_asked(PARKING, reason="it is encrypted")
    assert (failed.passed, failed.outcome, failed.text) == (False, "failed", "it is encrypted")
    assert not failed.was_asked


def test_both_passages_of_two_policies_are_needed() -> None:
    """Where passages are labelled, a quote of each policy is to be one of its own."""
    spans = tuple(
        LabelledSpan(policy=policy, section="1", version="1", start=0, end=len(quote), quote=quote)
        for policy, quote in (("gifts", "must not accept cash"), ("travel", "must book by train"))
    )
    asked = replace(
        CASH,
        kind=TWO_POLICIES,
        gold=frozenset({("gifts", "1")}),
        must_quote=(),
        gold_quotes=tuple(one.quote for one in spans),
        spans=spans[:1],
    )
    right = make_answer(Outcome.ANSWERED, "must not accept cash")
    assert grade_by_code(asked, right).passed
    other = make_answer(Outcome.ANSWERED, "must book by train")
    assert not grade_by_code(asked, other).passed
    assert not grade_by_code(replace(asked, spans=spans), right).passed
