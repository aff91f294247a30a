"""What guards the record (views, policies, owners, rights) is held to the release."""

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.record.ledger_schema import RELEASE
from core.adapters.postgres.record.verification import VerificationBasis, verified
from core.audit.verification import ProblemClass
from tests.integration.record.sealing import DEPLOYMENT, SealedLedger
from tests.ledger_schema import schema_of

EMPTY_VIEW = (
    "NULL::uuid AS record_id, NULL::timestamptz AS at, NULL::text AS unit, NULL::text AS kind,"
    " NULL::text AS question, NULL::jsonb AS nearest_sections, NULL::boolean AS escalated"
).join(("SELECT ", " WHERE false"))


async def test_the_schema_of_the_release_is_that_of_its_migrations(engine: AsyncEngine) -> None:
    """Else: `python -m tests.ledger_schema`."""
    async with engine.connect() as connection:
        assert RELEASE.read_text() == await schema_of(connection)


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
