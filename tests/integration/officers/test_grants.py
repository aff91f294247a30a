"""Officers are made, changed and unmade; each of that is recorded."""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import pbkdf2_hmac, sha256
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.officers.grants import PostgresGrants
from core.adapters.postgres.officers.query import OfficerQueries
from core.adapters.system import SystemClock, UuidSource
from core.domain.errors import ConfigError, TransientError, UsageError

LEDGER = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
NewLogin = Callable[[], str]


async def made(grants: PostgresGrants, login: str, **changes: Any) -> str | None:
    given: dict[str, Any] = {"units": ["berlin"], "audiences": ["everyone"], "has_login": True}
    return await grants.grant(login, by="root", **(given | changes))


async def said(engine: AsyncEngine) -> list[tuple[str, str, Any]]:
    """Return what the record says of officers."""
    async with engine.connect() as connection:
        found = await connection.execute(
            text("SELECT action, actor, after FROM audit.v_changes WHERE what = 'officer'"
                 " ORDER BY at, record_id")
        )  # fmt: skip
        return [tuple(row) for row in found]


async def test_a_login_may_read_and_nothing_else(
    grants: PostgresGrants, new_login: NewLogin, engine: AsyncEngine
) -> None:
    """A member of the officers' role alone; its password is known to the server as a hash."""
    login = new_login()
    password = await made(grants, login)
    assert password is not None
    assert len(password) == 32
    async with engine.connect() as connection:
        role = (
            await connection.execute(
                text(
                    "SELECT rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls,"
                    " rolreplication, rolpassword LIKE 'SCRAM-SHA-256$%' AS is_hashed,"
                    " (SELECT array_agg(roleid::regrole::text) FROM pg_auth_members"
                    "   WHERE member = pg_authid.oid) AS groups"
                    " FROM pg_authid WHERE rolname = :login"
                ),
                {"login": login},
            )
        ).one()
    assert tuple(role) == (True, False, False, False, False, False, True, ["citebound_officer"])
    assert await said(engine) == [
        (
            "granted",
            "root",
            {"officer": login, "units": ["berlin"], "audiences": ["everyone"], "has_login": True},
        )
    ]


async def test_the_password_lets_in(
    grants: PostgresGrants, new_login: NewLogin, engine: AsyncEngine
) -> None:
    """The server holds what SCRAM computes from it (RFC 5802), and was never told the password."""
    login = new_login()
    password = await made(grants, login)
    async with engine.connect() as connection:
        stored = await connection.scalar(
            text("SELECT rolpassword FROM pg_authid WHERE rolname = :login"), {"login": login}
        )
    _, salted, keys = str(stored).split("$")
    rounds, salt = salted.split(":")
    secret = pbkdf2_hmac("sha256", str(password).encode(), b64decode(salt), int(rounds))
    client_key = hmac.digest(secret, b"Client Key", "sha256")
    assert keys.split(":")[0] == b64encode(sha256(client_key).digest()).decode()


async def test_granting_again_changes_what_is_read(
    grants: PostgresGrants, new_login: NewLogin
) -> None:
    """The login and its password go on."""
    login = new_login()
    await made(grants, login)
    assert await made(grants, login, units=["paris", "berlin"], audiences=["*"]) is None
    (listed,) = await grants.list()
    assert (listed.units, listed.audiences) == (("paris", "berlin"), ("*",))
    assert listed.can_log_in


async def test_one_for_the_console_has_no_login(
    grants: PostgresGrants, new_login: NewLogin, engine: AsyncEngine
) -> None:
    """Whoever connects by that name is not let in."""
    login = new_login()
    assert await made(grants, login, has_login=False) is None
    (listed,) = await grants.list()
    assert not listed.can_log_in
    async with engine.connect() as connection:
        known = text("SELECT count(*) FROM pg_roles WHERE rolname = :login")
        assert await connection.scalar(known, {"login": login}) == 0


