"""The course of a run: tools, turns, and every way in which a model fails to bring it to an end."""

import json
from typing import Any

import pytest

from core.adapters.anthropic.dialogue import turn_texts
from core.agent.fallback import AbandonedError
from core.agent.pipeline import Pipeline
from core.agent.request import PipelineParts, Task
from core.agent.stages.review import NOT_CRITICISED
from core.domain.answer import Decision, NotJudged, Outcome
from core.domain.errors import ContractError, ModelUnavailableError
from core.domain.question import Turn
from core.domain.run import Clarification, Plan, Run, RunLimits
from core.ontology.tools.toolbox import OntologyToolbox
from core.retrieval.retriever import Retriever
from tests.factories import make_question, make_scope
from tests.fakes import FixedClock, InMemoryOntology, Policy
from tests.servers.anthropic_steps import Block, Reply, cited, reply, search_results, text, tool_use
from tests.unit.agent.world import CASH, LIMIT, REGISTER, make_world
from tests.unit.anthropic.scripted import (
    Body,
    ScriptedModel,
    Step,
    answers,
    criticised,
    factory_of,
    judged,
    mark_of,
    place_of,
    reported,
)

SURE = reported(0.95)
LOOKS_UP = tool_use("search_entities", {"query": "gift register"})
CHECKED = "The Compliance Officer must check the register each month."


async def _run(model: ScriptedModel, *, limits: RunLimits | None = None, **given: Any) -> Run:
    """Run without a fallback: what abandons a run is raised."""
    world = make_world(limits=limits)
    scope = make_scope()
    knowledge = await InMemoryOntology(world.corpus).open(scope)
    bounds = limits or RunLimits()
    pipeline = Pipeline(
        PipelineParts(
            reasoner=factory_of(model),
            corpus=world.corpus,
            retriever=Retriever(world.search, None),
            clock=FixedClock(),
            limits=bounds,
        )
    )
    return await pipeline.run(
        Task(
            question=make_question(given.pop("text", "May I accept cash?"), scope=scope, **given),
            knowledge=knowledge,
            tools=lambda: OntologyToolbox(knowledge.lookup, max_calls=bounds.tool_calls),
        )
    )


def _results(body: Body) -> list[dict[str, Any]]:
    return [one for one in body["messages"][-1]["content"] if one["type"] == "tool_result"]


async def test_one_turn_may_plan_explore_report_and_answer() -> None:
    """Two round trips for an answer: this one, and critic and judge together."""
    plan = tool_use("make_plan", {"intent": "permission", "need_clarification": False})
    model = ScriptedModel(answer=[answers(CASH, also=[plan, SURE])])
    run = await _run(model)
    assert run.answer.outcome is Outcome.ANSWERED
    assert (run.budget.model_calls, run.budget.steps) == (3, 1)
    assert [call.purpose for call in run.model_calls] == ["answer", "critique", "judge"]
    assert run.model_calls[0].prompt == "answer/3"
    assert run.reasoner == "claude-sonnet-5-5/answer-3"


async def test_calls_of_one_turn_are_answered_in_one_turn_in_order() -> None:
    """Each exactly once, whatever it is."""
    uses: list[Block] = [
        tool_use("get_graph_summary", {}, use_id="a"),
        tool_use("no_such_tool", {}, use_id="b"),
        tool_use("get_entity", {"id": 3}, use_id="c"),
        tool_use("search_entities", "not an object", use_id="d"),
        tool_use("make_plan", {"intent": "role", "need_clarification": False}, use_id="e"),
    ]
    model = ScriptedModel(answer=[reply(*uses), answers(CASH, also=[SURE])])
    run = await _run(model)
    results = _results(model.bodies()[1])
    assert [one["tool_use_id"] for one in results] == ["a", "b", "c", "d", "e"]
    assert [bool(one.get("is_error")) for one in results] == [False, True, True, True, False]
    assert run.exploration
    assert [call.tool for call in run.exploration.calls] == (
        ["get_graph_summary", "no_such_tool", "get_entity"]
    )
    assert isinstance(run.plan, Plan)
    assert run.plan.tools == ("get_graph_summary", "search_entities", "get_entity")
    assert run.plan.intent == "role"


