"""A language model by script, in memory: what the Messages API would refuse fails the test.

    world, model = make_world(), ScriptedModel(answer=[reply(...)], judge=[judged()])
    run = await world.run(factory_of(model))
    assert model.bodies("answer")[0]["tools"]

Each list is read in order; a callable is given the request's body.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from core.adapters.anthropic.api.api_types import ModelReply, ModelRequest
from core.adapters.anthropic.api.providers import Capabilities, ModelChoice
from core.adapters.anthropic.api.stream import reply_from
from core.adapters.anthropic.reasoner import AnthropicReasonerFactory
from core.agent.extractive.reasoner import ExtractiveReasoner
from core.agent.prompts import RELEASED, Prompts
from core.domain.errors import BudgetSpentError
from core.domain.run import ModelCall
from core.ports import RunContext
from tests.servers.anthropic_rules import check
from tests.servers.anthropic_steps import (
    Block,
    Reply,
    at,
    cited,
    message_of,
    reply,
    search_results,
    supported,
    tool_use,
)

MODELS = ModelChoice(answer="claude-sonnet-5-5", review="claude-haiku-5-5")
Body = dict[str, Any]
Step = Reply | Exception | Callable[[Body], Reply]


def judged(
    score: float = 0.95,
    *,
    verdict: str = "approve",
    decision: str = "FINAL",
    but: Sequence[Block] = (),
    **given: Any,
) -> Callable[[Body], Reply]:
    """Judge; each claim is supported, but for the verdicts given."""
    names = ("faithfulness", "relevance", "completeness")
    made = dict.fromkeys(names, score) | {"verdict": verdict, "decision": decision}

    def step(body: Body) -> Reply:
        verdicts = {"claims": supported(body, but=but)}
        return reply(tool_use("submit_judgement", verdicts | made | given))

    return step


def translates(*texts: str) -> Reply:
    """Translate the statements of a request so, in order."""
    given = [{"statement": number, "text": text} for number, text in enumerate(texts, start=1)]
    return reply(tool_use("submit_translation", {"translations": given}))


def unsupported(claim: int, support: str, words: str = "") -> Block:
    """Return a judge's verdict on a claim, counted from 1."""
    return {"claim": claim, "support": support, "words": words}


def criticised(*issues: str, refine: bool = False) -> Reply:
    """Return a critique."""
    return reply(tool_use("submit_critique", {"refine": refine, "issues": list(issues)}))


def reported(score: Any, reasoning: str = "because") -> Block:
    """Return a call of `emit_confidence`."""
    return tool_use("emit_confidence", {"score": score, "reasoning": reasoning})


def place_of(body: Mapping[str, Any], quote: str) -> tuple[int, int, int]:
    """Return where a request shows a text, the newest source first."""
    results = search_results(body)
    for number in reversed(range(len(results))):
        for index, block in enumerate(results[number]["content"]):
            if quote in block["text"]:
                return at(number, index)
    raise AssertionError(f"no source says {quote!r}")


def mark_of(body: Body, quote: str) -> int:
    """Return the number of the last sentence that says this, where sources are numbered."""
    lines = [line for said in _texts(body["messages"]) for line in said.splitlines()]
    marked = [line for line in lines if line.startswith("[c") and quote in line]
    assert marked, f"no source says {quote!r}"
    return int(marked[-1][2 : marked[-1].index("]")])


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [found for one in cast("list[Any]", value) for found in _texts(one)]
    if isinstance(value, dict):
        block = cast("Body", value)
        return [*([str(block["text"])] if "text" in block else []), *_texts(block.get("content"))]
    return []


def answers(
    *pairs: tuple[str, str] | str, also: Sequence[Block | str] = ()
) -> Callable[[Body], Reply]:
    """Answer with sentences, each cited by a quote (by default itself), and more blocks."""

    def step(body: Body) -> Reply:
        texts = [(one, one) if isinstance(one, str) else one for one in pairs]
        blocks = [cited(f"{text} ", place_of(body, quote)) for text, quote in texts]
        return reply(*blocks, *also)

    return step


@dataclass
class ScriptedModel:
    """Replies by purpose; keeps the requests it saw."""

    answer: Sequence[Step] = ()
    critique: Sequence[Step] = field(default_factory=lambda: [criticised()] * 4)
    judge: Sequence[Step] = field(default_factory=lambda: [judged()] * 4)
    translate: Sequence[Step] = ()
    requests: list[ModelRequest] = field(default_factory=list[ModelRequest])

    def bodies(self, purpose: str = "answer") -> list[Body]:
        """Return the requests of a purpose as JSON."""
        return [
            json.loads(json.dumps(one.body())) for one in self.requests if one.purpose == purpose
        ]

    def step(self, request: ModelRequest) -> Step:
        """Return what the script has for a request."""
        steps = {
            "answer": self.answer,
            "critique": self.critique,
            "judge": self.judge,
            "translate": self.translate,
        }
        done = sum(one.purpose == request.purpose for one in self.requests)
        self.requests.append(request)
        script = steps[request.purpose]
        assert done < len(script), f"no step {done + 1} for {request.purpose}"
        return script[done]


class ScriptedCalls:
    """See `Calls`: within the budget, by script."""

    def __init__(self, context: RunContext, model: ScriptedModel) -> None:
        self._context = context
        self._model = model
        self.made: tuple[ModelCall, ...] = ()

    async def call(self, request: ModelRequest, /) -> ModelReply:
        if not self._context.budget.may_call_model():
            raise BudgetSpentError("the budget of model calls is spent")
        body: Body = json.loads(json.dumps(request.body()))
        check(body)
        step = self._model.step(request)
        if isinstance(step, Exception):
            raise step
        message = message_of(step if isinstance(step, Reply) else step(body), body, 1)
        found = reply_from(message)
        self._context.budget.wrote(found.tokens.output)
        self.made = (*self.made, _made(request, found))
        return found


def _made(request: ModelRequest, found: ModelReply) -> ModelCall:
    return ModelCall(
        purpose=request.purpose,
        model=request.model,
        prompt=request.prompt,
        request_hash=request.sha256().hex(),
        tokens=found.tokens,
        cost_usd=None,
        attempts=1,
        started_s=0.0,
        ended_s=0.0,
    )


def factory_of(
    model: ScriptedModel,
    *,
    is_native: bool = True,
    forces_tools: bool = False,
    prompts: Prompts = RELEASED,
) -> AnthropicReasonerFactory:
    """Return the reasoner that this model drives."""
    return AnthropicReasonerFactory(
        models=replace(MODELS, forces_tools=forces_tools),
        calls=lambda context: ScriptedCalls(context, model),
        capabilities=Capabilities(native_citations=is_native, prompt_caching=is_native),
        ahead=ExtractiveReasoner(),
        prompts=prompts,
    )
