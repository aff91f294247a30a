"""Whatever is done to sealed records, by whomever, is found; what was not touched is intact."""
# ruff: noqa: S608  # constants

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.console.views.verdict_view import verdict_json, verdict_lines
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.system import SystemClock, UuidSource
from core.audit.checkpoint import Checkpoint, LedgerKey
from core.audit.merkle import root_of
from core.audit.verification import ProblemClass
from core.domain.errors import IntegrityError
from tests.integration.record.sealing import DEPLOYMENT, SealedLedger, append

Rows = Callable[..., Coroutine[Any, Any, list[dict[str, Any]]]]
CONVERSATION = uuid5(NAMESPACE_URL, "conversation")
RECORDS = 7
ALTERED = "convert_to(replace(convert_from(canonical, 'UTF8'), 'p-3', 'p-9'), 'UTF8')"
"""Canonical JSON still, with another asker."""
THIRD = "(SELECT record_id FROM audit.leaf WHERE idx = 2)"
WITHOUT_CHECK = "ALTER TABLE audit.record DROP CONSTRAINT record_leaf_check"
WITH_CHECK = (
    "ALTER TABLE audit.record ADD CONSTRAINT record_leaf_check"
    " CHECK (leaf_hash = sha256('\\x00'::bytea || canonical))"
)
REMOVED = tuple(
    f"DELETE FROM audit.{table} WHERE record_id = {THIRD}" for table in ("citation", "content")
)
CUT = (
    "DELETE FROM audit.leaf WHERE idx >= 5",
    "DELETE FROM audit.checkpoint WHERE size > 5",
)


async def test_what_was_not_touched_is_intact(sealed: SealedLedger) -> None:
    found = await sealed.verify()
    assert (found.result, found.problems, found.lacks) == ("intact", [], [])
    assert (found.records, found.checkpoints, found.anchors, found.contents) == (7, 2, 2, 14)
    await sealed.append(2, conversation=CONVERSATION, first=8)
    later = await sealed.verify()
    assert (later.result, later.unsealed) == ("intact", 2)


async def test_without_key_anchor_or_seal_nothing_is_called_intact(
    sealed: SealedLedger, engine: AsyncEngine
) -> None:
    without_anchor = await sealed.verify(anchored=[])
    assert without_anchor.result == "incomplete"
    stranger = SealedLedger(engine)
    assert (await stranger.verify()).result == "tampered"
    assert {one.kind for one in (await stranger.verify()).problems} == {ProblemClass.NOTE_INVALID}


async def test_nothing_sealed_is_not_intact(engine: AsyncEngine) -> None:
    assert (await SealedLedger(engine).verify()).result == "incomplete"


