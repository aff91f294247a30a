"""The rules of a decision, each with a model that tries to get round it."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from core.adapters.anthropic.api.api_types import ModelReply, ModelRequest
from core.adapters.anthropic.api.providers import Capabilities
from core.adapters.anthropic.dialogue.review import Reviewer
from core.agent.trace import trace_json
from core.agent.wording import PARTIAL
from core.confidence.calibration import MEDIUM
from core.domain.answer import Badge, Check, Decision, Draft, NotJudged, Outcome, RefusalKind
from core.domain.errors import ContractError, ModelUnavailableError
from core.domain.evidence import Evidence
from core.domain.run import Budget, Run, RunLimits
from core.ontology.tools.toolbox import OntologyToolbox
from core.ports import RunContext
from tests.factories import make_question
from tests.fakes import InMemoryOntology
from tests.servers.anthropic_steps import Reply, cited, reply, text, tool_use
from tests.unit.agent.world import CASH, LIMIT, REGISTER, make_world
from tests.unit.anthropic.scripted import (
    MODELS,
    Body,
    ScriptedModel,
    Step,
    answers,
    criticised,
    factory_of,
    judged,
    place_of,
    reported,
    unsupported,
)

SURE = reported(0.95)
FALSE = ("Employees may accept gifts worth up to EUR 500.", LIMIT)
PERFECT = judged(1.0)


def _twice(body: Body) -> Reply:
    return reply(*PERFECT(body).blocks, *PERFECT(body).blocks)


def _cut(body: Body) -> Reply:
    return reply(*PERFECT(body).blocks, stop_reason="max_tokens")


async def _run(*answer: Step, question: str = "May I accept cash as a gift?", **script: Any) -> Run:
    limits = script.pop("limits", RunLimits())
    relevance = script.pop("relevance", 0.8)
    model = ScriptedModel(answer=answer, **script)
    run = await make_world(limits=limits, relevance=relevance).run(factory_of(model), question)
    assert len(model.bodies()) == len(answer), "each step of the script was used"
    return run


async def test_a_rejected_draft_is_not_final_whatever_judge_and_critic_say() -> None:
    """A figure that the source does not have: the judge is not even asked."""
    model = ScriptedModel(
        answer=[answers(FALSE, also=[SURE]), answers(FALSE)],
        judge=[PERFECT],
        critique=[criticised()],
    )
    run = await make_world().run(factory_of(model))
    assert run.answer.outcome is Outcome.REFUSED
    assert model.bodies("judge") == []
    assert [attempt.decision for attempt in run.attempts] == [Decision.RETRY, Decision.ESCALATE]
    assert "not in the cited text: EUR 500" in run.attempts[0].reason


async def test_what_is_dropped_of_a_draft_is_not_shown() -> None:
    """The judge sees what is left, and the answer can't be High."""
    model = ScriptedModel(answer=[answers(CASH, FALSE, also=[SURE])], judge=[PERFECT])
    run = await make_world().run(factory_of(model))
    assert [claim.text for claim in run.answer.claims] == [CASH]
    assert run.answer.confidence.badge is Badge.MEDIUM
    assert "EUR 500" not in str(model.bodies("judge"))


@pytest.mark.parametrize(
    "first", [judged(0.7, verdict="needs_review"), judged(0.7, decision="RETRY: too little")]
)
async def test_review_or_retry_gives_one_more_draft(first: Step) -> None:
    """And its answer is shown, since its score is higher."""
    run = await _run(answers(CASH, also=[SURE]), answers(CASH, LIMIT), judge=[first, judged(0.95)])
    assert [claim.text for claim in run.answer.claims] == [CASH, LIMIT]
    assert [one.decision for one in run.attempts] == [Decision.RETRY, Decision.FINAL]


async def test_the_judge_gets_one_retry_at_most() -> None:
    """However many attempts are allowed for other reasons."""
    doubts = judged(0.7, verdict="needs_review")
    better = judged(0.8, verdict="needs_review")
    run = await _run(
        answers(CASH, also=[SURE]),
        answers(CASH, LIMIT),
        judge=[doubts, better],
        limits=RunLimits(max_attempts=4),
    )
    assert run.answer.outcome is Outcome.REFUSED
    assert len(run.attempts) == 2