async def test_what_a_tool_finds_can_be_cited() -> None:
    """Its evidence is shown as sources, and is among the findings of the run."""
    found = tool_use("search_entities", {"query": "compliance officer check monthly"})
    model = ScriptedModel(answer=[reply(found), answers(CHECKED, also=[SURE])])
    run = await _run(model, text="May I take money from a vendor?")
    assert [claim.text for claim in run.answer.claims] == [CHECKED]
    shown = str(_results(model.bodies()[1])[0])
    assert "'type': 'search_result'" in shown
    assert CHECKED in shown


async def test_no_source_is_shown_twice() -> None:
    """A tool that finds what was read ahead, and a chunk that came before."""
    model = ScriptedModel(
        answer=[reply(LOOKS_UP, LOOKS_UP), reply(LOOKS_UP, reported(0.2)), answers(CASH)],
    )
    await _run(model)
    shown = [str(one["content"]) for one in search_results(model.bodies()[-1])]
    assert len(shown) == len(set(shown))


async def test_what_a_tool_says_does_not_repeat_its_evidence() -> None:
    """Facts by id and name; the words of the policy are in the sources."""
    model = ScriptedModel(answer=[reply(LOOKS_UP), answers(CASH, also=[SURE])])
    await _run(model)
    (result,) = _results(model.bodies()[1])
    facts = json.loads(result["content"][0]["text"].split("\n")[1])
    named = {name for entity in facts["entities"] for name in entity}
    assert {"id", "type", "name"} <= named
    assert "description" not in named
    assert all(len(entity["name"]) <= 90 for entity in facts["entities"])
    assert "sentence" not in str(facts)


async def test_headings_are_no_findings() -> None:
    """Policies and sections state nothing that an answer could rest on."""
    model = ScriptedModel(
        answer=[reply(tool_use("get_graph_summary", {})), answers(CASH, also=[SURE])]
    )
    run = await _run(model)
    assert all(not item.text.startswith("#") for item in run.evidence.items)


async def test_a_question_back_ends_the_run_before_any_tool_runs() -> None:
    """Also where the model calls tools in the same turn."""
    ask = tool_use(
        "make_plan",
        {
            "intent": "threshold",
            "need_clarification": True,
            "clarification_question": "Which gift do you mean?",
            "slot": "referent",
            "options": ["a pen", "a watch"],
        },
    )
    run = await _run(ScriptedModel(answer=[reply(ask, LOOKS_UP)]))
    assert run.plan == Clarification(
        intent="threshold",
        question="Which gift do you mean?",
        slot="referent",
        options=("a pen", "a watch"),
    )
    assert (run.budget.tool_calls, run.budget.retrieval_rounds) == (0, 0)
    assert run.answer.outcome is Outcome.CLARIFICATION


async def test_a_question_back_that_states_something_is_refused() -> None:
    """The model is told why, and answers."""
    ask = tool_use(
        "make_plan",
        {
            "intent": "threshold",
            "need_clarification": True,
            "clarification_question": "Gifts up to EUR 900 are fine; is yours?",
        },
    )
    model = ScriptedModel(answer=[reply(ask), answers(CASH, also=[SURE])])
    run = await _run(model)
    assert run.answer.outcome is Outcome.ANSWERED
    assert _results(model.bodies()[1])[0]["is_error"]


@pytest.mark.parametrize(
    ("outcomes", "is_told"),
    [
        ([], False),
        (["clarification"], False),
        (["clarification", "clarification"], True),
        (["clarification", "answered", "clarification"], False),
    ],
)
async def test_a_model_that_has_asked_twice_is_told_not_to(
    outcomes: list[str], is_told: bool
) -> None:
    """A third question back would end in a refusal."""
    history = tuple(Turn(question="?", outcome=one, answer="Which gift?") for one in outcomes)
    model = ScriptedModel(answer=[answers(CASH, also=[SURE])])
    await _run(model, history=history)
    assert (turn_texts.ASKED_ENOUGH in str(model.bodies())) is is_told


