"""One record is verified by itself: its bytes, columns, citations, texts, and its proof."""
# ruff: noqa: S608  # constants

from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.engine.database import engine_for
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.record_proof import PostgresRecordVerifier, VerifiedRecord
from core.adapters.postgres.record.verification import VerificationBasis, record_verification
from core.adapters.system import SystemClock, UuidSource
from core.audit.merkle import root_by_proof
from core.domain.errors import TransientError, UsageError
from tests.databases import as_role
from tests.integration.record.sealing import DEPLOYMENT, SealedLedger

CONVERSATION = uuid5(NAMESPACE_URL, "conversation")
LEDGER = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
PLACE = 2
THIRD = f"(SELECT record_id FROM audit.leaf WHERE idx = {PLACE})"
HEAD = "UPDATE audit.record SET"


async def third(engine: AsyncEngine) -> str:
    """Return the id of the third sealed record."""
    async with engine.connect() as connection:
        return str(await connection.scalar(text(f"SELECT {THIRD}")))


async def verified(
    ledger: SealedLedger, record_id: str, *, anchored: list[str] | None = None
) -> VerifiedRecord:
    """Verify one record."""
    verifier = PostgresRecordVerifier(ledger.engine, deployment=DEPLOYMENT)
    notes = ledger.notes if anchored is None else anchored
    return await verifier.verify(record_id, VerificationBasis(keys=ledger.keys, anchored=notes))


async def test_a_record_is_proven_by_its_path_to_an_anchored_root(
    sealed: SealedLedger, engine: AsyncEngine
) -> None:
    """The path leads from its leaf to the root of the newest note that stands outside."""
    record_id = await third(engine)
    found = await verified(sealed, record_id)
    assert (found.result, found.leaf, found.tag) == ("intact", PLACE, "question:answered")
    assert (found.citations, found.erased) == (2, 0)
    assert found.contents > 0
    assert found.checkpoint is not None
    async with engine.connect() as connection:
        leaf = await connection.scalar(
            text(f"SELECT leaf_hash FROM audit.leaf WHERE idx = {PLACE}")
        )
    size = found.checkpoint.size
    assert root_by_proof(PLACE, size, bytes(leaf or b""), found.path) == found.checkpoint.root
    assert (await verified(sealed, record_id[:30])).record_id == record_id


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (f"UPDATE audit.content SET body = 'No.' WHERE record_id = {THIRD}", "content-altered"),
        (f"DELETE FROM audit.content WHERE record_id = {THIRD}", "content-missing"),
        (f"UPDATE audit.citation SET section = '9' WHERE record_id = {THIRD}", "column-altered"),
        (f"UPDATE audit.leaf SET leaf_hash = sha256('x') WHERE idx = {PLACE}", "record-altered"),
        ("UPDATE audit.leaf SET leaf_hash = sha256('x') WHERE idx = 0", "anchor-differs"),
        ("DELETE FROM audit.leaf WHERE idx = 6", "anchor-ahead"),
    ],
)
async def test_what_was_changed_is_named(
    sealed: SealedLedger, engine: AsyncEngine, change: str, kind: str
) -> None:
    """Of the record itself, and of the leaves that its proof needs."""
    record_id = await third(engine)
    await sealed.tamper(change)
    found = await verified(sealed, record_id)
    assert found.result == "tampered"
    assert kind in {one.kind.value for one in found.problems}


async def test_what_no_anchor_covers_is_not_called_intact(
    sealed: SealedLedger, engine: AsyncEngine
) -> None:
    """Nor what is not sealed, and nothing of a record that is not there."""
    record_id = await third(engine)
    assert (await verified(sealed, record_id, anchored=[])).result == "incomplete"
    await sealed.append(1, conversation=CONVERSATION, first=100)
    async with engine.connect() as connection:
        newest = await connection.scalar(
            text("SELECT id::text FROM audit.record ORDER BY at DESC LIMIT 1")
        )
    found = await verified(sealed, str(newest))
    assert (found.result, found.leaf) == ("incomplete", None)
    for wrong in ("ffffffff", "%", ""):
        with pytest.raises(UsageError):
            await verified(sealed, wrong)


async def test_an_auditor_records_a_verification_and_nothing_else(
    sealed: SealedLedger, engine: AsyncEngine, database_url: str
) -> None:
    """The login that verifies may read no text and write no record but this one."""
    auditor = engine_for(as_role(database_url, DatabaseRole.AUDITOR), pooled=False)
    try:
        verifier = PostgresRecordVerifier(auditor, deployment=DEPLOYMENT)
        basis = VerificationBasis(keys=sealed.keys, anchored=sealed.notes)
        found = await verifier.verify(await third(engine), basis)
        assert found.result == "intact"
        await record_verification(auditor, found.summary(), ledger=LEDGER, operator="vera")
        async with engine.connect() as connection:
            health = await connection.scalar(text("SELECT verified FROM audit.v_ledger_health"))
            (data, leaf) = (
                await connection.execute(
                    text(f"SELECT canonical, leaf_hash FROM audit.record WHERE id = {THIRD}")
                )
            ).one()
        assert health is not None
        assert (health["by"], health["result"]) == ("vera", "intact")
        with pytest.raises(DBAPIError, match="nothing but verifications"):
            async with auditor.begin() as connection:
                await connection.execute(
                    text("SELECT audit.record_verification(:data, :leaf)"),
                    {"data": data, "leaf": leaf},
                )
        await no_writes(engine)
        with pytest.raises(TransientError):
            await record_verification(auditor, found.summary(), ledger=LEDGER, operator="vera")
    finally:
        await auditor.dispose()


async def no_writes(engine: AsyncEngine) -> None:
    """Let the database take no writes, as one that follows another."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        name = await connection.scalar(text("SELECT current_database()"))
        await connection.exec_driver_sql(
            f'ALTER DATABASE "{name}" SET default_transaction_read_only = on'
        )
