"""What guards the record (views, policies, owners, rights) is held to the release."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.console.commands.ledger import CODES
from core.adapters.postgres.engine.schema import open_database
from core.adapters.postgres.record.ledger_schema import RELEASE
from core.adapters.postgres.record.verification import VerificationBasis, verified
from core.audit.verification import ProblemClass
from tests.integration.record.sealing import DEPLOYMENT, SealedLedger
from tests.ledger_schema import VERSIONS, schema_of
from tests.servers.npm import AbsentError
from tests.servers.postgres_versions import Server, postgres_of, without_vectors

EMPTY_VIEW = (
    "NULL::uuid AS record_id, NULL::timestamptz AS at, NULL::text AS unit, NULL::text AS kind,"
    " NULL::text AS question, NULL::jsonb AS nearest_sections, NULL::boolean AS escalated"
).join(("SELECT ", " WHERE false"))


RIGHTS = ProblemClass.RIGHTS_ALTERED
TAMPERED = (
    ("CREATE ROLE mallory LOGIN IN ROLE citebound_owner", RIGHTS),
    ("CREATE ROLE mallory LOGIN IN ROLE citebound_app, citebound_sequencer", RIGHTS),
    ("CREATE ROLE mallory LOGIN IN ROLE citebound_bot", RIGHTS),
    ("CREATE ROLE mallory LOGIN IN ROLE citebound", RIGHTS),
    ("GRANT citebound_owner TO citebound_app", RIGHTS),
    ("ALTER ROLE citebound_check SET search_path = public", RIGHTS),
    ("ALTER ROLE citebound_bot SET session_replication_role = replica", RIGHTS),
    ("ALTER POLICY record_unit ON audit.record USING (true)", ProblemClass.SCHEMA_ALTERED),
    (f"CREATE OR REPLACE VIEW audit.v_refusals AS {EMPTY_VIEW}", ProblemClass.SCHEMA_ALTERED),
)
UNDONE = """
DROP ROLE IF EXISTS mallory; REVOKE citebound_owner FROM citebound_app;
ALTER ROLE citebound_check RESET ALL; ALTER ROLE citebound_bot RESET ALL
"""


async def test_the_schema_of_the_release_is_that_of_its_migrations(engine: AsyncEngine) -> None:
    """Else: `python -m tests.ledger_schema`."""
    async with engine.connect() as connection:
        assert RELEASE.read_text() == await schema_of(connection)


@pytest.fixture(params=VERSIONS)
def own_server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server of its own, of each version that the release knows."""
    version: int = request.param
    with ExitStack() as stack:
        try:
            programs = stack.enter_context(without_vectors(version))
        except AbsentError as error:
            reason = f"postgres {version} absent: {error}"
            if os.environ.get("CI"):  # noqa: TID251  # tests have no settings
                pytest.fail(f"{reason}; CI must not skip this")
            pytest.skip(reason)
        yield stack.enter_context(postgres_of(programs))


async def test_each_version_of_postgres_is_held_to_the_release(own_server: Server) -> None:
    """As it writes out views and policies; else: `python -m tests.ledger_schema`."""
    async with open_database(own_server.url("postgres")) as engine:
        async with engine.connect() as connection:
            assert RELEASE.read_text() == await schema_of(connection)
        ledger = SealedLedger(engine)
        await ledger.append(1, conversation=uuid5(NAMESPACE_URL, "conversation"))
        await ledger.seal(until=1)
        found = await ledger.verify()
        assert (found.result, found.warnings) == ("intact", [])
        for statement, kind in TAMPERED:
            async with engine.begin() as connection:
                await connection.exec_driver_sql(statement)
            found = await ledger.verify()
            assert kind in {problem.kind for problem in found.problems}, statement
            assert CODES[found.result] == 1
            async with engine.begin() as connection:
                await connection.exec_driver_sql(UNDONE)
            problems = [it for it in (await ledger.verify()).problems if it.kind is RIGHTS]
            assert problems == []


async def test_on_an_unknown_version_nothing_is_called_intact(
    sealed: SealedLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was not compared may have been changed: exit code 2."""
    monkeypatch.setattr("core.adapters.postgres.record.ledger_schema.VERSION", text("SELECT 19"))
    found = await sealed.verify()
    assert CODES[found.result] == 2
    assert found.lacks[0].startswith("Postgres 19 is not known to this release")


@pytest.mark.parametrize(
    ("statement", "is_problem"),
    [
        ("CREATE OR REPLACE VIEW audit.v_refusals AS SELECT * FROM audit.v_refusals LIMIT 0", True),
        ("ALTER VIEW audit.v_answers RESET (security_invoker)", True),
        ("GRANT INSERT ON audit.record TO stranger", True),
        ("GRANT UPDATE (body) ON audit.content TO citebound_app", True),
        ("GRANT SELECT ON audit.content TO PUBLIC", True),
        ("GRANT SELECT ON audit.content TO citebound_app", True),
        ("REVOKE INSERT (canonical, leaf_hash) ON audit.record FROM citebound_app", True),
        ("GRANT CREATE ON SCHEMA audit TO stranger", True),
        ("GRANT SELECT ON audit.leaf TO stranger WITH GRANT OPTION", True),
        ("DROP POLICY record_unit ON audit.record", True),
        ("ALTER POLICY record_unit ON audit.record USING (true)", True),
        ("ALTER TABLE audit.record NO FORCE ROW LEVEL SECURITY", True),
        ("ALTER TABLE audit.leaf OWNER TO stranger", True),
        ("ALTER FUNCTION audit.my_units() SECURITY INVOKER", True),
        ("GRANT SELECT ON audit.leaf TO stranger", False),
        ("GRANT EXECUTE ON FUNCTION audit.doc(bytea) TO stranger", False),
    ],
)
async def test_what_guards_the_record_is_compared_with_the_release(
    sealed: SealedLedger, statement: str, *, is_problem: bool
) -> None:
    """Views, policies, owners and rights; a right to read for others is told, and no problem."""
    async with sealed.engine.connect() as connection:
        await connection.exec_driver_sql("CREATE ROLE stranger")
        await connection.exec_driver_sql(
            statement.replace("SELECT * FROM audit.v_refusals LIMIT 0", EMPTY_VIEW)
        )
        found = await verified(
            connection, DEPLOYMENT, VerificationBasis(keys=sealed.keys, anchored=sealed.notes)
        )
        await connection.rollback()
    kinds = {one.kind for one in found.problems}
    assert kinds == ({ProblemClass.SCHEMA_ALTERED} if is_problem else set())
    assert is_problem or "not of this release: grant" in " ".join(found.warnings)
