"""Whatever a platform says, in whatever order, and wherever a worker dies: one post at most."""

import asyncio
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import text

from core.adapters.postgres.engine.database import engine_for
from core.domain.delivery import (
    Ambiguous,
    ContentRefused,
    Delivery,
    Permanent,
    PostResult,
    RetryAfter,
)
from core.domain.message import Accepted
from tests.life import IN_DOUBT, Deployment, deploy, message, prepare
from tests.properties import examples

THREADS = ("1", "2")
TOLD: list[PostResult | str] = [
    IN_DOUBT,
    Ambiguous(code="reset"),
    RetryAfter(after_s=0.0),
    ContentRefused(code="invalid_blocks"),
    Permanent(code="is_archived"),
]
DUE = "UPDATE citebound.outbox SET next_at = now() - interval '1 s', lease_until = NULL"


class Outbox(RuleBasedStateMachine):
    """Two threads of one platform, on one database; each run begins with empty tables."""

    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.engine = engine_for(self.url)
        self.deployment: Deployment = deploy(self.engine)
        self.asked: dict[str, int] = dict.fromkeys(THREADS, 0)
        self.threads: dict[str, str] = {}

    def do(self, coroutine: Any) -> Any:
        return self.runner.run(coroutine)

    async def change(self, *statements: str) -> None:
        async with self.engine.begin() as connection:
            for statement in statements:
                await connection.execute(text(statement))

    @initialize()
    def empty(self) -> None:
        self.do(
            self.change(
                "TRUNCATE posts, paid CASCADE",
                "TRUNCATE citebound.outbox, citebound.inbox CASCADE",
                "DELETE FROM citebound.channel_paces",
            )
        )

    @rule(thread=st.sampled_from(THREADS))
    def ask(self, thread: str) -> None:
        self.do(self._ask(thread))

    async def _ask(self, thread: str) -> None:
        self.asked[thread] += 1
        words = f"{thread}: {self.asked[thread]}"
        accepted = await self.deployment.intake.accept(message(words, thread=thread))
        assert isinstance(accepted, Accepted)
        self.threads[thread] = accepted.conversation_id
        await self.deployment.worker.answer(accepted.conversation_id)

    @rule(thread=st.sampled_from(THREADS), script=st.lists(st.sampled_from(TOLD), max_size=3))
    def deliver(self, thread: str, script: list[PostResult | str]) -> None:
        if thread in self.threads:
            self.deployment.platform.script = list(script)
            self.do(self.deployment.deliverer.deliver(self.threads[thread]))
            self.deployment.platform.script = []

    @rule(thread=st.sampled_from(THREADS), how_far=st.integers(0, 2))
    def die(self, thread: str, how_far: int) -> None:
        """End after the claim, after `sending`, or after the post."""
        if thread in self.threads:
            self.do(self._die(self.threads[thread], how_far))

    async def _die(self, conversation_id: str, how_far: int) -> None:
        claimed = await self.deployment.outbox.claim(conversation_id)
        if not isinstance(claimed, Delivery) or claimed.is_doubtful:
            return
        if how_far >= 1:
            await self.deployment.outbox.begin(claimed)
        if how_far >= 2:
            await self.deployment.platform.post(claimed)

    @rule()
    def time_passes(self) -> None:
        self.do(self.change(DUE))

    @invariant()
    def nothing_is_posted_twice_or_out_of_order(self) -> None:
        self.do(self._check())

    async def _check(self) -> None:
        posts = await self.deployment.rows(
            "SELECT p.outbox_id, o.conversation_id FROM posts p"
            " JOIN citebound.outbox o ON o.id = p.outbox_id ORDER BY p.id"
        )
        ids = [row["outbox_id"] for row in posts]
        assert len(ids) == len(set(ids))
        for thread in {row["conversation_id"] for row in posts}:
            told = [row["outbox_id"] for row in posts if row["conversation_id"] == thread]
            assert told == sorted(told)  # pyright: ignore[reportArgumentType]

    def teardown(self) -> None:
        self.do(self._end())
        self.runner.close()

    async def _end(self) -> None:
        """Let everything come to its end, and compare what was asked with what was told."""
        for _ in range(4):
            await self.change(DUE)
            for conversation_id in self.threads.values():
                await self.deployment.deliverer.deliver(conversation_id)
        await self._check()
        rows = await self.deployment.rows(
            "SELECT o.state, p.id IS NOT NULL AS is_there, o.settled_at IS NOT NULL AS is_settled"
            " FROM citebound.outbox o LEFT JOIN posts p ON p.outbox_id = o.id"
        )
        assert len(rows) == sum(self.asked.values())
        for row in rows:
            assert row["is_settled"]
            assert row["state"] == ("posted" if row["is_there"] else "dead")
        await self.engine.dispose()


@pytest.mark.searches
def test_the_laws_of_the_outbox(database_url: str) -> None:
    """Nothing lost, nothing twice, order kept."""
    engine = engine_for(database_url, pooled=False)

    async def first() -> None:
        await prepare(engine)
        await engine.dispose()

    asyncio.run(first())
    Outbox.url = database_url
    run_state_machine_as_test(
        Outbox,
        settings=examples(8, steps=15),
    )