async def test_a_revoked_officer_reads_no_more(
    grants: PostgresGrants,
    new_login: NewLogin,
    session: Any,
    engine: AsyncEngine,
    database_url: str,
) -> None:
    """What is open is ended, no new connection is made, and a new grant makes a new password."""
    login = new_login()
    first = await made(grants, login)
    url = make_url(database_url).set(username=login).render_as_string(hide_password=False)
    with psycopg.connect(url) as open_connection:
        await grants.revoke(login, by="root")
        with pytest.raises(psycopg.OperationalError):
            open_connection.execute("SELECT 1")
    with pytest.raises((ConfigError, TransientError)):
        await OfficerQueries(session(login)).run("SELECT 1", purpose="x", most_rows=1)
    (listed,) = await grants.list()
    assert listed.revoked_at is not None
    assert not listed.can_log_in
    with pytest.raises(UsageError, match="is not an officer"):
        await grants.revoke(login, by="root")
    again = await made(grants, login)
    assert again not in {None, first}
    await OfficerQueries(session(login)).run("SELECT 1", purpose="x", most_rows=1)
    assert [action for action, _, _ in await said(engine)] == ["granted", "revoked", "granted"]


@pytest.mark.parametrize(
    "name",
    [
        "postgres",
        "citebound_app",
        "pg_monitor",
        "embedded_app",
        "citebound_boss",
        "",
        " ",
        'a"b',
        "a'; DROP",
        "x" * 64,
    ],
)
async def test_a_name_is_nobody_else_s(
    grants: PostgresGrants, engine: AsyncEngine, name: str
) -> None:
    """Roles of the server and of ours are never taken for an officer's; nothing is recorded."""
    with pytest.raises(UsageError):
        await made(grants, name)
    assert await grants.list() == []
    assert await said(engine) == []


async def migrating_as(engine: AsyncEngine, login: str, *rights: str) -> AsyncEngine:
    """Return an engine on a login that migrates, and is no superuser."""
    statements = (f'CREATE ROLE "{login}" LOGIN IN ROLE citebound_owner', *rights)
    async with engine.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement.format(f'"{login}"')))
    url = engine.url.set(username=login).render_as_string(hide_password=False)
    return engine_for(url, pooled=False)


async def test_one_who_may_make_roles_needs_no_superuser(
    new_login: NewLogin, session: Any, engine: AsyncEngine
) -> None:
    """CREATEROLE, and the officers' role with the right to hand it on; what is open is ended."""
    admin = "GRANT citebound_officer TO {} WITH ADMIN OPTION"
    migrating, login = new_login(), new_login()
    own = await migrating_as(engine, migrating, "ALTER ROLE {} CREATEROLE", admin)
    grants = PostgresGrants(own, ledger=LEDGER)
    try:
        assert await made(grants, login) is not None
        await OfficerQueries(session(login)).run("SELECT 1", purpose="x", most_rows=1)
        own_url = engine.url.set(drivername="postgresql", username=login)
        with psycopg.connect(own_url.render_as_string(hide_password=False)) as left_open:
            await grants.revoke(login, by="root")
            with pytest.raises(psycopg.OperationalError):
                left_open.execute("SELECT 1")
        with pytest.raises(TransientError, match="not permitted to log in"):
            await OfficerQueries(session(login)).run("SELECT 1", purpose="x", most_rows=1)
        async with engine.connect() as connection:
            belonging = text("SELECT count(*) FROM pg_auth_members WHERE roleid ="
                             " (SELECT oid FROM pg_roles WHERE rolname = :login)"
                             " AND grantor <> 10")  # fmt: skip
            assert await connection.scalar(belonging, {"login": login}) == 0
    finally:
        await own.dispose()
        async with engine.begin() as connection:
            await connection.execute(text(f'DROP ROLE "{login}"'))


async def test_one_who_may_make_no_roles_is_told_what_to_run(
    grants: PostgresGrants, new_login: NewLogin, engine: AsyncEngine
) -> None:
    """As on a managed server; nothing is left half done."""
    migrating, login = new_login(), new_login()
    own = await migrating_as(engine, migrating)
    try:
        with pytest.raises(ConfigError, match="CREATEROLE"):
            await made(PostgresGrants(own, ledger=LEDGER), login)
        assert await grants.list() == []
        await made(PostgresGrants(own, ledger=LEDGER), login, has_login=False)
        assert [one.login for one in await grants.list()] == [login]
        with_login = new_login()
        await made(grants, with_login)
        with pytest.raises(ConfigError, match="reads nothing any more, and can still log in"):
            await PostgresGrants(own, ledger=LEDGER).revoke(with_login, by="root")
        assert {one.login for one in await grants.list() if one.revoked_at} == {with_login}
    finally:
        await own.dispose()
