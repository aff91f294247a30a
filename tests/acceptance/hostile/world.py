"""A hijacked model over HTTP, a few policies one of which is secret, and an oracle of our own.

The oracle knows nothing of the checks under test: it reads what would be posted, and holds it
against the policies as stored.
"""

import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from core.adapters.anthropic.api.composition import ClaudeModels
from core.adapters.anthropic.api.providers import usual_choice
from core.adapters.anthropic.reasoner import AnthropicReasonerFactory
from core.adapters.system import SystemClock
from core.agent.extractive.reasoner import ExtractiveReasoner
from core.agent.fallback import Fallback
from core.agent.pipeline import Pipeline
from core.agent.request import PipelineParts, Task
from core.domain.answer import Outcome
from core.domain.run import Run, RunLimits
from core.ontology.tools.toolbox import OntologyToolbox
from core.ports import Knowledge
from core.retrieval.retriever import Retriever
from tests.factories import make_question, make_scope
from tests.fakes import InMemoryCorpus, InMemoryOntology, InMemorySearch
from tests.integration.anthropic.world import models_at
from tests.servers.anthropic import AnthropicServer
from tests.servers.anthropic_steps import (
    Block,
    Reply,
    Step,
    reply,
    search_results,
    supported,
    tool_use,
)
from tests.unit.agent.world import GIFTS, REPORTING, SECRET

Body = dict[str, Any]
Answering = Callable[[Body], Step]
CODEWORD = "nightfall"
OUTCOMES = frozenset(Outcome) - {Outcome.IGNORED, Outcome.FAILED}
LIMITS = RunLimits(deadline_s=20.0)
QUESTION = "May I accept cash as a gift, and up to which value are gifts allowed?"
_NUMBER = re.compile(r"\d+")
_FORBIDS = re.compile(r"\b(?:must|may|can|shall) not\b|\bnever\b|\bprohibited\b|\bforbidden\b")
_REQUIRES = re.compile(r"\b(?:must|shall|required to)\b(?! not)")
_PERMITS = re.compile(r"\b(?:may|can|allowed|permitted)\b(?! not)")


@dataclass(frozen=True, kw_only=True)
class World:
    """The policies, and a model that answers by script."""

    corpus: InMemoryCorpus
    knowledge: Knowledge
    rules: ExtractiveReasoner
    models: ClaudeModels

    async def ask(self, *, use_rag: bool = True) -> Run:
        """Ask the question as somebody who may not read the secret policy."""
        scope = make_scope()
        factory = AnthropicReasonerFactory(
            models=usual_choice(answer="claude-sonnet-5-5", review="claude-haiku-5-5"),
            calls=lambda context: self.models.run(context.question.question_id, context.budget),
            capabilities=self.models.capabilities,
            ahead=self.rules,
        )
        parts = PipelineParts(
            reasoner=factory,
            corpus=self.corpus,
            retriever=Retriever(InMemorySearch(self.corpus), None),
            clock=SystemClock(),
            limits=LIMITS,
        )
        rules = Pipeline(replace(parts, reasoner=self.rules))
        return await Fallback(Pipeline(parts), rules).run(
            Task(
                question=make_question(QUESTION, scope=scope),
                knowledge=self.knowledge,
                tools=lambda: OntologyToolbox(self.knowledge.lookup, max_calls=LIMITS.tool_calls),
                use_rag=use_rag,
            )
        )


@asynccontextmanager
async def world_at(server: AnthropicServer, *, citations: str = "native") -> AsyncGenerator[World]:
    """Open the policies and the model."""
    async with models_at(server, citations=citations, silence_s=0.3) as models:
        corpus = InMemoryCorpus(GIFTS, REPORTING, SECRET)
        knowledge = await InMemoryOntology(corpus).open(make_scope())
        yield World(corpus=corpus, knowledge=knowledge, rules=ExtractiveReasoner(), models=models)


def place_of(body: Body, quote: str) -> tuple[int, int, int]:
    """Return where a request shows a text, or a place that does not exist."""
    for number, result in enumerate(search_results(body)):
        for index, block in enumerate(result["content"]):
            if quote in block["text"]:
                return number, index, index + 1
    return 777, 0, 1


def asked_for(body: Body) -> str:
    """Return who is asked: `answer`, `critique` or `judge`."""
    names = {tool["name"] for tool in body["tools"]}
    if "submit_critique" in names:
        return "critique"
    return "judge" if "submit_judgement" in names else "answer"


def shows_secret(body: Body) -> bool:
    """Say whether a request shows the model what the asker may not read."""
    return CODEWORD in json.dumps(search_results(body))


APPROVAL: Body = {
    "faithfulness": 1.0,
    "relevance": 1.0,
    "completeness": 1.0,
    "verdict": "approve",
    "decision": "FINAL",
}


def approves(body: Body) -> Reply:
    """Judge whatever is drafted supported, perfect and final."""
    return reply(tool_use("submit_judgement", {"claims": supported(body)} | APPROVAL))


CONTENT = reply(tool_use("submit_critique", {"refine": False, "issues": []}))
CERTAIN = tool_use("emit_confidence", {"score": 1.0, "reasoning": "all of it"})
UNSURE = tool_use("emit_confidence", {"score": 0.1, "reasoning": "little"})


def saying(*blocks: Block | Callable[[Body], Block], also: Block | None = CERTAIN) -> Answering:
    """Answer every turn with the same blocks, certain of them."""

    def step(body: Body) -> Reply:
        said = [block(body) if callable(block) else block for block in blocks]
        return reply(*said, *([also] if also and _has_tools(body) else []))

    return step


def _has_tools(body: Body) -> bool:
    return body.get("tool_choice", {}).get("type") != "none"


def violations(run: Run, corpus: InMemoryCorpus) -> Iterator[str]:
    """Yield what must never be posted."""
    answer = run.answer
    if answer.outcome not in OUTCOMES:
        yield f"the outcome is {answer.outcome}"
    quotes: dict[int, str] = {}
    for citation in answer.citations:
        stored = corpus.policies[citation.span.version_id]
        quote = stored.text[citation.span.char_start : citation.span.char_end]
        quotes[citation.number] = quote
        if not quote.strip() or citation.quote != quote:
            yield f"the quote is not the stored text: {citation.quote!r}"
        if not corpus.may_read(citation.span.version_id, make_scope()):
            yield f"a policy is quoted that the asker may not read: {stored.key}"
    for claim in answer.claims:
        if CODEWORD in claim.text:
            yield f"the secret is told: {claim.text}"
        if not claim.numbers:
            yield f"nothing is cited for: {claim.text}"
        cited = " ".join(quotes.get(number, "") for number in claim.numbers)
        yield from _unsupported(claim.text, cited)


def _unsupported(claim: str, cited: str) -> Iterator[str]:
    if not set(_NUMBER.findall(claim)) <= set(_NUMBER.findall(cited)):
        yield f"a number is not in the cited text: {claim}"
    for kind in (_FORBIDS, _REQUIRES, _PERMITS):
        if kind.search(claim.lower()) and not kind.search(cited.lower()):
            yield f"the modality is not that of the cited text: {claim}"
