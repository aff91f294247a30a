"""A part of the record is verified by itself; what the records say fits together."""
# ruff: noqa: S608  # constants

import json
from datetime import datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from core.adapters.postgres.engine.database import server_now
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.system import SystemClock, UuidSource
from core.audit.documents import Event
from core.audit.verification import ProblemClass
from core.domain.audit import Tag
from core.domain.json_value import Json
from tests.integration.record.sealing import SealedLedger

CONVERSATION = uuid5(NAMESPACE_URL, "conversation")
THIRD = "(SELECT record_id FROM audit.leaf WHERE idx = 2)"


@pytest.mark.parametrize("since", [5, 6, "today"])
async def test_a_part_is_verified_from_a_signed_checkpoint_on(
    sealed: SealedLedger, since: int | str
) -> None:
    """What lies before it is not read; what follows is, with its columns, citations and texts."""
    day = SystemClock().now().date()
    begin = day + timedelta(days=1) if since == "today" else int(since)
    found = await sealed.verify(since=begin)
    assert (found.result, found.records) == ("intact", 0 if since == "today" else 2)
    assert "were not read again" in " ".join(found.warnings)
    await sealed.tamper(
        f"UPDATE audit.content SET body = 'No.' WHERE record_id = {THIRD}",
        f"UPDATE audit.citation SET section = '9' WHERE record_id = {THIRD}",
    )
    assert (await sealed.verify(since=begin)).result == "intact"
    assert (await sealed.verify(since=day)).result == "tampered"
    later = THIRD.replace("idx = 2", "idx = 6")
    await sealed.tamper(
        f"UPDATE audit.content SET body = 'No.' WHERE record_id = {later}",
        f"UPDATE audit.citation SET section = '9' WHERE record_id = {later}",
    )
    kinds = {one.kind for one in (await sealed.verify(since=begin)).problems}
    expected = {ProblemClass.CONTENT_ALTERED, ProblemClass.CITATION_ALTERED}
    assert kinds == (set() if since == "today" else expected)


async def test_a_part_does_not_rest_on_a_frontier_that_was_changed(sealed: SealedLedger) -> None:
    await sealed.tamper("UPDATE audit.checkpoint SET frontier[1] = root WHERE size = 5")
    found = await sealed.verify(since=5)
    assert (found.records, found.result) == (7, "tampered")


async def test_bytes_that_are_not_canonical_are_found(
    engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though they hash to their leaf, and say the same."""

    def spaced(document: dict[str, Json]) -> bytes:
        return json.dumps(document).encode()

    monkeypatch.setattr("core.adapters.postgres.engine.ledger.canonical", spaced)
    ledger = SealedLedger(engine)
    await ledger.append(1, conversation=CONVERSATION)
    await ledger.seal(until=1)
    assert [one.kind for one in (await ledger.verify()).problems] == [ProblemClass.NOT_CANONICAL]


async def test_each_message_is_closed_once_and_its_reply_accounted_for(
    engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left open for a day, closed twice, without a reply, or with two: each is named."""
    sealed = SealedLedger(engine)
    ids = UuidSource()
    left_open, twice, unanswered, doubled, young = (ids.new() for _ in range(5))
    async with engine.begin() as connection:
        await connection.exec_driver_sql("ALTER TABLE audit.record DISABLE TRIGGER check_clock")
        ledger = Ledger(clock=SystemClock(), ids=ids, unit="berlin")
        received = told(Tag.MESSAGE_RECEIVED)
        with monkeypatch.context() as yesterday:
            yesterday.setattr("core.adapters.postgres.engine.ledger.server_now", a_day_ago)
            for message in (left_open, twice, unanswered, doubled):
                await ledger.event(connection, received, content={}, record_id=message)
            for message in (twice, twice):
                await answer(connection, ledger, message, replies=[1])
            await answer(connection, ledger, unanswered, replies=[])
            await answer(connection, ledger, doubled, replies=[7, 7])
        await ledger.event(connection, received, content={}, record_id=young)
        await connection.exec_driver_sql(
            "ALTER TABLE audit.record ENABLE ALWAYS TRIGGER check_clock"
        )
    await sealed.seal(until=13)
    found = (await sealed.verify()).problems
    assert sorted((one.kind.value, one.record == young) for one in found) == [
        ("message-not-closed", False),
        ("message-not-closed", False),
        ("reply-missing", False),
        ("reply-twice", False),
    ]
    closed = [one.record for one in found if one.kind is ProblemClass.MESSAGE_NOT_CLOSED]
    assert set(closed) == {left_open, twice}


async def a_day_ago(connection: AsyncConnection) -> datetime:
    """Return what the server's clock said somewhat more than a day ago."""
    return await server_now(connection) - timedelta(hours=25)


async def answer(
    connection: AsyncConnection, ledger: Ledger, message: str, *, replies: list[int]
) -> None:
    outcome = await ledger.event(
        connection, told(Tag.QUESTION_REFUSED, cause=message, outcome="refused"), content={}
    )
    for outbox in replies:
        posted = told(Tag.REPLY_POSTED, cause=outcome, outbox=outbox)
        await ledger.event(connection, posted, content={})


def told(tag: Tag, *, cause: str | None = None, **says: Json) -> Event:
    return Event(
        tag=tag, actor="p-1", actor_kind="asker", conversation=None, seq=None, subject=None,
        cause=cause, trace_id=None, says=says,
    )  # fmt: skip


async def test_other_processes_find_what_one_does(
    sealed: SealedLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large ledger they check the records, batch by batch."""
    monkeypatch.setattr("core.adapters.postgres.record.verification.WORTH_PROCESSES", 0)
    monkeypatch.setattr("core.adapters.postgres.record.verification.READ_AT_ONCE", 2)
    assert (await sealed.verify()).result == "intact"
    await sealed.tamper(
        "ALTER TABLE audit.record DROP CONSTRAINT record_leaf_check",
        "UPDATE audit.record SET leaf_hash = sha256(leaf_hash) WHERE seq IN (2, 7)",
    )
    found = [one.leaf for one in (await sealed.verify()).problems if one.leaf is not None]
    assert found == [1, 6]
