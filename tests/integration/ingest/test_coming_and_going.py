"""Which version of a policy holds, once one is rolled back, ends, or is withdrawn; and for whom."""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.corpus import PostgresCorpusStore
from core.adapters.postgres.corpus.policy_facts import PostgresPolicyChanges
from core.adapters.postgres.corpus.withdrawals import PostgresWithdrawals
from core.adapters.postgres.engine.ledger import Ledger
from core.adapters.postgres.ontology.ontology_reader import PostgresOntologyStore
from core.adapters.postgres.platforms.posted_answers import PostgresPostedAnswers
from core.adapters.system import SystemClock, UuidSource
from core.domain.errors import DocumentError, OvertakenError, UsageError
from core.domain.question import Scope
from core.ingest.compare import SourceFile
from core.ingest.publish import Ingested
from core.language.spans import VersionId
from core.ports import Published, StoredVersion, Unchanged
from tests.databases import UnrecordedReader, corpus_store

Ingest = Callable[..., Coroutine[Any, Any, Ingested]]
Counts = Callable[[], Awaitable[dict[str, int]]]

FIFTY = """# Gifts Policy

## 1 Limits

1.1 Employees may accept gifts of up to EUR 50. A "gift" means a thing of value.
"""
SEVENTY = FIFTY.replace("EUR 50", "EUR 70")
DAY = date(2026, 1, 1)
"""What the clock says."""
EVERYONE = Scope(as_of=DAY)
BOARD = replace(EVERYONE, groups=frozenset({"everyone", "board"}))
TODAY = SystemClock().now().date()
"""Who may read is a question of today, whatever the clock of the test says."""


@pytest.fixture
def store(engine: AsyncEngine) -> PostgresWithdrawals:
    """What withdraws."""
    return PostgresWithdrawals(
        engine,
        ledger=Ledger(clock=SystemClock(), ids=UuidSource(), unit="test"),
        operator="console",
    )


@pytest.fixture
def holds(engine: AsyncEngine) -> Callable[..., Awaitable[list[str]]]:
    """Say which sums the policies of a scope name, by spans, facts and versions alike."""

    async def run(scope: Scope = EVERYONE) -> list[str]:
        versions = await corpus_store(engine).versions(scope)
        snapshot = await PostgresOntologyStore(engine).snapshot(scope)
        async with engine.connect() as connection:
            texts = [
                await connection.scalar(
                    text("SELECT text FROM citebound.policy_versions WHERE id = :id"),
                    {"id": one.version_id},
                )
                for one in versions
            ]
        assert bool(snapshot.entities) == bool(texts)
        assert all(span.version_id in {v.version_id for v in versions} for span in snapshot.quotes)
        return sorted(sum_ for each in texts for sum_ in ("EUR 50", "EUR 70") if sum_ in str(each))

    return run


def at(path: str, *, is_named: bool = False) -> SourceFile:
    return SourceFile(path=path, place="/".join(path.split("/")[-2:]), is_named=is_named)


async def test_an_earlier_text_holds_again(ingest: Ingest, holds: Any) -> None:
    """It becomes a new version, which holds from its day on; ingested once more it is the same."""
    await ingest(FIFTY)
    await ingest(SEVENTY)
    assert await holds() == ["EUR 70"]
    back = (await ingest(FIFTY)).result
    assert isinstance(back, Published)
    assert back.edition == 3
    assert await holds() == ["EUR 50"]
    assert await holds(replace(EVERYONE, edition=2)) == ["EUR 70"]
    assert (await ingest(FIFTY)).result == Unchanged(version_id=back.version_id)


async def test_a_correction_of_one_day_can_be_taken_back(ingest: Ingest, holds: Any) -> None:
    """Also where both documents name the same first day."""
    for markdown in (FIFTY, SEVENTY, FIFTY):
        dated = f"---\neffective_from: 2025-03-01\n---\n{markdown}"
        assert isinstance((await ingest(dated)).result, Published)
    assert await holds() == ["EUR 50"]


