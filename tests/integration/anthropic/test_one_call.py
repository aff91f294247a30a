"""One call over HTTP: what goes out, what comes back, and each way in which it can fail."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import pytest

from core.adapters.anthropic.api.api_types import CitedBlocks, TextPart, ToolUse
from core.adapters.anthropic.api.failures import LateError, RefusedError, RetryableModelError
from core.backoff import Backoff
from core.domain.errors import ContractError, ModelUnavailableError
from core.domain.run import TokenUse
from tests.integration.anthropic.world import budget, models_at, request
from tests.servers.anthropic import anthropic_server
from tests.servers.anthropic_steps import (
    Step,
    at,
    broken,
    cited,
    dropped,
    failure,
    raw,
    reply,
    stalled,
    text,
    thinking,
    tool_use,
    usage,
)

RESULT = {
    "type": "search_result",
    "source": "gifts",
    "title": "Gifts",
    "content": [{"type": "text", "text": one} for one in ("Cash is out.", "Tea is fine.")],
    "citations": {"enabled": True},
}
ONCE = Backoff(attempts=1)


async def test_a_whole_exchange() -> None:
    """Evidence goes out; citations, parallel tool calls and tokens of the cache come back."""
    said = reply(
        thinking("Let me see."),
        text("You may not: "),
        cited("cash is out", at(0, 0)),
        tool_use("get_entity", {"id": "7"}),
        tool_use("find_paths", {"source": "a", "target": "b"}),
        usage=usage(fresh=40, cache_read=2_000, cache_write=300, output=60),
    )
    asked = request(
        messages=({"role": "user", "content": [RESULT, {"type": "text", "text": "Cash?"}]},),
        tools=(
            {"name": "get_entity", "input_schema": {"type": "object"}},
            {"name": "find_paths", "input_schema": {"type": "object"}},
        ),
        tool_choice={"type": "auto"},
    )
    with anthropic_server([said]) as server:
        async with models_at(server) as models:
            run = models.run("q", budget())
            got = await run.call(asked)
    place = CitedBlocks(search_result=0, start_block=0, end_block=1, cited_text="Cash is out.")
    assert got.parts == (
        TextPart(text="You may not: "),
        TextPart(text="cash is out", citations=(place,)),
        ToolUse(use_id="toolu_01_03", name="get_entity", arguments={"id": "7"}),
        ToolUse(use_id="toolu_01_04", name="find_paths", arguments={"source": "a", "target": "b"}),
    )
    assert list(got.content) == server.messages[0]["content"]
    assert (got.stop_reason, got.tokens) == (
        "tool_use",
        TokenUse(fresh=40, cache_read=2_000, cache_write=300, output=60),
    )
    assert server.bodies == [asked.body() | {"messages": list(asked.messages), "stream": True}]
    (made,) = run.made
    assert made.cost_usd == pytest.approx((40 + 2_000 * 0.5 + 300 * 2 + 60 * 4) / 1e6)
    assert (made.attempts, made.error, made.prompt) == (1, None, "answer/1")
    assert 0 < made.ended_s - made.started_s < 60


async def test_what_was_said_can_be_said_back() -> None:
    """The assistant's turn, thinking and all, is accepted with the results of its tools."""
    first = request()
    with anthropic_server([reply(thinking("hm"), "\n", tool_use("find", {})), reply("Yes.")]) as (
        server
    ):
        async with models_at(server) as models:
            run = models.run("q", budget())
            got = await run.call(first)
            result = {"type": "tool_result", "tool_use_id": "toolu_01_02", "content": "{}"}
            turns = (
                {"role": "assistant", "content": list(got.content)},
                {"role": "user", "content": [result]},
            )
            done = await run.call(request(messages=(*first.messages, *turns)))
    assert done.parts == (TextPart(text="Yes."),)
    assert len(server.bodies) == 2


@dataclass(frozen=True)
class Wrong:
    """A step, the error it is, and what the error says."""

    step: Step
    kind: type[Exception]
    says: str


WRONG = [
    Wrong(failure(429, "rate_limit_error"), RetryableModelError, "rate_limit_error"),
    Wrong(failure(500), RetryableModelError, "api_error"),
    Wrong(failure(529, "overloaded_error"), RetryableModelError, "overloaded_error"),
    Wrong(raw("<html>", status=502, content_type="text/html"), RetryableModelError, "502"),
    Wrong(dropped(), RetryableModelError, "connection"),
    Wrong(stalled(), RetryableModelError, "silent"),
    Wrong(broken(reply("Yes."), "drop", after=0), RetryableModelError, "connection"),
    Wrong(broken(reply("Yes."), "drop"), RetryableModelError, "connection"),
    Wrong(broken(reply("Yes."), "stall"), RetryableModelError, "silent"),
    Wrong(broken(reply("Yes."), "end"), RetryableModelError, "early"),
    Wrong(broken(reply("Yes."), "error"), RetryableModelError, "overloaded_error"),
    Wrong(broken(reply("Yes."), "error", error_type="api_error"), RetryableModelError, "api_error"),
    Wrong(
        broken(reply("Yes."), "error", error_type="invalid_request_error"),
        RefusedError,
        "refused the request",
    ),
    Wrong(
        broken(reply("Yes."), "error", error_type="authentication_error"),
        RefusedError,
        "ANTHROPIC_API_KEY",
    ),
    Wrong(failure(400, "invalid_request_error"), RefusedError, "refused the request"),
    Wrong(failure(401, "authentication_error"), RefusedError, "ANTHROPIC_API_KEY"),
    Wrong(failure(402, "billing_error"), RefusedError, "no credit"),
    Wrong(failure(403, "permission_error"), RefusedError, "permit"),
    Wrong(failure(404, "not_found_error"), RefusedError, "CITEBOUND_MODEL"),
    Wrong(failure(307, location="http://127.0.0.1:1/v1"), RefusedError, "ANTHROPIC_BASE_URL"),
    Wrong(broken(reply("Yes."), "garbage"), ContractError, "no JSON"),
    Wrong(raw("<html>", content_type="text/html"), ContractError, "no event stream"),
    Wrong(raw("", content_type="text/event-stream"), ContractError, "no event stream"),
    Wrong(reply(*["a"] * 1_001), ContractError, "blocks"),
    Wrong(reply("x", usage={"input_tokens": -1}), ContractError, "tokens"),
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: str(wrong.step)[:80])
async def test_each_failure_is_told_for_what_it_is(wrong: Wrong) -> None:
    """One attempt, one error of ours, in one line, in time, without the key; and it is recorded."""
    with anthropic_server([wrong.step]) as server:
        async with models_at(server, backoff=ONCE, silence_s=0.3) as models:
            run = models.run("q", budget())
            started_s = time.monotonic()
            with pytest.raises(wrong.kind, match=wrong.says) as caught:
                await run.call(request())
    assert time.monotonic() - started_s < 15  # of the 20 s that the run has
    assert server.key not in str(caught.value)
    assert "\n" not in str(caught.value)
    (made,) = run.made
    assert (made.error, made.attempts, made.cost_usd) == (str(caught.value), 1, None)
    assert made.tokens == TokenUse(fresh=0)