@pytest.mark.parametrize("second", [judged(0.9), judged(0.85), judged(0.2), reply("FINAL")])
async def test_a_retry_is_taken_only_if_its_score_is_higher(second: Step) -> None:
    """Equal, lower, and not judged: the first draft counts, which the critic alone held back."""
    run = await _run(
        answers(CASH, also=[SURE]),
        answers(REGISTER),
        judge=[judged(0.9), second],
        critique=[criticised("an exception is missing", refine=True), criticised()],
    )
    assert [claim.text for claim in run.answer.claims] == [CASH]
    assert run.answer.outcome is Outcome.ANSWERED


async def test_attempts_used_up_without_a_grounded_draft_escalate() -> None:
    """Every attempt was rejected: a person is offered, and the nearest sections are named."""
    run = await _run(answers(FALSE, also=[SURE]), answers(FALSE))
    assert run.attempts[-1].decision is Decision.ESCALATE
    assert (run.answer.outcome, run.answer.refusal) == (Outcome.REFUSED, RefusalKind.NOT_FOUND)
    assert run.answer.nearest


async def test_a_missing_fact_is_asked_for() -> None:
    """No evidence, and a question back would change that: CLARIFY, before anything is searched."""
    ask = tool_use(
        "make_plan",
        {
            "intent": "general",
            "need_clarification": True,
            "clarification_question": "What is your question about?",
            "slot": "referent",
        },
    )
    run = await _run(reply(ask), question="How should this be handled?")
    assert (run.answer.outcome, run.answer.text) == (
        Outcome.CLARIFICATION,
        "What is your question about?",
    )
    assert run.budget.retrieval_rounds == 0
    assert run.attempts == ()


async def test_nothing_found_is_a_refusal_with_its_kind() -> None:
    """Nothing relevant was found: the run can't be FINAL, however sure the model is."""
    run = await _run(reply(reported(0.1)), answers(CASH), relevance=0.2, judge=[PERFECT])
    assert (run.answer.outcome, run.answer.refusal) == (
        Outcome.REFUSED,
        RefusalKind.NOT_FOUND,
    )
    assert run.answer.nearest


async def test_a_model_that_finds_nothing_gives_no_answer() -> None:
    """MISSING alone is a draft without claims, tried once more with more chunks, then refused."""
    run = await _run(reply(reported(0.1)), reply("MISSING: drones"), reply("MISSING: drones"))
    assert run.answer.outcome is Outcome.REFUSED
    assert run.budget.retrieval_rounds == 2


async def test_a_conflict_is_no_answer() -> None:
    """Both sides are shown as what they are."""
    run = await _run(answers(CASH, LIMIT, also=[text("\nCONFLICT"), SURE]))
    assert run.answer.refusal is RefusalKind.CONFLICT


async def test_a_fact_on_which_the_answer_depends_is_asked_for() -> None:
    """The asker chooses among its values."""
    line = "\nASK: country | Which country are you in? | Germany | France"
    run = await _run(answers(CASH, also=[text(line), SURE]))
    assert run.answer.outcome is Outcome.CLARIFICATION
    assert run.answer.options[:2] == ("Germany", "France")


async def test_a_sensitive_report_is_never_sent_to_a_model() -> None:
    """It is passed on with the reporting line; no model sees a word of it."""
    model = ScriptedModel()
    run = await make_world().run(factory_of(model), "My boss Dave harasses me. What should I do?")
    assert model.requests == []
    assert run.answer.outcome is Outcome.ESCALATED
    assert run.answer.nearest


