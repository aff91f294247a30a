"""Stored policies are read again after an upgrade: as a fresh ingestion would read them."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.corpus_report import PostgresCorpusReport
from core.adapters.postgres.ontology.ontology_reader import PostgresOntologyStore
from core.domain.ontology import Snapshot
from core.domain.question import Scope
from core.ingest.prepare import NOTHING_GIVEN
from core.ingest.publish import Ingested, Ingestor
from core.ontology.extract.rule_extractor import RuleExtractor
from core.ports import Published, Unchanged
from core.ports.extraction import Extracted, SourceDocument
from tests.factories import TODAY

Ingest = Callable[..., Coroutine[Any, Any, Ingested]]

GIFTS = """# Gifts Policy

## 1 Limits

1.1 Employees may accept gifts of up to EUR 50.

1.2 Employees must report gifts above EUR 50 to the Compliance Officer within 5 working days.
"""
CASH = GIFTS.replace("Gifts", "Cash").replace("gifts", "cash")


class EarlierRelease(RuleExtractor):
    """Finds fewer facts than this release."""

    async def extract(self, document: SourceDocument, /) -> Extracted:
        found = await super().extract(document)
        few = [entity for entity in found.extraction.entities if entity.type != "Threshold"]
        kept = {entity.key for entity in few}
        relations = [
            relation
            for relation in found.extraction.relations
            if {relation.source, relation.target} <= kept
        ]
        extraction = replace(found.extraction, entities=tuple(few), relations=tuple(relations))
        return replace(found, extraction=extraction)


async def rows(engine: AsyncEngine, query: str) -> list[tuple[Any, ...]]:
    async with engine.connect() as connection:
        return [tuple(row) for row in await connection.execute(text(query))]


async def age(engine: AsyncEngine) -> None:
    """Let what is stored be an earlier release's."""
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.policy_versions SET reading = 0"))


async def snapshot(engine: AsyncEngine, edition: int | None = None) -> Snapshot:
    scope = Scope(as_of=TODAY, edition=edition, groups=frozenset({"everyone"}))
    return await PostgresOntologyStore(engine).snapshot(scope)


async def store(ingestor: Ingestor, extractor: RuleExtractor, **policies: str) -> None:
    for name, content in policies.items():
        await ingestor.reading_by(extractor).ingest(
            content.encode(), source_name=f"{name}.md", given=NOTHING_GIVEN, with_chunks=True
        )


def stated(found: Snapshot) -> set[tuple[str, str, frozenset[str]]]:
    """What is stated, whichever version states it."""
    return {
        (entity.key, entity.name, frozenset(found.quotes[span] for span in entity.spans))
        for entity in found.entities
    }


async def test_what_an_earlier_release_read_ends_as_a_fresh_ingestion(
    ingestor: Ingestor, engine: AsyncEngine
) -> None:
    """The text is as published, the earlier edition says what it said, and nothing is altered."""
    await store(ingestor, EarlierRelease(), gifts=GIFTS)
    await age(engine)
    before = await snapshot(engine)
    assert await ingestor.store.outdated() == ["gifts"]

    done = await ingestor.reread("gifts")
    assert done is not None
    assert isinstance(done.result, Published)
    assert done.result.is_reread

    after = await snapshot(engine)
    assert "Threshold" in {entity.type for entity in after.entities}
    assert await snapshot(engine, before.edition) == before
    assert await PostgresCorpusReport(engine).altered() == []
    hashes = await rows(
        engine, "SELECT DISTINCT sha256(text::bytea) FROM citebound.policy_versions"
    )
    assert len(hashes) == 1
    live = "SELECT count(*) FROM citebound.policy_versions WHERE edition_until IS NULL"
    assert await rows(engine, live) == [(1,)]
    await store(ingestor, RuleExtractor(), fresh=GIFTS)
    fresh = await snapshot(engine)
    of_fresh = {
        (key.replace(":fresh:", ":gifts:"), name, quotes)
        for key, name, quotes in stated(fresh)
        if ":fresh:" in key
    }
    assert of_fresh == {one for one in stated(after) if ":gifts:" in one[0]}


async def test_what_is_read_alike_is_only_noted(
    ingest: Ingest, engine: AsyncEngine, ingestor: Ingestor
) -> None:
    """No edition, no version, no record: there is nothing to tell."""
    await ingest(GIFTS)
    await age(engine)
    counted = (
        "SELECT (SELECT count(*) FROM audit.record), (SELECT max(number) FROM citebound.editions)"
    )
    before = await rows(engine, counted)
    (key,) = await ingestor.store.outdated()
    done = await ingestor.reread(key)
    assert done is not None
    assert isinstance(done.result, Unchanged)
    assert await rows(engine, counted) == before
    assert await ingestor.store.outdated() == []


async def test_it_goes_on_where_it_was_interrupted(ingestor: Ingestor, engine: AsyncEngine) -> None:
    """Each policy is noted by itself, so that none is read twice."""
    await store(ingestor, EarlierRelease(), gifts=GIFTS, cash=CASH)
    await age(engine)
    assert await ingestor.store.outdated() == ["cash", "gifts"]
    await ingestor.reread("cash")
    assert await ingestor.store.outdated() == ["gifts"]


async def test_a_withdrawn_policy_is_left_alone(ingestor: Ingestor, engine: AsyncEngine) -> None:
    """It is neither due nor brought back by being read."""
    await store(ingestor, EarlierRelease(), gifts=GIFTS)
    await age(engine)
    async with engine.begin() as connection:
        await connection.execute(text("INSERT INTO citebound.editions VALUES (2, now(), 'gone')"))
        await connection.execute(
            text(
                "INSERT INTO citebound.withdrawals"
                " (edition, policy_id, withdrawn_from, is_file_gone, reason)"
                " SELECT 2, id, '2026-01-01', false, 'gone' FROM citebound.policies"
            )
        )
    assert await ingestor.store.outdated() == []
    assert await ingestor.reread("gifts") is None


async def test_facts_of_a_model_are_not_replaced_by_those_of_the_rules(
    ingestor: Ingestor, engine: AsyncEngine
) -> None:
    """They stay, and stay due, until a model is asked."""
    await store(ingestor, RuleExtractor(), gifts=GIFTS)
    async with engine.begin() as connection:
        await connection.execute(
            text("UPDATE citebound.policy_versions SET reading = 0, facts_by = 'claude extract/1'")
        )
    assert await ingestor.reread("gifts") is None
    assert await ingestor.store.outdated() == ["gifts"]
