"""What the database ends for reasons of its own is begun again; its limits hold."""

import asyncio

import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import DBAPIError

from core.adapters.postgres.engine.database import SERVING, connect_arguments, engine_for
from core.domain.errors import TransientError
from core.domain.message import Accepted
from tests.life import Deployment, deploy, message, prepare
from tests.life_history import broken_promises

REFUSING = (
    "CREATE SEQUENCE refusals",
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " IF nextval('refusals') <= {times} THEN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END IF;"
    " RETURN NEW; END $$",
    "CREATE TRIGGER refuse BEFORE INSERT ON citebound.inbox FOR EACH ROW EXECUTE FUNCTION refuse()",
)
REDELIVERIES = 4
"""Once no backend is killed any more."""
KILL_ALL = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


async def refuse(deployment: Deployment, code: str, *, times: int) -> None:
    """Let so many inserts into the inbox fail; a sequence forgets nothing on a rollback."""
    async with deployment.engine.begin() as connection:
        for statement in REFUSING:
            await connection.execute(text(statement.format(code=code, times=times)))


@pytest.mark.parametrize("code", ["40001", "40P01", "57P01", "57P02", "57P03", "08006"])
async def test_a_transaction_that_was_ended_is_begun_again(
    deployment: Deployment, code: str
) -> None:
    """Twice refused, the third time stored: once, with one record and one number."""
    await refuse(deployment, code, times=2)
    assert isinstance(await deployment.intake.accept(message("a gift")), Accepted)
    async with deployment.working():
        await deployment.quiet()
    assert await broken_promises(deployment, accepted=1) == []


@pytest.mark.parametrize(("code", "times"), [("40001", 3), ("23514", 1), ("57014", 1)])
async def test_not_for_ever_and_not_for_every_reason(
    deployment: Deployment, code: str, times: int
) -> None:
    """After three attempts the platform comes again; what is refused for what it is, at once."""
    await refuse(deployment, code, times=times)
    with pytest.raises(TransientError):
        await deployment.intake.accept(message("a gift"))
    (used,) = await deployment.rows("SELECT last_value FROM refusals")
    assert used == {"last_value": times}
    assert isinstance(await deployment.intake.accept(message("a gift")), Accepted)


async def test_killed_backends_lose_nothing_under_load(database_url: str) -> None:
    """Each message is stored, at the latest when it comes again; answered once, and in order."""
    engine = engine_for(database_url, limits=SERVING)
    deployment = deploy(engine, lease_s=2.0)
    await prepare(engine)

    is_over = asyncio.Event()

    async def deliver(n: int) -> None:
        left = REDELIVERIES
        while left:
            try:
                await deployment.intake.accept(message(f"m{n}", thread=str(n)))
            except TransientError:
                left -= is_over.is_set()
                await asyncio.sleep(0.5)
            else:
                return
        raise AssertionError(f"message {n} was refused, although no backend was killed any more")

    async def storm() -> None:
        killer = engine_for(database_url, pooled=False)
        for _ in range(6):
            await asyncio.sleep(0.25)
            async with killer.connect() as connection:
                await connection.execute(text(KILL_ALL))
        await killer.dispose()
        is_over.set()

    async with deployment.working(), asyncio.TaskGroup() as group:
        group.create_task(storm())
        for n in range(90):
            group.create_task(deliver(n))
            await asyncio.sleep(0.01)
    async with deployment.working():
        await deployment.quiet(within_s=120.0)
    assert await broken_promises(deployment, accepted=90) == []
    await engine.dispose()


async def test_statements_have_limits(database_url: str) -> None:
    """A statement, a lock, and a transaction in which nothing happens; commands have none."""
    engine = engine_for(database_url, limits=SERVING, pooled=False)
    async with engine.connect() as connection:
        told = [
            await connection.scalar(text(f"SHOW {name}"))
            for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
        ]
    assert told == ["10s", "2s", "10s"]
    await engine.dispose()
    free = engine_for(database_url, pooled=False)
    async with free.connect() as connection:
        assert await connection.scalar(text("SHOW statement_timeout")) == "0"
    await free.dispose()


async def test_a_lock_is_not_waited_for(database_url: str) -> None:
    """Two seconds: Slack's patience is three."""
    engine = engine_for(database_url, limits=SERVING, pooled=False)
    async with engine.connect() as holder, engine.connect() as other:
        await holder.execute(text("LOCK TABLE citebound.inbox"))
        with pytest.raises(DBAPIError, match="lock timeout"):
            await other.execute(text("SELECT 1 FROM citebound.inbox"))
    await engine.dispose()


def test_what_the_url_says_stays() -> None:
    """Whoever runs it knows the network better."""
    url = make_url("postgresql://u@h/d?connect_timeout=9&options=-c%20lock_timeout%3D7")
    told = connect_arguments(url, SERVING)
    assert "connect_timeout" not in told
    assert told["tcp_user_timeout"] == 5_000
    assert told["options"].endswith("-c lock_timeout=7")