@pytest.mark.parametrize(
    ("kind", "statements"),
    [
        (
            ProblemClass.RECORD_ALTERED,
            (WITHOUT_CHECK, f"UPDATE audit.record SET canonical = {ALTERED}"),
        ),
        (
            ProblemClass.RECORD_ALTERED,
            (
                WITHOUT_CHECK,
                f"UPDATE audit.record SET canonical = {ALTERED},"
                f" leaf_hash = sha256('\\x00'::bytea || {ALTERED})",
                WITH_CHECK,
            ),
        ),
        (
            ProblemClass.ROOT_DIFFERS,
            (
                WITHOUT_CHECK,
                f"UPDATE audit.record SET canonical = {ALTERED},"
                f" leaf_hash = sha256('\\x00'::bytea || {ALTERED})",
                "UPDATE audit.leaf SET leaf_hash = record.leaf_hash FROM audit.record"
                " WHERE record.id = record_id",
                WITH_CHECK,
            ),
        ),
        (
            ProblemClass.RECORD_MISSING,
            (*REMOVED, f"DELETE FROM audit.record WHERE id = {THIRD}"),
        ),
        (
            ProblemClass.LEAF_MISSING,
            (
                *REMOVED,
                f"DELETE FROM audit.record WHERE id = {THIRD}",
                "DELETE FROM audit.leaf WHERE idx = 2",
            ),
        ),
        (
            ProblemClass.ROOT_DIFFERS,
            (
                *REMOVED,
                f"DELETE FROM audit.record WHERE id = {THIRD}",
                "DELETE FROM audit.leaf WHERE idx = 2",
                "UPDATE audit.leaf SET idx = idx - 1 WHERE idx > 2",
            ),
        ),
        (
            ProblemClass.ROOT_DIFFERS,
            (
                "UPDATE audit.leaf SET idx = -1 WHERE idx = 2",
                "UPDATE audit.leaf SET idx = 2 WHERE idx = 3",
                "UPDATE audit.leaf SET idx = 3 WHERE idx = -1",
            ),
        ),
        (ProblemClass.ANCHOR_AHEAD, CUT),
        (
            ProblemClass.ANCHOR_AHEAD,
            (
                *(
                    f"DELETE FROM audit.{table} WHERE record_id IN"
                    " (SELECT record_id FROM audit.leaf WHERE idx >= 5)"
                    for table in ("citation", "content")
                ),
                "DELETE FROM audit.record WHERE id IN"
                " (SELECT record_id FROM audit.leaf WHERE idx >= 5)",
                *CUT,
            ),
        ),
        (
            ProblemClass.RECORD_LEFT_OUT,
            (
                "INSERT INTO audit.record (canonical, leaf_hash, xid)"
                " SELECT later, sha256('\\x00'::bytea || later), xid FROM (SELECT xid, convert_to("
                "regexp_replace(regexp_replace(convert_from(canonical, 'UTF8'),"
                ' \'"seq":[0-9]+\', \'"seq":8\'), \'"id":"[0-9a-f]{4}\', \'"id":"ffff\'),'
                " 'UTF8') AS later FROM audit.record WHERE seq = 3) AS made",
            ),
        ),
        (
            ProblemClass.COLUMN_ALTERED,
            (
                "ALTER TABLE audit.record ALTER COLUMN at DROP EXPRESSION",
                "UPDATE audit.record SET at = at - interval '1 year' WHERE seq = 3",
            ),
        ),
        (ProblemClass.CITATION_ALTERED, ("UPDATE audit.citation SET section = '9' WHERE n = 1",)),
        (
            ProblemClass.CITATION_ALTERED,
            (f"DELETE FROM audit.citation WHERE n = 2 AND record_id = {THIRD}",),
        ),
        (ProblemClass.CONTENT_ALTERED, ("UPDATE audit.content SET body = 'No.'",)),
        (ProblemClass.CONTENT_MISSING, ("DELETE FROM audit.content WHERE field = 'answer'",)),
        (
            ProblemClass.CONTENT_UNKNOWN,
            ("UPDATE audit.content SET field = 'note' WHERE field = 'answer'",),
        ),
        (
            ProblemClass.NOTE_INVALID,
            ("UPDATE audit.checkpoint SET note = replace(note, '5', '6')",),
        ),
        (ProblemClass.ROOT_DIFFERS, ("UPDATE audit.checkpoint SET frontier[1] = root",)),
        (
            ProblemClass.UNREADABLE,
            (
                WITHOUT_CHECK,
                "ALTER TABLE audit.record ALTER COLUMN doc DROP EXPRESSION,"
                " ALTER COLUMN id DROP EXPRESSION, ALTER COLUMN tag DROP EXPRESSION,"
                " ALTER COLUMN at DROP EXPRESSION, ALTER COLUMN unit DROP EXPRESSION,"
                " ALTER COLUMN actor DROP EXPRESSION, ALTER COLUMN subject DROP EXPRESSION,"
                " ALTER COLUMN conversation DROP EXPRESSION, ALTER COLUMN seq DROP EXPRESSION,"
                " ALTER COLUMN outcome DROP EXPRESSION, ALTER COLUMN badge DROP EXPRESSION,"
                " ALTER COLUMN calibrated DROP EXPRESSION",
                "UPDATE audit.record SET canonical = '\\xff' WHERE seq = 3",
            ),
        ),
    ],
)
async def test_tampering_is_found(
    sealed: SealedLedger, kind: ProblemClass, statements: tuple[str, ...]
) -> None:
    """By a superuser who turns triggers off, does it, and turns them on again."""
    await sealed.tamper(*statements)
    found = await sealed.verify()
    assert found.result == "tampered"
    assert kind in {one.kind for one in found.problems}


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER refuse_change ON audit.content",
        "ALTER TABLE audit.record DISABLE TRIGGER refuse_truncate",
        "ALTER TABLE audit.record ENABLE REPLICA TRIGGER check_clock",
        "CREATE OR REPLACE FUNCTION audit.refuse() RETURNS trigger LANGUAGE plpgsql"
        " AS 'BEGIN RETURN NEW; END'",
        "CREATE RULE quiet AS ON UPDATE TO audit.record DO INSTEAD NOTHING",
        "ALTER TABLE audit.record ALTER COLUMN badge DROP EXPRESSION",
        WITHOUT_CHECK,
    ],
)
async def test_a_ledger_that_was_disarmed_is_found(sealed: SealedLedger, statement: str) -> None:
    async with sealed.engine.begin() as connection:
        await connection.execute(text(statement))
    found = await sealed.verify()
    assert {one.kind for one in found.problems} == {ProblemClass.SCHEMA_ALTERED}


