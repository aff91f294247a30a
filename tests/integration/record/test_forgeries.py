"""Records that a superuser adds by hand, and that the product itself seals, are found."""
# ruff: noqa: S608  # constants

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.console.commands.ledger import CODES
from core.adapters.postgres.record.export import Selection, read_bundle
from core.adapters.postgres.record.record_proof import PostgresRecordVerifier
from core.adapters.system import SystemClock, UuidSource
from core.audit.bundle.read import check_bundle
from core.audit.bundle.write import write_bundle
from core.audit.canonical import instant
from core.audit.checkpoint import Checkpoint
from core.audit.verification import Problem, ProblemClass
from core.domain.errors import TransientError
from tests.integration.record.sealing import DEPLOYMENT, SealedLedger

CONVERSATION = uuid5(NAMESPACE_URL, "conversation")
NOW = SystemClock().now
MISDATED, UNSEALED = ProblemClass.RECORD_MISDATED, ProblemClass.RECORD_UNSEALED
FORGED = """
INSERT INTO audit.record (canonical, leaf_hash{column})
SELECT forged, sha256('\\x00'::bytea || forged){value}
  FROM (SELECT convert_to(replace(replace(replace(regexp_replace(convert_from(canonical, 'UTF8'),
               '"seq":[0-9]+', '"seq":8'), id::text, %(id)s),
               '"at":"' || (doc->>'at'), '"at":"' || %(at)s), 'Yes', 'No'), 'UTF8') AS forged
          FROM audit.record WHERE seq = 7) AS made
"""
CITATIONS = """
INSERT INTO audit.citation
SELECT %(id)s, n, policy, version, section, char_start, char_end, quote_hash FROM audit.citation
 WHERE record_id = (SELECT id FROM audit.record WHERE seq = 7)
"""
CONTENT = """
INSERT INTO audit.content (record_id, field, salt, body)
SELECT %(id)s, field, salt, body FROM audit.content
 WHERE record_id = (SELECT id FROM audit.record WHERE seq = 7)
"""


async def forge(sealed: SealedLedger, at: datetime, *, xid: str | None = None) -> str:
    """Add an answer with a time of one's own, as a superuser; return its id."""
    record = UuidSource().new()
    insert = FORGED.format(
        column=", xid" if xid else "", value=f", ({xid})::text::xid8" if xid else ""
    )
    await sealed.tamper(insert, CITATIONS, CONTENT, id=record, at=instant(at))
    return record


def classes(problems: Sequence[Problem]) -> set[ProblemClass]:
    return {problem.kind for problem in problems}


@pytest.mark.parametrize("off", [timedelta(days=-300), timedelta(minutes=-3), timedelta(days=3)])
async def test_a_forged_record_that_the_product_has_sealed_is_found(
    sealed: SealedLedger, tmp_path: Path, off: timedelta
) -> None:
    """By a verification of everything, of what is new, of the record alone, and in the bundle."""
    record = await forge(sealed, NOW() + off)
    await sealed.seal(until=8)
    for since in (None, 7):
        found = await sealed.verify(since=since)
        assert (CODES[found.result], classes(found.problems)) == (1, {MISDATED}), since
        assert [problem.record for problem in found.problems] == [record]
    single = await PostgresRecordVerifier(sealed.engine, deployment=DEPLOYMENT).verify(
        record, sealed.basis()
    )
    assert (CODES[single.result], classes(single.problems)) == (1, {MISDATED})
    honest = await PostgresRecordVerifier(sealed.engine, deployment=DEPLOYMENT).verify(
        await record_at(sealed.engine, 6), sealed.basis()
    )
    assert honest.problems == []
    async with sealed.engine.connect() as connection:
        bundle = await read_bundle(connection, Selection(record=record), keys=sealed.keys)
    write_bundle(bundle, tmp_path / "records.zip")
    checked = check_bundle(tmp_path / "records.zip", sealed.keys, sealed.notes)
    assert checked.problem is not None
    assert "is dated" in checked.problem


async def record_at(engine: AsyncEngine, leaf: int) -> str:
    async with engine.connect() as connection:
        which = text("SELECT record_id::text FROM audit.leaf WHERE idx = :leaf")
        return str(await connection.scalar(which, {"leaf": leaf}))


