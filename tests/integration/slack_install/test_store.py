"""The store of installations: encrypted, bound, exchanged once, forgotten everywhere."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError as ConstraintError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.platforms.installations import PostgresInstallations
from core.adapters.postgres.platforms.secret_box import SecretBox
from core.domain.errors import ConfigError, ContractError, IntegrityError, TransientError
from core.domain.installation import Installation, Tokens, Workspace
from tests.integration.slack_install.conftest import (
    ACCESS,
    CLIENT_ID,
    KEY,
    LEDGER,
    NOW,
    OTHER_KEY,
    REFRESH,
    MakeStore,
    installation,
)

ROOT = Path(__file__).parents[3]
HERE = Workspace(team="T1")
SOON = timedelta(minutes=30)
DUE_BY = NOW + timedelta(hours=2)


async def dump(engine: AsyncEngine) -> bytes:
    """Return all that the database holds of installations, as text and as raw bytes."""
    async with engine.connect() as connection:
        rows = (
            await connection.execute(text("SELECT s::text, s.sealed FROM slack_installations s"))
        ).all()
    return b"".join(str(row[0]).encode() + bytes(row[1]) for row in rows)


@pytest.fixture(autouse=True)
async def in_schema(engine: AsyncEngine) -> None:
    """Tests name tables without their schema."""
    async with engine.begin() as connection:
        name = (await connection.execute(text("SELECT current_database()"))).scalar_one()
        await connection.execute(text(f"ALTER DATABASE {name} SET search_path = citebound, public"))
    await engine.dispose()  # it holds for new connections


async def rows(engine: AsyncEngine, what: str = "*") -> list[tuple[object, ...]]:
    """Return what is stored."""
    async with engine.connect() as connection:
        found = await connection.execute(text(f"SELECT {what} FROM slack_installations"))  # noqa: S608  # our own words
        return [tuple(row) for row in found.all()]


async def test_what_is_kept_comes_back(store: PostgresInstallations) -> None:
    """Every field, the tokens among them."""
    kept = installation(enterprise="E1", lasts=SOON)
    await store.save(kept)
    assert await store.find(Workspace(enterprise="E1", team="T1")) == kept
    assert await store.find(Workspace(team="T2")) is None


async def test_no_token_lies_in_the_table(
    store: PostgresInstallations, engine: AsyncEngine
) -> None:
    """Neither as text nor in the bytes, neither access nor refresh; nor in what is printed."""
    kept = installation(lasts=SOON)
    await store.save(kept)
    held = await dump(engine)
    assert b"T1" in held
    for secret in (ACCESS, REFRESH):
        assert secret.encode() not in held
        assert secret.encode().hex().encode() not in held
        assert secret not in repr(kept)


class UnsafeSecretBox(SecretBox):
    """Encrypts nothing: shows that the test above would tell."""

    def seal(self, plain: bytes, *, bound_to: bytes) -> bytes:
        """Leave it as it is."""
        return plain


async def test_without_encryption_the_token_would_lie_there(engine: AsyncEngine) -> None:
    """What the dump finds if nothing is encrypted."""
    store = PostgresInstallations(
        engine, client_id=CLIENT_ID, envelope=UnsafeSecretBox(KEY), ledger=LEDGER
    )
    await store.save(installation(lasts=SOON))
    held = await dump(engine)
    assert all(secret.encode() in held for secret in (ACCESS, REFRESH))


async def test_a_workspace_has_one_installation_the_newest(
    store: PostgresInstallations, engine: AsyncEngine
) -> None:
    """Also if the same person installs it again, and where no organisation is named."""
    for installer, access in (("U1", "first"), ("U1", "second"), ("U2", "third")):
        await store.save(installation(installer=installer, access=access))
    await store.save(installation(team=None, enterprise="E1"))
    found = await store.find(HERE)
    assert found is not None
    assert (found.installer, found.tokens.access) == ("U2", "third")
    assert len(await rows(engine)) == 2


async def test_null_is_not_another_organisation(
    store: PostgresInstallations, engine: AsyncEngine
) -> None:
    """The unique key takes two nulls for one value."""
    await store.save(installation())
    columns = "client_id, team_id, user_id, app_id, bot_id, bot_user_id, label, scopes, sealed"
    with pytest.raises(ConstraintError):
        async with engine.begin() as connection:
            await connection.execute(
                text(
                    f"INSERT INTO slack_installations ({columns})"  # noqa: S608  # our own words
                    f" SELECT {columns} FROM slack_installations"
                )
            )


async def test_an_organisation_serves_its_workspaces(store: PostgresInstallations) -> None:
    """A workspace's own installation goes first; another organisation's is never found."""
    await store.save(installation(team=None, enterprise="E1", access="of all"))
    await store.save(installation(team="T1", enterprise="E1", access="of one"))
    found = {
        (enterprise, team): await store.find(Workspace(enterprise=enterprise, team=team))
        for enterprise, team in (("E1", "T1"), ("E1", "T9"), ("E1", None), ("E2", "T9"))
    }
    accesses = {place: one and one.tokens.access for place, one in found.items()}
    assert accesses == {
        ("E1", "T1"): "of one",
        ("E1", "T9"): "of all",
        ("E1", None): "of all",
        ("E2", "T9"): None,
    }


async def test_another_app_sees_nothing(
    store: PostgresInstallations, make_store: MakeStore
) -> None:
    """Two apps may share a database."""
    await store.save(installation())
    other = make_store(client_id="333.444")
    assert await other.find(HERE) is None
    assert await other.delete(HERE) == 0
    assert await store.find(HERE) is not None


@pytest.mark.parametrize("column", ["team_id", "enterprise_id", "user_id", "client_id"])
async def test_a_token_in_another_row_does_not_open(
    store: PostgresInstallations, make_store: MakeStore, engine: AsyncEngine, column: str
) -> None:
    """Whoever can write to the table can't lend one workspace the token of another."""
    await store.save(installation())
    async with engine.begin() as connection:
        await connection.execute(text(f"UPDATE slack_installations SET {column} = 'T2'"))  # noqa: S608  # our own words
    reader = make_store(client_id="T2") if column == "client_id" else store
    with pytest.raises(IntegrityError, match="wrong row"):
        await reader.find(Workspace(enterprise="T2", team="T2" if column == "team_id" else "T1"))


