"""One file becomes one version: whole, once, and inheriting what nobody says."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.corpus import PostgresCorpusStore
from core.domain.errors import DocumentError, TransientError
from core.ingest.publish import Ingested
from core.ports import Published, StoredVersion, Unchanged
from tests.databases import corpus_store

Ingest = Callable[..., Coroutine[Any, Any, Ingested]]
Counts = Callable[[], Awaitable[dict[str, int]]]

GIFTS = """# Gifts Policy

## 1 Scope

1.1 This policy applies to all employees.

## 2 Limits

2.1 Employees may accept gifts of up to EUR 50. Cash follows section 3.1 of the Cash Policy.

## 3 Reports

3.1 Employees must report gifts above EUR 50 to the Compliance Officer within 5 working days.
"""
CHANGED = GIFTS.replace("EUR 50. ", "EUR 75. ")
CASH = """# Cash Policy

## 1 Scope

1.1 This policy applies to all employees.

## 3 Rules

3.1 Employees must not accept cash.
"""


def published(done: Ingested) -> Published:
    assert isinstance(done.result, Published)
    return done.result


async def rows(engine: AsyncEngine, query: str) -> list[tuple[Any, ...]]:
    async with engine.connect() as connection:
        return [tuple(row) for row in await connection.execute(text(query))]


async def test_the_same_file_is_a_no_op(ingest: Ingest, counts: Counts, embedder: Any) -> None:
    """Equal bytes and options change no row and embed nothing."""
    first = published(await ingest(GIFTS, owner="Compliance Officer"))
    before, embedded = await counts(), len(embedder.texts)
    for given in ({}, {"owner": "Compliance Officer"}):
        again = await ingest(GIFTS, **given)
        assert again.result == Unchanged(version_id=first.version_id)
        assert again.metadata.owner == "Compliance Officer"
    assert await counts() == before
    assert len(embedder.texts) == embedded


@pytest.mark.parametrize(
    "given",
    [
        {"audience": frozenset({"board"})},
        {"jurisdiction": "DE"},
        {"tags": frozenset({"travel"})},
        {"upload_id": "42"},
        {"title": "Presents Policy"},
        {"effective_from": date(2027, 1, 1)},
    ],
    ids=lambda given: next(iter(given)),
)
async def test_a_new_option_is_a_new_version(
    ingest: Ingest, embedder: Any, given: dict[str, Any]
) -> None:
    """The same bytes with something newly said of them are stored again, but not embedded."""
    published(await ingest(GIFTS))
    embedded = len(embedder.texts)
    done = await ingest(GIFTS, **given)
    assert (published(done).edition, published(done).is_first) == (2, False)
    (name, value) = next(iter(given.items()))
    assert getattr(done.metadata, name) == value
    assert len(embedder.texts) == embedded


async def test_a_change_embeds_the_changed_chunks_alone(
    ingest: Ingest, embedder: Any, engine: AsyncEngine
) -> None:
    """A new version and edition; unchanged chunks keep their vectors."""
    first = published(await ingest(GIFTS))
    assert (first.edition, first.is_first, first.chunks_embedded) == (1, True, first.chunks)
    embedder.texts.clear()
    second = published(await ingest(CHANGED))
    assert (second.edition, second.is_first, second.chunks_embedded) == (2, False, 1)
    assert [each for each in embedder.texts if "EUR 75" in each] == embedder.texts
    assert len(embedder.texts) == 1
    vectors = await rows(
        engine, "SELECT version_id, count(*) FROM citebound.chunk_embeddings GROUP BY 1 ORDER BY 1"
    )
    assert vectors == [(first.version_id, first.chunks), (second.version_id, second.chunks)]


async def test_what_nobody_says_is_inherited(ingest: Ingest) -> None:
    """Silence keeps owner, jurisdiction, tags and, above all, the audience."""
    said = {
        "audience": frozenset({"board"}),
        "jurisdiction": "DE",
        "tags": frozenset({"travel"}),
        "owner": "Legal",
    }
    await ingest(GIFTS, **said)
    silent = (await ingest(CHANGED)).metadata
    assert {name: getattr(silent, name) for name in said} == said
    widened = (await ingest(CHANGED, audience=frozenset({"everyone"}))).metadata
    assert widened.audience == {"everyone"}
    assert widened.owner == "Legal"
    untagged = (await ingest(GIFTS, tags=frozenset())).metadata
    assert untagged.tags == frozenset()


async def test_a_later_version_holds_from_its_day(
    ingest: Ingest, clock: Any, engine: AsyncEngine
) -> None:
    """A version that does not say since when it holds begins on the day of its publication."""
    await ingest(GIFTS)
    clock.instant = datetime(2026, 3, 9, tzinfo=UTC)
    await ingest(CHANGED)
    assert await rows(
        engine, "SELECT effective_from FROM citebound.policy_versions ORDER BY number"
    ) == [(None,), (date(2026, 3, 9),)]


async def test_an_end_before_the_beginning_is_refused(ingest: Ingest, counts: Counts) -> None:
    """One line, and nothing is stored."""
    with pytest.raises(DocumentError, match="before it takes effect"):
        await ingest(GIFTS, effective_from=date(2026, 2, 1), effective_until=date(2026, 1, 1))
    assert (await counts())["citebound.editions"] == 0


async def test_without_chunks_nothing_is_indexed(
    ingest: Ingest, counts: Counts, embedder: Any
) -> None:
    """`--no-rag` stores facts and sections; asking for chunks later is a new version."""
    done = published(await ingest(GIFTS, with_chunks=False))
    stored = await counts()
    assert done.chunks == 0
    assert embedder.texts == []
    for table in ("chunks", "chunk_embeddings", "chunk_lexemes", "chunk_terms", "terms"):
        assert stored[f"citebound.{table}"] == 0
    assert stored["citebound.sections"] > 0
    assert stored["citebound.provenance"] > 0
    assert isinstance((await ingest(GIFTS, with_chunks=False)).result, Unchanged)
    assert published(await ingest(GIFTS)).chunks > 0


async def test_a_failing_embedder_leaves_nothing(
    ingest: Ingest, counts: Counts, embedder: Any
) -> None:
    """No row of any table, neither of a first version nor of a second."""
    embedder.failure = TransientError("the embedder is away")
    empty = await counts()
    with pytest.raises(TransientError):
        await ingest(GIFTS)
    assert await counts() == empty
    embedder.failure = None
    await ingest(GIFTS)
    stored = await counts()
    embedder.failure = TransientError("the embedder is away")
    with pytest.raises(TransientError):
        await ingest(CHANGED)
    assert await counts() == stored


@pytest.mark.parametrize(
    "table",
    [
        "policy_versions",
        "sections",
        "chunks",
        "provenance",
        "cross_references",
        "chunk_terms",
        "chunk_embeddings",
    ],
)
async def test_a_failure_in_the_middle_leaves_nothing(
    ingest: Ingest, counts: Counts, engine: AsyncEngine, table: str
) -> None:
    """Whichever table refuses a row: all counts stay, and the file can be ingested later."""
    await ingest(CASH, name="cash.md")
    before = await counts()
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$"
            )
        )
        await connection.execute(
            text(
                f"CREATE TRIGGER fail BEFORE INSERT ON citebound.{table}"
                " FOR EACH ROW EXECUTE FUNCTION fail()"
            )
        )
    with pytest.raises(TransientError, match="the disk is full"):
        await ingest(GIFTS)
    assert await counts() == before
    async with engine.begin() as connection:
        await connection.execute(text(f"DROP TRIGGER fail ON citebound.{table}"))
    assert published(await ingest(GIFTS)).edition == 2


async def test_two_publications_at_once_get_two_editions(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """Both are stored whole, one after the other."""
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(ingest(GIFTS)),
            group.create_task(ingest(CASH, name="cash.md")),
            group.create_task(ingest(GIFTS.replace("Gifts", "Presents"), name="presents.md")),
        ]
    done = [published(task.result()) for task in tasks]
    assert {each.edition for each in done} == {1, 2, 3}
    assert await corpus_store(engine).current_edition() == 3
    indexed = await rows(engine, "SELECT version_id, chunks FROM citebound.indexed_versions")
    assert sorted(indexed) == sorted((each.version_id, each.chunks) for each in done)


@pytest.mark.parametrize("already", [False, True])
async def test_the_same_file_twice_at_once_is_one_version(ingest: Ingest, *, already: bool) -> None:
    """The slower of two ingestions of the same bytes reads again, and finds nothing to do."""
    if already:
        await ingest(GIFTS)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ingest(CHANGED)) for _ in range(2)]
    results = [task.result().result for task in tasks]
    assert {type(result) for result in results} == {Published, Unchanged}
    assert len({result.version_id for result in results}) == 1


async def test_an_audience_published_meanwhile_is_kept(
    ingest: Ingest, engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Silence inherits the audience that another ingestion narrowed after the first look."""
    await ingest(GIFTS)
    look = PostgresCorpusStore.versions_of
    looks = 0

    async def slow(store: PostgresCorpusStore, key: str, /) -> list[StoredVersion]:
        nonlocal looks
        looks += 1
        seen = await look(store, key)
        if looks == 1:
            await ingest(GIFTS, audience=frozenset({"board"}))
        return seen

    monkeypatch.setattr(PostgresCorpusStore, "versions_of", slow)
    assert (await ingest(CHANGED)).metadata.audience == {"board"}
    audiences = "SELECT audience FROM citebound.policy_versions ORDER BY number"
    assert await rows(engine, audiences) == [(["everyone"],), (["board"],), (["board"],)]


