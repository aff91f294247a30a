"""What says of itself that it is not in force is stored, and answers nothing."""

from datetime import date

from sqlalchemy.ext.asyncio import AsyncEngine

from core.domain.question import Scope
from tests.databases import corpus_store
from tests.integration.ingest.conftest import Ingest

GIFTS = "# Gifts\n\n{status}\n\n## 1 Limits\n\nEmployees may accept gifts of up to EUR 35.\n"
IN_FORCE = GIFTS.format(status="Status: in force")


async def answering(engine: AsyncEngine, day: date = date(2026, 1, 1)) -> list[str]:
    """Return the files that answer on a day."""
    versions = await corpus_store(engine).versions(Scope(as_of=day, groups=frozenset({"everyone"})))
    return [version.source_name for version in versions]


async def test_a_draft_answers_nothing_until_it_is_given_a_first_day(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """The note says so, each time."""
    draft = GIFTS.format(status="Status: DRAFT")
    for _ in range(2):
        done = await ingest(draft)
        assert "not in force: it says 'DRAFT' of itself" in done.notes[0]
        assert await answering(engine) == []
    done = await ingest(draft, effective_from=date(2025, 1, 1))
    assert await answering(engine) == ["gifts.md"]
    assert "otherwise than given: status 'DRAFT'" in done.notes[0]


async def test_a_draft_leaves_the_version_before_it_in_force(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """Until it is approved."""
    await ingest(IN_FORCE, name="v1.md", key="gifts")
    await ingest(GIFTS.format(status="Status: draft"), name="v2.md", key="gifts")
    assert await answering(engine) == ["v1.md"]
    await ingest(GIFTS.format(status="Status: approved"), name="v3.md", key="gifts")
    assert await answering(engine) == ["v3.md"]


async def test_a_withdrawal_ends_the_version_before_it(ingest: Ingest, engine: AsyncEngine) -> None:
    """Even if it names no day: it is the one on which it was read."""
    await ingest(IN_FORCE, name="v1.md", key="gifts", effective_from=date(2025, 1, 1))
    for _ in range(2):
        done = await ingest(GIFTS.format(status="Withdrawn."), name="v2.md", key="gifts")
        assert "not in force" in done.notes[0]
        assert await answering(engine) == []
    assert await answering(engine, date(2025, 12, 31)) == ["v2.md"]
