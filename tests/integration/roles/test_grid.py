"""Every right of every role is one that a migration grants, and nothing else works."""

import psycopg
import pytest
from psycopg import errors
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.roles import EMBEDDED_LOGINS, DatabaseRole
from tests.databases import as_role
from tests.integration.roles.grid import ROLES, granted, held, statements

LOGINS = [role for role in DatabaseRole if role in EMBEDDED_LOGINS]
UNREADING = (DatabaseRole.APP, DatabaseRole.SEQUENCER, DatabaseRole.AUDITOR)
RECORD = {
    "record": "leaf_hash",
    "citation": "section",
    "content": "body",
    "leaf": "leaf_hash",
    "checkpoint": "note",
    "officer": "units",
}
"""Tables, with a column of each."""


async def test_the_grid_is_what_migrations_grant(engine: AsyncEngine) -> None:
    """Roles, and everybody, by table, column, view, function, sequence and schema."""
    async with engine.connect() as connection:
        found, told = await held(connection), await granted(connection, statements())
    assert sorted(found - told) == []
    assert sorted(told - found) == []


@pytest.mark.parametrize(
    "grant",
    [
        "GRANT UPDATE (badge) ON audit.record TO citebound_app",
        "GRANT SELECT ON audit.content TO citebound_auditor",
        "GRANT EXECUTE ON FUNCTION audit.my_units() TO PUBLIC",
        "GRANT CREATE ON SCHEMA audit TO citebound_sequencer",
        "GRANT TRUNCATE ON citebound.inbox TO citebound_app",
        "GRANT citebound_app TO citebound_officer",
    ],
)
async def test_what_is_granted_beside_them_shows(engine: AsyncEngine, grant: str) -> None:
    """One right more in the catalogue, and the grid is another."""
    async with engine.connect() as connection:
        await connection.execute(text(grant))
        assert await held(connection) - await granted(connection, statements())
        await connection.rollback()


async def test_what_a_later_migration_makes_is_closed(engine: AsyncEngine) -> None:
    """Tables, columns of views, sequences and functions of the owner are nobody else's."""
    async with engine.connect() as connection:
        before = await held(connection)
        for statement in (
            "SET LOCAL ROLE citebound_owner",
            "CREATE TABLE audit.later (id bigserial PRIMARY KEY, said text)",
            "CREATE VIEW citebound.v_later AS SELECT * FROM audit.later",
            "CREATE FUNCTION audit.later() RETURNS int LANGUAGE sql RETURN 1",
        ):
            await connection.execute(text(statement))
        assert await held(connection) == before
        await connection.rollback()