async def test_a_folder_of_versions_stays_as_it_is(
    ingest: Ingest, holds: Any, counts: Counts
) -> None:
    """The earlier of two dated versions is history: each night nothing changes, and it says so."""

    async def night() -> list[Ingested]:
        return [
            await ingest(FIFTY, effective_from=date(2024, 1, 1)),
            await ingest(SEVENTY, effective_from=date(2025, 1, 1)),
        ]

    await night()
    before = await counts()
    assert all(isinstance(done.result, Unchanged) for done in await night())
    assert (await counts(), await holds()) == (before, ["EUR 70"])


async def test_going_back_to_a_dated_version_needs_a_date(ingest: Ingest, holds: Any) -> None:
    """A document that names an earlier day holds then; how it holds from now on is said."""
    dated = f"---\neffective_from: 2024-01-01\n---\n{FIFTY}"
    await ingest(dated)
    await ingest(SEVENTY)
    done = await ingest(dated)
    assert isinstance(done.result, Unchanged)
    assert done.notes[-1].endswith("add --effective-from 2026-01-01")
    await ingest(dated, effective_from=DAY)
    assert await holds() == ["EUR 50"]


async def test_an_end_in_the_past_ends_the_policy(ingest: Ingest, holds: Any) -> None:
    """No earlier version holds again; until its end it did."""
    await ingest(FIFTY, effective_from=date(2024, 1, 1))
    done = await ingest(FIFTY, effective_until=date(2025, 1, 1))
    assert done.notes[-1] == (
        "it ended on 2024-12-31, and no version of 'gifts' is in force: ingest its next"
        " version, or correct the day on which it ends"
    )
    assert await holds() == []
    assert await holds(replace(EVERYONE, as_of=date(2024, 12, 31))) == ["EUR 50"]
    assert isinstance((await ingest(FIFTY)).result, Unchanged)
    assert await holds() == []
    await ingest(SEVENTY)
    assert await holds() == ["EUR 70"]


async def test_a_version_that_was_over_before_today_ends_no_later_one(
    ingest: Ingest, holds: Any
) -> None:
    """An old version from the archive leaves the one in force."""
    await ingest(SEVENTY, effective_from=date(2025, 3, 1))
    done = await ingest(FIFTY, effective_from=date(2024, 1, 1), effective_until=date(2025, 7, 1))
    assert not any("no version" in note for note in done.notes)
    assert await holds() == ["EUR 70"]
    assert await holds(replace(EVERYONE, as_of=date(2024, 6, 1))) == ["EUR 50"]


async def test_what_is_withdrawn_answers_no_longer(
    ingest: Ingest, holds: Any, store: PostgresWithdrawals, engine: AsyncEngine
) -> None:
    """From its day and edition on; both before stay as they were. The record says why."""
    await ingest(FIFTY)
    await ingest(SEVENTY, effective_from=date(2026, 6, 1))
    done = await store.withdraw("gifts", since=date(2026, 3, 1), reason="we left that market")
    assert (done.title, done.withdrawal.edition) == ("Gifts Policy", 3)
    assert await holds() == ["EUR 50"]
    assert await holds(replace(EVERYONE, as_of=date(2026, 3, 1))) == []
    assert await holds(replace(EVERYONE, as_of=date(2026, 7, 1))) == []
    earlier = replace(EVERYONE, as_of=date(2026, 7, 1), edition=2)
    assert await holds(earlier) == ["EUR 70"]
    async with engine.connect() as connection:
        withdrawn = text("SELECT id, doc FROM audit.record WHERE tag = 'policy:withdrawn'")
        (record,) = (await connection.execute(withdrawn)).all()
    assert (record.doc["policy"], record.doc["since"]) == ("gifts", "2026-03-01")
    assert "market" not in str(record.doc)
    view = await UnrecordedReader(engine).show(str(record.id))
    assert view is not None
    assert view.is_intact
    (latest, *_) = await PostgresPolicyChanges(engine).latest(frozenset(), limit=3)
    assert (latest.became, latest.title, latest.edition) == ("withdrawn", "Gifts Policy", 3)


