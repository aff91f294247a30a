"""Runs whose reasoner is a language model: searching ahead, bettering, falling back."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.replies.answer import BY_RULES, origin
from core.agent.concurrency import prefetched
from core.agent.fallback import AbandonedError
from core.agent.stages.explore import gate
from core.agent.trace import covered_s
from core.agent.wording import DAY_BUDGET_SPENT, MODEL_UNAVAILABLE, WITHOUT_MODEL
from core.domain.answer import Critique, Decision, Judgement, NotJudged, Outcome
from core.domain.errors import (
    ContractError,
    DayBudgetSpentError,
    ModelUnavailableError,
    TransientError,
)
from core.domain.run import Budget, Exploration, ModelCall, RunLimits, TokenUse
from core.ports import SearchRequest, SearchResult
from tests.factories import make_finding, make_judgement, make_scope
from tests.fakes import InMemoryOntology, ScriptedReasoner
from tests.unit.agent.world import CASH, REGISTER, TRUE, World, make_world, says

GOOD = make_judgement()
POOR = make_judgement(0.4, approved=False, decision=Decision.RETRY, reason="too little")
MODEL = ScriptedReasoner(drafts=[TRUE], judgements=[GOOD], is_model=True)
PLAIN = ScriptedReasoner(drafts=[says((REGISTER, REGISTER))], judgements=[GOOD], name="plain/1")
DOWN = ModelUnavailableError("Claude did not answer in time")
CALL = ModelCall(
    purpose="answer",
    model="claude",
    prompt="answer/1",
    request_hash="00",
    tokens=TokenUse(fresh=10, output=5),
    cost_usd=0.01,
    attempts=1,
    started_s=1.0,
    ended_s=3.0,
)


def _model(**changed: object) -> ScriptedReasoner:
    return replace(MODEL, asked=[], contexts=[], bettered=[], **changed)  # pyright: ignore[reportArgumentType]  # by name


def _explored(world: World, *, reported: float, later: tuple[float, ...] = ()) -> Exploration:
    snapshot = InMemoryOntology(world.corpus).of(make_scope())
    return Exploration(
        findings=(make_finding(snapshot, "accept cash"),),
        reported_confidence=reported,
        later_confidences=later,
    )


@pytest.mark.parametrize(
    ("reported", "score", "retrieves"),
    [
        ((0.9,), 0.9, False),
        ((0.85,), 0.85, False),
        ((0.8,), 0.8, True),
        ((0.8, 0.95), 0.8, True),
        ((0.95, 0.8), 0.8, True),
        ((0.9, 0.99), 0.9, False),
        ((0.3, 0.7, 1.0), 0.3, True),
        ((None,), None, True),
        ((), None, True),
    ],
)
def test_the_first_low_score_opens_the_gate_and_no_later_one_closes_it(
    reported: tuple[float | None, ...], score: float | None, *, retrieves: bool
) -> None:
    """Order matters only up to the first score below the threshold."""
    decided = gate(reported, threshold=0.85, use_rag=True, has_chunks=True)
    assert (decided.score, decided.retrieve) == (score, retrieves)


@given(st.lists(st.floats(0, 1), min_size=1), st.lists(st.floats(0, 1)))
def test_later_scores_never_undo_retrieval(first: list[float], later: list[float]) -> None:
    """Law: what retrieved goes on retrieving, whatever is reported after it."""
    before = gate(first, threshold=0.85, use_rag=True, has_chunks=True)
    after = gate([*first, *later], threshold=0.85, use_rag=True, has_chunks=True)
    assert after.retrieve or not before.retrieve
    if before.retrieve:
        assert after.score == before.score


async def test_a_later_low_score_retrieves() -> None:
    """The pipeline hands all scores to the gate."""
    world = make_world()
    run = await world.run(_model(explored=_explored(world, reported=0.9, later=(0.4,))))
    assert run.used_rag
    assert run.gate is not None
    assert run.gate.score == 0.4


async def test_the_search_is_begun_before_the_model_answers_and_made_once() -> None:
    """What is searched ahead is what the gate hands over."""
    world = make_world()
    reasoner = _model(delay_s=0.05)
    running = asyncio.ensure_future(world.run(reasoner))  # noqa: TID251 (a test looks in between)
    await asyncio.sleep(0.01)
    assert (reasoner.asked, len(world.search.requests)) == (["plan"], 1)
    run = await running
    assert (run.used_rag, run.budget.retrieval_rounds, len(world.search.requests)) == (True, 1, 1)


async def test_what_was_searched_ahead_is_not_shown_unless_the_gate_asks() -> None:
    """With a sufficient ontology no chunk is evidence, though it was found."""
    world = make_world()
    run = await world.run(_model(explored=_explored(world, reported=0.9)))
    assert len(world.search.requests) == 1
    assert (run.used_rag, run.chunks_used, run.budget.retrieval_rounds) == (False, (), 0)
    assert run.answer.outcome is Outcome.ANSWERED


async def test_nothing_is_searched_ahead_without_chunks_or_without_rag() -> None:
    """There is nothing to search, or nobody wants it."""
    world = make_world()
    world.corpus.chunked = False
    await world.run(_model())
    other = make_world()
    await other.run(_model(), use_rag=False)
    assert (world.search.requests, other.search.requests) == ([], [])


async def test_a_search_ahead_that_fails_fails_where_it_is_wanted() -> None:
    """A lost database ends the run if the gate asks for chunks, and only then."""

    async def broken(_request: SearchRequest, /) -> SearchResult:
        raise TransientError("gone")

    world = make_world()
    world.search.search = broken
    run = await world.run(_model(explored=_explored(world, reported=0.9)))
    assert run.answer.outcome is Outcome.ANSWERED
    with pytest.raises(TransientError, match="gone"):
        await world.run(_model())


async def test_work_that_nobody_wants_is_cancelled() -> None:
    """Leaving early does not wait for what was begun."""
    ended: list[str] = []

    async def work() -> str:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("cancelled")
        return "never"

    async with prefetched(work) as result:
        assert result is not None
        await asyncio.sleep(0)
    assert ended == ["cancelled"]
    with pytest.raises(ContractError):
        async with prefetched(work):
            raise ContractError


async def test_a_model_is_told_what_was_wrong_with_its_draft() -> None:
    """The second draft is asked for with the first one's verdicts, critique and judgement."""
    issues = Critique(refine=True, issues=("the exception is missing",))
    reasoner = _model(judgements=[POOR, GOOD], critique_given=issues)
    run = await make_world().run(reasoner)
    first, second = reasoner.bettered
    assert (first, second) == (None, run.attempts[0])
    assert run.attempts[0].critique == issues
    assert run.attempts[0].judgement == POOR