@pytest.mark.parametrize("tag", ["question:answered", "content:erased"])
async def test_a_record_of_a_transaction_to_come_counts_for_nothing(
    sealed: SealedLedger, tag: str
) -> None:
    """It would never be sealed; an erasure among them erases nothing."""
    ahead = "pg_snapshot_xmax(pg_current_snapshot())::text::numeric + 1000000"
    record = await forge(sealed, NOW(), xid=ahead)
    expected = {ProblemClass.XID_AHEAD}
    if tag == "content:erased":
        victim = await record_at(sealed.engine, 2)
        document = (
            "convert_to(replace(replace(convert_from(canonical, 'UTF8'), 'question:answered',"
            " 'content:erased'), '\"id\":', '\"erased\":{\"' || %(victim)s ||"
            ' \'":["answer"]},"id":\'), \'UTF8\')'
        )
        await sealed.tamper(
            "ALTER TABLE audit.record DROP CONSTRAINT record_leaf_check",
            f"UPDATE audit.record SET canonical = {document},"
            f" leaf_hash = sha256('\\x00'::bytea || {document}) WHERE id = %(id)s",
            "ALTER TABLE audit.record ADD CONSTRAINT record_leaf_check"
            " CHECK (leaf_hash = sha256('\\x00'::bytea || canonical))",
            "DELETE FROM audit.content WHERE record_id = %(victim)s AND field = 'answer'",
            id=record,
            victim=victim,
        )
        expected |= {ProblemClass.CONTENT_MISSING}
    found = await sealed.verify()
    assert CODES[found.result] == 1
    assert classes(found.problems) == expected


async def test_what_is_not_sealed_for_a_minute_is_named_with_who_holds_it_up(
    sealed: SealedLedger,
) -> None:
    """Anybody's transaction that writes holds the horizon: pid and login are told."""
    async with sealed.engine.connect() as holder:
        pid = await holder.scalar(text("SELECT pg_backend_pid() FROM pg_current_xact_id()"))
        await sealed.append(1, conversation=CONVERSATION, first=8)
        assert (await sealed.seal()).size == 7
        assert (await sealed.verify(later_s=30)).result == "intact"
        found = await sealed.verify(later_s=90)
        assert (CODES[found.result], classes(found.problems)) == (1, {UNSEALED})
        assert f"pid {pid} of " in found.problems[0].detail
    await sealed.seal(until=8)
    assert (await sealed.verify(later_s=90)).result == "intact"


@pytest.mark.parametrize("leaf", [-1, 7])
async def test_a_leaf_outside_the_signed_tree_hides_no_record(
    sealed: SealedLedger, leaf: int
) -> None:
    """Neither before the first one, nor after the last signed root."""
    record = await forge(sealed, NOW())
    await sealed.tamper(
        "INSERT INTO audit.leaf (idx, record_id, leaf_hash)"
        " SELECT %(leaf)s, id, leaf_hash FROM audit.record WHERE id = %(id)s",
        leaf=leaf,
        id=record,
    )
    found = await sealed.verify()
    assert CODES[found.result] == 1


async def test_a_checkpoint_of_the_future_is_named_and_sealing_waits_for_it(
    sealed: SealedLedger,
) -> None:
    """Seen from an hour ago, it is dated ahead; a server whose clock went back signs nothing."""
    found = await sealed.verify(later_s=-3600)
    assert ProblemClass.TIME_AHEAD in classes(found.problems)
    await date_ahead(sealed, seconds=3600)
    await sealed.append(1, conversation=CONVERSATION, first=8)
    with pytest.raises(TransientError, match="after the clock of Postgres"):
        await sealed.seal(until=8)


async def date_ahead(sealed: SealedLedger, *, seconds: int) -> None:
    """Sign the last checkpoint anew, as by a clock that is ahead."""
    async with sealed.engine.connect() as connection:
        row = (
            await connection.execute(text("SELECT root FROM audit.checkpoint WHERE size = 7"))
        ).one()
    at = int(NOW().timestamp()) + seconds
    checkpoint = Checkpoint(origin=f"{DEPLOYMENT}/audit/1", size=7, root=bytes(row.root))
    note = sealed.key.sign(checkpoint, at=at)
    sealed.notes[-1] = note
    await sealed.tamper("UPDATE audit.checkpoint SET note = %(note)s WHERE size = 7", note=note)
