"""The schema: brought to what this release needs, or waited for until `citebound migrate` has.

A release works with a later schema as far as `citebound.schema_compatibility` says so: old and new
processes run side by side while they are exchanged, and a release can be taken back.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import (
    Limits,
    ServerFacts,
    UnreachableError,
    cause_of,
    check_facts,
    connect_arguments,
    engine_for,
    server_facts,
    servers_behind,
    survey,
)
from core.adapters.postgres.engine.failover import Servers
from core.adapters.postgres.engine.roles import (
    NOT_THE_OWNER,
    UNIT,
    Access,
    DatabaseRole,
    check_member,
    refuse_excess,
)
from core.adapters.postgres.engine.transactions import MIGRATED_WITHIN_S, AdvisoryLock, held
from core.domain.errors import ConfigError

MIGRATIONS = next(
    folder
    for folder in (
        Path(__file__).parents[1] / "migrations",
        Path(__file__).parents[4] / "migrations",
    )
    if folder.is_dir()
)
"""Beside this folder in a wheel (`setup.py` puts them there), at the top of a checkout."""
_one_at_a_time = threading.Lock()
"""Alembic keeps what it migrates in globals of its modules."""
ASKED_EVERY_S = 1.0
"""How often a process looks that waits for the database or its schema."""

logger = logging.getLogger(__name__)


@asynccontextmanager
async def open_database(
    url: str,
    *,
    pooled: bool = True,
    limits: Limits | None = None,
    migrates: bool = True,
    waits: Callable[[str], None] | None = None,
    access: Access | None = None,
) -> AsyncGenerator[AsyncEngine]:
    """Open a checked database whose schema fits, and close it at the end.

    Args:
        url: where.
        pooled: False opens a connection each time.
        limits: of each statement; None: it may take as long as it takes.
        migrates: bring an older schema to this release; else `citebound migrate` has to.
        waits: wait for a database that can't be reached, and for a schema that this process may
            not migrate, and tell what is waited for; None: that is an error.
        access: as whom; None: as whoever the URL names.

    Raises:
        ConfigError: See `server_facts`, `check_facts`, `refuse_excess`, `check_member` and
            `migrate`; or the schema is older, and this process neither migrates nor waits.
    """
    servers, access = Servers(), access or Access()
    facts = await _checked(url, limits, servers, waits)
    refuse_excess(facts.login, access)
    engine = engine_for(
        url, pooled=pooled, limits=limits, by_pooler=facts.is_pooled, servers=servers
    )
    try:
        if not fits(facts):
            if migrates:
                if access.migration_url is None:
                    await migrate(engine, unit=access.unit)
                else:
                    await migrate_by(access.migration_url, unit=access.unit)
                facts = await _facts(engine, waits)
            else:
                facts = await _await_schema(engine, facts, access, waits)
        check_member(facts.login, access)
        yield engine
    finally:
        await engine.dispose()


async def _checked(
    url: str, limits: Limits | None, servers: Servers, waits: Callable[[str], None] | None
) -> ServerFacts:
    """Ask the server what it is before anything is asked of it that a pooler refuses."""
    engine = engine_for(url, pooled=False, limits=limits, by_pooler=True, servers=servers)
    try:
        facts = await _facts(engine, waits)
    finally:
        await engine.dispose()
    check_facts(facts)
    return facts


def fits(facts: ServerFacts) -> bool:
    """Say whether this release works with a schema: its own, or a later one that allows it.

    Raises:
        ConfigError: The schema is of a later release that this one does not work with.
    """
    fitting = suits(facts.revision, facts.oldest_release)
    if not fitting and facts.revision is not None and facts.revision not in known_revisions():
        raise ConfigError(
            f"the database is at migration {facts.revision!r}, which this release does not know:"
            " upgrade Citebound"
        )
    return fitting


def suits(revision: str | None, oldest_release: str | None) -> bool:
    """Say whether this release works with a schema of that revision; see `ServerFacts`."""
    newest = newest_revision()
    if revision is None or revision in known_revisions():
        return revision == newest
    return oldest_release is not None and oldest_release <= newest


async def _facts(engine: AsyncEngine, waits: Callable[[str], None] | None) -> ServerFacts:
    told = ""
    while True:
        try:
            await survey(engine)
            return await server_facts(engine)
        except UnreachableError as error:
            if waits is None:
                raise
            if str(error) != told:
                logger.warning("%s; waiting for it", told := str(error))
            waits("waiting for the database")
        await asyncio.sleep(ASKED_EVERY_S)


async def _await_schema(
    engine: AsyncEngine,
    facts: ServerFacts,
    access: Access,
    waits: Callable[[str], None] | None,
) -> ServerFacts:
    told = ""
    while not fits(facts):
        if access.role in facts.login.known:
            check_member(facts.login, access)
        here, wanted = facts.revision or "nothing", newest_revision()
        lacks = f"the schema is at {here}, and this release needs {wanted}"
        if waits is None:
            raise ConfigError(f"{lacks}: run `citebound migrate`")
        if lacks != told:
            logger.warning("%s: waiting for `citebound migrate`", told := lacks)
        waits("waiting for `citebound migrate`")
        await asyncio.sleep(ASKED_EVERY_S)
        facts = await _facts(engine, waits)
    return facts


@cache
def known_revisions() -> frozenset[str]:
    """Return the migrations of this release."""
    return frozenset(path.stem for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def newest_revision() -> str:
    """Return the newest migration of this release: their names are ordered."""
    return max(known_revisions())


async def migrate(engine: AsyncEngine, *, to: str = "head", unit: str = UNIT) -> None:
    """Bring the schema to a revision; a no-op where it is already there.

    Each step of a database that is in use is recorded (`schema:migrated`), in the unit that is
    given.

    Raises:
        ConfigError: The database is newer than this release, or a migration was refused.
    """
    server = servers_behind(engine).current
    await asyncio.to_thread(_alone, engine.url, server, partial(_run_alembic, to=to, unit=unit))


async def migrate_by(url: str, *, unit: str) -> None:
    """Migrate as the login of a URL, which no process but this one uses; see `migrate`."""
    await alone(url, partial(_run_alembic, to="head", unit=unit))


async def alone(url: str, work: Callable[[Connection], None]) -> None:
    """Do something on a connection of the login of a URL while nobody else migrates.

    Raises:
        ConfigError: There is no such database.
    """
    engine = engine_for(url, pooled=False, by_pooler=True)
    try:
        await _facts(engine, None)
        await asyncio.to_thread(_alone, engine.url, servers_behind(engine).current, work)
    finally:
        await engine.dispose()


def _alone(url: URL, server: Mapping[str, Any], work: Callable[[Connection], None]) -> None:
    told = {**connect_arguments(url, None, by_pooler=True), **server}
    engine = create_engine(url, hide_parameters=True, connect_args=told, poolclass=NullPool)
    with (
        _one_at_a_time,
        engine.connect() as holder,
        held(holder, AdvisoryLock.MIGRATING, within_s=MIGRATED_WITHIN_S),
        engine.connect() as connection,
    ):
        work(connection)


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database; None: it is new."""
    here = connection.scalar(text("SELECT to_regclass('citebound.alembic_version')"))
    asked = text("SELECT version_num FROM citebound.alembic_version")
    current = connection.scalar(asked) if here else None
    connection.rollback()
    return current


def _run_alembic(connection: Connection, *, to: str, unit: str) -> None:
    from alembic import command  # noqa: PLC0415  # 0.2 s that most starts need not pay
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    login = connection.scalar(NOT_THE_OWNER)
    if login is not None:
        raise ConfigError(
            f"the login {login} may not migrate: let an administrator run"
            f" GRANT {DatabaseRole.OWNER} TO {login}, or let CITEBOUND_MIGRATION_URL"
            " name a login that is a member of it"
        )
    current = revision_of(connection)
    config.attributes["unit"] = None if current is None else unit
    if current is not None and current not in known_revisions():
        raise ConfigError(
            f"the database is at migration {current!r}, which this release does not know: upgrade"
            f" Citebound"
        )
    move = (
        command.downgrade
        if to == "base" or (current and to < current and to != "head")
        else command.upgrade
    )
    try:
        move(config, to)
    except (CommandError, DBAPIError) as error:
        raise ConfigError(f"a migration was refused: {cause_of(error)}") from error
