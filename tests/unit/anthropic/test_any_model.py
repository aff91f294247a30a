"""Whatever a model does: the run ends, within its budget, and shows only what is stored."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.adapters.anthropic.reasoner import DECLINED
from core.agent.fallback import AbandonedError
from core.domain.answer import Outcome
from core.domain.run import Run, RunLimits
from tests.properties import examples
from tests.servers.anthropic_steps import Block, Reply, cited, reply, search_results, text, tool_use
from tests.unit.agent.world import CASH, GIFTS, LIMIT, REGISTER, REPORTING, make_world
from tests.unit.anthropic.scripted import (
    Body,
    ScriptedModel,
    Step,
    factory_of,
    judged,
    mark_of,
    place_of,
)

SENTENCES = (
    CASH,
    LIMIT,
    REGISTER,
    "Employees may accept cash.",
    "Gifts worth EUR 500 are fine.",
    "So it is.",
    "CONFLICT",
    "MISSING: all",
    "ASK: country | Which country? | Germany | France",
    "- an item:",
    "",
)
TOOLS = (
    "search_entities",
    "get_entity",
    "compare",
    "make_plan",
    "emit_confidence",
    "submit_critique",
    "submit_judgement",
    "no_such_tool",
)
ARGUMENTS: tuple[Any, ...] = (
    {},
    {"query": "cash"},
    {"id": "role:employees"},
    {"topic_a": "gifts", "topic_b": "cash"},
    {"score": 0.2, "reasoning": ""},
    {"score": 0.95, "reasoning": ""},
    {"score": 9, "reasoning": None},
    {"intent": "role", "need_clarification": False, "tools": ["compare"]},
    {"intent": "role", "need_clarification": True, "clarification_question": "Which gift?"},
    {"refine": True, "issues": ["more"]},
    {
        "claims": [{"claim": 1, "support": "supported"}],
        "faithfulness": 0.95,
        "relevance": 0.95,
        "completeness": 0.95,
        "verdict": "approve",
        "decision": "FINAL",
    },
    {"faithfulness": 3, "relevance": 1, "completeness": 1, "verdict": "approve", "decision": "x"},
    "no object",
    [1],
)
STOPS = (None,) * 12 + ("max_tokens", "refusal", "pause_turn", "something_new")
PLACES = st.tuples(st.integers(0, 12), st.integers(0, 2), st.integers(1, 3))
RIGHTLY = "rightly"
"""Stands for the place at which a sentence is said."""


def _line(words: str) -> Block:
    return text(f"{words}\n")


def _cited(words: str, place: tuple[int, int, int] | str) -> Block:
    return {"type": "text", "text": f"{words} ", "citations": [place], "says": None}


def _reply(blocks: list[Block], stop_reason: str | None) -> Callable[[Body], Reply]:
    def step(body: Body) -> Reply:
        return reply(*(_placed(block, body) for block in blocks), stop_reason=stop_reason)

    return step


def _placed(block: Block, body: Body) -> Block:
    if block.get("citations") != [RIGHTLY]:
        return block
    words = block["text"].strip()
    try:
        if search_results(body):
            return block | {"citations": [place_of(body, words)]}
        return text(f"{words} [c{mark_of(body, words)}] ")
    except AssertionError:  # it was not shown
        return text(block["text"])


TRUE = st.builds(_cited, st.sampled_from((CASH, LIMIT, REGISTER)), st.just(RIGHTLY))
SURE = st.just(tool_use("emit_confidence", {"score": 0.95, "reasoning": ""}))
BLOCKS = st.one_of(
    TRUE,
    TRUE,
    TRUE,
    SURE,
    st.builds(_line, st.sampled_from(SENTENCES)),
    st.builds(_cited, st.sampled_from(SENTENCES), PLACES),
    st.builds(tool_use, st.sampled_from(TOOLS), st.sampled_from(ARGUMENTS)),
)


def _good(said: list[Block], ends: list[Block]) -> Callable[[Body], Reply]:
    return _reply([*said, *ends], None)


GOOD = st.builds(
    _good,
    st.lists(TRUE, min_size=1, max_size=3),
    st.lists(SURE, max_size=1),
)
REPLIES = st.one_of(
    GOOD, st.builds(_reply, st.lists(BLOCKS, min_size=1, max_size=4), st.sampled_from(STOPS))
)
STEPS = st.lists(REPLIES, min_size=8, max_size=8)
JUDGEMENTS = st.lists(
    st.one_of(
        st.sampled_from((judged(0.95), judged(0.9), judged(0.8, decision="RETRY: more"))), REPLIES
    ),
    min_size=8,
    max_size=8,
)


async def _ended(model: ScriptedModel, *, use_rag: bool, is_native: bool) -> Run | None:
    try:
        return await make_world(GIFTS, REPORTING).run(
            factory_of(model, is_native=is_native), use_rag=use_rag
        )
    except AbandonedError as error:
        if DECLINED not in str(error):  # only a model that declines abandons such a run
            raise
        return None


@given(
    answer=STEPS, critique=STEPS, judge=JUDGEMENTS, use_rag=st.booleans(), is_native=st.booleans()
)
@examples(120)
async def test_a_run_ends_within_its_budget_and_shows_only_what_is_stored(
    answer: list[Step],
    critique: list[Step],
    judge: list[Step],
    use_rag: bool,
    is_native: bool,
) -> None:
    """Requests are such as the API takes, whatever came before them."""
    model = ScriptedModel(answer=answer, critique=critique, judge=judge)
    run = await _ended(model, use_rag=use_rag, is_native=is_native)
    if run is None:
        return
    assert run.budget.model_calls <= RunLimits().model_calls
    assert run.budget.steps <= RunLimits().steps
    assert run.answer.outcome in set(Outcome) - {Outcome.FAILED, Outcome.IGNORED}
    assert run.used_rag <= use_rag
    stored = GIFTS.text + REPORTING.text
    assert all(one.quote in stored for one in run.answer.citations)
    for claim in run.answer.claims:
        assert claim.numbers
        assert "500" not in claim.text
        assert claim.text != "Employees may accept cash."


@given(steps=STEPS)
@examples(30)
async def test_the_same_model_gives_the_same_run(steps: list[Step]) -> None:
    """Requests and answer, byte for byte."""
    seen: list[tuple[list[bytes], Any]] = []
    for _ in range(2):
        model = ScriptedModel(answer=steps, critique=steps, judge=steps)
        run = await _ended(model, use_rag=True, is_native=True)
        seen.append(([one.sha256() for one in model.requests], run and run.answer))
    assert seen[0] == seen[1]


def _everything_cited(body: Body) -> Reply:
    """Cite every source for a falsehood."""
    results = search_results(body)
    places = [(number, 0, 1) for number in range(len(results))]
    return reply(cited("Employees may accept gifts worth up to EUR 5,000.", *places))


async def test_citing_everything_supports_nothing() -> None:
    """A figure must stand in some source, however many are cited."""
    steps: list[Step] = [_everything_cited, _everything_cited, _everything_cited]
    run = await make_world().run(factory_of(ScriptedModel(answer=steps)))
    assert run.answer.outcome is Outcome.REFUSED
