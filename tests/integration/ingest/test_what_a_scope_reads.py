"""What a scope may read, and that no later publication changes what an edition said."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import date
from random import Random
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.ontology.ontology_reader import PostgresOntologyStore
from core.adapters.postgres.search.search import PostgresChunkSearch
from core.domain.ontology import EntityType, RelationType, Snapshot
from core.domain.question import Scope
from core.ingest.publish import Ingested
from core.language.spans import Span, VersionId
from core.ports import SearchRequest
from tests.databases import corpus_store

Ingest = Callable[..., Coroutine[Any, Any, Ingested]]

REFERENCES = RelationType.REFERENCES
TODAY = date(2026, 6, 1)
EVERYONE = Scope(as_of=TODAY)
BOARD = Scope(as_of=TODAY, groups=frozenset({"everyone", "board"}))

FALCON = """# Falcon Policy

## 1 Definitions

"Insider" means a person who knows of the takeover of Falcon.

## 2 Duties

2.1 The Compliance Officer (CO) is responsible for the list of people who know of Falcon.

2.2 The Compliance Officer must approve each purchase of Falcon shares above EUR 7,000.

2.3 Insiders must keep Falcon secret, see section 1.1 of the Gifts Policy.

## 3 Roles

| Role | Responsibilities |
| --- | --- |
| Chief Falcon Keeper | Keeps the files of Falcon. |
| Compliance Officer | Falcon is watched. |
"""
GIFTS = """# Gifts Policy

## 1 Limits

1.1 Employees may accept gifts of up to EUR 50, see section 2.1 of the Falcon Policy.

