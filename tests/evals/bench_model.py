"""Round trips, prompt sizes and our own time with a language model, over the sample questions.

    python -m tests.evals.bench_model samples/questions/test.jsonl

The model is a stand-in on loopback that behaves as one in a dialogue does. It reads the sources of
each request and quotes the labelled sentence where it is among them, with its confidence in the
same turn; one time in `EXPLORES` it first calls two tools of the ontology at once. Where the
sentence is missing it reports so and searches twice at once in the question's own words, and given
passages without it, it looks once more before it says what is missing. Off the topic it says so. So
prompts and waits are real, given that behaviour; what a real model writes is not measured. It waits
as long as a list says, divided by `HASTE`; no live service was recorded for that list, and its
waits are subtracted from our own times.
"""

import argparse
import asyncio
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, time_ns
from typing import Any

from core.agent.request import AskRequest
from core.agent.trace import covered_s
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.answer import Outcome
from core.domain.conversation import Place
from core.domain.run import Run, RunLimits
from core.language.content_words import content_words
from evals.measuring.estimates import percentile
from evals.measuring.questions import LabelledQuestion, load_questions
from evals.measuring.results import round_trips
from tests.servers.anthropic import anthropic_server
from tests.servers.anthropic_steps import (
    Reply,
    at,
    cited,
    reply,
    search_results,
    supported,
    text,
    tool_use,
)

DELAYS_S = (0.9, 1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.7, 3.4, 5.5)
"""Of a whole reply, each as likely as the others."""
HASTE = 40
"""By how much the stand-in is faster than its list."""
ANSWERABLE = frozenset({"graph", "chunks", "two_policies"})
"""Kinds of question that a section answers."""
OFF_TOPIC = frozenset({"off_topic"})
DEADLINE_S = RunLimits().deadline_s
STARTED_NS = time_ns()
"""Names the threads of a run: in those of an earlier one each question would have a history."""
TOKEN = 4
"""Characters of a token, roughly (Anthropic's rule of thumb for English)."""
EXPLORES = 8
"""One in so many questions that the findings would answer is explored first all the same."""
CONTENT: Mapping[str, Any] = {"refine": False, "issues": []}
Body = dict[str, Any]


@dataclass
class StandIn:
    """A model that knows the labels."""

    questions: Mapping[str, LabelledQuestion]
    bodies: list[Body] = field(default_factory=list[Body])
    answerable: int = 0
    delays: Iterator[float] = field(default_factory=lambda: itertools.cycle(DELAYS_S))

    def __call__(self, body: Body) -> Reply:
        """Answer one request."""
        self.bodies.append(body)
        names = {tool["name"] for tool in body["tools"]}
        delay_s = next(self.delays) / HASTE
        if "submit_critique" in names:
            return reply(tool_use("submit_critique", CONTENT), delay_s=delay_s)
        if "submit_judgement" in names:
            scores = dict.fromkeys(("faithfulness", "relevance", "completeness"), 0.95)
            made = {"claims": supported(body), "verdict": "approve", "decision": "FINAL"} | scores
            return reply(tool_use("submit_judgement", made), delay_s=delay_s)
        if "submit_translation" in names:  # into the language of a question; shown as they are
            return reply(tool_use("submit_translation", {"translations": []}), delay_s=delay_s)
        return reply(*self._said(body), delay_s=delay_s)

    def _said(self, body: Body) -> Sequence[dict[str, Any]]:
        question = self._question(body)
        is_first = len(body["messages"]) == 1
        places = _holding(body, question)
        if question.kind == "ambiguous" and is_first:
            asked = {
                "intent": "general",
                "need_clarification": True,
                "clarification_question": "Which of these do you mean?",
                "slot": "referent",
                "options": ["one", "another"],
            }
            return [tool_use("make_plan", asked)]
        if question.kind in OFF_TOPIC and is_first:
            plan = {"intent": "out_of_scope", "need_clarification": False}
            return [tool_use("make_plan", plan)]
        if places and is_first and self._explores():
            return [
                tool_use("search_entities", {"query": question.question}),
                tool_use("get_graph_summary", {}),
            ]
        if places:
            confident = tool_use("emit_confidence", {"score": 0.95, "reasoning": "stated"})
            said = [cited(f"{words} ", place) for words, place in places]
            is_gated = "emit_confidence" not in _called(body)
            return [*said, *([confident] if is_gated and _may_call(body) else [])]
        if not _may_call(body):
            return [text("MISSING: what was asked")]
        words = sorted(content_words(question.question))
        half = len(words) // 2 + 1
        looks = [words[:half], words[-half:]] if is_first else [list(reversed(words))]
        asked = [tool_use("search_passages", {"query": " ".join(one)}) for one in looks]
        unsure = tool_use("emit_confidence", {"score": 0.2, "reasoning": "not stated"})
        return [*([unsure] if is_first else []), *asked]

    def _explores(self) -> bool:
        self.answerable += 1
        return self.answerable % EXPLORES == 0

    def _question(self, body: Body) -> LabelledQuestion:
        for block in body["messages"][0]["content"]:
            found = re.search(r"<question>\n(.*)\n</question>", block.get("text", ""))
            if found:
                return self.questions[json.loads(found[1])["text"]]
        raise AssertionError("a request without its question")


