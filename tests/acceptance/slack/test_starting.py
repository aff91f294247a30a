"""From the first moment a process says how it is; it is ready once nothing has to be loaded."""

import asyncio
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import ClientError
from sqlalchemy import make_url, text

from bot.app import process
from bot.app.process import Roles, run_until_told
from bot.platform import Connect
from bot.slack.app.platform import slack as connect_slack
from core.adapters.local import onnx_model
from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.schema import migrate
from core.agent.request import AskRequest
from core.bootstrap import Service, bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from core.domain.errors import ConfigError
from tests.databases import admin, logins
from tests.ports import free_port
from tests.servers.slack import FakeSlack
from tests.servers.slack.faults import error
from tests.slack_processes import Forks, Running, forks
from tests.slack_product import settings_for

ROLES = pytest.mark.parametrize(
    "roles", [{"works": False}, {"serves": False}], ids=["serve", "work"]
)
NOWHERE = "postgresql://citebound@127.0.0.1:1/citebound"
SAID_WITHIN_S = 60.0


@pytest.fixture(scope="module")
def starting() -> Iterator[Forks]:
    """Starts the product."""
    with forks() as running:
        yield running


@pytest.fixture
def empty_url(server_url: str, tmp_path: Path) -> Iterator[str]:
    """A database without any schema of ours."""
    name = f"unmigrated_{os.getpid()}_{abs(hash(tmp_path))}"
    with admin(server_url) as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield make_url(server_url).set(database=name).render_as_string(hide_password=False)
    with admin(server_url) as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


async def says(running: Running, status: int, words: str) -> None:
    """Wait until it says that of its readiness; it lives all the time."""
    told: object = None
    async with asyncio.timeout(SAID_WITHIN_S):
        while told != (status, words):
            try:
                told = await running.told("readyz")
                assert (await running.told("livez"))[0] == 200
            except ClientError:
                pass
            await asyncio.sleep(0.02)


@ROLES
async def test_it_waits_for_the_schema(
    starting: Forks, slack: FakeSlack, empty_url: str, roles: dict[str, bool]
) -> None:
    """Somebody else migrates, as in production; then it goes on by itself."""
    running = starting.start(slack, empty_url, migrate="never", roles=roles)
    await says(running, 503, "waiting for `citebound migrate`")
    engine = engine_for(empty_url, pooled=False)
    await migrate(engine)
    await engine.dispose()
    await says(running, 200, "ready")
    running.signal(signal.SIGTERM)
    assert await running.ended() == 0


@ROLES
async def test_it_waits_for_the_database_until_it_is_told_to_stop(
    starting: Forks, slack: FakeSlack, roles: dict[str, bool]
) -> None:
    """Whoever starts all at once need not know which comes first."""
    running = starting.start(slack, NOWHERE, roles=roles)
    await says(running, 503, "waiting for the database")
    running.signal(signal.SIGTERM)
    assert await running.ended() == 0


@ROLES
async def test_it_is_not_ready_while_it_warms_up(
    slack: FakeSlack,
    slack_database: str,
    roles: dict[str, bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A load balancer sends nothing before; until then no port takes messages."""
    warm = asyncio.Event()

    async def warm_up(_: Service) -> None:
        await warm.wait()

    monkeypatch.setattr(Service, "warm_up", warm_up)
    port, operations_port = free_port(), free_port()
    settings = settings_for(slack, slack_database, port=port, operations_port=operations_port)
    running = Running(pid=os.getpid(), port=port, operations_port=operations_port, forks=None)
    async with asyncio.TaskGroup() as group:
        group.create_task(run_until_told(settings, Roles(**roles)))
        await says(running, 503, "loading models")
        with pytest.raises(OSError, match="onnect"):
            await asyncio.open_connection("127.0.0.1", port)
        warm.set()
        await says(running, 200, "ready")
        running.signal(signal.SIGTERM)


async def test_warm_the_first_question_loads_nothing(
    slack_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All weights are there, and the tokenizer's words."""
    loaded: list[str] = []
    load = onnx_model.load_once

    def counted(weights: Path, *more: object) -> object:
        loaded.append(weights.name)
        return load(weights, *more)  # pyright: ignore[reportArgumentType]  # as given

    monkeypatch.setattr(onnx_model, "load_once", counted)
    async with bootstrap(Settings(**logins(slack_database))) as service:
        await service.warm_up()
        assert len(loaded) == 4, loaded
        question = "Who approves a trip to another country?"
        await service.answering.rehearse(AskRequest(text=question, place=Place(thread="one")))
        assert len(loaded) == 4, loaded
    engine = engine_for(slack_database, pooled=False)
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM citebound.questions")) == 0
    await engine.dispose()


async def until_ready(running: Running, words: str, status: int = 503) -> None:
    """Wait for what readiness says to begin so."""
    async with asyncio.timeout(SAID_WITHIN_S):
        while True:
            try:
                told = await running.told("readyz")
            except ClientError:
                told = (0, "")
            if told[0] == status and told[1].startswith(words):
                return
            await asyncio.sleep(0.02)


async def test_it_waits_for_its_platform(
    slack: FakeSlack, slack_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In production: alive, so that `doctor` can be run beside it, until Slack takes the token."""
    monkeypatch.setattr(process, "CONNECTED_AGAIN_S", 0.05)

    def at_the_fake(settings: Settings) -> Connect | None:
        return connect_slack(replace(settings, environment="development"))

    monkeypatch.setattr(process, "PLATFORMS", (at_the_fake,))
    slack.faults.always("auth.test", error("account_inactive"))
    running, settings = in_production(slack, slack_database)
    async with asyncio.TaskGroup() as group:
        group.create_task(run_until_told(settings, Roles(works=False)))
        await until_ready(running, "waiting for a platform: Slack refuses SLACK_BOT_TOKEN")
        assert (await running.told("livez"))[0] == 200
        slack.faults.heal("auth.test")
        await until_ready(running, "ready", 200)
        os.kill(os.getpid(), signal.SIGTERM)


async def test_it_says_what_is_not_set_up(slack: FakeSlack, slack_database: str) -> None:
    """In production for as long as it runs; elsewhere it ends at once."""
    running, settings = in_production(slack, slack_database)
    settings = replace(settings, slack_bot_token=None, slack_signing_secret=None)
    with pytest.raises(ConfigError, match="no chat platform"):
        await run_until_told(replace(settings, environment="development"), Roles())
    async with asyncio.TaskGroup() as group:
        group.create_task(run_until_told(settings, Roles()))
        await until_ready(running, "no chat platform is set up")
        os.kill(os.getpid(), signal.SIGTERM)


def in_production(slack: FakeSlack, database_url: str) -> tuple[Running, Settings]:
    """Return a process of this one, and its settings."""
    port, operations_port = free_port(), free_port()
    settings = replace(
        settings_for(slack, database_url, port=port, operations_port=operations_port),
        environment="production",
    )
    running = Running(pid=os.getpid(), port=port, operations_port=operations_port, forks=None)
    return running, settings