async def test_a_withdrawal_that_changes_nothing_is_refused(
    ingest: Ingest, store: PostgresWithdrawals, counts: Counts
) -> None:
    """Unknown policies, and those withdrawn from that day on already; an earlier day is taken."""
    await ingest(FIFTY)
    await store.withdraw("gifts", since=date(2026, 3, 1), reason="over")
    before = await counts()
    with pytest.raises(UsageError, match="from 2026-03-01 on already"):
        await store.withdraw("gifts", since=date(2026, 4, 1), reason="over")
    with pytest.raises(UsageError, match="no policy 'presents'; there are: gifts"):
        await store.withdraw("presents", since=DAY, reason="over")
    with pytest.raises(OvertakenError):
        await store.withdraw("gifts", since=DAY, reason="over", seen=VersionId(99))
    assert await counts() == before
    await store.withdraw("gifts", since=date(2026, 2, 1), reason="sooner")


@pytest.mark.parametrize("markdown", [FIFTY, SEVENTY], ids=["same", "changed"])
async def test_a_withdrawn_policy_comes_back(
    ingest: Ingest, holds: Any, store: PostgresWithdrawals, markdown: str
) -> None:
    """By naming its file, or by a new version; who may read it is not forgotten."""
    await ingest(FIFTY, audience=frozenset({"board"}))
    await store.withdraw("gifts", since=DAY, reason="over")
    done = await ingest(markdown, file=at("/p/gifts.md", is_named=markdown == FIFTY))
    assert isinstance(done.result, Published)
    assert done.notes == (
        "it was withdrawn from 2026-01-01, and is now back in force: to withdraw it again,"
        " citebound corpus withdraw gifts",
    )
    assert (await holds(), len(await holds(BOARD))) == ([], 1)
    assert isinstance((await ingest(markdown, file=at("/p/gifts.md"))).result, Unchanged)


@pytest.mark.parametrize("since", [DAY, date(2027, 1, 1)])
async def test_a_folder_does_not_undo_a_withdrawal(
    ingest: Ingest, holds: Any, store: PostgresWithdrawals, since: date
) -> None:
    """The file that still lies there changes nothing, and it is said; nor do versions before it."""
    versions = {
        FIFTY: {"effective_from": date(2024, 1, 1)},
        SEVENTY: {"effective_from": date(2025, 1, 1)},
    }
    for markdown, given in versions.items():
        await ingest(markdown, file=at("/p/gifts.md"), **given)
    await store.withdraw("gifts", since=since, reason="over")
    for markdown, given in versions.items():
        done = await ingest(markdown, file=at("/p/gifts.md"), **given)
        assert isinstance(done.result, Unchanged)
        assert "stays withdrawn: name the file" in done.notes[-1]
    assert await holds(replace(EVERYONE, as_of=since)) == []


async def test_a_file_that_was_gone_brings_its_policy_back(
    ingest: Ingest, holds: Any, store: PostgresWithdrawals
) -> None:
    """What was withdrawn because its file was gone comes back with the file."""
    file = at("/p/policies/gifts.md")
    await ingest(FIFTY, file=file)
    (gone,) = await store.files_below("/p/policies")
    assert (gone.key, gone.path) == ("gifts", file.path)
    assert await store.files_below("/p/pol") == ()
    await store.withdraw("gifts", since=DAY, reason="gone", seen=gone.version_id, is_file_gone=True)
    assert (await holds(), await store.files_below("/p/policies")) == ([], ())
    assert isinstance((await ingest(FIFTY, file=file)).result, Published)
    assert await holds() == ["EUR 50"]