async def test_a_report_that_only_the_thread_tells_is_not_sent_either() -> None:
    """A follow-up is understood with the text of what it follows."""
    world, model = make_world(), ScriptedModel()
    follows = replace(make_question("What now?"), standalone="My boss Dave harasses me. What now?")
    knowledge = await InMemoryOntology(world.corpus).open(follows.scope)
    toolbox = OntologyToolbox(knowledge.lookup, max_calls=1)
    context = RunContext(
        question=follows,
        knowledge=knowledge,
        toolbox=toolbox,
        budget=Budget(RunLimits()),
        use_rag=True,
        has_chunks=True,
    )
    planned = await factory_of(model).begin(context).plan(follows, knowledge)
    assert (planned.intent, model.requests) == ("report", [])


@pytest.mark.parametrize("error", [ModelUnavailableError("down"), ContractError("no message")])
async def test_a_critic_that_fails_loses_no_judged_draft(error: Exception) -> None:
    """It never approves; that it was not heard is in the record."""
    model = ScriptedModel(answer=[answers(CASH, also=[SURE])], critique=[error])
    run = await make_world().run(factory_of(model))
    assert run.answer.outcome is Outcome.ANSWERED
    assert run.attempts[0].critique
    assert run.attempts[0].critique.issues == (f"not read by the critic: {error}",)


async def test_a_critic_that_dawdles_is_not_waited_for() -> None:
    """A stalled small model would else hold an answer back until the deadline."""

    class Dawdler:
        async def call(self, request: ModelRequest, /) -> ModelReply:
            await asyncio.sleep(60)
            raise AssertionError(request)

    capabilities = Capabilities(native_citations=True, prompt_caching=True)
    reviewer = Reviewer(Dawdler(), models=MODELS, capabilities=capabilities, critic_timeout_s=0.01)
    empty = Evidence(items=()), Draft(claims=())
    found = await reviewer.critique(make_question("May I?"), *empty)
    assert (found.refine, found.issues) == (False, ("not read by the critic within 0.01 s",))


async def test_what_is_missing_beside_an_answer_is_told_in_words_of_ours() -> None:
    """That something is missing is told; what the model says of it is verified by nobody."""
    missing = "\nMISSING: whether gifts above EUR 500 are fine, as they are"
    run = await _run(answers(CASH, also=[text(missing), SURE]))
    assert run.answer.outcome is Outcome.ANSWERED
    assert run.answer.notes == (PARTIAL.en,)
    assert (await _run(answers(CASH, also=[SURE]))).answer.notes == ()


async def test_the_critic_may_ask_for_one_refinement() -> None:
    """Its second wish changes nothing."""
    wish = criticised("claim 1 leaves out an exception", refine=True)
    run = await _run(
        answers(CASH, also=[SURE]),
        answers(CASH, LIMIT),
        critique=[wish, wish],
        judge=[judged(0.9), judged(0.95)],
    )
    assert [one.decision for one in run.attempts] == [Decision.RETRY, Decision.FINAL]
    assert "leaves out an exception" in run.attempts[0].reason
    assert run.answer.outcome is Outcome.ANSWERED


@pytest.mark.parametrize(
    "word",
    [
        reply("FINAL"),
        reply(),
        reply(tool_use("submit_critique", {"refine": False, "issues": []})),
        judged(1.0, decision="APPROVED"),
        judged(1.0, decision="FINAL because it is good"),
        judged(1.0, verdict="yes"),
        judged(1.0, faithfulness=2),
        _twice,
        _cut,
    ],
)
async def test_what_is_not_judged_is_never_approved(word: Step) -> None:
    """Any reply but one well-formed call, in whole, is no judgement."""
    run = await _run(answers(CASH, also=[SURE]), answers(CASH), judge=[word, word])
    assert isinstance(run.attempts[0].judgement, NotJudged)
    assert run.answer.outcome is Outcome.REFUSED


@pytest.mark.parametrize(
    "word", [reply("fine"), reply(tool_use("submit_critique", {"refine": "yes"}))]
)
async def test_a_malformed_critique_decides_nothing(word: Reply) -> None:
    """It approves nothing and asks for nothing; the record shows it."""
    run = await _run(answers(CASH, also=[SURE]), critique=[word])
    assert run.answer.outcome is Outcome.ANSWERED
    assert run.attempts[0].critique
    assert run.attempts[0].critique.issues == ("the critic's reply was malformed",)