async def test_nobody_changes_the_record(engine: AsyncEngine) -> None:
    """Whatever the migrations say: these hold by themselves."""
    async with engine.connect() as connection:
        found = await held(connection)
    audit = [right for right in found if right.thing.startswith("audit")]
    changes = {"UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "CREATE"}
    assert [right for right in audit if right.verb in changes] == []
    assert [right for right in found if right.role == "public"] == []
    reads = {(role, thing) for role, thing, verb in audit if verb == "SELECT"}
    names = {f"audit.identity.{name}" for name in ("pseudonym", "period", "match_hash")}
    published = {f"audit.record.{name}" for name in ("id", "tag", "subject", "canonical")}
    assert {thing for role, thing in reads if role == DatabaseRole.APP} == names | published
    hidden = {(role, f"audit.content.{name}") for role in UNREADING for name in ("body", "salt")}
    assert reads.isdisjoint(hidden)
    writes = {*changes, "INSERT"}
    readers = {DatabaseRole.OFFICER, DatabaseRole.AUDITOR}
    assert [right for right in found if right.role in readers and right.verb in writes] == []


TRIED = [
    *(
        statement.format(table, column)
        for table, column in RECORD.items()
        for statement in (
            "UPDATE audit.{0} SET {1} = {1}",
            "DELETE FROM audit.{0}",
            "TRUNCATE audit.{0} CASCADE",
            "DROP TABLE audit.{0} CASCADE",
            "ALTER TABLE audit.{0} DISABLE TRIGGER ALL",
            "ALTER TABLE audit.{0} DISABLE ROW LEVEL SECURITY",
            "ALTER TABLE audit.{0} ADD COLUMN more text",
            "CREATE INDEX ON audit.{0} ({1})",
            "COPY audit.{0} ({1}) FROM PROGRAM 'true'",
        )
    ),
    "SET session_replication_role = replica",
    "SET ROLE citebound_owner",
    "SET SESSION AUTHORIZATION postgres",
    "DROP TRIGGER refuse_change ON audit.record",
    "DROP POLICY record_owner ON audit.record",
    "CREATE POLICY mine ON audit.record USING (true)",
    "ALTER TABLE audit.record DROP CONSTRAINT record_leaf_check",
    "ALTER TABLE audit.record ALTER badge DROP EXPRESSION",
    "ALTER FUNCTION audit.derive_citations() SECURITY INVOKER",
    "CREATE OR REPLACE FUNCTION audit.my_units() RETURNS text[] LANGUAGE sql RETURN '{*}'::text[]",
    "CREATE TABLE audit.mine ()",
    "CREATE TABLE citebound.mine ()",
    "CREATE SCHEMA mine",
    "CREATE ROLE mine",
    "GRANT citebound_owner TO CURRENT_USER",
    "DROP SCHEMA audit CASCADE",
    "INSERT INTO audit.officer (login, units, audiences) VALUES ('me', '{*}', '{*}')",
    "INSERT INTO audit.tag VALUES ('mine:made', false)",
    "INSERT INTO audit.citation SELECT * FROM audit.citation",
    "INSERT INTO audit.record (canonical, leaf_hash, xid) VALUES ('{}', '', '1')",
    "SELECT citebound.build_index('mine', 'citebound.chunks', '(id)')",
    "SELECT pg_read_file('postgresql.conf')",
]


@pytest.mark.parametrize("role", LOGINS)
def test_what_is_not_granted_is_refused(database_url: str, role: DatabaseRole) -> None:
    """Each statement, tried as a login of each role."""
    with psycopg.connect(as_role(database_url, role), autocommit=True) as connection:
        for statement in TRIED:
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement.encode())


@pytest.mark.parametrize(
    ("role", "statement"),
    [
        (DatabaseRole.APP, "SELECT doc FROM audit.record"),
        (DatabaseRole.APP, "SELECT * FROM audit.v_answers"),
        (DatabaseRole.APP, "INSERT INTO audit.leaf VALUES (0, gen_random_uuid(), '')"),
        (DatabaseRole.APP, "UPDATE citebound.policy_versions SET text = ''"),
        (DatabaseRole.APP, "DELETE FROM citebound.questions"),
        (DatabaseRole.APP, "SELECT * FROM audit.content_digests()"),
        (DatabaseRole.SEQUENCER, "SELECT doc FROM audit.record"),
        (DatabaseRole.SEQUENCER, "SELECT body FROM audit.content"),
        (DatabaseRole.SEQUENCER, "SELECT * FROM citebound.questions"),
        (DatabaseRole.AUDITOR, "SELECT body FROM audit.content"),
        (DatabaseRole.AUDITOR, "SELECT salt FROM audit.content"),
        (DatabaseRole.AUDITOR, "SELECT * FROM citebound.questions"),
        (DatabaseRole.OFFICER, "SELECT * FROM citebound.questions"),
        (DatabaseRole.OFFICER, "SELECT * FROM audit.officer"),
        (DatabaseRole.OFFICER, "SELECT * FROM audit.content_digests()"),
        (DatabaseRole.OFFICER, "INSERT INTO audit.record (canonical, leaf_hash) VALUES ('{}', '')"),
        (DatabaseRole.CONSOLE, "SELECT * FROM citebound.questions"),
    ],
)
def test_what_others_may_is_refused(database_url: str, role: DatabaseRole, statement: str) -> None:
    """Each role has its own part, and not that of another."""
    with (
        psycopg.connect(as_role(database_url, role)) as connection,
        pytest.raises(errors.InsufficientPrivilege),
    ):
        connection.execute(statement.encode())


def test_every_role_is_looked_at() -> None:
    """A role that is added is in the grid, or is the owner."""
    assert set(ROLES) == {role.value for role in DatabaseRole} - {"citebound_owner"} | {"public"}
