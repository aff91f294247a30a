"""The checker finds what it is there to find."""

import pytest
from sqlalchemy import text

from core.domain.delivery import NotFound
from core.domain.message import Accepted
from tests.life import IN_DOUBT, Deployment, message
from tests.life_history import broken_promises

DUE = "UPDATE citebound.outbox SET next_at = now() - interval '1 s', lease_until = NULL"


async def change(deployment: Deployment, statement: str) -> None:
    """Run a statement."""
    async with deployment.engine.begin() as connection:
        await connection.execute(text(statement))


async def answered(deployment: Deployment, *words: str) -> str:
    """Answer and deliver messages of one thread."""
    thread = ""
    for word in words:
        accepted = await deployment.intake.accept(message(word))
        assert isinstance(accepted, Accepted)
        thread = accepted.conversation_id
        await deployment.worker.answer(thread)
        await deployment.deliverer.deliver(thread)
    return thread


async def test_a_platform_that_forgets_a_post_gets_it_twice(deployment: Deployment) -> None:
    """Posting rests on the search: where it says that nothing is there, it is posted again."""
    deployment.platform.script = [IN_DOUBT]
    deployment.platform.searches = [NotFound()]
    thread = await answered(deployment, "a gift")
    for _ in range(2):
        await change(deployment, DUE)
        await deployment.deliverer.deliver(thread)
    problems = await broken_promises(deployment, accepted=1)
    assert "reply 1 was posted 2 times" in problems


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        ("DELETE FROM citebound.inbox WHERE id = 2", "2 accepted, 1 stored"),
        ("DELETE FROM posts WHERE id = 2", "2 to be answered, 1 posted"),
        ("UPDATE citebound.inbox SET state = 'running' WHERE id = 1", "message 1 is running"),
        ("UPDATE posts SET body = 'You said: b' WHERE id = 1", "asked ["),
        (
            "ALTER TABLE audit.record DISABLE TRIGGER refuse_change;"
            " ALTER TABLE audit.content DISABLE TRIGGER refuse_change;"
            " DELETE FROM audit.content; DELETE FROM audit.record WHERE seq = 2",
            "message 1 has 0 outcome records",
        ),
    ],
)
async def test_each_harm_is_found(deployment: Deployment, harm: str, found: str) -> None:
    """Nothing is found where nothing is wrong, and each harm where it is."""
    await answered(deployment, "a", "b")
    assert await broken_promises(deployment, accepted=2) == []
    for statement in harm.split(";"):
        await change(deployment, statement)
    assert found in " ".join(await broken_promises(deployment, accepted=2))
