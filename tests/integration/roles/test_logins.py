"""As whom processes connect: what is refused, what is waited for, who may make the roles."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.console.commands.doctor import diagnose
from bot.doctor_check import Status
from core.adapters.postgres.access import open_engine
from core.adapters.postgres.engine.database import engine_for, server_facts
from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from core.adapters.postgres.engine.roles import CREATE_ROLES, EMBEDDED_LOGINS, DatabaseRole
from core.adapters.postgres.engine.schema import migrate, newest_revision, open_database
from core.config.settings import Settings
from core.domain.errors import ConfigError, PrivilegedLoginError
from tests.databases import LEDGER, admin, as_role, named

COUNT = text("SELECT count(*) FROM audit.record")
ROLES_SQL = Path(__file__).parents[3] / "deploy" / "sql" / "roles.sql"


@contextmanager
def made(server_url: str, url: str, attributes: str, *, owns: bool = False) -> Generator[str]:
    """Make a login for a test, and return the URL of a database for it."""
    database = str(make_url(url).database)
    name = f"login_of_{database}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {name} LOGIN {attributes}".encode())
        if owns:
            connection.execute(f"ALTER DATABASE {database} OWNER TO {name}".encode())
    try:
        yield make_url(url).set(username=name).render_as_string(hide_password=False)
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {database} OWNER TO postgres".encode())
            with psycopg.connect(url, autocommit=True) as inside:
                inside.execute(f"DROP OWNED BY {name} CASCADE".encode())
            connection.execute(f"DROP ROLE {name}".encode())


@pytest.mark.parametrize("role", [DatabaseRole.APP, DatabaseRole.SEQUENCER])
async def test_a_login_of_the_role_is_taken(database_url: str, role: DatabaseRole) -> None:
    """In production, too."""
    settings = Settings(database_url=as_role(database_url, role), environment="production")
    async with open_engine(settings, role) as engine, engine.connect() as connection:
        assert await connection.scalar(text("SELECT 1")) == 1


@pytest.mark.parametrize(
    ("attributes", "owns", "words"),
    [
        ("SUPERUSER", False, "is a superuser"),
        ("IN ROLE citebound_app BYPASSRLS", False, "may bypass row-level security"),
        ("IN ROLE citebound_app CREATEROLE", False, "create roles"),
        ("IN ROLE citebound_app REPLICATION", False, "replicate"),
        ("IN ROLE citebound_app, pg_write_all_data", False, "write to all tables"),
        ("NOINHERIT IN ROLE citebound_app, citebound_owner", False, "owns the database"),
        ("IN ROLE citebound_app", True, "owns the database"),
    ],
)
async def test_production_refuses_a_login_that_may_do_more(
    server_url: str, database_url: str, attributes: str, words: str, *, owns: bool
) -> None:
    """By itself or by a role that it may take on; elsewhere it is taken, and the doctor tells."""
    with made(server_url, database_url, attributes, owns=owns) as url:
        with pytest.raises(PrivilegedLoginError, match=words) as refused:
            async with open_engine(Settings(database_url=url, environment="production")):
                pass
        assert "member of citebound_app alone" in str(refused.value)
        if "NOINHERIT" not in attributes:
            async with open_engine(Settings(database_url=url)):
                pass


async def test_a_login_without_the_role_is_refused(server_url: str, database_url: str) -> None:
    """At once, since waiting would not help; the line says what an administrator runs."""
    for migrate_ in ("auto", "never"):
        with (
            made(server_url, database_url, "") as url,
            pytest.raises(ConfigError, match=r"GRANT citebound_(app|owner) TO login_of_"),
        ):
            async with open_engine(Settings(database_url=url, migrate=migrate_)):
                pass
    sealing = Settings(database_url=as_role(database_url, DatabaseRole.APP))
    with pytest.raises(ConfigError, match="not a member of citebound_sequencer"):
        async with open_engine(sealing, DatabaseRole.SEQUENCER):
            pass


async def test_a_process_waits_until_its_rights_are_there(
    server_url: str, database_url: str, engine: AsyncEngine
) -> None:
    """A login that may read nothing yet finds no schema, and waits for the migration."""
    await migrate(engine, to="0031_ledger")
    told: list[str] = []
    settings = Settings(
        database_url=as_role(database_url, DatabaseRole.APP), environment="production"
    )

    async def opened() -> str | None:
        async with open_engine(settings, waits=told.append) as used:
            return (await server_facts(used)).revision

    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(opened())
        while not told:  # noqa: ASYNC110  # it is told by another task
            await asyncio.sleep(0.05)
        await migrate(engine)
    assert told[0] == "waiting for `citebound migrate`"
    assert waiting.result() == newest_revision()


async def test_an_owner_of_before_the_roles_hands_all_over(server_url: str) -> None:
    """No superuser is needed: an administrator makes the roles, the owner migrates."""
    name = "of_before"
    with admin(server_url) as connection:
        connection.execute(text(f"CREATE ROLE {name} LOGIN"))
        connection.execute(text(f"CREATE DATABASE {name} OWNER {name}"))
    url = named(server_url, name)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    own = make_url(url).set(username=name).render_as_string(hide_password=False)
    engine = engine_for(own, pooled=False)
    try:
        await migrate(engine, to="0031_ledger")
        with pytest.raises(
            ConfigError, match=f"deploy/sql/roles.sql.* GRANT citebound_owner TO {name}"
        ):
            await migrate(engine)
        assert (await server_facts(engine)).revision == "0031_ledger"
        with admin(server_url) as connection:
            connection.execute(text(f"GRANT citebound_owner TO {name}"))
        await migrate(engine)
        async with engine.connect() as connection:
            owners = await connection.scalars(
                text(
                    "SELECT DISTINCT relowner::regrole::text FROM pg_class AS c"
                    " JOIN pg_namespace AS n ON n.oid = relnamespace"
                    " WHERE nspname IN ('citebound', 'audit')"
                )
            )
            assert owners.all() == ["citebound_owner"]
        await migrate(engine, to="0031_ledger")
        await migrate(engine)
        # What a process of the release before does, as the owner that it connects as.
        async with engine.begin() as connection:
            await connection.execute(text("INSERT INTO citebound.editions VALUES (1, now(), '')"))
            found = await connection.scalars(text("SELECT DISTINCT tag FROM audit.record"))
            assert found.all() == ["schema:migrated"]
    finally:
        await engine.dispose()
        with admin(server_url) as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
            connection.execute(text(f"DROP ROLE {name}"))


async def test_who_may_not_migrate_is_told_so(database_url: str, engine: AsyncEngine) -> None:
    """Not by an error of the database."""
    await migrate(engine, to="0031_ledger")
    await migrate(engine, to="0032_roles")
    bot = engine_for(as_role(database_url, DatabaseRole.APP), pooled=False)
    with pytest.raises(ConfigError, match=r"may not migrate: .*CITEBOUND_MIGRATION_URL"):
        await migrate(bot)
    await bot.dispose()


async def test_another_login_migrates(database_url: str, engine: AsyncEngine) -> None:
    """The one that `CITEBOUND_MIGRATION_URL` names; what serves is a member of its role alone."""
    await migrate(engine, to="0031_ledger")
    settings = Settings(
        database_url=as_role(database_url, DatabaseRole.APP),
        migration_url=database_url,
        migrate="always",
        environment="production",
    )
    async with open_engine(settings) as used:
        assert (await server_facts(used)).revision == newest_revision()


async def test_two_databases_of_one_server_are_migrated_at_once(server_url: str) -> None:
    """Roles are the server's: whoever comes second finds them."""
    names = [f"at_once_{number}" for number in range(3)]
    with admin(server_url) as connection:
        for name in names:
            connection.execute(text(f"CREATE DATABASE {name}"))
    try:
        async with asyncio.TaskGroup() as group:
            for name in names:
                group.create_task(_open(named(server_url, name)))
    finally:
        with admin(server_url) as connection:
            for name in names:
                connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


