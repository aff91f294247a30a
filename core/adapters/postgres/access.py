"""The database that the settings mean, opened as a login of the role that a process needs.

On a server of the operator's, `DATABASE_URL` names the login. The embedded database has one for
each role, and its superuser migrates.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import Limits
from core.adapters.postgres.engine.embedded import start_embedded
from core.adapters.postgres.engine.roles import (
    Access,
    DatabaseRole,
    as_embedded_login,
    read_as,
)
from core.adapters.postgres.engine.schema import open_database
from core.config.settings import Settings

if TYPE_CHECKING:
    from core.adapters.postgres.engine.ledger import Ledger

STRICT = (DatabaseRole.APP, DatabaseRole.SEQUENCER)
"""Roles of processes that run all the time: in production their logins may do nothing else."""


async def database_url(settings: Settings, role: DatabaseRole = DatabaseRole.APP) -> str:
    """Return the configured database; or that of the embedded one for the login of a role.

    Raises:
        ConfigError: The embedded one can't be started.
    """
    if settings.record_url and role is DatabaseRole.CONSOLE:
        return settings.record_url
    if settings.database_url:
        return settings.database_url
    return as_embedded_login(await asyncio.to_thread(start_embedded, settings.home), role)


async def migration_url(settings: Settings) -> str:
    """Return the database for the login that migrates: of the embedded one, the superuser.

    Raises:
        ConfigError: The embedded one can't be started.
    """
    if settings.database_url:
        return settings.migration_url or settings.database_url
    return await asyncio.to_thread(start_embedded, settings.home)


@asynccontextmanager
async def open_engine(
    settings: Settings,
    role: DatabaseRole = DatabaseRole.APP,
    *,
    limits: Limits | None = None,
    waits: Callable[[str], None] | None = None,
    migrates: bool | None = None,
    officer: str | None = None,
    ledger: "Ledger | None" = None,
) -> AsyncGenerator[AsyncEngine]:
    """Open the database as a login of a role; for the rest see `open_database`.

    Args:
        settings: which database.
        role: of the process.
        limits: of each statement.
        waits: told what is waited for.
        migrates: an older schema; None: as the settings say.
        officer: who reads, where the login is the console's; in the embedded database, whoever
            owns that may read all.
        ledger: writes the record that whoever owns the embedded database may; with `officer`.

    Raises:
        ConfigError: See `bootstrap`.
    """
    access = Access(
        role=role,
        migration_url=await migration_url(settings),
        is_strict=settings.environment == "production" and role in STRICT,
        unit=settings.unit,
    )
    async with open_database(
        await database_url(settings, role),
        limits=limits,
        migrates=settings.migrates if migrates is None else migrates,
        waits=waits,
        access=access,
    ) as engine:
        if officer is not None:
            if not settings.database_url and ledger is not None:
                # Most commands record nothing.
                from core.adapters.postgres.engine.embedded_owner import (  # noqa: PLC0415
                    admit_owner,
                )

                await admit_owner(str(access.migration_url), officer, ledger)
            read_as(engine, officer)
        yield engine