async def test_a_model_may_better_a_draft_on_the_ontology_alone() -> None:
    """It needs no new evidence, since it is told why; the gate stays shut."""
    world = make_world()
    explored = _explored(world, reported=0.9)
    reasoner = _model(judgements=[POOR, GOOD], explored=explored)
    run = await world.run(reasoner)
    assert [one.decision for one in run.attempts] == [Decision.RETRY, Decision.FINAL]
    assert (run.used_rag, run.budget.retrieval_rounds) == (False, 0)


@pytest.mark.parametrize("second", [0.95, 0.85])
async def test_the_critic_asks_for_one_refinement_at_most(second: float) -> None:
    """An approved draft is written again once; the better judged of the two is shown."""
    asks = Critique(refine=True, issues=("say who approves",))
    reasoner = _model(
        drafts=[TRUE, says((REGISTER, REGISTER))],
        judgements=[make_judgement(0.9), make_judgement(second)],
        critique_given=asks,
    )
    world = make_world(limits=RunLimits(max_attempts=4))
    run = await world.run(reasoner)
    assert len(run.attempts) == 2
    shown = REGISTER if second > 0.9 else CASH
    assert run.answer.text == f"{shown} [1]"


async def test_the_judge_gets_one_retry_however_many_attempts_there_are() -> None:
    """`max_attempts` is for what retrieval can mend."""
    world = make_world(limits=RunLimits(max_attempts=4))
    run = await world.run(_model(judgements=[POOR]))
    assert [one.decision for one in run.attempts] == [Decision.RETRY, Decision.ESCALATE]
    assert run.answer.outcome is Outcome.REFUSED


async def test_a_judge_that_escalates_is_not_asked_again() -> None:
    """ESCALATE ends the attempts at once."""
    given = make_judgement(0.9, approved=True, decision=Decision.ESCALATE, reason="a person")
    run = await make_world().run(_model(judgements=[given]))
    assert [one.decision for one in run.attempts] == [Decision.ESCALATE]
    assert run.answer.outcome is Outcome.ESCALATED
    assert run.answer.needs_person


async def test_turns_are_bounded() -> None:
    """With the last step used up the best draft is settled."""
    reasoner = _model(judgements=[POOR])
    run = await make_world(limits=RunLimits(steps=1)).run(reasoner)
    assert reasoner.asked.count("draft") == 1
    assert run.answer.outcome is Outcome.REFUSED