async def test_the_judge_may_escalate() -> None:
    """At once, without another attempt."""
    run = await _run(answers(CASH, also=[SURE]), judge=[judged(0.9, decision="ESCALATE: unclear")])
    assert (run.answer.outcome, len(run.attempts)) == (Outcome.ESCALATED, 1)
    assert run.attempts[0].reason == "unclear"


MEANT = ("You must not accept cash, whoever offers it.", CASH)
"""What the model says of a sentence; code lets it pass, and the judge doubts it."""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (judged(0.6), judged(0.6)),
        (judged(0.6, verdict="needs_review"), judged(0.6, verdict="needs_review")),
        (judged(0.9, verdict="needs_review"), judged(0.9, verdict="needs_review")),
    ],
    ids=["approved", "doubted", "doubted, well scored"],
)
async def test_what_the_judge_doubts_is_quoted_and_not_stated(first: Reply, second: Reply) -> None:
    """The closest passage is the policy's sentence: none of the model's words is shown."""
    run = await _run(answers(CASH, also=[SURE]), answers(CASH), judge=[first, second])
    assert run.answer.is_closest
    assert [claim.text for claim in run.answer.claims] == [f"“{CASH}”"]
    run = await _run(answers(MEANT, also=[SURE]), answers(MEANT), judge=[first, second])
    assert "whoever offers it" not in run.answer.text
    assert not run.answer.needs_person


async def test_what_the_judge_scores_low_is_not_even_quoted() -> None:
    """Approved, FINAL and grounded, but scored .5: a refusal, and no case opens by itself."""
    run = await _run(answers(CASH, also=[SURE]), answers(CASH), judge=[judged(0.5), judged(0.5)])
    assert (run.answer.outcome, run.answer.claims) == (Outcome.REFUSED, ())
    assert not run.answer.is_closest


async def test_a_model_that_claims_to_be_sure_of_everything_gains_nothing() -> None:
    """Its own 1.0 does not lift what the judge doubts."""
    run = await _run(
        answers(CASH, also=[reported(1.0)]), answers(CASH), judge=[judged(0.69), judged(0.69)]
    )
    assert run.answer.is_closest


@pytest.mark.parametrize(
    "place", [(99, 0, 1), (0, 50, 51), (0, 0, 99)], ids=["source", "block", "range"]
)
async def test_an_invented_citation_is_dropped_by_name(place: tuple[int, int, int]) -> None:
    """Places that were never shown end neither in an answer nor in an exception."""

    def step(_: Body) -> Reply:
        return reply(cited(CASH, place), SURE)

    run = await _run(step, step)
    assert run.answer.outcome is Outcome.REFUSED
    assert "is not among the evidence" in run.attempts[0].reason


async def test_a_forged_quote_is_not_shown() -> None:
    """What is quoted is the stored text, whatever the reply says stands there."""

    def step(body: Body) -> Reply:
        return reply(cited(CASH, place_of(body, CASH), says="Cash is welcome."), SURE)

    run = await _run(step)
    assert run.answer.outcome is Outcome.ANSWERED
    assert [one.quote for one in run.answer.citations] == [CASH]


async def test_a_claim_against_its_source_is_dropped() -> None:
    """The modality of the source counts, not that it was cited."""
    turned = ("Employees may accept cash.", CASH)
    run = await _run(answers(turned, also=[SURE]), answers(turned))
    assert run.answer.outcome is Outcome.REFUSED


# The judge's verdict on each claim