async def test_the_role_of_a_replica_disarms_nothing(sealed: SealedLedger) -> None:
    """`session_replication_role` turns ordinary triggers off."""
    for statement in ("DELETE FROM audit.content", "UPDATE audit.leaf SET idx = idx + 10"):
        async with sealed.engine.connect() as connection:
            await connection.execute(text("SET LOCAL session_replication_role = replica"))
            with pytest.raises(DBAPIError, match="append-only"):
                await connection.execute(text(statement))


async def test_all_written_anew_with_the_stolen_key_is_found_by_an_anchor(
    sealed: SealedLedger, rows: Rows
) -> None:
    """Nothing in the database shows it."""
    leaf = f"sha256('\\x00'::bytea || {ALTERED})"
    await sealed.tamper(
        WITHOUT_CHECK,
        f"UPDATE audit.record SET canonical = {ALTERED}, leaf_hash = {leaf}",
        "UPDATE audit.leaf SET leaf_hash = record.leaf_hash FROM audit.record"
        " WHERE record.id = record_id",
        "DELETE FROM audit.checkpoint WHERE size = 5",
        WITH_CHECK,
    )
    leaves = [
        bytes(row["leaf_hash"]) for row in await rows("SELECT * FROM audit.leaf ORDER BY idx")
    ]
    root = root_of(leaves)
    forged = Checkpoint(origin=f"{DEPLOYMENT}/audit/1", size=RECORDS, root=root)
    note = sealed.key.sign(forged, at=int(SystemClock().now().timestamp()))
    subtrees = [root_of(leaves[:4]), root_of(leaves[4:6]), leaves[6]]
    await sealed.tamper(
        "UPDATE audit.checkpoint SET root = %(root)s, note = %(note)s, frontier ="
        " ARRAY[%(first)s, %(second)s, %(third)s]",
        root=root, note=note, first=subtrees[0], second=subtrees[1], third=subtrees[2],
    )  # fmt: skip
    assert (await sealed.verify(anchored=[note])).result == "intact"
    found = await sealed.verify()
    assert {one.kind for one in found.problems} == {ProblemClass.ANCHOR_DIFFERS}


