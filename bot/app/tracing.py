"""Send traces by OpenTelemetry: where to, which and how many, its own variables say.

A span is sent once it has ended, by a thread of the SDK, which drops what it can't send: nobody
waits for a collector. The ids of trace and root are those of the question, so that the spans of
several processes fall into one trace.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from time import monotonic, time_ns
from uuid import UUID

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    TraceState,
    set_span_in_context,
)
from opentelemetry.util.types import Attributes

from bot.traces import TraceSpan, exporting
from core.config.settings import Settings

LONGEST_TEXT = 4_000
"""Characters of a text in a span; collectors cut what is longer."""
_LOW_BITS = (1 << 64) - 1


@asynccontextmanager
async def sending(settings: Settings, *, role: str) -> AsyncGenerator[None]:
    """Send the spans of this process until the block ends."""
    own = Resource({"service.name": "citebound", "service.version": version("citebound")})
    # What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say stands above what we say.
    said = OTELResourceDetector().detect()
    resource = Resource.create().merge(own).merge(Resource({"citebound.role": role})).merge(said)
    ids = _Ids()
    provider = TracerProvider(resource=resource, id_generator=ids, shutdown_on_exit=False)
    provider.sampler = _ByQuestion(provider.sampler)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    try:
        with exporting(OtelSpans(provider, ids, with_text=settings.traces == "with_text")):
            yield
    finally:
        await asyncio.to_thread(provider.shutdown)  # sends what is left


class _Ids(RandomIdGenerator):
    """Gives the root of a trace the ids of its question; all other spans get random ones."""

    def __init__(self) -> None:
        self.root: tuple[int, int] | None = None

    def generate_trace_id(self) -> int:
        return self.root[0] if self.root else super().generate_trace_id()

    def generate_span_id(self) -> int:
        return self.root[1] if self.root else super().generate_span_id()


class _ByQuestion(Sampler):
    """Decides by those bits of a question's id that are random.

    A sampler of a share looks at the lower half of the id. Of a UUID that begins with two bits
    which are always the same (RFC 9562 §4.1), so that no share would be true.
    """

    def __init__(self, inner: Sampler) -> None:
        self._inner = inner

    def should_sample(  # noqa: PLR0917  # the signature of the SDK
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        shifted = (trace_id << 2) & _LOW_BITS
        return self._inner.should_sample(
            parent_context, shifted, name, kind, attributes, links, trace_state
        )

    def get_description(self) -> str:
        return self._inner.get_description()


class OtelSpans:
    """See `bot.traces.SpanExporter`."""

    def __init__(self, provider: TracerProvider, ids: _Ids, *, with_text: bool) -> None:
        self._sampler = provider.sampler
        self._tracer = provider.get_tracer("citebound", version("citebound"))
        self._ids = ids
        self._with_text = with_text
        self._behind_ns = time_ns() - int(monotonic() * 1e9)

    def export(self, span: TraceSpan, /) -> None:
        """See `SpanExporter.export`."""
        trace_id = UUID(span.question_id).int
        root_id = trace_id & _LOW_BITS
        if span.is_root:
            self._ids.root = (trace_id, root_id)
            context = Context()
        else:
            decided = self._sampler.should_sample(None, trace_id, "message").decision
            flags = TraceFlags.SAMPLED if decided is Decision.RECORD_AND_SAMPLE else 0
            root = SpanContext(trace_id, root_id, is_remote=True, trace_flags=TraceFlags(flags))
            context = set_span_in_context(NonRecordingSpan(root), Context())
        self._send(span, context)

    def _send(self, span: TraceSpan, context: Context) -> None:
        sent = self._tracer.start_span(
            span.name,
            context=context,
            kind=SpanKind.SERVER if span.is_root else SpanKind.INTERNAL,
            attributes=self._attributes(span),
            start_time=self._instant_ns(span.began_s),
        )
        self._ids.root = None
        if span.error is not None:
            sent.set_status(Status(StatusCode.ERROR, span.error))
        for part in span.parts:
            self._send(part, set_span_in_context(sent, Context()))
        sent.end(self._instant_ns(span.ended_s))

    def _attributes(self, span: TraceSpan) -> Mapping[str, str | int | float | bool]:
        known = {f"citebound.{name}": value for name, value in span.attributes.items()}
        told = {"citebound.question_id": span.question_id, **known}
        if self._with_text:
            texts = {name: text[:LONGEST_TEXT] for name, text in span.texts.items()}
            told |= {f"citebound.text.{name}": text for name, text in texts.items()}
        return told

    def _instant_ns(self, monotonic_s: float) -> int:
        return int(monotonic_s * 1e9) + self._behind_ns
