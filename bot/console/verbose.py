"""How an answer came about, for `--verbose`: each stage in order, on standard error. Pure."""

import json
from collections.abc import Iterator

from rich.text import Text

from bot.console.render import place_line
from bot.console.safe_text import one_line, safe
from core.domain.answer import Judgement, NotJudged
from core.domain.run import Attempt, Clarification, Run, ToolCall

_LABEL_WIDTH = 10
_QUOTED = 300
"""Characters of an argument or a reason at most."""


def run_view(run: Run) -> Iterator[Text]:
    """Return one line a fact: plan, tool calls, gate, chunks, checks, decisions, times."""
    yield from _plan(run)
    if run.exploration:
        for call in run.exploration.calls:
            yield _line("tool", _call(call))
        yield _line("explore", f"{_count(len(run.exploration.findings), 'finding')}")
    yield from _gate(run)
    yield from _chunks(run)
    for number, attempt in enumerate(run.attempts, start=1):
        yield from _attempt(number, attempt)
    yield from _end(run)


def _plan(run: Run) -> Iterator[Text]:
    question = run.question
    if question.standalone != question.text:
        yield _line("understood", question.standalone)
    scope = question.scope
    edition = f"edition {run.edition}"
    groups = ", ".join(sorted(scope.groups))
    tags = f", tags {', '.join(sorted(scope.tags))}" if scope.tags else ""
    where = scope.jurisdiction or "all jurisdictions"
    yield _line("scope", f"as of {scope.as_of}, {edition}, groups {groups}, {where}{tags}")
    if isinstance(run.plan, Clarification):
        yield _line("plan", f"{run.plan.intent}: ask for {run.plan.slot}")
        return
    subjects = f" about {'; '.join(run.plan.subjects)}" if run.plan.subjects else ""
    tools = f", with {', '.join(run.plan.tools)}" if run.plan.tools else ""
    yield _line("plan", f"{run.plan.intent}{subjects}{tools}")


def _call(call: ToolCall) -> str:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False, default=str)
    found = f"error: {call.error}" if call.error else _count(call.evidence, "span")
    return f"{call.tool} {one_line(arguments, limit=_QUOTED)} → {found}"


def _gate(run: Run) -> Iterator[Text]:
    gate = run.gate
    if gate is None:
        return
    score = "none reported" if gate.score is None else f"{gate.score:.2f}"
    triggered = "retrieval triggered" if gate.retrieve else "retrieval not triggered"
    yield _line(
        "gate", f"score {score}, threshold {gate.threshold:.2f}: {triggered}; {gate.reason}"
    )


def _chunks(run: Run) -> Iterator[Text]:
    if not run.used_rag:
        return
    yield _line("retrieve", f"{_count(len(run.chunks_used), 'chunk')}")
    for item in run.evidence.items:
        if item.kind == "chunk":
            relevance = "" if item.relevance is None else f"relevance {item.relevance:.2f}, "
            yield _line("", f"{item.key} {item.chunk_id}: {relevance}{place_line(item.place)}")


def _attempt(number: int, attempt: Attempt) -> Iterator[Text]:
    failed = [verdict for verdict in attempt.verdicts if not verdict.passed]
    passed = len(attempt.verdicts) - len(failed)
    yield _line("verify", f"attempt {number}: {passed} checks passed, {len(failed)} failed")
    for verdict in failed:
        yield _line("", f"claim {verdict.claim + 1}, {verdict.check}: {verdict.reason}")
    if attempt.critique:
        issues = "; ".join(attempt.critique.issues) or "no issue"
        yield _line(
            "critique", f"{issues}{', asks for a refinement' if attempt.critique.refine else ''}"
        )
    if isinstance(attempt.judgement, Judgement):
        yield _line("judge", _judgement(attempt.judgement))
    elif isinstance(attempt.judgement, NotJudged):
        yield _line("judge", f"not judged: {attempt.judgement.reason}")
    yield _line("decide", f"attempt {number}: {attempt.decision}: {attempt.reason}")


def _judgement(judgement: Judgement) -> str:
    return (
        f"faithfulness {judgement.faithfulness:.2f}, relevance {judgement.relevance:.2f}, "
        f"completeness {judgement.completeness:.2f}: {judgement.decision} {judgement.reason}"
    )


def _end(run: Run) -> Iterator[Text]:
    confidence = run.answer.confidence
    if confidence.calibrated is not None:
        features = ", ".join(f"{name} {value:.2f}" for name, value in confidence.features)
        badge = confidence.badge or "none"
        yield _line("confidence", f"{confidence.calibrated:.2f}, badge {badge} ({features})")
    for warning in run.warnings:
        yield _line("warning", warning)
    used = run.budget
    yield _line(
        "used",
        f"{_count(used.steps, 'step')}, {_count(used.tool_calls, 'tool call')}, "
        f"{_count(used.retrieval_rounds, 'retrieval round')}, "
        f"{_count(used.model_calls, 'model call')}",
    )
    stages = ", ".join(f"{step.stage} {step.took_ms:.1f}" for step in run.steps)
    yield _line("ms", f"{run.total_time_ms:.1f} in all: {stages}")
    yield _line("outcome", f"{run.answer.outcome}, by {run.reasoner}")


def _line(label: str, words: str) -> Text:
    line = Text(f"{label:<{_LABEL_WIDTH}} ", style="dim cyan")
    return line.append_text(safe(one_line(words, limit=4 * _QUOTED), style="dim"))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