async def _open(url: str) -> None:
    async with open_database(url, pooled=False) as engine:
        assert (await server_facts(engine)).revision == newest_revision()


def test_the_file_for_administrators_makes_our_roles() -> None:
    """It is what the migration runs, with words before it."""
    lines = ROLES_SQL.read_text()
    assert lines.endswith(CREATE_ROLES)
    assert all(line.startswith("--") for line in lines.removesuffix(CREATE_ROLES).splitlines())
    assert all(f"'{role}'" in CREATE_ROLES for role in DatabaseRole)


async def test_the_embedded_database_is_migrated_by_its_superuser_alone(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """One of before the roles, too; each process connects as a login of its role, in production."""
    home = tmp_path_factory.mktemp("embedded") / "home"
    engine = engine_for(await asyncio.to_thread(start_embedded, home, temporary=True), pooled=False)
    try:
        await migrate(engine, to="0031_ledger")
        settings = Settings(home=home, environment="production", migrate="always")
        for role in (DatabaseRole.APP, DatabaseRole.SEQUENCER, DatabaseRole.AUDITOR):
            async with open_engine(settings, role) as used, used.connect() as connection:
                assert await connection.scalar(text("SELECT session_user")) == EMBEDDED_LOGINS[role]
        async with (
            open_engine(settings, DatabaseRole.CONSOLE, officer="me", ledger=LEDGER) as used,
            used.connect() as connection,
        ):
            assert await connection.scalar(text("SELECT audit.my_units()")) == ["*"]
            tags = await connection.scalars(
                text("SELECT DISTINCT tag FROM audit.record ORDER BY 1")
            )
            assert tags.all() == ["officer:granted", "schema:migrated"]
    finally:
        await engine.dispose()
        await asyncio.to_thread(stop_embedded, home)


@pytest.mark.parametrize(
    ("role", "environment", "health"),
    [
        (None, "production", Status.BROKEN),
        (None, "development", Status.DOUBTFUL),
        (DatabaseRole.APP, "production", Status.FINE),
        (DatabaseRole.AUDITOR, "production", Status.DOUBTFUL),
    ],
)
async def test_the_doctor_tells_who_we_are(
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    role: DatabaseRole | None,
    environment: str,
    health: Status,
) -> None:
    """With the cure, where it is more or less than `serve` and `work` need."""
    url = as_role(database_url, role) if role else database_url
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("CITEBOUND_ENVIRONMENT", environment)
    found = [one async for one in diagnose() if one.subject == "database login"]
    assert [one.health for one in found] == [health]
    assert ("citebound_app" in found[0].cure) is (health is not Status.FINE)
