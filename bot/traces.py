"""Spans of a question's trace: from the message that asks it to the post of its answer.

The id of a trace is that of its question, so whichever process goes on with a question goes on with
its trace, and the record names it too. The span of the message is the root, and those of attempts
to answer and to post are below it. Here they are measured; an exporter sends them, if there is one.

An attribute is a number or a word of code. What people wrote is a text of a span, which an exporter
leaves out unless it is told otherwise.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol
from uuid import UUID

from core.domain.run import Run

Value = str | int | float | bool


@dataclass(slots=True, kw_only=True)
class TraceSpan:
    """One thing that was done about a question; times are seconds of the monotonic clock."""

    question_id: str
    """The question, whose trace it is in."""
    name: str
    """A word of code."""
    began_s: float
    """When it began."""
    ended_s: float
    """When it ended; while it goes on, when it began."""
    is_root: bool = False
    """True of the message: all other spans of a trace are below it."""
    attributes: dict[str, Value] = field(default_factory=dict[str, Value])
    """What is known of it, without text."""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """What people wrote or were shown."""
    error: str | None = None
    """The type of the error that ended it; None if it ended well."""
    parts: list["TraceSpan"] = field(default_factory=list["TraceSpan"])
    """Spans below it."""

    def add(self, name: str, began_s: float, ended_s: float, **attributes: Value) -> None:
        """Add a span below it."""
        part = TraceSpan(
            question_id=self.question_id,
            name=name,
            began_s=began_s,
            ended_s=ended_s,
            attributes=attributes,
        )
        self.parts.append(part)


class SpanExporter(Protocol):
    """Takes spans that have ended. Raises nothing, and does not wait for anybody."""

    def export(self, span: TraceSpan, /) -> None:
        """Take a span and those below it."""
        ...


_question: ContextVar[str | None] = ContextVar("question", default=None)
_exporters: list[SpanExporter] = []


@contextmanager
def exporting(exporter: SpanExporter) -> Generator[None]:
    """Send the spans of this process until the block ends."""
    _exporters.append(exporter)
    try:
        yield
    finally:
        _exporters.remove(exporter)


@contextmanager
def traced(
    question_id: str | None, name: str, texts: Mapping[str, str] | None = None, **attributes: Value
) -> Generator[TraceSpan]:
    """Measure the block as a span; log lines written in it name the question.

    Without a question the span is in no trace.
    """
    now_s = monotonic()
    span = TraceSpan(
        question_id=question_id or "",
        name=name,
        began_s=now_s,
        ended_s=now_s,
        attributes=attributes,
        texts=dict(texts or {}),
    )
    token = _question.set(question_id)
    try:
        yield span
    except BaseException as error:
        span.error = type(error).__name__
        raise
    finally:
        _question.reset(token)
        span.ended_s = monotonic()
        send(span)


def send(span: TraceSpan) -> None:
    """Send a span that has ended, if spans are sent and it is about a question."""
    if span.question_id:
        for exporter in _exporters:
            exporter.export(span)


def current_question() -> str | None:
    """Return the id of the question that is worked on; None: none is."""
    return _question.get()


def current_trace() -> str | None:
    """Return the id of its trace, as tools for traces write it; None: there is none."""
    question_id = _question.get()
    return trace_id(question_id) if question_id and _exporters else None


def trace_id(question_id: str) -> str:
    """Return the id of a question's trace: the question's, without hyphens."""
    return UUID(question_id).hex


STAGES = (
    *("readers", "surroundings", "prepare", "plan", "explore", "gate", "retrieve", "draft"),
    *("verify", "critique", "judge", "decide", "record"),
)
"""All that an answer consists of, in order; from `plan` to `decide` those of the pipeline."""


def add_stages(span: TraceSpan, run: Run, *, asked_s: float, ended_s: float) -> None:
    """Add what a run did between two moments: its stages, and the calls of language models."""
    at_s = run.steps[0].ended_s - run.steps[0].took_ms / 1_000 if run.steps else asked_s
    span.add("prepare", asked_s, at_s)
    for step in run.steps:
        span.add(step.stage, at_s, step.ended_s)
        at_s = step.ended_s
    span.add("record", at_s, ended_s)
    for call in run.model_calls:
        span.add(
            "model",
            call.started_s,
            call.ended_s,
            model=call.model,
            purpose=call.purpose,
            requests=call.attempts,
            tokens_read=call.tokens.fresh + call.tokens.cache_read + call.tokens.cache_write,
            tokens_written=call.tokens.output,
        )
