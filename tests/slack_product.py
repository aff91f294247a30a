"""The product as `citebound serve` runs it, against a fake Slack."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.app.process import Process, Roles, running
from bot.slack.serving import slack as connect_slack
from bot.slack.surface import Patience
from core.adapters.postgres.database import engine_for
from core.bootstrap import bootstrap
from core.config import Settings
from tests.servers.slack import FakeSlack
from tests.servers.slack.posts import Message

AT_ONCE = Patience(draw_after_s=0.0)
"""Every run shows its steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """What a test holds on to."""

    process: Process
    slack: FakeSlack
    engine: AsyncEngine
    base_url: str

    async def rows(self, query: str) -> list[dict[str, object]]:
        """Read from the database."""
        async with self.engine.connect() as connection:
            found = await connection.execute(text(query))
            return [dict(row) for row in found.mappings()]

    async def quiet(self, *, within_s: float = 15.0) -> None:
        """Wait until nothing is left to answer or to post."""
        left = (
            "SELECT 1 FROM citebound.inbox WHERE state IN ('received', 'running')"
            " UNION ALL SELECT 1 FROM citebound.outbox WHERE settled_at IS NULL"
        )
        async with asyncio.timeout(within_s):
            while await self.rows(left):  # noqa: ASYNC110  # the database says so, nobody else
                await asyncio.sleep(0.02)

    async def answer_to(self, question: Message) -> Message:
        """Return the only reply to a question, once everything is quiet."""
        await self.quiet()
        return self.slack.checks.one_answer(question)


def settings_for(slack: FakeSlack, database_url: str, **more: object) -> Settings:
    """Return the settings of a deployment in this workspace."""
    settings = Settings(
        database_url=database_url,
        slack_bot_token=slack.workspace.bot_token,
        slack_signing_secret=slack.workspace.app.signing_secret,
        slack_api_url=slack.api_url,
        port=0,
    )
    return replace(settings, **more)  # pyright: ignore[reportArgumentType]  # checked by Settings


@asynccontextmanager
async def product(
    slack: FakeSlack,
    database_url: str,
    *,
    patience: Patience = AT_ONCE,
    roles: Roles | None = None,
    config: Path | None = None,
    **more: object,
) -> AsyncGenerator[Product]:
    """Run it, and tell Slack where."""
    settings = settings_for(slack, database_url, slack_config=config, **more)
    engine = engine_for(database_url, pooled=False)
    connect = connect_slack(settings, patience=patience)
    assert connect is not None
    async with (
        bootstrap(settings) as service,
        running(service, (connect,), roles or Roles()) as process,
    ):
        base_url = f"http://127.0.0.1:{process.port}"
        if settings.slack_signing_secret:
            slack.app_url = f"{base_url}/slack/events"
        yield Product(process=process, slack=slack, engine=engine, base_url=base_url)
    await engine.dispose()