async def test_an_unknown_intent_is_general() -> None:
    """What a model calls a question decides nothing."""
    plan = tool_use("make_plan", {"intent": "cash", "need_clarification": False})
    run = await _run(ScriptedModel(answer=[answers(CASH, also=[plan, SURE])]))
    assert isinstance(run.plan, Plan)
    assert run.plan.intent == "general"


async def test_a_report_that_the_rules_missed_is_passed_on() -> None:
    """A model that recognises one may say so; nothing is answered."""
    plan = tool_use("make_plan", {"intent": "report", "need_clarification": False})
    run = await _run(ScriptedModel(answer=[answers(CASH, also=[plan, SURE])]))
    assert run.answer.outcome is Outcome.ESCALATED


async def test_earlier_turns_are_told_but_for_reports() -> None:
    """The thread counts; what somebody reported in it is not sent."""
    history = (
        Turn(question="May I accept gifts?", outcome="answered", answer="Up to EUR 50."),
        Turn(question="My boss Dave harasses me.", outcome="escalated", answer="Speak up."),
    )
    model = ScriptedModel(answer=[answers(CASH, also=[SURE])])
    await _run(model, text="And may I accept cash?", history=history)
    sent = str(model.bodies())
    assert "May I accept gifts?" in sent
    assert "Dave" not in sent


# What does not come to an end by itself


async def test_a_model_that_never_stops_calling_tools_is_stopped() -> None:
    """Calls for the answer, its review and a redraft are left, and it is told to answer."""
    model = ScriptedModel(answer=[reply(LOOKS_UP)] * 3 + [answers(CASH)])
    run = await _run(model)
    assert run.answer.outcome is Outcome.ANSWERED
    assert run.budget.model_calls == 6
    assert model.bodies()[-1]["tool_choice"] == {"type": "none"}


async def test_a_model_that_calls_tools_to_the_very_end_is_refused() -> None:
    """Also where it may not: what it calls in its last turn is not run."""
    model = ScriptedModel(answer=[reply(LOOKS_UP)] * 8)
    run = await _run(model)
    assert run.answer.outcome is Outcome.REFUSED
    assert run.budget.model_calls <= RunLimits().model_calls


async def test_calls_beyond_the_limit_of_tools_are_errors() -> None:
    """The model is told, and the run goes on."""
    model = ScriptedModel(answer=[reply(*[LOOKS_UP] * 5), answers(CASH, also=[SURE])])
    run = await _run(model, limits=RunLimits(tool_calls=2))
    results = _results(model.bodies()[1])
    assert [bool(one.get("is_error")) for one in results] == [False, False, True, True, True]
    assert run.budget.tool_calls == 2


@pytest.mark.parametrize("nothing", [reply(), reply(" \n "), reply("I will look into it.")])
async def test_a_model_that_says_nothing_is_asked_once_more_and_then_refused(
    nothing: Reply,
) -> None:
    """First with the chunks, then as a retry."""
    model = ScriptedModel(answer=[nothing] * 3)
    run = await _run(model)
    assert run.answer.outcome is Outcome.REFUSED
    assert len(model.bodies()) == 3


async def test_a_reply_that_was_cut_loses_its_last_sentence() -> None:
    """What may lack its "not" is not shown; the rest is."""

    def step(body: Body) -> Reply:
        said = [cited(f"{CASH} ", place_of(body, CASH)), cited("Gifts may", place_of(body, LIMIT))]
        return reply(*said, stop_reason="max_tokens")

    run = await _run(ScriptedModel(answer=[reply(SURE), step]))
    assert [claim.text for claim in run.answer.claims] == [CASH]


@pytest.mark.parametrize("stop_reason", ["pause_turn", "model_context_window_exceeded", "new"])
async def test_any_other_stop_reason_ends_the_turn(stop_reason: str) -> None:
    """Without an answer it is asked for."""
    model = ScriptedModel(answer=[reply("So", stop_reason=stop_reason), answers(CASH)])
    assert (await _run(model)).answer.outcome is Outcome.ANSWERED


