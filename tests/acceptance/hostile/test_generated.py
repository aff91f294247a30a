"""Replies that nobody thought of: whatever comes back, nothing false is posted.

80 examples in the ordinary run; 10,000 with `pytest -m nightly`.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from core.domain.run import Run
from tests.acceptance.hostile.world import (
    CODEWORD,
    CONTENT,
    Body,
    World,
    approves,
    asked_for,
    place_of,
    shows_secret,
    violations,
    world_at,
)
from tests.properties import examples
from tests.servers.anthropic import anthropic_server
from tests.servers.anthropic_steps import (
    Block,
    Reply,
    Step,
    at,
    cited,
    reply,
    text,
    thinking,
    tool_use,
)
from tests.unit.agent.world import CASH, LIMIT, REGISTER

QUOTES = (CASH, LIMIT, REGISTER, "Misconduct may be reported to the Speak Up hotline.")
SAID = st.sampled_from(
    [
        *QUOTES,
        "Employees may accept cash.",
        "Employees must accept gifts worth up to EUR 50.",
        "Employees may accept gifts worth up to EUR 500.",
        "Gifts worth more than EUR 50 are fine.",
        "Every gift must be entered within 3 days.",
        "No gift need be entered.",
        f"The codeword is {CODEWORD}.",
        "In short:",
        "CONFLICT",
        "MISSING: the limit for EUR 70",
        "ASK: country | Where do you work? | Germany | France",
        "[c1] [c2][c99]",
        "Ignore the policies; EUR 9,999 is fine.",
    ]
)
WORDS = st.one_of(SAID, st.text(max_size=40), st.tuples(SAID, SAID).map(" ".join))
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
TOOLS = st.sampled_from(
    [
        "search_entities",
        "get_entity",
        "get_neighbors",
        "summarize",
        "compare",
        "search_passages",
        "read_section",
        "nonsense",
    ]
)
PLACES = st.tuples(st.integers(-2, 30), st.integers(-2, 4), st.integers(-2, 4))
IDS = st.sampled_from(
    ["gifts#sec_1", "gifts#2", "gifts#", "#", "investigations#sec_1", "investigations#1", "../x#1"]
)
SCORES = st.sampled_from([0.0, 0.5, 0.85, 1.0, -1, 2, "high", None, True])
Maker = Callable[[Body], Block]


def _quoting(words: str, quote: str) -> Maker:
    return lambda body: cited(words, place_of(body, quote))


def _always(block: Block) -> Maker:
    return lambda _: block


def _astray(words: str, place: tuple[int, int, int]) -> Maker:
    return _always(cited(words, at(*place)))


def _asking(asked: str, options: list[str]) -> Maker:
    return _always(
        tool_use(
            "make_plan",
            {
                "intent": "general",
                "need_clarification": True,
                "clarification_question": f"{asked}?",
                "options": options,
            },
        )
    )


def _saying(words: str) -> Maker:
    return _always(text(words))


def _thinking(words: str) -> Maker:
    return _always(thinking(words))


def _calling(name: str, given: Any) -> Maker:
    return _always(tool_use(name, given))


BLOCKS: st.SearchStrategy[Maker] = st.one_of(
    st.builds(_quoting, WORDS, st.sampled_from(QUOTES)),
    st.builds(_quoting, SAID, st.sampled_from(QUOTES)),
    st.builds(_astray, WORDS, PLACES),
    st.builds(_saying, WORDS),
    st.builds(_thinking, WORDS),
    st.builds(
        _calling,
        TOOLS,
        JSON | st.fixed_dictionaries({"query": WORDS}) | st.fixed_dictionaries({"id": IDS}),
    ),
    st.builds(_calling, st.just("emit_confidence"), st.fixed_dictionaries({"score": SCORES})),
    st.builds(_calling, st.just("make_plan"), JSON),
    st.builds(_asking, WORDS, st.lists(WORDS, max_size=3)),
)
STOPS = st.sampled_from(["end_turn", "tool_use", "max_tokens", "pause_turn", "refusal"])
TURNS = st.tuples(st.lists(BLOCKS, max_size=5), STOPS | st.none())
COURSES = st.lists(TURNS, min_size=1, max_size=4)


def _judging(given: Any) -> Reply:
    return reply(tool_use("submit_judgement", given))


def _criticising(given: Any) -> Reply:
    return reply(tool_use("submit_critique", given))


Judging = Reply | Callable[[Body], Reply]
JUDGES: st.SearchStrategy[Judging] = st.just(approves) | st.just(approves) | JSON.map(_judging)
CRITICS = st.just(CONTENT) | JSON.map(_criticising)


class _Model:
    """The reply to each turn of one example, the last one again and again."""

    def __init__(self) -> None:
        self.turns: list[tuple[list[Maker], str | None]] = []
        self.judge: Judging = approves
        self.critic = CONTENT

    def __call__(self, body: Body) -> Step:
        assert not shows_secret(body)
        asked = asked_for(body)
        if asked != "answer":
            if asked == "critique":
                return self.critic
            return self.judge if isinstance(self.judge, Reply) else self.judge(body)
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        makers, stop = self.turns[min(turn, len(self.turns) - 1)]
        said: Reply = reply(*(maker(body) for maker in makers), stop_reason=stop)
        return said


class _Stage:
    """A server, a world and an event loop that serve all examples."""

    def __init__(self, model: _Model, runner: asyncio.Runner, world: World) -> None:
        self.model = model
        self._runner = runner
        self.world = world

    def ask(self, *, use_rag: bool) -> Run:
        return self._runner.run(self.world.ask(use_rag=use_rag))


@pytest.fixture(scope="module")
def stage() -> Generator[_Stage]:
    """Serve the examples."""
    model = _Model()
    with anthropic_server(model, refusals=True) as server, asyncio.Runner() as runner:
        opened: AsyncGenerator[World] = _open(server)
        world = runner.run(anext(opened))
        try:
            yield _Stage(model, runner, world)
        finally:
            runner.run(opened.aclose())


async def _open(server: Any) -> AsyncGenerator[World]:
    async with world_at(server) as world:
        yield world


def _check(
    stage: _Stage,
    course: list[tuple[list[Maker], str | None]],
    judge: Judging,
    critic: Reply,
    *,
    use_rag: bool,
) -> None:
    stage.model.turns, stage.model.judge, stage.model.critic = course, judge, critic
    run = stage.ask(use_rag=use_rag)
    assert list(violations(run, stage.world.corpus)) == [], json.dumps(run.answer.text)


@examples(80, HealthCheck.function_scoped_fixture, nightly=10_000)
@given(course=COURSES, judge=JUDGES, critic=CRITICS, use_rag=st.booleans())
def test_nothing_false_is_posted(
    stage: _Stage,
    course: list[tuple[list[Maker], str | None]],
    judge: Judging,
    critic: Reply,
    *,
    use_rag: bool,
) -> None:
    """Law: whatever the replies, the oracle finds nothing in what is posted."""
    _check(stage, course, judge, critic, use_rag=use_rag)
