"""What the record holds of a precedent: it can be replayed, and its texts can leave."""

import zipfile
from pathlib import Path

import pytest
from sqlalchemy import text

from core.adapters.postgres.record.export import Selection, read_bundle
from core.audit.bundle.write import write_bundle
from core.ports.precedents import PrecedentState
from core.replay.recorded import ReplayImpossibleError
from tests.integration.precedents.conftest import ADA, GIFTS, QUESTION, WORDS, Desk
from tests.integration.precedents.test_precedents import HEADING, OTHER, is_told
from tests.integration.record.sealing import SealedLedger
from tests.integration.replay.conftest import recorded


async def test_replay(desk: Desk) -> None:
    """Told again from the record alone, in every byte, whatever became of the precedent since."""
    before = await desk.ask(thread="first")
    found = await desk.approved()
    reply = await desk.ask(thread="second")
    await desk.service.precedent_desk.withdraw(found.number, ADA, reason="outdated")
    await desk.publish(GIFTS.replace("EUR 50 per", "EUR 20 per"))
    for one, says in ((reply, True), (before, False)):
        question = await recorded(desk.service, one.receipt.record_id)
        replayed = await desk.service.replayer.replay(question)
        assert replayed.difference is None
        assert replayed.answer is not None
        assert (HEADING in replayed.answer.text) is says


async def test_a_replay_without_its_text(desk: Desk) -> None:
    """Where a text was erased, a replay is impossible, and says why."""
    await desk.approved()
    question = await recorded(desk.service, (await desk.ask()).receipt.record_id)
    held = dict(question.record.contents)
    held.pop("answer_json")
    object.__setattr__(question.record, "contents", held)
    with pytest.raises(ReplayImpossibleError, match="'answer_json' was erased"):
        await desk.service.replayer.replay(question)


async def test_erased_with_its_asker(desk: Desk) -> None:
    """The asker's words are stored nowhere but with their question; without them nothing is told.

    In words of its own it goes on.
    """
    await desk.approved()
    restated = await desk.approved(question=OTHER)
    (row,) = await desk.rows(
        "SELECT count(*) FILTER (WHERE body LIKE :asked AND tag LIKE 'precedent:%') AS kept,"
        " count(*) FILTER (WHERE body LIKE :asked) AS held"
        " FROM audit.content c JOIN audit.record r ON r.id = c.record_id",
        asked=f"%{QUESTION}%",
    )
    assert row["kept"] == 0
    assert row["held"] > 0
    await desk.rows(
        "WITH k AS (SELECT array_agg(question_id) AS ids FROM citebound.cases)"
        " SELECT citebound.forget(k.ids, '{}', '{}') FROM k"
    )
    assert not await is_told(desk)
    assert await is_told(desk, OTHER)
    assert await desk.compare() == 1
    assert (await desk.records())[-1]["doc"]["why"] == "erased"
    left = {one.state for one in await desk.service.precedent_desk.all()}
    assert left == {PrecedentState.APPROVED, PrecedentState.SUSPENDED}
    assert restated.question == OTHER


async def test_erased_by_its_own_record(desk: Desk) -> None:
    """Texts of a proposal that leave the record leave the working copy, too."""
    found = await desk.approved(question=OTHER, wordings=("May we share a hamper?",))
    assert await is_told(desk, "may we share a hamper")
    (proposed,) = await desk.records("precedent:proposed")
    async with desk.engine.begin() as connection:
        await connection.execute(text("ALTER TABLE audit.content DISABLE TRIGGER refuse_change"))
    await desk.rows(
        "DELETE FROM audit.content WHERE record_id = CAST(:id AS uuid) RETURNING 1",
        id=proposed["id"],
    )
    assert not await is_told(desk, OTHER)
    assert not await is_told(desk, "may we share a hamper")
    kept = await desk.rows("SELECT question, wordings, answer FROM citebound.precedents")
    assert kept == [{"question": "", "wordings": [], "answer": ""}]
    assert await desk.compare() == 1
    assert found.answer == WORDS


async def test_handed_out(desk: Desk, tmp_path: Path) -> None:
    """A bundle of the answer holds who proposed and approved it, and its page says so."""
    found = await desk.approved()
    reply = await desk.ask()
    sealed = SealedLedger(desk.engine)
    count = len(await desk.rows("SELECT id FROM audit.record"))
    await sealed.seal(until=count)
    async with desk.engine.connect() as connection:
        bundle = await read_bundle(
            connection, Selection(record=reply.receipt.record_id), keys=[sealed.key.public]
        )
    tags = [record.document["tag"] for record in bundle.records]
    assert tags == [
        "corpus:published",
        "precedent:proposed",
        "precedent:approved",
        "question:answered",
        "precedent:applied",
    ]
    write_bundle(bundle, tmp_path / "bundle.zip")
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        page = archive.read("index.html").decode()
    for said in (HEADING, "officer grace: Precedent approved", found.clauses[0].quote):
        assert said in " ".join(page.split())