async def test_who_is_always_overtaken_gives_up(
    ingest: Ingest, counts: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After three readings that others overtook, nothing is stored and the error says so."""
    await ingest(GIFTS)
    before = await counts()
    looks: list[str] = []

    async def outdated(_: PostgresCorpusStore, key: str, /) -> list[StoredVersion]:
        looks.append(key)
        return []

    monkeypatch.setattr(PostgresCorpusStore, "versions_of", outdated)
    with pytest.raises(TransientError, match="another ingestion of this policy was faster"):
        await ingest(CHANGED)
    assert (looks, await counts()) == (["gifts"] * 3, before)


async def targets(engine: AsyncEngine) -> list[tuple[Any, ...]]:
    return await rows(
        engine,
        "SELECT v.number, t.key, x.target_eid FROM citebound.cross_references x"
        " JOIN citebound.policy_versions v ON v.id = x.version_id"
        " LEFT JOIN citebound.policies t ON t.id = x.target_policy_id"
        " WHERE x.policy = 'Cash Policy' ORDER BY 1",
    )


async def test_a_reference_waits_for_its_target(ingest: Ingest, engine: AsyncEngine) -> None:
    """It dangles until the policy that it names is there."""
    await ingest(GIFTS)
    assert await targets(engine) == [(1, None, None)]
    await ingest(CASH, name="cash.md")
    ((number, key, eid),) = await targets(engine)
    assert (number, key) == (1, "cash")
    assert eid.endswith(("3.1", "sec_3"))


async def test_a_reference_follows_its_target(ingest: Ingest, engine: AsyncEngine) -> None:
    """A new version that renumbers its sections is resolved against again."""
    await ingest(GIFTS)
    await ingest(CASH, name="cash.md")
    (before,) = await targets(engine)
    await ingest(
        CASH.replace("## 3 Rules\n\n3.1", "## 2 Rules\n\n### 2.9 Before\n\n2.9.1").replace(
            "accept cash.", "accept cash.\n\n## 3 More\n\n### 3.1 Cash\n\nNo cash at all."
        ),
        name="cash.md",
    )
    (after,) = await targets(engine)
    assert after[:2] == before[:2]
    assert after[2] == "sec_3__sec_3.1"
    await ingest(CASH.replace("3 Rules", "9 Rules").replace("3.1", "9.1"), name="cash.md")
    assert await targets(engine) == [after]


@pytest.mark.parametrize(
    "renamed",
    [
        CASH.replace("3 Rules", "9 Rules").replace("3.1", "9.1"),
        CASH.replace("\n3.1 Employees must not accept cash.", "\nNo cash."),
        CASH.replace("# Cash Policy", "# Money Policy"),
    ],
    ids=["other number", "only the section around it", "other title"],
)
async def test_a_later_version_leaves_the_target_of_today(
    ingest: Ingest, engine: AsyncEngine, renamed: str
) -> None:
    """What is effective later takes no target from a reference that is read today."""
    await ingest(GIFTS)
    await ingest(CASH, name="cash.md")
    before = await targets(engine)
    await ingest(renamed, name="cash.md", effective_from=date(2027, 1, 1))
    assert before[0][1:] != (None, None)
    assert await targets(engine) == before


async def test_a_dangling_reference_is_filled_by_a_later_version(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """A section that only the second version has is found then."""
    await ingest(GIFTS)
    await ingest(CASH.replace("3 Rules", "9 Rules").replace("3.1", "9.1"), name="cash.md")
    assert await targets(engine) == [(1, None, None)]
    await ingest(CASH, name="cash.md")
    assert (await targets(engine))[0][1] == "cash"


async def test_a_name_that_two_policies_had_is_found_once_one_gives_it_up(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """A new title decides what the name means, although the other policy did not change."""
    other = CASH.replace("# Cash Policy", "# Cash Policy\n\nPolicy ID: MON-001")
    await ingest(CASH, name="tills.md")
    await ingest(other, name="money.md")
    await ingest(GIFTS)
    assert await targets(engine) == [(1, None, None)]
    await ingest(other.replace("# Cash Policy", "# Money Rules"), name="money.md")
    assert (await targets(engine))[0][1] == "tills"


async def told(engine: AsyncEngine) -> list[tuple[str, str, Any, Any]]:
    """Return what the record tells of publications, in order."""
    query = "SELECT tag, subject, doc->'before', doc->'after' FROM audit.record ORDER BY at, id"
    return [(row[0], row[1], row[2], row[3]) for row in await rows(engine, query)]


async def test_a_publication_is_recorded_with_what_it_changed(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """The edition with hash and facts, the policy before and after, and other readers."""
    await ingest(GIFTS)
    await ingest(CHANGED, audience=frozenset({"board"}))
    found = await told(engine)
    assert [one[:2] for one in found] == [
        ("corpus:published", "edition:1"),
        ("policy:added", "policy:gifts"),
        ("corpus:published", "edition:2"),
        ("policy:revised", "policy:gifts"),
        ("access:changed", "policy:gifts"),
    ]
    added, revised, access = found[1], found[3], found[4]
    assert (added[2], added[3]) == (None, revised[2])
    assert (revised[3]["number"], revised[3]["audience"]) == (2, ["board"])
    assert revised[2]["sha256"] != revised[3]["sha256"]
    assert (access[2], access[3]) == ({"audience": ["everyone"]}, {"audience": ["board"]})
    editions = await rows(
        engine,
        "SELECT doc->'versions'->0->>'sha256' = encode(v.sha256, 'hex'),"
        " (doc->'facts'->>'opened')::int, (doc->'facts'->>'closed')::int"
        " FROM audit.record JOIN citebound.policy_versions v"
        " ON v.id = (doc->'versions'->0->>'policy_version')::int"
        " WHERE tag = 'corpus:published' ORDER BY at, audit.record.id",
    )
    (first, second) = editions
    assert (first[0], first[2], second[0]) == (True, 0, True)
    assert second[1] == second[2] < first[1], "what both versions state is neither"


async def test_what_could_not_be_recorded_is_not_published(
    ingest: Ingest, engine: AsyncEngine, counts: Counts
) -> None:
    """Both stand in one transaction."""
    await ingest(GIFTS)
    before = await counts()
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$"
            )
        )
        await connection.execute(
            text(
                "CREATE TRIGGER fail BEFORE INSERT ON audit.record"
                " FOR EACH ROW EXECUTE FUNCTION fail()"
            )
        )
    with pytest.raises(TransientError, match="the disk is full"):
        await ingest(CHANGED)
    assert await counts() == before


AWKWARD = """# "Quoted" \\\\ back{slash} Policy

## 1 Über 日本 :rows %s '{}' \U0001f4a9

1.1 "Employees" must report \\\\n, \\u0041, :n, %(x)s and {"a": [null]}
to the Compliance Officer.
"""


async def test_what_looks_like_syntax_is_stored_as_it_is(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """Quotes, backslashes, braces and placeholders are characters like others, in every table."""
    done = published(await ingest(AWKWARD))
    found = await rows(
        engine,
        "SELECT s.title, v.text FROM citebound.policy_versions v"
        " JOIN citebound.sections s ON s.version_id = v.id",
    )
    assert any("Über 日本 :rows %s '{}' \U0001f4a9" in title for title, _ in found)
    assert all('%(x)s and {"a": [null]}' in whole and "\\" in whole for _, whole in found)
    cut = await rows(
        engine,
        "SELECT c.text, substr(v.text, c.char_start + 1, c.char_end - c.char_start)"
        " FROM citebound.chunks c JOIN citebound.policy_versions v ON v.id = c.version_id",
    )
    assert cut
    assert all(one == other for one, other in cut)
    said = await rows(engine, "SELECT attributes::text FROM citebound.entities")
    assert done.entities
    assert any("null" in one for (one,) in said)