@pytest.mark.parametrize("at", [0, 3, 12, 25, -1])
async def test_an_altered_token_does_not_open(
    store: PostgresInstallations, engine: AsyncEngine, at: int
) -> None:
    """Version, key id, nonce, text and tag: each byte counts."""
    await store.save(installation())
    sealed = bytearray((await rows(engine, "sealed"))[0][0])  # type: ignore[arg-type]
    sealed[at] ^= 1
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE slack_installations SET sealed = :sealed"), {"sealed": bytes(sealed)}
        )
    with pytest.raises((IntegrityError, ConfigError)):
        await store.find(HERE)


async def test_a_wrong_key_is_one_clear_line(
    store: PostgresInstallations, make_store: MakeStore
) -> None:
    """It names the variable, and what to do."""
    await store.save(installation())
    wrong = make_store(OTHER_KEY)
    for call in (wrong.find(HERE), wrong.reseal()):
        with pytest.raises(ConfigError, match="CITEBOUND_TOKEN_KEY is not the key") as caught:
            await call
        assert "\n" not in str(caught.value)


async def test_a_key_is_changed_without_installing_again(
    store: PostgresInstallations, make_store: MakeStore
) -> None:
    """Old and new side by side; once all is encrypted anew, the old one is not needed."""
    await store.save(installation())
    both = make_store(OTHER_KEY, older=(KEY,))
    assert await both.find(HERE) == installation()
    assert [await both.reseal(), await both.reseal()] == [1, 0]
    assert await make_store(OTHER_KEY).find(HERE) == installation()
    with pytest.raises(ConfigError):
        await store.find(HERE)


async def test_what_one_replica_forgets_no_other_finds(
    store: PostgresInstallations, make_store: MakeStore
) -> None:
    """Nothing is remembered; the organisation's own installation stays."""
    other = make_store()
    await store.save(installation(enterprise="E1"))
    await store.save(installation(team=None, enterprise="E1", access="of all"))
    assert await other.find(HERE) is not None
    assert await store.delete(HERE) == 1
    assert await other.find(HERE) is None
    assert await other.find(Workspace(enterprise="E1", team="T1")) is not None
    assert await store.delete(Workspace(enterprise="E1")) == 1
    assert await other.find(Workspace(enterprise="E1", team="T1")) is None


