"""What a run may spend, what it need not pay twice, and what the ledger keeps."""

import asyncio
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.anthropic.api.api_types import TextPart
from core.adapters.postgres.record.model_calls import PostgresModelCallLog
from core.domain.errors import ModelUnavailableError
from core.domain.run import TokenUse
from core.ports import StoredCall
from tests.integration.anthropic.world import InMemoryCallLog, budget, models_at, request
from tests.properties import examples
from tests.servers.anthropic import anthropic_server, by, replay
from tests.servers.anthropic_steps import Reply, broken, failure, reply, thinking, tool_use, usage

QUESTION = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.fixture
async def ledger(engine: AsyncEngine) -> PostgresModelCallLog:
    """The real one."""
    return PostgresModelCallLog(engine)


async def test_after_a_crash_nothing_is_paid_for_again(ledger: PostgresModelCallLog) -> None:
    """A second run over the question gets the same replies without a request, for nothing."""
    steps = [
        reply(thinking("h\0m"), tool_use("find", '{"q": "unfin'), usage=usage(cache_read=9)),
        reply("Yes \N{GRINNING FACE}."),
    ]
    with anthropic_server(steps) as server:
        async with models_at(server, log=ledger) as models:
            before = models.run(QUESTION, budget())
            replies = [await before.call(request(words)) for words in ("one", "two")]
        async with models_at(server, log=ledger) as models:
            after = models.run(QUESTION, budget())
            again = [await after.call(request(words)) for words in ("one", "two")]
            assert len(server.received) == 2
    assert again == replies
    assert [(call.attempts, call.cost_usd) for call in after.made] == [(0, 0.0)] * 2
    assert [call.tokens for call in after.made] == [call.tokens for call in before.made]
    assert [call.request_hash for call in after.made] == [call.request_hash for call in before.made]


async def test_what_is_recorded_can_be_replayed(tmp_path: Path, log: InMemoryCallLog) -> None:
    """The server's hashes are the ledger's: rows of `model_calls` are a recording."""
    with anthropic_server([reply("Yes.")]) as server:
        async with models_at(server, log=log) as models:
            got = await models.run("q", budget()).call(request())
    rows = {one.hex(): call.response for (_, one), call in log.kept.items()}
    (tmp_path / "run.json").write_text(json.dumps(rows))
    with anthropic_server(replay(tmp_path / "run.json")) as server:
        async with models_at(server) as models:
            assert await models.run("q", budget()).call(request()) == got


async def test_a_repetition_counts_as_a_call_but_not_as_tokens(log: InMemoryCallLog) -> None:
    """The second run takes the turns of the first, and has its tokens still to spend."""
    with anthropic_server([reply("Yes.", usage=usage(output=700))]) as server:
        async with models_at(server, log=log) as models:
            await models.run("q", budget()).call(request())
            spent = budget(calls=1)
            run = models.run("q", spent)
            await run.call(request())
            assert (spent.use.model_calls, spent.use.output_tokens) == (1, 0)
            with pytest.raises(ModelUnavailableError, match="no model call is left"):
                await run.call(request("more"))


async def test_another_question_pays_for_itself(log: InMemoryCallLog) -> None:
    """Replies are kept within a question: what it may read may differ."""
    with anthropic_server([reply("Yes."), reply("No.")]) as server:
        async with models_at(server, log=log) as models:
            assert await models.run("q", budget()).call(request()) != await models.run(
                "r", budget()
            ).call(request())


async def test_a_failed_call_is_not_kept(log: InMemoryCallLog) -> None:
    """Nor is one that broke off: the next run tries again."""
    with anthropic_server(
        [failure(400, "invalid_request_error"), broken(reply("No."), "garbage"), reply("Yes.")]
    ) as server:
        async with models_at(server, log=log) as models:
            for _ in range(2):
                with pytest.raises(Exception, match=r"refused|JSON"):
                    await models.run("q", budget()).call(request())
            await models.run("q", budget()).call(request())
    assert [note["purpose"] for note in log.notes] == ["answer"]


async def test_the_ledger_keeps_cost_and_attempts(log: InMemoryCallLog) -> None:
    """As they were when it was made."""
    with anthropic_server([failure(529), reply("Yes.", usage=usage(output=50))]) as server:
        async with models_at(server, log=log) as models:
            await models.run("q", budget()).call(request())
    (kept,) = log.kept.values()
    assert kept.response == server.messages[0]
    assert kept.tokens == TokenUse(fresh=100, output=50)
    assert log.notes == [
        {
            "purpose": "answer",
            "model": "claude-sonnet-5-5",
            "cost_usd": pytest.approx((100 + 50 * 4) / 1e6),
            "attempts": 2,
        }
    ]


async def test_a_ledger_that_fails_loses_no_question(
    log: InMemoryCallLog, caplog: pytest.LogCaptureFixture
) -> None:
    """The answer goes on; what may be paid for twice is logged, by id and without text."""
    log.is_down = True
    with anthropic_server([reply("Yes.")]) as server:
        async with models_at(server, log=log) as models:
            got = await models.run("q-7", budget()).call(request("a private question"))
    assert got.parts == (TextPart(text="Yes."),)
    assert [record.getMessage() for record in caplog.records] == [
        "model calls of q-7 could not be read: TransientError",
        "model calls of q-7 could not be written: TransientError",
    ]