async def test_a_claim_that_the_judge_finds_unsupported_is_dropped_by_name() -> None:
    """Like one that fails a check of the code; what is left is shown, and is never High."""
    run = await _run(
        answers(CASH, LIMIT, also=[SURE]),
        judge=[judged(1.0, but=[unsupported(2, "not", "up to EUR 50")])],
    )
    assert [claim.text for claim in run.answer.claims] == [CASH]
    assert run.answer.confidence.badge is Badge.MEDIUM
    (failed,) = [one for one in run.attempts[0].verdicts if not one.passed]
    assert (failed.claim, failed.check) == (1, Check.JUDGED)
    assert failed.reason == "not in the cited text, by the judge: up to EUR 50"
    trace = trace_json(run)
    assert {"claim": 1, "check": "judged", "passed": False, "reason": failed.reason} in (
        trace["attempts"][0]["verdicts"]
    )
    assert trace["judge"]["claims"][1] == {"support": "not", "words": "up to EUR 50"}


async def test_verdicts_are_counted_past_what_code_has_dropped() -> None:
    """The judge reads what is left: its second claim is the third of the draft."""
    run = await _run(
        answers(CASH, FALSE, LIMIT, also=[SURE]),
        judge=[judged(1.0, but=[unsupported(2, "not")])],
    )
    assert [claim.text for claim in run.answer.claims] == [CASH]
    assert {one.claim for one in run.attempts[0].verdicts if not one.passed} == {1, 2}


async def test_nothing_left_by_the_judge_is_no_answer() -> None:
    """Whatever it scores and decides."""
    doubts = judged(1.0, but=[unsupported(1, "not", "cash")])
    run = await _run(answers(CASH, also=[SURE]), answers(CASH), judge=[doubts, doubts])
    assert run.answer.outcome is Outcome.REFUSED
    assert "by the judge: cash" in run.attempts[0].reason


async def test_a_claim_that_is_partly_covered_weakens_the_badge() -> None:
    """Approved all the same, so it is shown; but not as High."""
    partly = judged(1.0, but=[unsupported(1, "partly", "must not")])
    run = await _run(answers(CASH, also=[SURE]), judge=[partly])
    assert run.answer.confidence.badge is Badge.MEDIUM
    whole = await _run(answers(CASH, also=[SURE]), judge=[PERFECT])
    assert whole.answer.confidence.badge is Badge.HIGH


async def test_a_redraft_is_told_which_words_are_not_covered() -> None:
    """By the number of the claim, as data."""
    partly = judged(0.6, decision="RETRY: too much", but=[unsupported(1, "partly", "in Bavaria")])
    model = ScriptedModel(
        answer=[answers(CASH, also=[SURE]), answers(CASH, LIMIT)], judge=[partly, judged(0.95)]
    )
    run = await make_world().run(factory_of(model))
    assert run.answer.outcome is Outcome.ANSWERED
    assert '"words": "in Bavaria"' in str(model.bodies()[1]["messages"][-1]["content"][1]["text"])


# An unmeasured formula and a judge


@pytest.mark.parametrize("lowest", [0.7, 0.75, 0.8])
async def test_what_the_judge_approves_is_not_outvoted(lowest: float) -> None:
    """Verified, approved and FINAL: at least Medium, whatever coefficients that nobody measured."""
    run = await _run(answers(CASH, also=[SURE]), judge=[judged(lowest)])
    assert run.answer.outcome is Outcome.ANSWERED
    assert run.answer.confidence.badge is Badge.MEDIUM
    assert run.answer.confidence.calibrated
    assert run.answer.confidence.calibrated >= MEDIUM


async def test_what_code_dropped_does_not_outvote_the_judge_either() -> None:
    """One of two claims was dropped; the judge approved what is left."""
    run = await _run(answers(CASH, FALSE, also=[SURE]), judge=[judged(0.7)])
    assert [claim.text for claim in run.answer.claims] == [CASH]


@pytest.mark.parametrize("given", [{"completeness": 0.65}, {"relevance": 0.69}])
async def test_one_score_below_is_low_whatever_the_others(given: dict[str, Any]) -> None:
    """The formula alone would have let some of these pass."""
    low = judged(1.0, **given)
    run = await _run(answers(CASH, also=[SURE]), answers(CASH), judge=[low, low])
    assert run.answer.outcome is Outcome.REFUSED