class Exchange:
    """Slack's end of a rotation, which takes a refresh token once."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, held: Installation) -> Tokens:
        """Exchange."""
        self.calls += 1
        await asyncio.sleep(0.05)
        assert held.tokens.refresh == REFRESH
        return Tokens(access="new", refresh="next", expires_at=NOW + timedelta(hours=12))


async def test_twenty_at_once_exchange_once(make_store: MakeStore, engine: AsyncEngine) -> None:
    """Over four processes, as it were; everybody gets the new tokens."""
    replicas, exchange = [make_store() for _ in range(4)], Exchange()
    await replicas[0].save(installation(lasts=SOON))
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(replica.renew(HERE, due_by=DUE_BY, refresh=exchange))
            for replica in replicas * 5
        ]
    assert exchange.calls == 1
    assert {one.tokens.access for one in (task.result() for task in tasks) if one} == {"new"}
    assert all(task.result() for task in tasks)
    assert b"next" not in await dump(engine)


async def test_tokens_that_last_are_left_alone(store: PostgresInstallations) -> None:
    """Those that do not rotate, too."""
    exchange = Exchange()
    for lasts in (None, timedelta(hours=3)):
        await store.save(installation(lasts=lasts))
        assert await store.renew(HERE, due_by=DUE_BY, refresh=exchange) == installation(lasts=lasts)
    assert await store.renew(Workspace(team="T2"), due_by=DUE_BY, refresh=exchange) is None
    assert exchange.calls == 0


@pytest.mark.parametrize("error", [TransientError, ContractError])
async def test_a_failed_exchange_leaves_the_old_tokens(
    store: PostgresInstallations, error: type[Exception]
) -> None:
    """And the lock is free again."""
    kept = installation(lasts=SOON)
    await store.save(kept)

    async def fails(_held: Installation) -> Tokens:
        raise error

    for _ in range(2):
        with pytest.raises(error):
            await store.renew(HERE, due_by=DUE_BY, refresh=fails)
    assert await store.find(HERE) == kept


async def test_what_is_uninstalled_during_an_exchange_stays_gone(
    store: PostgresInstallations, make_store: MakeStore
) -> None:
    """No token comes back to life."""
    await store.save(installation(lasts=SOON))

    async def meanwhile(_held: Installation) -> Tokens:
        assert await make_store().delete(HERE) == 1
        return Tokens(access="new")

    assert await store.renew(HERE, due_by=DUE_BY, refresh=meanwhile) is None
    assert await store.find(HERE) is None


KILLED = """
import asyncio, sys
from core.adapters.postgres.engine.database import engine_for
from core.failpoints import arm
from core.domain.installation import Tokens
from tests.integration.slack_install.conftest import *
from tests.integration.slack_install.test_store import DUE_BY, HERE

async def main():
    engine = engine_for(sys.argv[1], pooled=False)
    store = PostgresInstallations(
        engine, client_id=CLIENT_ID, envelope=SecretBox(KEY), ledger=LEDGER
    )
    async def exchange(_held):
        return Tokens(access="new", refresh="next")
    arm(sys.argv[2] or None)
    await store.renew(HERE, due_by=DUE_BY, refresh=exchange)

asyncio.run(main())
"""


@pytest.mark.parametrize(("armed", "access"), [("F12", ACCESS), ("", "new")])
async def test_a_process_that_is_killed_leaves_old_or_new_never_none(
    store: PostgresInstallations, database_url: str, armed: str, access: str
) -> None:
    """F12: between the exchange and the commit; the lock goes with the process."""
    await store.save(installation(lasts=SOON))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, database_url, armed, cwd=ROOT
    )
    assert await process.wait() == (-9 if armed else 0)
    found = await store.find(HERE)
    assert found is not None
    assert found.tokens.access == access
    async with asyncio.timeout(60):
        again = await store.renew(HERE, due_by=DUE_BY, refresh=Exchange() if armed else fail)
    assert again is not None
    assert again.tokens.access == "new"


async def fail(_held: Installation) -> Tokens:
    """Nobody is to call this."""
    raise AssertionError
