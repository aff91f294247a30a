"""Records that a superuser adds by hand, and that the product itself seals, are found."""
# ruff: noqa: S608  # constants

from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.console.commands.ledger import CODES
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.engine.roles import DatabaseRole
from core.adapters.postgres.record.export import Selection, read_bundle
from core.adapters.postgres.record.record_proof import PostgresRecordVerifier
from core.adapters.system import SystemClock, UuidSource
from core.audit.bundle.read import check_bundle
from core.audit.bundle.write import write_bundle
from core.audit.canonical import instant, leaf_hash
from core.audit.checkpoint import Checkpoint
from core.audit.documents import Event
from core.audit.verification import Problem, ProblemClass
from core.domain.audit import Tag
from core.domain.errors import TransientError
from tests.databases import as_role
from tests.integration.record.sealing import DEPLOYMENT, SealedLedger

CLOSE = (Path(__file__).parents[3] / "deploy/sql/close.sql").read_bytes()
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


OWN_FORGERY = (
    "ALTER TABLE audit.record NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE audit.record DISABLE TRIGGER USER",
    FORGED.format(column="", value=""),
    "ALTER TABLE audit.record ENABLE TRIGGER USER",
    *(
        f"ALTER TABLE audit.record ENABLE ALWAYS TRIGGER {trigger}"
        for trigger in ("refuse_change", "refuse_truncate", "check_clock", "check_author")
    ),
    "ALTER TABLE audit.record FORCE ROW LEVEL SECURITY",
)


async def test_what_the_login_that_migrates_forges_is_found(
    sealed: SealedLedger, database_url: str
) -> None:
    """It owns the tables, and needs no superuser."""
    given = {"id": UuidSource().new(), "at": instant(NOW() - timedelta(days=300))}
    with psycopg.connect(database_url) as owner:
        owner.execute("SET ROLE citebound_owner")
        for statement in OWN_FORGERY:
            owner.execute(statement.encode(), given if "INSERT" in statement else None)
    await sealed.seal(until=8)
    found = await sealed.verify()
    assert CODES[found.result] == 1
    assert MISDATED in classes(found.problems)


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


async def test_only_the_sequencer_takes_the_lock_of_sealing(
    sealed: SealedLedger, database_url: str
) -> None:
    """Others may neither lock its table, nor stop it by advisory locks of any number."""
    with psycopg.connect(as_role(database_url, DatabaseRole.AUDITOR)) as reader:
        reader.execute("SELECT pg_advisory_lock(7203114034)")
        await sealed.append(1, conversation=CONVERSATION, first=8)
        await sealed.seal(until=8)
    for role in (DatabaseRole.APP, DatabaseRole.AUDITOR, DatabaseRole.CONSOLE):
        for mode in ("ACCESS SHARE", "EXCLUSIVE"):
            with (
                psycopg.connect(as_role(database_url, role)) as other,
                pytest.raises(InsufficientPrivilege),
            ):
                other.execute(f"LOCK TABLE citebound.sealing IN {mode} MODE".encode())


@pytest.mark.parametrize(
    ("role", "tag", "may"),
    [
        (DatabaseRole.APP, "ledger:anchored", False),
        (DatabaseRole.APP, "key:retired", False),
        (DatabaseRole.APP, "officer:granted", False),
        (DatabaseRole.APP, "query:executed", False),
        (DatabaseRole.APP, "bundle:exported", False),
        (DatabaseRole.APP, "case:opened", True),
        (DatabaseRole.CONSOLE, "question:answered", False),
        (DatabaseRole.CONSOLE, "bundle:exported", True),
        (DatabaseRole.SEQUENCER, "question:answered", False),
        (DatabaseRole.SEQUENCER, "ledger:anchored", True),
        (DatabaseRole.SEQUENCER, "service:started", True),
    ],
)
def test_a_role_writes_its_own_tags_alone(
    database_url: str, role: DatabaseRole, tag: str, *, may: bool
) -> None:
    """Else who may append could write any record in anybody's name."""
    event = Event(tag=Tag(tag), actor="p-1", actor_kind="operator", says={})
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    data = ledger.entry(event, at=SystemClock().now(), content={}).data
    insert = "INSERT INTO audit.record (canonical, leaf_hash) VALUES (%s, %s)"
    with (
        psycopg.connect(as_role(database_url, role)) as connection,
        nullcontext() if may else pytest.raises(InsufficientPrivilege, match="is recorded by"),
    ):
        connection.execute(insert, (data, leaf_hash(data)))


def test_nobody_but_the_owner_makes_large_objects(database_url: str) -> None:
    """Whoever may only read would write, without bounds."""
    for statement in ("SELECT lo_create(0)", "SELECT lo_from_bytea(0, 'x')"):
        refused_by_all(database_url, statement)


def test_nobody_but_the_owner_makes_temporary_tables(database_url: str) -> None:
    """A copy of a database lends them to everybody again, until the script closes them."""
    with psycopg.connect(database_url) as administrator:
        administrator.execute(CLOSE)
    refused_by_all(database_url, "CREATE TEMP TABLE x ()")


def refused_by_all(database_url: str, statement: str) -> None:
    for role in (DatabaseRole.APP, DatabaseRole.CONSOLE, DatabaseRole.AUDITOR):
        with (
            psycopg.connect(as_role(database_url, role)) as connection,
            pytest.raises(InsufficientPrivilege),
        ):
            connection.execute(statement.encode())


def test_the_script_closes_what_a_migration_could_not(database_url: str) -> None:
    """Large objects, too, where no superuser migrates."""
    opened = "SELECT has_function_privilege('citebound_app', 'lo_create(oid)', 'EXECUTE')"
    with psycopg.connect(database_url) as administrator:
        administrator.execute("GRANT EXECUTE ON FUNCTION lo_create(oid) TO PUBLIC")
        assert administrator.execute(opened.encode()).fetchone() == (True,)
        administrator.execute(CLOSE)
        assert administrator.execute(opened.encode()).fetchone() == (False,)
