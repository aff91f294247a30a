"""What a day may cost: over it no model is called, whoever asks, and officers hear of it once."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.anthropic.api.composition import ClaudeModels, open_models
from core.adapters.postgres.record.model_calls import PostgresModelCallLog, PostgresSpending
from core.adapters.system import SystemClock, UuidSource
from core.config.settings import Settings
from core.domain.errors import ConfigError, DayBudgetSpentError
from core.domain.officers import Account, Officer, Officers
from tests.integration.anthropic.world import PRICES, budget, request
from tests.servers.anthropic import AnthropicServer, anthropic_server
from tests.servers.anthropic_steps import reply, usage

ADA = Officer(
    login="ada",
    name="Ada",
    accounts=(Account(platform="fake", tenant="T1", person="ADA"),),
    is_on_call=True,
)
QUESTIONS = [f"01890a5d-ac96-774b-bcce-b302099a8{n:03}" for n in range(20)]
DOLLAR = usage(output=250_000)
"""By the prices of these tests."""


@asynccontextmanager
async def models_within(
    engine: AsyncEngine, server: AnthropicServer, budget_usd: float
) -> AsyncGenerator[ClaudeModels]:
    """Open models of a process of its own, with the day's budget."""
    spending = PostgresSpending(
        engine,
        budget_usd=budget_usd,
        officers=Officers(all=(ADA,)),
        ids=UuidSource(),
    )
    models = open_models(
        Settings(
            anthropic_api_key=server.key,
            anthropic_base_url=server.url,
            prices=PRICES,
            daily_budget_usd=budget_usd,
        ),
        clock=SystemClock(),
        log=PostgresModelCallLog(engine),
        spending=spending,
    )
    try:
        yield models
    finally:
        await models.aclose()


async def test_over_the_budget_of_the_day_nothing_is_called(engine: AsyncEngine) -> None:
    """Counted over processes; what is kept already costs nothing, and is told again."""
    with anthropic_server([reply("Yes.", usage=DOLLAR) for _ in range(2)]) as server:
        async with (
            models_within(engine, server, 2.0) as one,
            models_within(engine, server, 2.0) as other,
        ):
            first = await one.run(QUESTIONS[0], budget(tokens=1_000_000)).call(request())
            await other.run(QUESTIONS[1], budget(tokens=1_000_000)).call(request())
            run = one.run(QUESTIONS[2], budget())
            with pytest.raises(DayBudgetSpentError, match=r"USD 2\.00 of 2\.00"):
                await run.call(request())
            assert [(call.attempts, call.cost_usd) for call in run.made] == [(0, 0.0)]
            assert await one.run(QUESTIONS[0], budget()).call(request()) == first
        assert len(server.received) == 2


async def test_the_next_day_is_another(engine: AsyncEngine) -> None:
    """In UTC: what was spent before midnight is not counted."""
    with anthropic_server([reply("Yes.", usage=DOLLAR) for _ in range(2)]) as server:
        async with models_within(engine, server, 0.5) as models:
            await models.run(QUESTIONS[0], budget(tokens=1_000_000)).call(request())
            async with engine.begin() as connection:
                await connection.execute(
                    text(
                        "UPDATE citebound.model_calls SET at ="
                        " date_trunc('day', clock_timestamp(), 'UTC') - interval '1 s'"
                    )
                )
            await models.run(QUESTIONS[1], budget(tokens=1_000_000)).call(request())
            with pytest.raises(DayBudgetSpentError):
                await models.run(QUESTIONS[2], budget()).call(request())


async def test_officers_hear_of_it_once(engine: AsyncEngine) -> None:
    """However many questions come at once, in however many processes."""
    with anthropic_server([reply("Yes.", usage=DOLLAR)]) as server:
        async with (
            models_within(engine, server, 0.5) as one,
            models_within(engine, server, 0.5) as other,
        ):
            await one.run(QUESTIONS[0], budget(tokens=1_000_000)).call(request())

            async def refused(models: ClaudeModels, question: str) -> None:
                with pytest.raises(DayBudgetSpentError):
                    await models.run(question, budget()).call(request())

            async with asyncio.TaskGroup() as group:
                for n, question in enumerate(QUESTIONS[1:]):
                    group.create_task(refused((one, other)[n % 2], question))
    async with engine.connect() as connection:
        told = await connection.execute(
            text("SELECT reply->>'notice', person, is_direct, state FROM citebound.outbox")
        )
        assert [tuple(row) for row in told] == [("day_budget_spent", "ADA", True, "queued")]
        days = await connection.execute(
            text("SELECT budget_usd, spent_usd FROM citebound.overspent_days")
        )
        assert [tuple(row) for row in days] == [(0.5, pytest.approx(1.0, abs=0.01))]


async def test_what_can_not_be_counted_is_not_spent(engine: AsyncEngine) -> None:
    """Where the sum can't be read no model is called."""
    async with engine.begin() as connection:
        await connection.execute(text("ALTER TABLE citebound.model_calls RENAME cost_usd TO other"))
    with anthropic_server([]) as server:
        async with models_within(engine, server, 1.0) as models:
            with pytest.raises(DayBudgetSpentError, match="can't be read"):
                await models.run(QUESTIONS[0], budget()).call(request())
        assert server.received == []


def test_a_model_without_a_price_is_refused(engine: AsyncEngine) -> None:
    """In a line that says what to set."""
    settings = Settings(
        anthropic_api_key="sk-ant-none",
        anthropic_base_url="http://127.0.0.1:9",
        daily_budget_usd=1.0,
        prices=PRICES,
        small_model="other-1",
    )
    spending = PostgresSpending(engine, budget_usd=1.0, officers=Officers(), ids=UuidSource())
    with pytest.raises(ConfigError, match="needs the price of other-1: set it in CITEBOUND_PRICES"):
        open_models(settings, clock=SystemClock(), log=None, spending=spending)


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "much"])
def test_a_budget_is_a_number_of_dollars(value: str) -> None:
    """Anything else is no budget, rather than none."""
    with pytest.raises(ConfigError, match="CITEBOUND_DAILY_BUDGET_USD"):
        Settings.from_environment({"CITEBOUND_DAILY_BUDGET_USD": value})