async def test_a_sequencer_refuses_an_older_state(sealed: SealedLedger) -> None:
    """As after the restore of an older backup; `rebase` goes on, and the loss stays visible."""
    await sealed.sequencer.check(sealed.notes[-1:], [sealed.key.public])
    await sealed.tamper(*CUT)
    with pytest.raises(IntegrityError, match="older backup"):
        await sealed.sequencer.check(sealed.notes[-1:], [sealed.key.public])
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    rebased = await sealed.sequencer.rebase(ledger, reason="restored from the backup")
    assert rebased.size == RECORDS
    sealed.notes.append(rebased.note)
    await sealed.seal(until=RECORDS + 1)
    await sealed.sequencer.check(sealed.notes[-1:], [sealed.key.public])
    found = await sealed.verify()
    assert (found.result, found.problems) == ("intact", [])
    (restored,) = found.restored
    assert (restored.generation, restored.kept, restored.checkpoints, restored.reached) == (
        2, 5, 1, 7,
    )  # fmt: skip
    (heading, _, loss, *_) = (line.plain for line in verdict_lines(found))
    assert heading == (
        f"Intact since generation 2; the loss is explained by record {restored.record}."
    )
    assert "1 checkpoints, up to 7 records, that were lost after the first 5" in loss
    (told,) = verdict_json(found)["restored"]  # type: ignore[misc]
    assert (told["record"], told["reached"]) == (restored.record, 7)


async def test_a_restoration_explains_nothing_that_was_restored(sealed: SealedLedger) -> None:
    """What lies under the restored checkpoint is changed all the same; unsealed, it counts not."""
    await sealed.tamper(*CUT)
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")
    sealed.notes.append((await sealed.sequencer.rebase(ledger, reason="restored")).note)
    assert {one.kind for one in (await sealed.verify()).problems} == {
        ProblemClass.CHECKPOINT_MISSING
    }
    await sealed.seal(until=RECORDS + 1)
    other = Checkpoint(origin=f"{DEPLOYMENT}/audit/1", size=5, root=bytes(32))
    forged = sealed.key.sign(other, at=int(SystemClock().now().timestamp()))
    found = await sealed.verify(anchored=[*sealed.notes, forged])
    assert {one.kind for one in found.problems} == {ProblemClass.ANCHOR_DIFFERS}


async def test_a_sequencer_refuses_what_another_key_has_signed(sealed: SealedLedger) -> None:
    stranger = SealedLedger(sealed.engine)
    with pytest.raises(IntegrityError, match="CITEBOUND_LEDGER_KEY"):
        await stranger.sequencer.check(sealed.notes[-1:], [stranger.key.public])


async def test_a_sequencer_refuses_another_server(sealed: SealedLedger) -> None:
    await sealed.tamper("UPDATE audit.checkpoint SET cluster = cluster + 1")
    with pytest.raises(IntegrityError, match="another server"):
        await sealed.seal()


async def test_what_commits_late_is_sealed_all_the_same(engine: AsyncEngine) -> None:
    """Twelve write at once with pauses, some roll back, and nothing is passed over or twice."""
    ledger = SealedLedger(engine)
    chance, kept = random.Random(7), 0  # noqa: S311  # no secret

    async def write(n: int, *, pause_s: float, rolls_back: bool) -> None:
        async with engine.connect() as connection:
            await append(connection, uuid5(NAMESPACE_URL, str(n)), 1)
            await asyncio.sleep(pause_s)
            await (connection.rollback() if rolls_back else connection.commit())

    async with asyncio.TaskGroup() as group:
        for n in range(60):
            rolls_back = chance.random() < 0.2
            kept += not rolls_back
            group.create_task(write(n, pause_s=chance.random() / 10, rolls_back=rolls_back))
            if n % 5 == 0:
                group.create_task(ledger.seal())
    sealed = await ledger.seal(until=kept)
    assert sealed.size == kept
    assert (await ledger.verify()).result == "intact"


async def test_two_sequencers_at_once_seal_each_record_once(engine: AsyncEngine) -> None:
    ledger = SealedLedger(engine, key=LedgerKey.generate(DEPLOYMENT))
    await ledger.append(30, conversation=CONVERSATION)
    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(ledger.seal())
    await ledger.seal(until=30)
    found = await ledger.verify()
    assert (found.result, found.records) == ("intact", 30)
