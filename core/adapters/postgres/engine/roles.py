"""The roles of the database: each process connects as a login that is a member of one of them.

Rights are granted to roles, by migrations; nobody logs in as one. Roles belong to the server, not
to a database: all databases of a server share them.
"""

from dataclasses import dataclass
from enum import StrEnum

import psycopg
from sqlalchemy import Connection, event, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.rows import record
from core.domain.errors import ConfigError, PrivilegedLoginError


class DatabaseRole(StrEnum):
    """A role, by its name on the server."""

    OWNER = "citebound_owner"
    """Owns the schemas and all in them; migrations run as it, and no other process does."""
    APP = "citebound_app"
    """Serves people, ingests, publishes; adds to the record and reads nothing of it."""
    SEQUENCER = "citebound_sequencer"
    """Seals the record."""
    OFFICER = "citebound_officer"
    """Reads the record of its units."""
    AUDITOR = "citebound_auditor"
    """Verifies the record, and reads no personal text."""
    CONSOLE = "citebound_console"
    """Reads as the officer whom it names, and records that it did."""


CREATE_ROLES = """\
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['citebound_owner', 'citebound_app', 'citebound_sequencer',
                                'citebound_officer', 'citebound_auditor', 'citebound_console'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;  -- For another database of this server it was made at the same time.
      END;
    END IF;
  END LOOP;
  IF NOT pg_has_role('citebound_console', 'citebound_officer', 'MEMBER') THEN
    BEGIN
      GRANT citebound_officer TO citebound_console;
    EXCEPTION WHEN unique_violation THEN
      NULL;
    END;
  END IF;
END $$;
"""
"""Of `deploy/sql/roles.sql`, which an administrator runs where migrations may make no roles."""
EMBEDDED_LOGINS = {
    role: role.replace("citebound_", "embedded_")
    for role in DatabaseRole
    if role is not DatabaseRole.OWNER
}
"""Logins of the embedded database, whose superuser migrates."""
_CREATE_LOGIN = """
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{login}') THEN
    CREATE ROLE {login} LOGIN IN ROLE {role};
  END IF;
END $$
"""
_OFFICER = text("SELECT set_config('citebound.officer', :officer, true)")
_SETTABLE = (
    "CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END"
)
_MAY_BECOME = text(f"SELECT pg_has_role('citebound_owner', {_SETTABLE})")  # constants
BECOME_OWNER = text(
    "SELECT set_config('role', rolname, true) FROM pg_roles"  # noqa: S608  # constants
    " JOIN pg_namespace ON nspname = 'citebound' AND nspowner = pg_roles.oid"
    f" WHERE rolname = 'citebound_owner' AND pg_has_role(pg_roles.oid, {_SETTABLE})"
)
"""Of a transaction that migrates: what it makes is the owner's."""
NOT_THE_OWNER = text(
    "SELECT quote_ident(session_user) FROM pg_namespace"  # noqa: S608  # constants
    f" WHERE nspname = 'citebound' AND NOT pg_has_role(nspowner, {_SETTABLE})"
)
"""Names the login if it may not migrate."""
_LOGIN = text("""
SELECT quote_ident(current_user) AS login,
       (SELECT array_agg(rolname) FROM pg_roles WHERE rolname LIKE 'citebound\\_%') AS known,
       coalesce(array_agg(rolname) FILTER (
         WHERE rolname LIKE 'citebound\\_%' AND pg_has_role(oid, 'USAGE')), '{}') AS roles,
       bool_or(rolsuper) AS is_superuser,
       bool_or(rolbypassrls OR rolcreaterole OR rolreplication OR rolname IN (
         'pg_write_all_data', 'pg_execute_server_program', 'pg_read_server_files',
         'pg_write_server_files')) AS is_privileged,
       (SELECT bool_or(pg_has_role(owner, 'MEMBER'))
          FROM (SELECT datdba FROM pg_database WHERE datname = current_database()
                UNION ALL
                SELECT nspowner FROM pg_namespace WHERE nspname IN ('citebound', 'audit')
                UNION ALL
                SELECT oid FROM pg_roles WHERE rolname = 'citebound_owner') AS owners (owner)
       ) AS is_owner
  FROM pg_roles WHERE pg_has_role(oid, 'MEMBER')
""")