async def test_a_model_that_declines_leaves_the_run_to_the_fallback() -> None:
    """Quoted policies serve the asker better than a model's refusal."""
    with pytest.raises(AbandonedError, match="declined"):
        await _run(ScriptedModel(answer=[reply("No.", stop_reason="refusal")]))


@pytest.mark.parametrize(
    "error", [ModelUnavailableError("overloaded"), ContractError("no message")]
)
@pytest.mark.parametrize("at", [0, 1])
async def test_a_model_that_fails_before_there_is_a_draft_leaves_the_run(
    error: Exception, at: int
) -> None:
    """In the first call, and in that for the draft."""
    steps: list[Step] = [reply(reported(0.2)), answers(CASH)]
    steps[at] = error
    with pytest.raises(AbandonedError, match=str(error)):
        await _run(ScriptedModel(answer=steps))


async def test_a_judge_that_fails_leaves_the_run() -> None:
    """A draft that nobody judged is not shown."""
    model = ScriptedModel(
        answer=[answers(CASH, also=[SURE])], judge=[ModelUnavailableError("down")]
    )
    with pytest.raises(AbandonedError, match="down"):
        await _run(model)


async def test_a_retry_that_fails_leaves_the_first_draft() -> None:
    """It was verified and judged, and may still be good enough."""
    model = ScriptedModel(
        answer=[answers(CASH, also=[SURE]), ModelUnavailableError("down")],
        critique=[criticised("more", refine=True)],
    )
    run = await _run(model)
    assert run.answer.outcome is Outcome.ANSWERED
    assert [claim.text for claim in run.answer.claims] == [CASH]
    assert run.attempts[0].decision is Decision.RETRY


async def test_without_budget_for_the_judge_nothing_is_judged() -> None:
    """It is no failure of the model, so there is no fallback; and no approval either."""
    model = ScriptedModel(answer=[answers(CASH, also=[SURE])])
    run = await _run(model, limits=RunLimits(model_calls=1, max_attempts=1))
    assert run.answer.outcome is Outcome.REFUSED
    assert isinstance(run.attempts[0].judgement, NotJudged)
    assert "budget" in run.attempts[0].judgement.reason


async def test_the_last_call_is_the_judges() -> None:
    """The critic approves nothing: where one call is left, it is not the one that is made."""
    model = ScriptedModel(answer=[answers(CASH, also=[SURE])], critique=[])
    run = await _run(model, limits=RunLimits(model_calls=2, max_attempts=1))
    assert run.answer.outcome is Outcome.ANSWERED
    assert run.attempts[0].critique == NOT_CRITICISED


async def test_a_redraft_is_reserved() -> None:
    """However long the model explores, a draft that the judge sends back can be mended."""
    model = ScriptedModel(
        answer=[*[reply(LOOKS_UP)] * 3, answers(CASH), answers(CASH, LIMIT)],
        judge=[judged(0.7, decision="RETRY: the limit is missing"), judged(0.95)],
    )
    run = await _run(model)
    assert [claim.text for claim in run.answer.claims] == [CASH, LIMIT]
    assert run.budget.model_calls == RunLimits().model_calls


# A better draft


async def test_a_retry_is_told_what_was_wrong() -> None:
    """Failed checks, the critic's issues, the judge's reason; and the evidence that is new."""
    model = ScriptedModel(
        answer=[
            reply(reported(0.2)),
            answers(CASH, ("Employees may accept gifts worth up to EUR 70.", LIMIT)),
            answers(CASH, LIMIT),
        ],
        critique=[criticised("claim 1 is too short"), criticised()],
        judge=[judged(0.7, decision="RETRY: the register is missing"), judged(0.95)],
    )
    run = await _run(model, limits=RunLimits(retrieval_depth=1, retry_depth=3))
    assert run.answer.outcome is Outcome.ANSWERED
    last = model.bodies()[-1]["messages"][-1]["content"]
    words = "\n".join(one["text"] for one in last if one["type"] == "text")
    for said in ("EUR 70", "claim 1 is too short", "the register is missing", turn_texts.BETTER):
        assert said in words
    assert REGISTER in str([one for one in last if one["type"] == "search_result"])


