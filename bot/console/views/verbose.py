"""How an answer came about, for `--verbose`: each stage in order, on standard error. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from rich.text import Text

from bot.console.views.terminal import Row, one_line
from core.domain.answer import Judgement, NotJudged
from core.domain.run import Attempt, Clarification, ModelCall, Run, Step, ToolCall

_LABEL_WIDTH = 10
_LIMIT = 600
"""Characters of a line at most; the trace (`--trace-dir`) has all."""


def run_view(run: Run) -> Iterator[Row]:
    """Return a row a fact: plan, tool calls, gate, chunks, checks, decisions, times."""
    yield from _question(run)
    attempts = iter(enumerate(run.attempts, start=1))
    for step in run.steps:
        match step.stage:
            case "plan":
                yield _row("plan", _plan(run))
            case "explore":
                yield from _exploration(run)
            case "gate":
                yield from _gate(run)
            case "retrieve":
                yield from _retrieved(step)
            case "decide":
                for number, attempt in attempts:
                    yield from _attempt(number, attempt)
                    break
            case "translate":
                yield from _translated(step)
            case _:
                pass
    yield from _end(run)


def _translated(step: Step) -> Iterator[Row]:
    detail = cast("Mapping[str, Any]", step.detail)
    yield _row("translate", f"{detail['shown']} into {detail['into']}")
    for reason in detail["failed"]:
        yield _row("", f"shown as it is: {reason}")


def _question(run: Run) -> Iterator[Row]:
    question, scope = run.question, run.question.scope
    if question.standalone != question.text:
        yield _row("understood", question.standalone)
    groups = ", ".join(sorted(scope.groups))
    tags = f", tags {', '.join(sorted(scope.tags))}" if scope.tags else ""
    where = scope.jurisdiction or "all jurisdictions"
    yield _row(
        "scope", f"as of {scope.as_of}, edition {run.edition}, groups {groups}, {where}{tags}"
    )


def _plan(run: Run) -> str:
    if isinstance(run.plan, Clarification):
        return f"{run.plan.intent}: ask for {run.plan.slot}"
    subjects = f", about {'; '.join(run.plan.subjects)}" if run.plan.subjects else ""
    tools = f", with {', '.join(run.plan.tools)}" if run.plan.tools else ""
    return f"{run.plan.intent}{subjects}{tools}"


def _exploration(run: Run) -> Iterator[Row]:
    if run.exploration is None:
        return
    for call in run.exploration.calls:
        yield _row("tool", _call(call))
    findings = _count(len(run.exploration.findings), "finding")
    yield _row("explore", f"{findings}; {run.exploration.reasoning}")


def _call(call: ToolCall) -> str:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False, default=str)
    found = f"error: {call.error}" if call.error else _count(call.evidence, "span")
    return f"{call.tool} {one_line(arguments, limit=_LIMIT // 2)} → {found}"


def _gate(run: Run) -> Iterator[Row]:
    gate = run.gate
    if gate is None:
        return
    score = "none reported" if gate.score is None else f"{gate.score:.2f}"
    triggered = "retrieval triggered" if gate.retrieve else "retrieval not triggered"
    yield _row("gate", f"score {score}, threshold {gate.threshold:.2f}: {triggered}; {gate.reason}")


def _retrieved(step: Step) -> Iterator[Row]:
    chunks = step.detail.get("chunks")
    found = cast("list[Mapping[str, Any]]", chunks) if isinstance(chunks, list) else []
    searched = step.detail.get("searched", "?")
    took = f"{step.took_ms:.1f} ms"
    yield _row("retrieve", f"{_count(len(found), 'chunk')} of {searched} searched, {took}")
    for chunk in found:
        scores = ", ".join(
            f"{name} {chunk[name]:.2f}" for name in ("score", "relevance") if name in chunk
        )
        kind = ", by a cross-reference" if chunk.get("neighbour") else ""
        yield _row("", f"{chunk.get('chunk_id')}: {scores}{kind}")


def _attempt(number: int, attempt: Attempt) -> Iterator[Row]:
    failed = [verdict for verdict in attempt.verdicts if not verdict.passed]
    passed = len(attempt.verdicts) - len(failed)
    yield _row("verify", f"attempt {number}: {passed} checks passed, {len(failed)} failed")
    for verdict in failed:
        yield _row("", f"claim {verdict.claim + 1}, {verdict.check}: {verdict.reason}")
    if attempt.critique:
        refine = ", asks for a refinement" if attempt.critique.refine else ""
        yield _row("critique", ("; ".join(attempt.critique.issues) or "no issue") + refine)
    if isinstance(attempt.judgement, Judgement):
        yield _row("judge", _judgement(attempt.judgement))
    elif isinstance(attempt.judgement, NotJudged):
        yield _row("judge", f"not judged: {attempt.judgement.reason}")
    yield _row("decide", f"attempt {number}: {attempt.decision}: {attempt.reason}")


def _judgement(judgement: Judgement) -> str:
    return (
        f"faithfulness {judgement.faithfulness:.2f}, relevance {judgement.relevance:.2f}, "
        f"completeness {judgement.completeness:.2f}: {judgement.decision} {judgement.reason}"
    )


def _end(run: Run) -> Iterator[Row]:
    confidence = run.answer.confidence
    if confidence.calibrated is not None:
        features = ", ".join(f"{name} {value:.2f}" for name, value in confidence.features)
        badge = confidence.badge or "none"
        yield _row("confidence", f"{confidence.calibrated:.2f}, badge {badge} ({features})")
    for warning in run.warnings:
        yield _row("warning", warning)
    for call in run.model_calls:
        yield _row("model", _model_call(call))
    used = run.budget
    counts = (
        _count(used.steps, "step"),
        _count(used.tool_calls, "tool call"),
        _count(used.retrieval_rounds, "retrieval round"),
        _count(used.model_calls, "model call"),
    )
    cost = f"; {cost_words(run.model_calls)}" if run.model_calls else ""
    yield _row("used", ", ".join(counts) + cost)
    stages = ", ".join(f"{step.stage} {step.took_ms:.1f}" for step in run.steps)
    yield _row("time", f"{run.total_time_ms:.1f} ms: {stages}")
    yield _row("outcome", f"{run.answer.outcome}, by {run.reasoner}")


def _model_call(call: ModelCall) -> str:
    tokens = call.tokens
    took = f"{(call.ended_s - call.started_s) * 1_000:.0f} ms"
    unsent = "not sent" if call.error else "from the record"
    source = _count(call.attempts, "request") if call.attempts else unsent
    read = tokens.fresh + tokens.cache_read + tokens.cache_write
    end = f"; failed: {call.error}" if call.error else ""
    return (
        f"{call.purpose} by {call.model} ({call.prompt}): {read} tokens read"
        f" ({tokens.cache_read} from the cache, {tokens.cache_write} into it),"
        f" {tokens.output} written, {cost_words([call])}, {took}, {source}{end}"
    )


def cost_words(calls: Sequence[ModelCall]) -> str:
    """Return what calls of models cost together, as far as it is known."""
    known = [call.cost_usd for call in calls if call.cost_usd is not None]
    if len(known) < len(calls):
        return f"more than USD {sum(known):.4f}" if any(known) else "price not known"
    return f"USD {sum(known):.4f}"


def _row(label: str, words: str) -> Row:
    head = Text(f"{label:<{_LABEL_WIDTH}}", style="dim cyan")
    return Row(heads=(head,), lines=(Text(one_line(words, limit=_LIMIT), style="dim"),))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
