"""The gate, sentence by sentence, through the whole pipeline."""

from typing import Any

import pytest

from core.adapters.anthropic.dialogue import tool_loop, turn_texts
from core.agent.prompts import ANSWER, ANSWER_GRAPH_ONLY
from core.domain.answer import Outcome
from core.domain.run import Run, RunLimits
from tests.fakes import InMemoryCorpus, InMemorySearch, Policy
from tests.servers.anthropic_steps import reply, search_results, tool_use
from tests.unit.agent.world import CASH, GIFTS, LIMIT, REPORTING, World, make_world
from tests.unit.anthropic.scripted import (
    Body,
    ScriptedModel,
    answers,
    factory_of,
    reported,
)

LOOKS_UP = tool_use("search_entities", {"query": "gift register"})
THRESHOLD = RunLimits().gate_threshold


def _without_chunks() -> World:
    corpus = InMemoryCorpus(GIFTS, REPORTING, chunked=False)
    return World(corpus=corpus, search=InMemorySearch(corpus), limits=RunLimits())


async def _run(model: ScriptedModel, world: World | None = None, *, use_rag: bool = True) -> Run:
    return await (world or make_world()).run(factory_of(model), use_rag=use_rag)


def _tools(body: Body) -> list[str]:
    return [tool["name"] for tool in body["tools"]]


def _last_turn(body: Body) -> list[dict[str, Any]]:
    return body["messages"][-1]["content"]


def _words(blocks: list[dict[str, Any]]) -> str:
    return "\n".join(block["text"] for block in blocks if block["type"] == "text")


def _result(body: Body, number: int = 0) -> str:
    """Return what a tool result of the last turn says."""
    results = [block for block in _last_turn(body) if block["type"] == "tool_result"]
    return "\n".join(one["text"] for one in results[number]["content"] if one["type"] == "text")


@pytest.mark.parametrize("score", [THRESHOLD, 0.9, 1])
async def test_at_or_above_the_threshold_the_answer_rests_on_the_ontology_alone(
    score: float,
) -> None:
    """No chunk is handed over, and one call answers."""
    model = ScriptedModel(answer=[answers(CASH, also=[reported(score)])])
    run = await _run(model)
    assert (run.answer.outcome, run.used_rag, run.chunks_used) == (Outcome.ANSWERED, False, ())
    assert run.gate
    assert not run.gate.retrieve
    assert len(model.bodies()) == 1
    assert all(item.kind == "finding" for item in run.evidence.items)