1.2 The Compliance Officer must approve gifts above EUR 50.
"""


async def spans_of(engine: AsyncEngine) -> list[Span]:
    """Return the span of every stored section."""
    async with engine.connect() as connection:
        found = await connection.execute(
            text("SELECT version_id, char_start, char_end FROM citebound.sections ORDER BY id")
        )
        return [
            Span(version_id=VersionId(row[0]), char_start=row[1], char_end=row[2]) for row in found
        ]


async def search(
    engine: AsyncEngine, embedder: Any, scope: Scope, words: str = "Falcon gifts employees must"
) -> set[tuple[str, str]]:
    """Return what a generous search finds: version and text of each chunk."""
    found = await PostgresChunkSearch(engine, embedder.space).search(
        SearchRequest(
            text=words,
            embedding=await embedder.embed_query(words),
            scope=scope,
            limit=100,
            neighbours=20,
        )
    )
    return {(str(chunk.span.version_id), chunk.text) for chunk in (*found.hits, *found.neighbours)}


async def everything_of(engine: AsyncEngine, embedder: Any, scope: Scope) -> str:
    """Return all that the stores tell a scope, as one text."""
    store = corpus_store(engine)
    spans = await spans_of(engine)
    told = (
        await PostgresOntologyStore(engine).snapshot(scope),
        await store.versions(scope),
        await store.read_spans(spans, scope),
        await search(engine, embedder, scope),
        await search(engine, embedder, scope, "2.1 Falcon Policy purchase of shares"),
    )
    return repr(told)


@pytest.mark.parametrize("order", [(FALCON, GIFTS), (GIFTS, FALCON)], ids=["first", "last"])
async def test_a_text_for_some_is_told_to_nobody_else(
    ingest: Ingest, engine: AsyncEngine, embedder: Any, order: tuple[str, str]
) -> None:
    """Search, snapshot, spans and versions hide it, whichever policy came first."""
    for markdown in order:
        options = {"audience": frozenset({"board"})} if markdown == FALCON else {}
        name = "falcon.md" if markdown == FALCON else "gifts.md"
        await ingest(markdown, name=name, **options)
    outside = await everything_of(engine, embedder, EVERYONE)
    assert "gifts of up to EUR 50" in outside
    # The public policy itself names the other one, and nothing else of it may be told.
    assert "Falcon" not in outside.replace("section 2.1 of the Falcon Policy", "")
    assert "7,000" not in outside
    inside = await everything_of(engine, embedder, BOARD)
    assert "takeover of Falcon" in inside
    assert "Keeps the files of Falcon" in inside


async def test_chunks_are_only_there_for_readers(ingest: Ingest, engine: AsyncEngine) -> None:
    """`has_chunks` says nothing of what others may read."""
    store = corpus_store(engine)
    await ingest(FALCON, name="falcon.md", audience=frozenset({"board"}))
    assert await store.has_chunks(BOARD)
    assert not await store.has_chunks(EVERYONE)
    assert await store.versions(EVERYONE) == []
    await ingest(GIFTS, with_chunks=False)
    assert not await store.has_chunks(EVERYONE)
    assert [version.metadata.key for version in await store.versions(EVERYONE)] == ["gifts"]


async def test_a_span_outside_the_text_is_not_read(ingest: Ingest, engine: AsyncEngine) -> None:
    """Empty, reversed and overlong spans have no text."""
    done = await ingest(GIFTS)
    version = done.result.version_id
    store = corpus_store(engine)
    (whole, *_) = [span for span in await spans_of(engine) if span.char_start == 0]
    for start, end in ((5, 5), (9, 4), (-3, 4), (0, 100_000)):
        span = Span(version_id=version, char_start=start, char_end=end)
        assert await store.read_spans([span, whole], EVERYONE) == {
            whole: "Gifts Policy\n\n"[: whole.char_end]
        }


async def test_facts_are_those_of_the_version(ingest: Ingest, engine: AsyncEngine) -> None:
    """A definition, a heading and a title that change are told as they are now, and as then."""
    first = '# Gifts Policy\n\n## 1 Terms\n\n"Gift" means a thing of value.\n'
    second = first.replace("thing of value", "present").replace("Gifts Policy", "Presents Policy")
    await ingest(first, title="Gifts Policy", effective_from=date(2026, 1, 1))
    await ingest(
        second.replace("1 Terms", "1 Words"),
        title="Presents Policy",
        effective_from=date(2026, 2, 1),
    )
    told: list[tuple[str, str, str]] = []
    for scope in (EVERYONE, replace(EVERYONE, edition=1)):
        snapshot = await PostgresOntologyStore(engine).snapshot(scope)
        by_type = {entity.type: entity for entity in snapshot.entities}
        definition = by_type[EntityType.DEFINITION]
        section = next(e for e in snapshot.entities if e.key == "section:gifts:sec_1")
        told.append(
            (by_type[EntityType.POLICY].name, section.name, definition.attributes["meaning"])
        )
    assert told == [
        ("Presents Policy", "1 Words", "a present"),
        ("Gifts Policy", "1 Terms", "a thing of value"),
    ]


def _facts(snapshot: Snapshot) -> tuple[object, ...]:
    # Cross-references lead to where the newest versions are: they are no fact of an edition.
    return (
        snapshot.edition,
        sorted(map(repr, snapshot.entities)),
        sorted(repr(each) for each in snapshot.relations if each.type is not REFERENCES),
    )


def markdown(random: Random, name: str, others: list[str]) -> str:
    """Write a small policy that names roles, sums, deadlines, terms and other policies."""
    lines = [f"# {name} Policy", ""]
    for position in range(1, random.randint(2, 4)):
        number = position + random.randint(0, 1)
        other, target = random.choice(others), random.randint(1, 4)
        role = random.choice(["Compliance Officer", "Chief Financial Officer (CFO)", "Board"])
        lines += [
            f"## {number} Part {random.randint(1, 9)}",
            "",
            f"Employees must report gifts above EUR {random.randint(1, 9)}0 to the {role} within"
            f" {random.randint(2, 9)} days, see section {target} of the {other} Policy.",
            "",
            f'"Thing {random.randint(1, 2)}" means {random.choice(["a gift", "a favour"])} of'
            f" value {random.randint(1, 9)}.",
            "",
            f"The {role} is responsible for part {random.randint(1, 9)}.",
            "",
        ]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", [1, 2])
async def test_an_edition_never_changes(
    ingest: Ingest, engine: AsyncEngine, embedder: Any, seed: int
) -> None:
    """Later publications change no span, fact or hit of an edition, but for who may read it now."""
    random = Random(seed)  # noqa: S311  # repeatable
    store, ontology = corpus_store(engine), PostgresOntologyStore(engine)
    names = ["Gifts", "Travel", "Cash"]

    async def read(scope: Scope) -> tuple[Any, ...]:
        spans = [span for span in await spans_of(engine) if span.version_id <= newest]
        return (
            _facts(await ontology.snapshot(scope)),
            await store.versions(scope),
            await store.read_spans(spans, scope),
            await search(engine, embedder, scope),
        )

    remembered: dict[Scope, tuple[Any, ...]] = {}
    newest = 0
    for _ in range(6):
        name = random.choice(names)
        done = await ingest(
            markdown(random, name, names),
            name=f"{name.lower()}.md",
            audience=random.choice([frozenset({"everyone"}), frozenset({"board"})]),
            effective_from=random.choice([None, date(2026, 3, 1), date(2026, 5, 1)]),
        )
        newest = done.result.version_id
        for scope, before in remembered.items():
            if BOARD.groups <= scope.groups:
                assert await read(scope) == before
                continue
            _, versions, spans, _ = await read(scope)
            assert {one.version_id for one in versions} <= {one.version_id for one in before[1]}
            assert spans.items() <= before[2].items()
        edition = await store.current_edition()
        for scope in (EVERYONE, BOARD, replace(BOARD, as_of=date(2026, 4, 1))):
            at_edition = replace(scope, edition=edition)
            remembered[at_edition] = await read(at_edition)
            assert (await ontology.snapshot(scope)).edition == edition