UNIT = "default"
"""The organisational unit of a deployment that names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginFacts:
    """What the server lets a login do, whichever of its roles it takes on."""

    login: str
    """Its name, quoted where SQL needs it."""
    known: frozenset[str]
    """Roles of ours that the server has."""
    roles: frozenset[str]
    """Of ours, whose rights it has."""
    is_superuser: bool
    """Nothing is refused to it."""
    is_privileged: bool
    """It may bypass row-level security, create roles, replicate, or reach the server's files."""
    is_owner: bool
    """The database or a schema of ours is its own, or it may become who owns them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """As whom a process works on the database, and as whom it migrates."""

    role: DatabaseRole | None = None
    """Of which its login is a member; None: whatever the login may."""
    migration_url: str | None = None
    """The login that migrates; None: the same one."""
    is_strict: bool = False
    """Refuse a login that may do more than `role`."""
    unit: str = UNIT
    """Organisational unit that the record of a migration is written for."""


async def login_facts(connection: AsyncConnection) -> LoginFacts:
    """Ask the server who we are."""
    row = (await connection.execute(_LOGIN)).one()
    return record(LoginFacts, row, known=frozenset(row.known or ()), is_owner=bool(row.is_owner))


def excess_of(facts: LoginFacts) -> str | None:
    """Say what a login may do that no process of ours needs; None: nothing."""
    if facts.is_superuser:
        return "is a superuser, or may become one"
    if facts.is_owner:
        return "owns the database or its schemas, or may become their owner"
    if facts.is_privileged:
        return (
            "may bypass row-level security, create roles, replicate, write to all tables, or reach"
            " the server's files"
        )
    return None


def refuse_excess(facts: LoginFacts, access: Access) -> None:
    """Refuse a login that may do more than its process needs, where that matters.

    Raises:
        PrivilegedLoginError: It may.
    """
    excess = excess_of(facts)
    if access.is_strict and excess is not None:
        raise PrivilegedLoginError(
            f"the login {facts.login} {excess}, so that it could change the record: let"
            f" DATABASE_URL name a login that is a member of {access.role} alone"
            f" (CREATE ROLE name LOGIN PASSWORD '...' IN ROLE {access.role})"
        )


def check_member(facts: LoginFacts, access: Access) -> None:
    """Refuse a login that may do less than its process needs.

    Raises:
        ConfigError: It is not a member of the role.
    """
    if access.role is not None and facts.roles.isdisjoint((access.role, DatabaseRole.OWNER)):
        raise ConfigError(
            f"the login {facts.login} is not a member of {access.role}: let an administrator run"
            f" GRANT {access.role} TO {facts.login}, or let DATABASE_URL name one that is"
        )


def create_roles(connection: Connection) -> None:
    """Make the roles where they are missing, and let who migrates become the owner.

    Raises:
        ConfigError: The login may not; the message says what an administrator runs.
    """
    login = str(connection.scalar(text("SELECT quote_ident(session_user)")))
    try:
        with connection.begin_nested():
            connection.execute(text(CREATE_ROLES))
            if not connection.scalar(_MAY_BECOME):
                connection.execute(text(f"GRANT citebound_owner TO {login}"))
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != "42501":
            raise
        roles = " ".join(f"CREATE ROLE {role};" for role in DatabaseRole)
        raise ConfigError(
            f"the login {login} may not make the roles of Citebound: let an administrator run"
            f" deploy/sql/roles.sql, which is {roles} GRANT {DatabaseRole.OFFICER} TO"
            f" {DatabaseRole.CONSOLE}; and then GRANT {DatabaseRole.OWNER} TO {login}"
        ) from error


def make_embedded_logins(url: str) -> None:
    """Make roles and logins on the server of an embedded database, where they are missing.

    Args:
        url: of its superuser. Blocks for some milliseconds.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        known = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles").fetchall()}
        if not known.issuperset(DatabaseRole):
            connection.execute(CREATE_ROLES)
        for role, login in EMBEDDED_LOGINS.items():
            if login not in known:
                connection.execute(_CREATE_LOGIN.format(login=login, role=role).encode())


def as_embedded_login(url: str, role: DatabaseRole) -> str:
    """Return the URL of an embedded database for the login of a role."""
    login = EMBEDDED_LOGINS[role]
    return make_url(url).set(username=login).render_as_string(hide_password=False)


def read_as(engine: AsyncEngine, officer: str) -> None:
    """Name the officer in each transaction; only the console's login is believed."""

    @event.listens_for(engine.sync_engine, "begin")
    def _begins(connection: Connection) -> None:
        connection.execute(_OFFICER, {"officer": officer})