async def test_a_sufficient_score_without_an_answer_is_followed_by_one() -> None:
    """The model is told that the findings suffice, and answers without tools."""
    model = ScriptedModel(answer=[reply(reported(0.9)), answers(CASH)])
    run = await _run(model)
    assert (run.answer.outcome, run.used_rag) == (Outcome.ANSWERED, False)
    body = model.bodies()[1]
    assert _result(body) == tool_loop.SUFFICES
    assert body["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize("score", [0, 0.5, 0.8499])
async def test_below_the_threshold_chunks_are_retrieved_and_given(score: float) -> None:
    """The chunks of the search are in the next turn, as sources that can be cited."""
    model = ScriptedModel(answer=[reply(reported(score)), answers(CASH)])
    run = await _run(model)
    assert run.used_rag
    assert run.gate
    assert (run.gate.retrieve, run.gate.score) == (True, score)
    first, second = model.bodies()
    assert "Every gift must be entered" in str(search_results(second)[len(search_results(first)) :])
    assert all(one["citations"] == {"enabled": True} for one in search_results(second))


async def test_at_most_five_chunks_are_given() -> None:
    """The five best of the search."""
    sections = "".join(f"## {n} Gift {n}\nGift {n} must be registered.\n\n" for n in range(1, 10))
    policy = Policy(key="gifts", title="Gifts Policy", text=f"# Gifts\n\n{sections}")
    model = ScriptedModel(answer=[reply(reported(0.2)), reply("MISSING: cash"), reply("-")])
    world = make_world(policy)
    run = await _run(model, world)
    assert world.search.requests[0].limit == RunLimits().retrieval_depth == 5
    assert len(run.chunks_used) <= 8
    given = [block for block in _last_turn(model.bodies()[1]) if block["type"] == "search_result"]
    assert len(given) == 5


async def test_with_the_chunks_comes_a_summary_of_all_findings_so_far() -> None:
    """Those that were read ahead, and those that a tool brought."""
    model = ScriptedModel(answer=[reply(LOOKS_UP, reported(0.4, "no rule on cash")), answers(CASH)])
    await _run(model)
    words = _words(_last_turn(model.bodies()[1]))
    summary = words.partition("<findings_so_far>")[2].partition("</findings_so_far>")[0]
    assert CASH in summary
    assert "The Compliance Officer must check the register" in summary
    assert "no rule on cash" in summary


async def test_the_draft_must_use_findings_and_chunks() -> None:
    """So the model is told, and that the document prevails and a conflict is said."""
    model = ScriptedModel(answer=[reply(reported(0.4)), answers(CASH)])
    await _run(model)
    words = _words(_last_turn(model.bodies()[1]))
    assert turn_texts.USE_BOTH in words
    for rule in ("using both", "the passage prevails", "they conflict, citing both"):
        assert rule in turn_texts.USE_BOTH
    assert "the passage prevails" in ANSWER.text


async def test_results_and_chunks_travel_in_one_turn() -> None:
    """A low score with tool calls beside it costs no round trip more than one without."""
    model = ScriptedModel(answer=[reply(LOOKS_UP, reported(0.3)), answers(CASH)])
    run = await _run(model)
    assert run.budget.model_calls == 4
    kinds = [block["type"] for block in _last_turn(model.bodies()[1])]
    assert kinds[:2] == ["tool_result", "tool_result"]
    assert "search_result" in kinds[2:]
    assert _result(model.bodies()[1], 1) == tool_loop.FOLLOW


async def test_chunks_wait_until_the_gate_asks() -> None:
    """The first turn has findings alone, although the search has already begun."""
    world = make_world()
    model = ScriptedModel(answer=[answers(CASH, also=[reported(0.9)])])
    await _run(model, world)
    shown = [block["text"] for one in search_results(model.bodies()[0]) for block in one["content"]]
    assert CASH in shown
    assert all("\n\n" not in text for text in shown)


async def test_the_first_low_score_triggers_and_later_ones_change_nothing() -> None:
    """A high one behind it takes nothing back; both are recorded, in order."""
    model = ScriptedModel(answer=[reply(reported(0.3), reported(0.95)), answers(CASH)])
    run = await _run(model)
    assert run.exploration
    assert run.exploration.reported_confidence == 0.3
    assert run.exploration.later_confidences == (0.95,)
    assert run.gate
    assert (run.gate.retrieve, run.gate.score) == (True, 0.3)
    assert run.budget.retrieval_rounds == 1
    assert _result(model.bodies()[1], 1) == tool_loop.CHANGES_NOTHING


async def test_a_low_score_behind_a_high_one_is_the_first_low_one() -> None:
    """A model that goes on exploring may come to doubt."""
    model = ScriptedModel(
        answer=[reply(LOOKS_UP, reported(0.9)), reply(reported(0.4)), answers(CASH)]
    )
    run = await _run(model)
    assert run.gate
    assert (run.gate.retrieve, run.gate.score) == (True, 0.4)


@pytest.mark.parametrize("wrong", [1.5, -0.1, "0.9", "NaN", None, True])
async def test_a_score_out_of_range_is_an_error_that_the_model_can_mend(wrong: Any) -> None:
    """It is not counted, and the model is told what a score is."""
    model = ScriptedModel(answer=[reply(reported(wrong)), answers(CASH, also=[reported(0.9)])])
    run = await _run(model)
    (result,) = _last_turn(model.bodies()[1])
    assert result["is_error"]
    assert "number from 0 to 1" in str(result["content"])
    assert run.exploration
    assert (run.exploration.reported_confidence, run.used_rag) == (0.9, False)


async def test_a_score_that_is_never_valid_is_an_absent_one() -> None:
    """With an answer beside it nobody asks again: the gate treats it as below."""
    model = ScriptedModel(answer=[answers(CASH, also=[reported(7)]), answers(CASH)])
    run = await _run(model)
    assert run.exploration
    assert run.exploration.reported_confidence is None
    assert run.used_rag


async def test_without_a_score_the_gate_retrieves() -> None:
    """An answer without `emit_confidence` is asked for again, with the chunks."""
    model = ScriptedModel(answer=[answers(CASH), answers(CASH, LIMIT)])
    run = await _run(model)
    assert run.gate
    assert (run.gate.score, run.gate.retrieve) == (None, True)
    assert [claim.text for claim in run.answer.claims] == [CASH, LIMIT]


async def test_without_chunks_nothing_is_retrieved_and_the_model_is_told() -> None:
    """At the beginning, and by the result of its low score."""
    world = _without_chunks()
    model = ScriptedModel(answer=[reply(reported(0.2)), answers(CASH)])
    run = await _run(model, world)
    assert (world.search.requests, run.used_rag, run.budget.retrieval_rounds) == ([], False, 0)
    first, second = model.bodies()
    assert turn_texts.NO_CHUNKS in _words(_last_turn(first))
    assert _result(second) == tool_loop.NO_DOCUMENTS
    assert run.answer.outcome is Outcome.ANSWERED


async def test_without_chunks_a_low_score_does_not_end_exploring() -> None:
    """Nothing else will come, so the model is given what its tools found, and may call more."""
    script = [reply(LOOKS_UP, reported(0.2)), reply(LOOKS_UP), answers(CASH)]
    model = ScriptedModel(answer=script)
    run = await _run(model, _without_chunks())
    assert [body.get("tool_choice") for body in model.bodies()] == [None, None, None]
    assert (run.answer.outcome, run.budget.tool_calls) == (Outcome.ANSWERED, 2)


async def test_without_chunks_an_answer_beside_a_low_score_stands() -> None:
    """The model knew that nothing would follow, so it is not asked again."""
    model = ScriptedModel(answer=[answers(CASH, also=[reported(0.2)])])
    run = await _run(model, _without_chunks())
    assert run.answer.outcome is Outcome.ANSWERED
    assert len(model.bodies()) == 1


async def test_graph_only_offers_no_confidence_and_uses_its_own_prompt() -> None:
    """Neither tool nor words of a gate."""
    model = ScriptedModel(answer=[answers(CASH)])
    run = await _run(model, use_rag=False)
    (body,) = model.bodies()
    assert "emit_confidence" not in _tools(body)
    assert body["system"][0]["text"] == ANSWER_GRAPH_ONLY.text
    assert "emit_confidence" not in str(body)
    assert run.exploration
    assert (run.exploration.reported_confidence, run.used_rag) == (None, False)
    assert run.answer.outcome is Outcome.ANSWERED


async def test_with_retrieval_confidence_is_offered_and_the_prompt_tells_of_it() -> None:
    """The other way round."""
    model = ScriptedModel(answer=[answers(CASH, also=[reported(0.9)])])
    await _run(model)
    (body,) = model.bodies()
    assert "emit_confidence" in _tools(body)
    assert body["system"][0]["text"] == ANSWER.text


async def test_graph_only_refuses_a_confidence_that_was_not_offered() -> None:
    """A model that calls it all the same is told that there is no such tool."""
    model = ScriptedModel(answer=[reply(reported(0.1)), answers(CASH)])
    run = await _run(model, use_rag=False)
    assert run.exploration
    assert run.exploration.reported_confidence is None
    assert "no tool 'emit_confidence'" in _result(model.bodies()[1])
    assert (run.used_rag, run.answer.outcome) == (False, Outcome.ANSWERED)


@pytest.mark.parametrize(
    "script",
    [
        [answers(CASH)],
        [reply(LOOKS_UP), answers(CASH)],
        [reply(reported(0.1)), answers(CASH)],
        [reply("MISSING: cash"), reply("MISSING: cash")],
    ],
    ids=["answers", "explores", "reports", "finds nothing"],
)
async def test_graph_only_sends_what_a_build_without_chunks_sends(script: list[Any]) -> None:
    """The same requests, byte for byte, whether there are chunks or not."""
    sent: list[list[bytes]] = []
    for world in (make_world(GIFTS, REPORTING), _without_chunks()):
        model = ScriptedModel(answer=list(script))
        run = await _run(model, world, use_rag=False)
        assert world.search.requests == []
        assert run.budget.retrieval_rounds == 0
        sent.append([request.sha256() for request in model.requests])
    assert sent[0] == sent[1]
    assert sent[0]