def _holding(body: Body, question: LabelledQuestion) -> list[tuple[str, tuple[int, int, int]]]:
    """Return the sentences that the labels ask for, as far as they are among the sources."""
    found: list[tuple[str, tuple[int, int, int]]] = []
    if question.kind not in ANSWERABLE:
        return found
    for number, result in enumerate(search_results(body)):
        for index, block in enumerate(result["content"]):
            if any(quote in block["text"] for quote in question.must_quote):
                found.append((block["text"].strip(), at(number, index)))
    return found[:2]


def _called(body: Body) -> set[str]:
    """Return the tools that the model has called so far."""
    return {
        block["name"]
        for message in body["messages"]
        if message["role"] == "assistant"
        for block in message["content"]
        if block["type"] == "tool_use"
    }


def _may_call(body: Body) -> bool:
    return body.get("tool_choice", {}).get("type") != "none"


async def ask(service: Service, question: LabelledQuestion, number: int) -> tuple[Run, float]:
    """Return the run of a question, and our own time in milliseconds: all but the model's."""
    scope = question.scope
    request = AskRequest(
        text=question.question,
        place=Place(thread=f"bench-{STARTED_NS}-{number}"),
        groups=frozenset(scope.get("groups", ())),
        jurisdiction=scope.get("jurisdiction"),
    )
    began_s = perf_counter()
    answered = await service.answering.ask(request)
    took_s = perf_counter() - began_s
    return answered.run, (took_s - covered_s(answered.run.model_calls)) * 1_000


def prefix_share(body: Body) -> float:
    """Return the share of a prompt that is the same for all questions of an edition and scope."""
    blocks = [*body["system"], *body["messages"][0]["content"]]
    last = max(number for number, block in enumerate(blocks) if "cache_control" in block)
    same = _size(body["tools"]) + sum(_size(block) for block in blocks[: last + 1])
    return same / (_size(body["tools"]) + _size(body["system"]) + _size(body["messages"]))


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))


async def main(path: Path, home: Path) -> None:
    """Ask all questions once, and print the figures."""
    questions = {one.question: one for one in load_questions(path) if not one.thread}
    model = StandIn(questions)
    with anthropic_server(model, refusals=True) as server:
        settings = Settings(home=home, anthropic_api_key=server.key, anthropic_base_url=server.url)
        async with bootstrap(settings) as service:
            scopes = {json.dumps(one.scope, sort_keys=True): one for one in questions.values()}
            for number, question in enumerate(scopes.values()):  # an ontology is read once a scope
                await ask(service, question, -1 - number)
            model.bodies.clear()
            asked = [
                await ask(service, question, number)
                for number, question in enumerate(questions.values())
            ]
        assert not server.refused, server.refused[:1]
    _print(asked, model.bodies)


def _print(asked: Sequence[tuple[Run, float]], bodies: Sequence[Body]) -> None:
    called = [run for run, _ in asked if run.model_calls]
    trips = [round_trips(run.model_calls) for run in called]
    own_ms = [took for _, took in asked]
    first = [body for body in bodies if len(body["messages"]) == 1 and _answers(body)]
    tokens = sum(map(_size, bodies)) / max(1, len(called)) / TOKEN
    purposes = {"answer": list(filter(_answers, bodies))}
    purposes["review"] = [body for body in bodies if not _answers(body)]
    spoken_s = [covered_s(run.model_calls) * HASTE for run in called]
    print(f"{len(asked)} questions, {len(called)} of them with a model")
    print(f"round_trips_p50   {percentile(trips, 0.5):.0f}")
    print(f"round_trips_p95   {percentile(trips, 0.95):.0f}")
    print(f"round_trips_most  {max(trips)}")
    print(f"model_calls_most  {max(len(run.model_calls) for run in called)}")
    print(f"prompt_tokens     {tokens:.0f} a question, all calls together, estimated")
    for purpose, own in purposes.items():
        of_purpose = sum(map(_size, own)) / max(1, len(called)) / TOKEN
        print(f"  {purpose:<15} {of_purpose:.0f} in {len(own) / max(1, len(called)):.1f} calls")
    right = sum(run.answer.outcome is Outcome.ANSWERED for run in called)
    print(
        f"answered          {right} questions, where the labelled sentence was shown to the model"
    )
    print(f"looked_up         {sum(_looked(run) for run in called)} questions by the model itself")
    print(f"model_p95_s       {percentile(spoken_s, 0.95):.1f} of a deadline of {DEADLINE_S:g}")
    print(f"prefix_share      {sum(map(prefix_share, first)) / len(first):.2f} of a first prompt")
    print(f"overhead_p50_ms   {percentile(own_ms, 0.5):.0f}")
    print(f"overhead_p99_ms   {percentile(own_ms, 0.99):.0f}")


def _looked(run: Run) -> bool:
    return any(step.detail.get("by") == "model" for step in run.steps)


def _answers(body: Body) -> bool:
    names = {tool["name"] for tool in body["tools"]}
    return "submit_critique" not in names and "submit_judgement" not in names


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path, help="labelled questions, a JSON object a line")
    parser.add_argument("--home", type=Path, default=Path("~/.citebound/bench").expanduser())
    parser.add_argument("--policies", type=Path, default=Path("samples/policies"))
    given = parser.parse_args()
    command = [sys.executable, "-m", "bot", "ingest", str(given.policies)]
    subprocess.run(  # noqa: S603 (our own command)
        ["/usr/bin/env", "-u", "DATABASE_URL", f"CITEBOUND_HOME={given.home}", *command],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    asyncio.run(main(given.questions, given.home))
