"""The trace of a run: its stages as they end, and the run as JSON.

Keys are stable; tests rely on them.
"""

from collections.abc import Iterable, Mapping, Sequence

from core.agent.document_search import DEPTH, PassageLookup
from core.agent.reply.answer_json import answer_json
from core.agent.request import Reply
from core.domain.answer import Answer, Judgement, NotJudged, Outcome
from core.domain.codec import json_of
from core.domain.evidence import Finding
from core.domain.json_value import Json, JsonObject
from core.domain.run import Attempt, Clarification, Exploration, ModelCall, Plan, Run, Step
from core.language.spans import Span
from core.ports import Knowledge
from core.ports.system import Clock
from core.retrieval.retriever import Retrieved


class StepLog:
    """The stages of a run as they end, each with the time since the one before."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.started_s = self._mark_s = clock.monotonic_s()
        self._steps: list[Step] = []

    @property
    def steps(self) -> tuple[Step, ...]:
        """Stages so far, in order."""
        return tuple(self._steps)

    @property
    def total_ms(self) -> float:
        """Milliseconds since the beginning."""
        return (self._clock.monotonic_s() - self.started_s) * 1_000

    def add(self, stage: str, detail: Mapping[str, Json]) -> None:
        """Note that a stage has ended."""
        now_s = self._clock.monotonic_s()
        took_ms = (now_s - self._mark_s) * 1_000
        self._steps.append(Step(stage=stage, detail=detail, took_ms=took_ms, ended_s=now_s))
        self._mark_s = now_s


def covered_s(calls: Iterable[ModelCall]) -> float:
    """Return the seconds during which at least one of the calls was under way."""
    total, until = 0.0, float("-inf")
    for call in sorted(calls, key=lambda one: one.started_s):
        total += max(0.0, call.ended_s - max(call.started_s, until))
        until = max(until, call.ended_s)
    return total


_RUN = (
    "question=question.text standalone=question.own searched context plan evidence_size"
    " reported_confidence=answer.confidence.reported gate used_rag rag_chunks_used=chunks_used"
    " attempts critic judge calibrated_confidence=answer.confidence.calibrated confidence_features"
    " calibration=answer.confidence.calibration badge=answer.confidence.badge"
    " final_state=answer.outcome budget retrieval_time_ms generation_time_ms total_time_ms reasoner"
    " edition warnings model_calls steps"
)


def trace_json(run: Run) -> JsonObject:
    """Return the trace of a run.

    The contract of the design, with every stage's own detail under `steps`.
    """
    last = run.attempts[-1] if run.attempts else None
    return json_of(
        run,
        _RUN,
        searched=run.question.searched or None,
        context=[message.part for message in run.question.context],
        plan=plan_json(run.plan),
        evidence_size=len(run.evidence.items),
        attempts=[json_of(attempt, "decision reason verdicts") for attempt in run.attempts],
        critic=last and last.critique,
        judge=_judge(last),
        confidence_features=dict(run.answer.confidence.features),
        retrieval_time_ms=round(run.retrieval_time_ms, 3),
        generation_time_ms=round(run.generation_time_ms, 3),
        total_time_ms=round(run.total_time_ms, 3),
        model_calls=[call_json(call) for call in run.model_calls],
        steps=[
            json_of(step, "stage took_ms detail", took_ms=round(step.took_ms, 3))
            for step in run.steps
        ],
    )


def reply_json(reply: Reply) -> JsonObject:
    """Return what `ask --json` prints."""
    answer = reply.answer
    return {
        **answer_json(answer),
        "referenced_entities": list(reply.run.entities),
        "used_rag": reply.run.used_rag,
        "rag_chunks_used": list(reply.run.chunks_used),
        "grounded": answer.outcome is Outcome.ANSWERED and bool(answer.citations),
        "refused": answer.outcome in {Outcome.REFUSED, Outcome.ESCALATED},
        "thread": reply.run.question.place.thread,
        "record_id": reply.receipt.record_id,
        "leaf_hash": reply.receipt.leaf_hash.hex(),
        "trace": trace_json(reply.run),
    }


def plan_json(plan: Plan | Clarification) -> JsonObject:
    """Return a plan by the contract of the trace."""
    asks = isinstance(plan, Clarification)
    return {
        "intent": plan.intent,
        "tools": [] if isinstance(plan, Clarification) else list(plan.tools),
        "need_clarification": asks,
        "clarification_question": plan.question if isinstance(plan, Clarification) else None,
    }


def exploration_json(found: Exploration) -> JsonObject:
    """Return what exploring established, as it is traced."""
    names = "findings reported_confidence later_confidences reasoning calls"
    return json_of(found, names, findings=len(found.findings))


def call_json(call: ModelCall) -> JsonObject:
    """Return a call of a language model as it is traced; times in milliseconds."""
    return json_of(
        call,
        "purpose model prompt request_hash tokens cost_usd attempts took_ms error response_hash",
        took_ms=round((call.ended_s - call.started_s) * 1_000, 3),
    )


def retrieval_json(found: Retrieved, depth: int) -> JsonObject:
    """Return a search as it is traced."""
    return {
        "depth": depth,
        "searched": found.result.searched,
        "took_ms": round(found.took_ms, 3),
        "space": found.space,
        "reranker": found.reranker,
        "chunks": [
            {
                "chunk_id": chunk.chunk_id,
                "score": round(chunk.score, 4),
                "relevance": round(chunk.relevance, 4),
                "neighbour": chunk.via is not None,
                "logit": _rounded(found.logits.get(chunk.chunk_key)),
            }
            for chunk in (*found.result.hits, *found.result.neighbours)
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def looked_json(looked: PassageLookup) -> JsonObject:
    """Return what a model looked up itself, as it is traced: a search, or a section read."""
    if looked.searched is not None:
        return {"by": "model", "query": looked.sought, **retrieval_json(looked.searched, DEPTH)}
    return {
        "by": "model",
        "section": looked.sought,
        "searched": 0,
        "took_ms": 0.0,
        "chunks": [{"chunk_id": chunk.chunk_id} for chunk in looked.chunks],
    }


def judgement_json(judged: Judgement | NotJudged) -> JsonObject:
    """Return what a judge said, as a step of the trace."""
    if isinstance(judged, NotJudged):
        return {"reason": judged.reason, "measures": {}, "claims": []}
    return json_of(judged, "reason measures claims", measures=dict(judged.measures))


async def entities_quoted(
    answer: Answer, findings: Sequence[Finding], knowledge: Knowledge
) -> tuple[str, ...]:
    """Name the entities whose sentences the answer quotes."""
    cited = [citation.span for citation in answer.citations]
    quoted = [
        finding.entity
        for finding in findings
        if any(_overlap(finding.span, span) for span in cited)
    ]
    part = await knowledge.entities(set(quoted)) if quoted else None
    names = {entity.key: entity.name for entity in part.entities} if part else {}
    return tuple(dict.fromkeys(names[key] for key in quoted if key in names))


def _overlap(one: Span, other: Span) -> bool:
    return (
        one.version_id == other.version_id
        and one.char_start < other.char_end
        and other.char_start < one.char_end
    )


def _judge(attempt: Attempt | None) -> JsonObject | None:
    judgement = attempt.judgement if attempt else None
    if isinstance(judgement, Judgement):
        return json_of(
            judgement,
            "faithfulness relevance completeness verdict decision reason claims",
            verdict="approve" if judgement.approved else "needs_review",
        )
    if isinstance(judgement, NotJudged):
        return {"verdict": "not_judged", "reason": judgement.reason}
    return None
