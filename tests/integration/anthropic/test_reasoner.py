"""The reasoner over HTTP: main paths, the gate, and a repetition that pays for nothing."""

from collections.abc import Sequence
from typing import Any

import pytest

from core.adapters.anthropic.api.composition import ClaudeModels
from core.adapters.anthropic.api.providers import usual_choice
from core.adapters.anthropic.reasoner import AnthropicReasonerFactory
from core.adapters.system import SystemClock
from core.agent.extractive.reasoner import ExtractiveReasoner
from core.agent.fallback import Fallback
from core.agent.pipeline import Pipeline
from core.agent.request import PipelineParts, Task
from core.agent.wording import MODEL_UNAVAILABLE
from core.domain.answer import Outcome
from core.domain.run import Run, RunLimits
from core.ontology.tools.toolbox import OntologyToolbox
from core.ports import ReasonerFactory
from core.retrieval.retriever import Retriever
from tests.factories import make_question, make_scope
from tests.fakes import InMemoryCorpus, InMemoryOntology, InMemorySearch
from tests.integration.anthropic.world import InMemoryCallLog, models_at
from tests.servers.anthropic import anthropic_server, by
from tests.servers.anthropic_steps import (
    Reply,
    Step,
    failure,
    reply,
    search_results,
    thinking,
    tool_use,
)
from tests.unit.agent.world import CASH, GIFTS, LIMIT, REPORTING
from tests.unit.anthropic.scripted import Body, answers, criticised, judged, reported

LOOKS_UP = tool_use("search_entities", {"query": "gift register"})
Steps = Sequence[Any]


def _kind(body: Body) -> str:
    """Return who is asked."""
    names = {tool["name"] for tool in body["tools"]}
    return (
        "critique"
        if "submit_critique" in names
        else ("judge" if "submit_judgement" in names else "answer")
    )


def _script(answer: Steps, *, judge: Steps = (), critique: Steps = ()) -> Any:
    return by(
        _kind,
        {
            "answer": list(answer),
            "judge": list(judge or [judged()]),
            "critique": list(critique or [criticised()]),
        },
    )


async def _run(
    models: ClaudeModels, *, use_rag: bool = True, chunked: bool = True, falls_back: bool = False
) -> Run:
    corpus = InMemoryCorpus(GIFTS, REPORTING, chunked=chunked)
    scope = make_scope()
    knowledge = await InMemoryOntology(corpus).open(scope)
    limits = RunLimits(deadline_s=30.0)

    def pipeline(reasoner: ReasonerFactory) -> Pipeline:
        return Pipeline(
            PipelineParts(
                reasoner=reasoner,
                corpus=corpus,
                retriever=Retriever(InMemorySearch(corpus), None),
                clock=SystemClock(),
                limits=limits,
            )
        )

    factory = AnthropicReasonerFactory(
        models=usual_choice(answer="claude-sonnet-5-5", review="claude-haiku-5-5"),
        calls=lambda context: models.run(context.question.question_id, context.budget),
        capabilities=models.capabilities,
        ahead=ExtractiveReasoner(),
    )
    second = pipeline(ExtractiveReasoner()) if falls_back else None
    return await Fallback(pipeline(factory), second).run(
        Task(
            question=make_question("May I accept cash as a gift?", scope=scope),
            knowledge=knowledge,
            tools=lambda: OntologyToolbox(knowledge.lookup, max_calls=limits.tool_calls),
            use_rag=use_rag,
        )
    )


async def test_one_turn_and_a_review_answer_from_the_ontology(log: InMemoryCallLog) -> None:
    """Thinking is passed over, citations come back as spans, and each call is in the record."""

    def step(body: Body) -> Reply:
        said = answers(CASH, LIMIT, also=[reported(0.95)])(body)
        return reply(thinking("Let me see."), *said.blocks)

    with anthropic_server(_script([step])) as server:
        async with models_at(server, log=log) as models:
            run = await _run(models)
    assert run.answer.outcome is Outcome.ANSWERED
    assert [claim.text for claim in run.answer.claims] == [CASH, LIMIT]
    assert [one.quote for one in run.answer.citations] == [CASH, LIMIT]
    assert not run.used_rag
    assert sorted(call.purpose for call in run.model_calls) == ["answer", "critique", "judge"]
    assert {str(note["purpose"]) for note in log.notes} == {"answer", "critique", "judge"}
    assert run.budget.model_calls == 3