@pytest.mark.parametrize(
    "broken",
    [
        {"drafts": [DOWN]},
        {"drafts": [ContractError("no JSON")]},
        {"judgements": [DOWN]},
        {"explored": DOWN},
        {"critique_given": DOWN},
    ],
    ids=["draft", "contract", "judge", "explore", "critic"],
)
async def test_without_its_model_a_question_is_answered_all_the_same(
    broken: dict[str, object],
) -> None:
    """Whatever the model breaks, the fallback answers, says so, and what was spent is recorded."""
    world = make_world()
    reasoner = _model(model_calls=(CALL,), **broken)
    run = await world.run(reasoner, fallback=replace(PLAIN, asked=[]))
    assert (run.answer.outcome, run.reasoner) == (Outcome.ANSWERED, "plain/1")
    assert run.answer.text == f"{REGISTER} [1]"
    assert run.answer.notes == (MODEL_UNAVAILABLE.en,)
    assert run.model_calls == (CALL,)
    assert run.generation_time_ms == 2_000
    (warning,) = run.warnings
    assert warning.startswith("answered without a language model: ")


async def test_over_the_budget_of_the_day_the_reply_says_so() -> None:
    """It is not that the model is down: nobody need wait for it to come back within minutes."""
    spent = DayBudgetSpentError("the day has cost USD 2.00 of 2.00")
    run = await make_world().run(_model(drafts=[spent]), fallback=replace(PLAIN, asked=[]))
    assert (run.answer.outcome, run.reasoner) == (Outcome.ANSWERED, "plain/1")
    assert run.answer.notes == (DAY_BUDGET_SPENT.en,)
    assert origin(run.answer) == BY_RULES


async def test_a_refusal_of_the_fallback_says_that_it_is_one() -> None:
    """People are told that the model was not there, whatever the outcome."""
    run = await make_world().run(
        _model(drafts=[DOWN]), fallback=replace(PLAIN, judgements=[POOR], asked=[])
    )
    assert run.answer.outcome is Outcome.REFUSED
    assert MODEL_UNAVAILABLE.en in run.answer.notes
    assert WITHOUT_MODEL.en not in run.answer.notes


async def test_a_model_beyond_the_deadline_is_replaced() -> None:
    """The fallback has a deadline of its own."""
    world = make_world(limits=RunLimits(deadline_s=0.05))
    run = await world.run(_model(delay_s=30.0), fallback=replace(PLAIN, asked=[]))
    assert (run.answer.outcome, run.reasoner) == (Outcome.ANSWERED, "plain/1")


async def test_without_a_fallback_the_run_is_abandoned_with_its_cost() -> None:
    """Whoever runs the pipeline alone learns why and what was spent."""
    with pytest.raises(AbandonedError, match="in time") as caught:
        await make_world().run(_model(drafts=[DOWN], model_calls=(CALL,)))
    assert caught.value.model_calls == (CALL,)
    assert caught.value.cause is DOWN


async def test_a_lost_database_is_not_the_model_s_fault() -> None:
    """What the fallback would lack too is raised."""
    world = make_world()

    async def broken(_request: SearchRequest, /) -> SearchResult:
        raise TransientError("gone")

    world.search.search = broken
    with pytest.raises(TransientError, match="gone"):
        await world.run(_model(), fallback=replace(PLAIN, asked=[]))


@pytest.mark.parametrize("judged", [NotJudged(reason="no token"), POOR])
async def test_what_is_not_approved_is_not_posted(judged: Judgement | NotJudged) -> None:
    """Neither silence nor doubt of the judge is an approval."""
    run = await make_world().run(_model(judgements=[judged]))
    assert run.answer.outcome is Outcome.REFUSED


@given(
    calls=st.integers(0, 6),
    tokens=st.integers(1, 50),
    writes=st.lists(st.integers(0, 30), max_size=12),
)
def test_a_budget_of_model_calls_is_never_overdrawn(
    calls: int, tokens: int, writes: list[int]
) -> None:
    """Law: no call is allowed after the last call or the last token."""
    budget = Budget(RunLimits(model_calls=calls, output_tokens=tokens))
    made = 0
    for written in writes:
        had = budget.tokens_left
        allowed = budget.may_call_model()
        assert allowed == (made < calls and had > 0)
        if allowed:
            made += 1
            budget.wrote(written)
    assert budget.use.model_calls == made <= calls
    assert budget.tokens_left >= 0


def test_the_deadline_is_counted_from_the_start() -> None:
    """Seconds of the monotonic clock."""
    assert Budget(RunLimits(deadline_s=7.0), started_s=3.0).deadline_s == 10.0


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=8))
def test_overlapping_calls_are_counted_once(spans: list[tuple[int, int]]) -> None:
    """Law: the time covered is the number of seconds that lie in any call."""
    calls = [
        replace(CALL, started_s=float(start), ended_s=float(start + length))
        for start, length in spans
    ]
    seconds = {second for start, length in spans for second in range(start, start + length)}
    assert covered_s(calls) == len(seconds)