async def test_a_withdrawal_meanwhile_is_not_undone(
    ingest: Ingest, holds: Any, store: PostgresWithdrawals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ingestion that decided before it decides again, and sees that the policy is withdrawn."""
    dated = {"effective_from": date(2024, 1, 1)}
    await ingest(FIFTY, file=at("/p/gifts.md"), **dated)
    await ingest(SEVENTY, file=at("/p/gifts.md"), **dated)
    look = PostgresCorpusStore.versions_of
    looks = 0

    async def slow(corpus: PostgresCorpusStore, key: str, /) -> list[StoredVersion]:
        nonlocal looks
        looks += 1
        seen = await look(corpus, key)
        if looks == 1:
            await store.withdraw("gifts", since=DAY, reason="over")
        return seen

    monkeypatch.setattr(PostgresCorpusStore, "versions_of", slow)
    done = await ingest(FIFTY, file=at("/p/gifts.md"), **dated)
    assert isinstance(done.result, Unchanged)
    assert (looks, await holds()) == (2, [])


async def test_a_narrowed_audience_holds_for_the_past(
    ingest: Ingest, holds: Any, engine: AsyncEngine
) -> None:
    """Neither a day nor an edition, nor a button below an old answer, shows what one may not read.

    Of the same file, and of a later version of it.
    """
    shown = PostgresPostedAnswers(engine)
    first = await ingest(FIFTY, effective_from=date(2024, 1, 1))
    second = await ingest(SEVENTY, effective_from=date(2025, 1, 1))
    old = replace(EVERYONE, as_of=date(2024, 6, 1), edition=2)
    assert await holds(old) == ["EUR 50"]
    await ingest(SEVENTY, effective_from=date(2025, 1, 1), audience=frozenset({"board"}))
    for scope in (old, replace(EVERYONE, edition=1), replace(EVERYONE, edition=2), EVERYONE):
        assert await holds(scope) == []
        assert await holds(replace(scope, groups=BOARD.groups)) != []
    versions = [first.result.version_id, second.result.version_id]
    audiences = await shown.audiences(versions)
    assert [{"board"} in audiences[version] for version in versions] == [True, True]
    assert await PostgresPolicyChanges(engine).latest(frozenset(), limit=9) == ()


async def test_a_narrowed_version_of_the_past_is_narrow_in_every_edition(
    ingest: Ingest, holds: Any
) -> None:
    """What is said last of a file counts, also where another version holds today."""
    await ingest(FIFTY, effective_from=date(2024, 1, 1))
    await ingest(SEVENTY, effective_from=date(2025, 1, 1))
    await ingest(FIFTY, effective_from=date(2024, 1, 1), audience=frozenset({"board"}))
    assert await holds(replace(EVERYONE, edition=1)) == []
    assert await holds(replace(BOARD, edition=1)) == ["EUR 50"]
    assert await holds() == ["EUR 70"]


async def test_an_audience_widened_from_a_later_day_is_narrow_until_then(
    ingest: Ingest, holds: Any
) -> None:
    """Neither the version of then nor that of today may be read by more than today's readers."""
    then = TODAY + timedelta(days=30)
    await ingest(FIFTY, audience=frozenset({"board"}))
    await ingest(FIFTY, audience=frozenset({"everyone"}), effective_from=then)
    for scope in (EVERYONE, replace(EVERYONE, as_of=then), replace(EVERYONE, edition=1)):
        assert await holds(scope) == []


async def test_a_revision_with_another_title_is_said(ingest: Ingest) -> None:
    """It may be another policy; how it becomes one is said."""
    await ingest(FIFTY)
    done = await ingest(SEVENTY.replace("Gifts Policy", "Gifts in the United Kingdom"))
    assert isinstance(done.result, Published)
    assert any("its title was 'Gifts Policy' before" in note for note in done.notes)
    assert not (await ingest(FIFTY.replace("Gifts Policy", "Gifts in the United Kingdom"))).notes


async def test_the_next_edition_in_a_file_of_its_own_is_no_matter(
    ingest: Ingest, tmp_path: Path
) -> None:
    """By its title and the label of its version; without labels it may be another policy."""
    (tmp_path / "gifts-v1.md").write_text("there")
    first, second = (at(str(tmp_path / f"gifts-v{number}.md")) for number in (1, 2))
    await ingest(FIFTY, file=first, key="gifts", label="1.0")
    done = await ingest(SEVENTY, file=second, key="gifts", label="2.0")
    assert isinstance(done.result, Published)
    assert done.notes == ()
    await ingest(FIFTY, file=first, key="gifts", label="2.0")
    (note,) = (await ingest(SEVENTY, file=replace(second, is_named=True), key="gifts")).notes
    assert "was read from" in note


async def test_what_holds_everywhere_does_so_whatever_held_before(ingest: Ingest) -> None:
    """What a document does not say of its countries stays; that these are all is said."""
    german = (await ingest(f"Applies in: Germany\n\n{FIFTY}")).metadata
    unsaid = (await ingest(SEVENTY)).metadata
    everywhere = await ingest(f"Applies in: all countries\n\n{FIFTY}")
    assert (german.jurisdiction, unsaid.jurisdiction) == ("DE", "DE")
    assert (everywhere.metadata.jurisdiction, everywhere.notes) == (None, ())
    excepted = await ingest(f"Applies in: all countries except Germany\n\n{SEVENTY}")
    assert [note.split(" is not")[0] for note in excepted.notes] == [
        "applies in 'all countries except Germany'"
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """A file, and one that says that it is the same policy."""

    old: str = "de/gifts.md"
    new: str = "uk/gifts.md"
    title: str = "Gifts Policy"
    head: str = ""
    is_refused: bool


@pytest.mark.parametrize(
    "other",
    [
        Other(is_refused=True),
        Other(title="UK Gifts", is_refused=True),
        Other(old="a/policies/gifts.md", new="b/policies/gifts.md", is_refused=False),
        Other(
            old="a/policies/gifts.md",
            new="b/policies/gifts.md",
            title="UK Gifts",
            is_refused=True,
        ),
        Other(head="---\npolicy id: CP-7\n---\n", is_refused=False),
        Other(head="---\npolicy id: CP-7\n---\n", title="UK Gifts", is_refused=True),
    ],
    ids=str,
)
async def test_a_folder_does_not_revise_the_policy_of_another(
    ingest: Ingest, tmp_path: Path, counts: Counts, other: Other
) -> None:
    """Two files of one name in two runs: refused, while the other is there, unless it is a copy."""
    there, file = tmp_path / other.old, at(str(tmp_path / other.new))
    there.parent.mkdir(parents=True)
    there.write_text("there")
    await ingest(other.head + FIFTY, file=at(str(there)))
    before = await counts()
    markdown = other.head + SEVENTY.replace("Gifts Policy", other.title)
    if not other.is_refused:
        done = await ingest(markdown, file=file)
        assert isinstance(done.result, Published)
        assert any(f"was read from {there} before" in note for note in done.notes)
        return
    with pytest.raises(DocumentError, match=f"was read from {there}"):
        await ingest(markdown, file=file)
    assert await counts() == before
    named = await ingest(markdown, file=replace(file, is_named=True))
    assert isinstance(named.result, Published)
    assert any("if this is another policy" in note for note in named.notes)


async def test_a_file_that_moved_is_the_same_policy(ingest: Ingest, tmp_path: Path) -> None:
    """The same bytes from elsewhere change nothing but the place; so does a file that is gone."""
    await ingest(FIFTY, file=at(str(tmp_path / "gone" / "gifts.md")))
    (tmp_path / "gifts.md").write_text(FIFTY)
    moved = await ingest(FIFTY, file=at(str(tmp_path / "gifts.md")))
    assert isinstance(moved.result, Unchanged)
    done = await ingest(SEVENTY, file=at(str(tmp_path / "x" / "gifts.md")), key="gifts")
    assert isinstance(done.result, Published)
    gone = await ingest(FIFTY, file=at(str(tmp_path / "y" / "gifts.md")))
    assert isinstance(gone.result, Published)
    assert gone.notes == ()


def test_the_clock_of_these_tests_is_before_today() -> None:
    """Versions dated by it have begun, for whoever asks today."""
    assert datetime(2026, 1, 1, tzinfo=UTC).date() == DAY < TODAY
