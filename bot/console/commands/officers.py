"""`citebound audit grant-officer`, `revoke-officer` and `officers`: who reads the record."""

import asyncio
import getpass
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager

from rich.text import Text

from bot.console.views.terminal import Row, local, one_line, open_terminal
from core.adapters.postgres.access import migration_url
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.schema import open_database
from core.adapters.postgres.officers.grants import ListedOfficer, PostgresGrants
from core.adapters.postgres.officers.login import ClientConnection, client_connection
from core.adapters.system import SystemClock, UuidSource
from core.config.settings import Settings
from core.domain.codec import json_of

UNRECORDED = (
    "What this login reads directly is not recorded, because Postgres can't. `citebound audit"
    " sql` and the console record each reading; pgaudit logs what logins read."
)


def grant(
    *,
    login: str,
    units: frozenset[str],
    audiences: frozenset[str],
    has_login: bool,
    as_json: bool,
) -> int:
    """Make an officer, and print how to connect; 0."""
    terminal, settings = open_terminal(), Settings.from_environment()
    password, url = asyncio.run(_grant(settings, login, units, audiences, has_login=has_login))
    if as_json:
        terminal.show_json(
            {
                "officer": login,
                "units": sorted(units),
                "audiences": sorted(audiences),
                "has_login": has_login,
                "password": password,
            }
        )
        return 0
    terminal.show(
        Text(
            f"{login} reads the record of {_listed(units)}, and policies for {_listed(audiences)}."
        )
    )
    if has_login:
        for line in _connection(client_connection(url, login), password, settings):
            terminal.show_unwrapped(line)
    return 0


def revoke(*, login: str) -> int:
    """Unmake an officer; 0."""
    asyncio.run(_revoke(Settings.from_environment(), login))
    open_terminal().show(Text(f"{login} can no longer read the record."))
    return 0


def list_officers(*, as_json: bool) -> int:
    """List who reads the record, and who did; 0."""
    terminal = open_terminal()
    found = asyncio.run(_list(Settings.from_environment()))
    if as_json:
        terminal.show_json([_as_json(one) for one in found])
    elif found:
        terminal.show(*(_row(local(officer)) for officer in found))
    else:
        terminal.show(Text("No officers yet: `citebound audit grant-officer NAME` makes one."))
    return 0


@asynccontextmanager
async def _grants(settings: Settings) -> AsyncGenerator[tuple[PostgresGrants, str]]:
    url = await migration_url(settings)
    async with open_database(url, migrates=settings.migrates) as engine:
        yield PostgresGrants(engine, ledger=own_ledger(settings)), url


def own_ledger(settings: Settings) -> Ledger:
    """Return what a command of officers records with."""
    return Ledger(clock=SystemClock(), ids=UuidSource(), unit=settings.unit)


async def _grant(
    settings: Settings,
    login: str,
    units: frozenset[str],
    audiences: frozenset[str],
    *,
    has_login: bool,
) -> tuple[str | None, str]:
    async with _grants(settings) as (grants, url):
        password = await grants.grant(
            login,
            units=sorted(units),
            audiences=sorted(audiences),
            has_login=has_login,
            by=getpass.getuser(),
        )
        return password, url


async def _revoke(settings: Settings, login: str) -> None:
    async with _grants(settings) as (grants, _):
        await grants.revoke(login, by=getpass.getuser())


async def _list(settings: Settings) -> list[ListedOfficer]:
    async with _grants(settings) as (grants, _):
        return await grants.list()


def _connection(place: ClientConnection, password: str | None, settings: Settings) -> Iterator[str]:
    """Yield how psql, DBeaver and Metabase connect."""
    if not settings.database_url:
        yield f"  citebound audit sql --officer {place.login}"
        yield f"  citebound audit shell --officer {place.login}     psql on the database"
    else:
        yield (
            f"Password, shown this once: {password}"
            if password
            else "It has its password already; revoke and grant again to make a new one."
        )
        yield f'  psql       psql "{place.url}"'
        yield f"  DBeaver    PostgreSQL: host {place.host}, port {place.port},"
        yield f"             database {place.database}, user name {place.login}; schema audit"
        yield "  Metabase   Admin, Databases, PostgreSQL: the same; schemas: only audit"
        yield "  citebound  DATABASE_URL as psql has it, with the password: citebound audit sql"
    yield UNRECORDED


def _row(officer: ListedOfficer) -> Row:
    if officer.revoked_at:
        until = f"revoked {officer.revoked_at:%Y-%m-%d %H:%M %Z}"
    else:
        until = "with a login" if officer.can_log_in else "in the console alone"
    said = f"units {_listed(officer.units)}; audiences {_listed(officer.audiences)}; {until}"
    since = Text(f"{officer.granted_at:%Y-%m-%d}", style="dim")
    return Row(heads=(since, Text(one_line(officer.login), style="bold")), lines=(Text(said),))


def _as_json(officer: ListedOfficer) -> dict[str, object]:
    return json_of(officer, "officer=login units audiences granted_at revoked_at can_log_in")


def _listed(names: frozenset[str] | tuple[str, ...]) -> str:
    return one_line(", ".join("all" if name == "*" else name for name in sorted(names)))
