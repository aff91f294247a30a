"""A revision that never answers, one that keeps its label, and names that only look different."""

import unicodedata
from datetime import UTC, date, datetime

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.corpus_changes import PostgresCorpusChanges
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.system import SystemClock, UuidSource
from core.domain.errors import DocumentError
from core.domain.officers import Officers
from core.ingest.changes import change_lines
from core.ingest.prepare import key_of
from tests.integration.ingest.conftest import Ingest, SetClock

GIFTS = "# Gifts\n\n## 1 Limits\n\n1.1 Employees may accept gifts of up to EUR 35.\n"
FORTY = GIFTS.replace("EUR 35", "EUR 40")


async def announced(engine: AsyncEngine) -> str:
    """Return the line of the message that officers get of the newest edition."""
    ledger = Ledger(clock=SystemClock(), ids=UuidSource(), unit="test")
    changes = PostgresCorpusChanges(engine, ledger=ledger, operator="anna", officers=Officers())
    async with engine.connect() as connection:
        edition = await connection.scalar(text("SELECT max(number) FROM citebound.editions"))
    (line,) = change_lines(await changes.since((edition or 1) - 1), most=8, names_all=True)
    return line


async def test_a_revision_that_begins_earlier_answers_nothing(
    ingest: Ingest, engine: AsyncEngine, clock: SetClock
) -> None:
    """Whoever ingests it and the officers are told what answers instead; of others they are not."""
    clock.instant = datetime(2026, 6, 1, tzinfo=UTC)
    await ingest(GIFTS, label="2.0", effective_from=date(2026, 3, 1))
    done = await ingest(FORTY, label="2.1", effective_from=date(2026, 2, 1))
    assert done.notes == (
        "it is not in force: version 2.0, which began later (2026-03-01), still answers; to answer"
        " from this one, add --effective-from 2026-06-01",
    )
    assert "not in force: version 2.0 of 2026-03-01 still answers" in await announced(engine)
    done = await ingest(FORTY, label="2.2", effective_from=date(2026, 4, 1))
    assert done.notes == ()
    assert "not in force" not in await announced(engine)
    done = await ingest(GIFTS + "\n", label="3.0", effective_from=date(2199, 1, 1))
    assert done.notes == ()
    line = await announced(engine)
    assert "in force from: 2199-01-01" in line
    assert "not in force" not in line


async def test_a_text_under_an_old_label_is_named(ingest: Ingest, engine: AsyncEngine) -> None:
    """At ingest and to the officers; a new label, and the same text again, say nothing."""
    await ingest(GIFTS, label="1.1")
    done = await ingest(FORTY, label="1.1")
    (note,) = done.notes
    assert note.startswith("it is another file than the one before, and still calls itself version")
    assert "version: still 1.1, with other words" in await announced(engine)
    assert (await ingest(FORTY, label="1.1")).notes == ()
    assert (await ingest(GIFTS.replace("35", "30"), label="1.2")).notes == ()
    assert "version: still" not in await announced(engine)


@pytest.mark.parametrize("words", ["effective until", "effective_until", "valid until", "Expires"])
async def test_whatever_the_last_day_is_called_it_is_in_force(ingest: Ingest, words: str) -> None:
    """The day after is the first without it."""
    for written in (f"---\n{words}: 2026-12-31\n---\n{GIFTS}", f"{words}: 2026-12-31\n\n{GIFTS}"):
        done = await ingest(written, name=f"{len(written)}.md")
        assert done.metadata.effective_until == date(2027, 1, 1)


async def test_a_decomposed_file_name_is_the_same_policy(ingest: Ingest) -> None:
    """A Mac stores names so; copied to another machine the file is no second policy."""
    first = await ingest(GIFTS, name=unicodedata.normalize("NFD", "Règles éthiques.md"))
    again = await ingest(GIFTS, name=unicodedata.normalize("NFC", "Règles éthiques.md"))
    assert first.metadata.key == again.metadata.key == "règles-éthiques"
    assert type(again.result).__name__ == "Unchanged"
    assert len(key_of("e\u0301" * 4_000)) == 4_000


@pytest.mark.parametrize(("known", "given"), [("Finance", "finance"), (None, "Everyone")])
async def test_groups_that_differ_in_case_alone_are_refused(
    ingest: Ingest, known: str | None, given: str
) -> None:
    """Who is in one is not in the other, and nobody would notice; the policy itself may change."""
    if known:
        await ingest(GIFTS, audience=frozenset({known}))
    with pytest.raises(DocumentError, match="differ in case alone"):
        await ingest(FORTY, name="cash.md", audience=frozenset({given, "board"}))
    if known:
        await ingest(FORTY, audience=frozenset({given}))