async def test_a_ledger_that_hangs_is_not_waited_for(
    log: InMemoryCallLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No wait is unbounded, not even for our own database."""
    monkeypatch.setattr("core.adapters.anthropic.api.metered_calls.LEDGER_S", 0.1)

    async def hang(*_: object, **__: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(log, "find", hang)
    monkeypatch.setattr(log, "store", hang)
    with anthropic_server([reply("Yes.")]) as server:
        async with models_at(server, log=log) as models:
            started_s = time.monotonic()
            await models.run("q", budget()).call(request())
    assert time.monotonic() - started_s < 30


async def test_a_kept_reply_that_cannot_be_read_is_paid_for_again(log: InMemoryCallLog) -> None:
    """An older shape in the ledger is no reason to fail."""
    stored = StoredCall(response={"old": True}, tokens=TokenUse(fresh=1), latency_ms=1)
    log.kept["q", request().sha256()] = stored
    with anthropic_server([reply("Yes.")]) as server:
        async with models_at(server, log=log) as models:
            got = await models.run("q", budget()).call(request())
    assert got.parts == (TextPart(text="Yes."),)


async def test_the_same_request_at_once_is_made_once(log: InMemoryCallLog) -> None:
    """Two stages that ask alike share a reply."""
    with anthropic_server([reply("Yes.", delay_s=0.1)]) as server:
        async with models_at(server, log=log) as models:
            run = models.run("q", budget())
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(run.call(request())) for _ in range(3)]
    assert len({task.result().parts for task in tasks}) == 1
    assert [call.attempts for call in run.made] == [1, 0, 0]


async def test_critic_and_judge_run_together(log: InMemoryCallLog) -> None:
    """At the same time, each with its own reply; the record has them as they began."""
    scripts = {"critic": [reply("Fine.", delay_s=0.6)], "judge": [reply("FINAL", delay_s=0.3)]}
    with anthropic_server(by(lambda body: body["system"][0]["text"], scripts)) as server:
        async with models_at(server, log=log) as models:
            await models.warm()
            run = models.run("q", budget())
            started_s = time.monotonic()
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(
                        run.call(request(system=({"type": "text", "text": who},), purpose=who))
                    )
                    for who in scripts
                ]
            took_s = time.monotonic() - started_s
    said = [task.result().parts for task in tasks]
    assert said == [(TextPart(text="Fine."),), (TextPart(text="FINAL"),)]
    assert [call.purpose for call in run.made] == ["critic", "judge"]
    assert took_s < 0.9


async def test_tokens_are_cut_to_what_is_left() -> None:
    """A call may write what the run has left, less what calls under way may write."""
    with anthropic_server([reply("a", usage=usage(output=700)), reply("b")]) as server:
        async with models_at(server) as models:
            run = models.run("q", budget(tokens=1_200))
            await run.call(request("one"))
            await run.call(request("two"))
            assert [body["max_tokens"] for body in server.bodies] == [1_000, 500]


async def test_without_tokens_no_call() -> None:
    """All are used: the run ends without a model."""
    with anthropic_server([reply("a", usage=usage(output=1_200))]) as server:
        async with models_at(server) as models:
            run = models.run("q", budget(tokens=1_200))
            await run.call(request("one", max_tokens=2_000))
            with pytest.raises(ModelUnavailableError, match="budget is spent"):
                await run.call(request("two"))
    assert [call.attempts for call in run.made] == [1, 0]


@examples(15)
@given(
    asked=st.lists(st.integers(1, 900), min_size=1, max_size=6),
    calls=st.integers(1, 6),
    tokens=st.integers(1, 1_500),
)
async def test_the_budget_is_never_overdrawn(asked: list[int], calls: int, tokens: int) -> None:
    """Whatever runs at the same time, a model that writes all it may stays within the run's."""

    def all_it_may(body: dict[str, Any]) -> Reply:
        return reply("x", usage=usage(output=body["max_tokens"]), delay_s=0.01)

    with anthropic_server(all_it_may) as server:
        async with models_at(server) as models:
            spent = budget(calls=calls, tokens=tokens)
            run = models.run("q", spent)

            async def one(number: int, max_tokens: int) -> None:
                with suppress(ModelUnavailableError):
                    await run.call(request(str(number), max_tokens=max_tokens))

            async with asyncio.TaskGroup() as group:
                for number, max_tokens in enumerate(asked):
                    group.create_task(one(number, max_tokens))
    assert spent.use.output_tokens <= tokens
    assert len(server.received) <= calls
    assert len(run.made) == len(asked)


async def test_standalone_calls_are_kept_nowhere(log: InMemoryCallLog) -> None:
    """Extraction keeps its own store, and has a budget of its own."""
    with anthropic_server([reply("a")]) as server:
        async with models_at(server, log=log) as models:
            calls = models.standalone(budget())
            await calls.call(request())
    assert not log.kept
    assert calls.made[0].cost_usd is not None
