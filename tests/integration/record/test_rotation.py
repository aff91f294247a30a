"""One key takes over from another: what each may sign is known, whoever has it and whenever."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.record.sequencer import PostgresSequencer, Rotation
from core.adapters.system import SystemClock, UuidSource
from core.audit.checkpoint import LedgerKey, Position, opened
from core.audit.documents import Event
from core.audit.verification import ProblemClass
from core.domain.audit import Tag
from core.domain.errors import IntegrityError, UsageError
from tests.integration.record.sealing import DEPLOYMENT, SealedLedger

Rows = Callable[..., Coroutine[Any, Any, list[dict[str, Any]]]]
CONVERSATION = uuid5(NAMESPACE_URL, "conversation")
NEW = LedgerKey.generate(DEPLOYMENT)


@pytest.fixture
async def sealed(engine: AsyncEngine) -> SealedLedger:
    """Three records, sealed by the first key, and one that waits."""
    ledger = SealedLedger(engine)
    await ledger.append(3, conversation=CONVERSATION)
    await ledger.seal(until=3)
    await ledger.append(1, conversation=CONVERSATION, first=4)
    return ledger


async def rotate(ledger: SealedLedger, *, until: Position | None = None) -> Rotation:
    """Hand over to the new key, and let the anchor and the auditor know."""
    rotation = await ledger.sequencer.rotate(NEW, records(), until=until)
    ledger.trusted = [rotation.retired, NEW.public]
    if rotation.note not in ledger.notes:
        ledger.notes.append(rotation.note)
    return rotation


def records() -> Ledger:
    return Ledger(clock=SystemClock(), ids=UuidSource(), unit="berlin")


def with_key(ledger: SealedLedger, key: LedgerKey) -> SealedLedger:
    return SealedLedger(ledger.engine, key=key, notes=ledger.notes, trusted=ledger.trusted)


async def test_both_sign_one_checkpoint_and_the_new_key_goes_on(
    sealed: SealedLedger, rows: Rows
) -> None:
    rotation = await rotate(sealed)
    assert rotation.retired.until == (1, 5)
    assert opened(rotation.note, [sealed.key.public]).signers == (sealed.key.public,)
    assert opened(rotation.note, sealed.trusted).signers == (rotation.retired, NEW.public)
    later = with_key(sealed, NEW)
    await later.append(1, conversation=CONVERSATION, first=5)
    await later.seal(until=7)
    found = await later.verify()
    assert (found.result, found.problems, found.records) == ("intact", [], 7)
    tags = [row["tag"] for row in await rows("SELECT tag FROM audit.leaf JOIN audit.record"
                                             " ON id = record_id ORDER BY idx")]  # fmt: skip
    assert tags[4:6] == ["key:introduced", "key:retired"]


async def test_the_old_key_seals_nothing_more(sealed: SealedLedger) -> None:
    """A sealing process that runs on with it stops, instead of going on beside the new one."""
    await rotate(sealed)
    with pytest.raises(IntegrityError, match="another key"):
        await sealed.sequencer.seal()
    with pytest.raises(IntegrityError, match="another key"):
        await with_key(sealed, LedgerKey.generate(DEPLOYMENT)).sequencer.seal()


async def test_a_retired_keys_signature_over_a_later_size_is_named(sealed: SealedLedger) -> None:
    """By whoever has stolen it, and the rights of a superuser."""
    await rotate(sealed)
    await with_key(sealed, NEW).seal(until=6)
    thief = await forged(sealed, sealed.key)
    kinds = {one.kind for one in (await thief.verify(anchored=sealed.notes)).problems}
    assert ProblemClass.KEY_RETIRED in kinds
    # Without what the auditor knows of its end, the order of the signatures tells.
    thief.trusted = [sealed.key.public, NEW.public]
    kinds = {one.kind for one in (await thief.verify(anchored=sealed.notes)).problems}
    assert ProblemClass.KEY_RETIRED in kinds


async def forged(ledger: SealedLedger, key: LedgerKey) -> SealedLedger:
    """Sign the newest checkpoint anew with another key, by hand."""
    async with ledger.engine.connect() as connection:
        row = (
            await connection.exec_driver_sql(
                "SELECT note FROM audit.checkpoint ORDER BY size DESC LIMIT 1"
            )
        ).one()
    checkpoint = opened(row.note, ledger.trusted).checkpoint
    note = key.sign(checkpoint, at=int(SystemClock().now().timestamp()))
    await ledger.tamper(
        f"UPDATE audit.checkpoint SET note = %(note)s WHERE size = {checkpoint.size}",  # noqa: S608
        note=note,
    )
    return with_key(ledger, key)


async def test_a_stolen_key_counts_up_to_what_an_anchor_has(sealed: SealedLedger) -> None:
    await sealed.seal(until=4)
    anchored = sealed.notes[:1]
    rotation = await rotate(sealed, until=(1, 3))
    assert rotation.retired.until == (1, 3)
    found = await sealed.verify(anchored=anchored)
    assert [(one.kind, one.leaf) for one in found.problems] == [(ProblemClass.KEY_RETIRED, 4)]


async def test_an_interrupted_rotation_is_repeated(sealed: SealedLedger, rows: Rows) -> None:
    """What was committed is told again; what was not, never was."""
    first = await rotate(sealed)
    assert await rotate(sealed) == first
    count = "SELECT count(*) FROM audit.record WHERE tag LIKE 'key:%'"
    assert (await rows(count))[0]["count"] == 2
    other = LedgerKey.generate(DEPLOYMENT)
    with pytest.raises(IntegrityError, match="another key"):
        await sealed.sequencer.rotate(other, records())


async def test_a_rotation_that_dies_within_has_changed_nothing(
    sealed: SealedLedger, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old key goes on, and the rotation can be made."""
    event = Ledger.event

    async def dies(self: Ledger, connection: AsyncConnection, told: Event, **more: Any) -> str:
        if told.tag is Tag.KEY_RETIRED:
            raise RuntimeError("killed")
        return await event(self, connection, told, **more)

    monkeypatch.setattr(Ledger, "event", dies)
    with pytest.raises(RuntimeError, match="killed"):
        await rotate(sealed)
    monkeypatch.undo()
    assert await rows("SELECT 1 FROM audit.record WHERE tag LIKE 'key:%'") == []
    await sealed.seal(until=4)
    await rotate(sealed)
    assert (await sealed.verify()).result == "intact"


async def test_two_rotations_at_once_are_one(sealed: SealedLedger, rows: Rows) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(rotate(sealed)) for _ in range(3)]
    assert len({task.result().note for task in tasks}) == 1
    assert (await sealed.verify()).result == "intact"
    count = "SELECT count(*) FROM audit.checkpoint"
    assert (await rows(count))[0]["count"] == 2


async def test_what_can_not_be_rotated_is_refused(engine: AsyncEngine) -> None:
    key = LedgerKey.generate(DEPLOYMENT)
    sequencer = PostgresSequencer(engine, key=key, deployment=DEPLOYMENT)
    with pytest.raises(UsageError, match="nothing was sealed"):
        await sequencer.rotate(NEW, records())
    with pytest.raises(UsageError, match="the one in use"):
        await sequencer.rotate(key, records())