async def test_a_refused_connection_may_pass() -> None:
    """Nobody listens: a dropped connection like others."""
    with anthropic_server() as server:
        gone = server.url
    server.url = gone
    async with models_at(server, backoff=ONCE) as models:
        with pytest.raises(RetryableModelError, match="connection"):
            await models.run("q", budget()).call(request())


async def test_100_kb_are_read_in_time() -> None:
    """A long reply is no problem; its thousand pieces are put together once."""
    words = "Ünïcode \N{GRINNING FACE} " * 10_000
    with anthropic_server([reply(words, tool_use("find", {"q": words}))]) as server:
        async with models_at(server) as models:
            got = await models.run("q", budget()).call(request())
    assert got.parts[0] == TextPart(text=words)
    assert isinstance(got.parts[1], ToolUse)
    assert got.parts[1].arguments == {"q": words}


@pytest.mark.parametrize(
    "step",
    [
        stalled(),
        broken(reply("Yes."), "stall", after=2),
        reply("Yes. " * 200, pause_s=0.1),
        reply("Yes.", delay_s=9),
    ],
    ids=["no byte", "stalls", "drips", "late"],
)
async def test_no_wait_goes_past_the_deadline(step: Step) -> None:
    """Even where bytes keep coming: the run's deadline less a second is the end of the call."""
    with anthropic_server([step]) as server:
        async with models_at(server, silence_s=60) as models:
            await models.warm()
            run = models.run("q", budget(deadline_s=1.6))
            started_s = time.monotonic()
            with pytest.raises(LateError, match=r"did not answer within 0\.6 s"):
                await run.call(request())
            assert 0.5 < time.monotonic() - started_s < 30  # of the 60 s of silence


async def test_a_cancelled_call_ends_at_once_and_is_recorded() -> None:
    """Nothing is left open, and the record says that it was made."""
    with anthropic_server([stalled()]) as server:
        async with models_at(server) as models:
            run = models.run("q", budget())
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await run.call(request())
            assert [(call.error, call.attempts) for call in run.made] == [("cancelled", 1)]


async def test_the_environment_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What the SDK reads by itself is not read: address, credentials, headers, logs."""
    elsewhere: dict[str, Any] = {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
        "ANTHROPIC_API_KEY": "sk-ant-other",
        "ANTHROPIC_AUTH_TOKEN": "other-token",
        "ANTHROPIC_PROFILE": "other",
        "ANTHROPIC_CUSTOM_HEADERS": "X-Other: yes\nAuthorization: Bearer other",
        "ANTHROPIC_LOG": "debug",
    }
    for name, value in elsewhere.items():
        monkeypatch.setenv(name, value)
    with caplog.at_level("DEBUG"), anthropic_server([reply("Yes.")]) as server:
        async with models_at(server) as models:
            await models.run("q", budget()).call(request("a very private question"))
    headers = server.received[0].headers
    assert headers["authorization"] == f"Bearer {server.key}"
    assert not {"x-other", "x-api-key", "traceparent"} & set(headers)
    logged = " ".join(record.getMessage() for record in caplog.records)
    assert server.key not in logged
    assert "private" not in logged


async def test_no_attempt_without_time() -> None:
    """A run that is nearly over asks no model."""
    with anthropic_server() as server:
        async with models_at(server) as models:
            run = models.run("q", budget(deadline_s=0.5))
            with pytest.raises(ModelUnavailableError, match="no time"):
                await run.call(request())
    assert [(call.attempts, call.cost_usd) for call in run.made] == [(0, 0.0)]


async def test_whether_our_access_is_taken_is_noted() -> None:
    """A refusal with its cause, and the success that ends it; other failures say nothing."""
    noted: list[tuple[str, str | None]] = []
    steps = [failure(401, "authentication_error"), failure(404, "not_found_error"), reply("Yes.")]
    with anthropic_server(steps) as server:
        async with models_at(
            server, backoff=ONCE, note=lambda name, cause: noted.append((name, cause))
        ) as models:
            for _ in range(2):
                with pytest.raises(RefusedError):
                    await models.run("q", budget()).call(request())
            await models.run("q", budget()).call(request())
    assert noted == [("claude", "authentication_error (401)"), ("claude", None)]
