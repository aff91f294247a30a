"""Traces of questions, as a collector of OpenTelemetry receives them over HTTP."""

import asyncio
import gzip
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from sqlalchemy import text

from bot.app.tracing import sending
from bot.traces import STAGES, TraceSpan, send, traced
from core.adapters.postgres.engine.database import engine_for
from core.adapters.system import UuidSource
from core.config.settings import Settings
from tests.acceptance.slack.test_command import QUESTION, ROOT, Serving, command
from tests.servers.slack import FakeSlack

CANARY = "Zanzibarquux"
POSTED = "SELECT count(*) FROM citebound.outbox WHERE state = 'posted'"
BELOW = {*STAGES, "model"}
"""Names of spans below an answer."""


@dataclass
class Collector:
    """Receives spans."""

    url: str = ""
    is_down: bool = False
    bodies: list[bytes] = field(default_factory=list[bytes])
    resources: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    spans: list[Any] = field(default_factory=list[Any])

    async def take(self, request: web.Request) -> web.Response:
        """Keep what is sent."""
        if self.is_down:
            return web.Response(status=503)
        body = await request.read()
        body = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
        self.bodies.append(body)
        parsed = cast("Any", ExportTraceServiceRequest).FromString(body)  # fields have no types
        for sent in parsed.resource_spans:
            told = {one.key: one.value.string_value for one in sent.resource.attributes}
            self.resources.append(told)
            self.spans += [span for scope in sent.scope_spans for span in scope.spans]
        return web.Response()

    def named(self, name: str) -> list[Any]:
        """Return the spans of a name."""
        return [one for one in self.spans if one.name == name]

    @property
    def words(self) -> str:
        """All that was sent, as far as it is text."""
        return b"".join(self.bodies).decode(errors="replace")


@pytest.fixture
async def collector() -> AsyncIterator[Collector]:
    """One on a free port of this machine."""
    kept = Collector()
    served = web.Application()
    served.router.add_post("/v1/traces", kept.take)
    async with TestServer(served) as server:
        kept.url = str(server.make_url("/"))
        yield kept


@asynccontextmanager
async def worker_beside(serving: Serving) -> AsyncGenerator[Process]:
    """Run `citebound work` with the same settings."""
    words = (sys.executable, "-m", "bot", "work")
    worker = await asyncio.create_subprocess_exec(
        *words, env=serving.environment, stderr=DEVNULL, cwd=ROOT
    )
    try:
        yield worker
        worker.terminate()
        async with asyncio.timeout(60.0):
            assert await worker.wait() == 0
    finally:
        if worker.returncode is None:
            worker.kill()
        await worker.wait()


async def scalar(database_url: str, query: str) -> object:
    """Return what a query finds."""
    engine = engine_for(database_url, pooled=False)
    async with engine.connect() as connection:
        found = await connection.scalar(text(query))
    await engine.dispose()
    return found


async def ask(slack: FakeSlack, database_url: str, collector: Collector, traces: str) -> list[str]:
    """Ask one question of two processes; return who asked, and where."""
    anna = slack.workspace.user(f"anna-{CANARY}")
    settings = {"CITEBOUND_TRACES": traces, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    async with command(slack, database_url, "--no-worker", **settings) as serving:
        async with worker_beside(serving):
            said = await slack.people.ask(anna, f"{QUESTION} {CANARY}")
            async with asyncio.timeout(60.0):
                while not await scalar(database_url, POSTED):  # noqa: ASYNC110  # another process
                    await asyncio.sleep(0.05)
        serving.process.terminate()
        assert await serving.process.wait() == 0
    workspace = slack.workspace
    secrets = [workspace.bot_token, workspace.app.signing_secret]
    return [anna.id, said.message.channel, workspace.team_id, *secrets]


async def test_a_question_is_one_trace_of_two_processes(
    slack: FakeSlack, slack_database: str, collector: Collector
) -> None:
    """From Slack's event through the stages to the post; without a word of it or who asked."""
    private = await ask(slack, slack_database, collector, "on")
    assert {one["citebound.role"] for one in collector.resources} == {"serve", "work"}
    assert {one["service.name"] for one in collector.resources} == {"citebound"}
    (root,) = collector.named("message")
    (answer,) = collector.named("answer")
    (post,) = collector.named("post")
    assert {one.trace_id for one in collector.spans} == {root.trace_id}
    assert root.parent_span_id == b""
    assert answer.parent_span_id == post.parent_span_id == root.span_id
    below = [one for one in collector.spans if one.parent_span_id == answer.span_id]
    assert {"readers", "prepare", "plan", "retrieve", "verify", "decide", "record"} <= {
        one.name for one in below
    }
    assert len(collector.spans) == len(below) + 3
    assert {one.name for one in below} <= BELOW
    for one in below:
        assert answer.start_time_unix_nano <= one.start_time_unix_nano
        assert one.start_time_unix_nano <= one.end_time_unix_nano <= answer.end_time_unix_nano
    asked = await scalar(slack_database, "SELECT question_id::text FROM citebound.inbox")
    assert UUID(bytes=root.trace_id) == UUID(str(asked))
    for secret in (CANARY, QUESTION[:20], *private):
        assert secret not in collector.words


async def test_texts_are_sent_where_that_is_set(
    slack: FakeSlack, slack_database: str, collector: Collector
) -> None:
    """The question and its answer; still not who asked."""
    private = await ask(slack, slack_database, collector, "with_text")
    (answer,) = collector.named("answer")
    told = {one.key: one.value.string_value for one in answer.attributes}
    assert CANARY in told["citebound.text.question"]
    assert told["citebound.text.answer"]
    for secret in private:
        assert secret not in collector.words


def question_span(question_id: str, *, is_root: bool) -> TraceSpan:
    """Return a span that took no time."""
    return TraceSpan(
        question_id=question_id,
        name="message" if is_root else "answer",
        began_s=0.0,
        ended_s=0.0,
        is_root=is_root,
    )


async def test_a_share_is_a_share_of_whole_traces(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each process decides alike about a question, and about half of all questions as it is told.

    Of the ids themselves none would be below the half: the bits that a sampler reads begin with 10.
    """
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
    ids = [UuidSource().new() for _ in range(400)]
    for role in ("serve", "work"):
        async with sending(Settings(traces="on"), role=role):
            for one in ids:
                send(question_span(one, is_root=role == "serve"))
    roots = {one.trace_id for one in collector.named("message")}
    assert roots == {one.trace_id for one in collector.named("answer")}
    assert 130 < len(roots) < 270


async def test_a_collector_that_is_down_holds_nobody_up(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can't be sent is dropped; nothing is raised where something is measured."""
    collector.is_down = True
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    async with sending(Settings(traces="on"), role="work"):
        for _ in range(5_000):
            with traced(UuidSource().new(), "answer"):
                pass
    assert collector.spans == []