async def test_a_low_score_brings_the_chunks(log: InMemoryCallLog) -> None:
    """Tool results, findings and passages go out in one turn that the API takes."""
    script = _script([reply(thinking("Hm."), LOOKS_UP, reported(0.4)), answers(CASH, LIMIT)])
    with anthropic_server(script) as server:
        async with models_at(server, log=log) as models:
            run = await _run(models)
        first, second, *_ = server.bodies
    assert (run.answer.outcome, run.used_rag) == (Outcome.ANSWERED, True)
    assert len(search_results(second)) > len(search_results(first))
    assert "tool_choice" not in second, "it may look once more"
    assert second["messages"][1]["content"][0]["type"] == "thinking"


@pytest.mark.parametrize("score", [0.85, 0.8499])
async def test_the_gate_opens_below_its_threshold(score: float) -> None:
    """At .85 the ontology suffices; just below it chunks are retrieved."""
    with anthropic_server(_script([reply(reported(score)), answers(CASH)])) as server:
        async with models_at(server) as models:
            run = await _run(models)
    assert run.used_rag is (score < 0.85)
    assert run.answer.outcome is Outcome.ANSWERED


async def test_graph_only_sends_the_same_bytes_with_and_without_chunks() -> None:
    """As they arrive at the server; there is no confidence to emit."""
    sent: list[list[Body]] = []
    for chunked in (True, False):
        with anthropic_server(_script([reply(LOOKS_UP), answers(CASH)])) as server:
            async with models_at(server) as models:
                run = await _run(models, use_rag=False, chunked=chunked)
            sent.append(sorted(server.bodies, key=str))
        assert (run.answer.outcome, run.used_rag) == (Outcome.ANSWERED, False)
    assert sent[0] == sent[1]
    assert "emit_confidence" not in str(sent)


async def test_a_run_that_is_repeated_is_not_paid_for_again(log: InMemoryCallLog) -> None:
    """All its requests are in the record, because they are the same."""
    script = _script([reply(LOOKS_UP, reported(0.4)), answers(CASH, LIMIT)])
    with anthropic_server(script) as server:
        async with models_at(server, log=log) as models:
            first = await _run(models)
            second = await _run(models)
        assert len(server.received) == 4
    assert first.answer == second.answer
    assert all(call.attempts == 0 and call.cost_usd == 0 for call in second.model_calls)


@pytest.mark.parametrize("down", [failure(529, "overloaded_error"), failure(401)])
async def test_without_the_model_policies_are_quoted(down: Step) -> None:
    """The run falls back, and its answer says so."""
    with anthropic_server(_script([down] * 4), leftovers=True) as server:
        async with models_at(server) as models:
            run = await _run(models, falls_back=True)
    assert run.answer.outcome is Outcome.ANSWERED
    assert MODEL_UNAVAILABLE.en in run.answer.notes
    assert run.reasoner == "extractive/2"


async def test_a_malformed_tool_input_goes_back_as_an_error() -> None:
    """What is no JSON is a call with no object for arguments."""
    broken = tool_use("search_entities", '{"query": ')
    with anthropic_server(_script([reply(broken), answers(CASH, also=[reported(0.9)])])) as server:
        async with models_at(server) as models:
            run = await _run(models)
        (result,) = server.bodies[1]["messages"][-1]["content"]
    assert result["is_error"]
    assert run.answer.outcome is Outcome.ANSWERED


async def test_a_huge_reply_ends_in_a_refusal_or_less() -> None:
    """100 kB of uncited text reach nobody."""
    flood = reply("You must pay EUR 900. " * 5_000)
    with anthropic_server(_script([flood] * 3), leftovers=True) as server:
        async with models_at(server) as models:
            run = await _run(models, falls_back=True)
    assert "900" not in run.answer.text
    assert run.answer.outcome is Outcome.REFUSED