async def test_a_retry_may_cite_what_an_earlier_search_found() -> None:
    """The model has been shown it, so it is still among the evidence."""
    policies = [
        Policy(
            key=key, title=f"{key.title()} Policy", text=f"# {key.title()}\n\n## 1 Rule\n{rule}\n"
        )
        for key, rule in (("cash", CASH), ("drones", "Drones must be registered."))
    ]
    world = make_world(*policies, limits=RunLimits(retrieval_depth=1, retry_depth=1))
    model = ScriptedModel(
        answer=[
            reply(reported(0.1)),
            reply("MISSING: drones registered flight"),
            answers(CASH, "Drones must be registered."),
        ]
    )
    run = await world.run(factory_of(model), text="Cash?")
    assert [request.text for request in world.search.requests] == (
        ["Cash?", "Cash? drones registered flight"]
    )
    assert len(run.chunks_used) == 2
    assert run.answer.outcome is Outcome.ANSWERED


async def test_a_retry_answers_the_calls_of_the_turn_before() -> None:
    """A score that was reported beside the answer has its result before anything else is said."""
    model = ScriptedModel(
        answer=[answers(CASH, also=[SURE]), answers(CASH, LIMIT)],
        critique=[criticised("more", refine=True), criticised()],
        judge=[judged(0.9), judged(0.95)],
    )
    await _run(model)
    assert [one["type"] for one in model.bodies()[1]["messages"][-1]["content"]] == (
        ["tool_result", "text", "text"]
    )


async def test_critic_and_judge_see_data_and_are_told_to_call() -> None:
    """Question, evidence and claims in blocks; forced only where the model takes it."""
    model = ScriptedModel(answer=[answers(CASH, also=[SURE])])
    await _run(model)
    (body,) = model.bodies("judge")
    first, second, third, last = body["messages"][0]["content"]
    assert first["text"].startswith("<question>")
    assert CASH in second["text"]
    assert third["text"].startswith("<draft>")
    assert last["text"] == "Call submit_judgement now."
    assert (body["model"], body.get("tool_choice")) == ("claude-haiku-5-5", None)


async def test_reviewers_can_be_forced_to_call() -> None:
    """Where the small model takes it."""
    model = ScriptedModel(answer=[answers(CASH, also=[SURE])])
    await make_world().run(factory_of(model, forces_tools=True))
    for purpose, name in (("critique", "submit_critique"), ("judge", "submit_judgement")):
        (body,) = model.bodies(purpose)
        assert body["tool_choice"] == {"type": "tool", "name": name}


# Marks instead of citations


async def test_marks_take_the_place_of_citations() -> None:
    """Sources are numbered sentences, and nothing in the request needs the other feature."""

    def step(body: Body) -> Reply:
        return reply(text(f"{CASH} [c{mark_of(body, CASH)}]"), SURE)

    model = ScriptedModel(answer=[step])
    run = await make_world().run(factory_of(model, is_native=False))
    assert [claim.text for claim in run.answer.claims] == [CASH]
    assert [one.quote for one in run.answer.citations] == [CASH]
    assert "search_result" not in str(model.bodies())
    assert "cache_control" not in str(model.bodies())


async def test_marks_reach_into_tools_and_chunks() -> None:
    """The numbers go on from turn to turn."""

    def step(body: Body) -> Reply:
        return reply(f"{CASH} [c{mark_of(body, CASH)}] {REGISTER} [c{mark_of(body, REGISTER)}]")

    model = ScriptedModel(answer=[reply(LOOKS_UP, reported(0.1)), step])
    run = await make_world().run(factory_of(model, is_native=False))
    assert [claim.text for claim in run.answer.claims] == [CASH, REGISTER]
    assert run.used_rag


async def test_an_unknown_mark_is_dropped_by_name() -> None:
    """As an invented citation is."""
    model = ScriptedModel(answer=[reply(text(f"{CASH} [c77]"), SURE), reply(f"{CASH} [c78]")])
    run = await make_world().run(factory_of(model, is_native=False))
    assert run.answer.outcome is Outcome.REFUSED
    assert "is not among the evidence" in run.attempts[0].reason
