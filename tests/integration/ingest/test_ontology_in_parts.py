"""The ontology read in parts: the same as all of it in memory, in scope, and no more than that."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.ontology.fact_index import index_missing
from core.adapters.postgres.ontology.lookup import EDGES_A_STEP
from core.adapters.postgres.ontology.ontology_parts import MOST_SPANS
from core.adapters.postgres.ontology.ontology_reader import PostgresOntologyStore
from core.agent.planning.facts import find_facts, vocabulary_for, with_definitions
from core.agent.planning.terms import terms_of
from core.domain.evidence import Finding
from core.domain.json_value import Json
from core.domain.ontology import EntityKey, EntityType, SoughtWord
from core.domain.question import Scope
from core.ingest.publish import Ingested
from core.ontology.fact_words import NAMING, STATED, beginning
from core.ontology.graphs.whole import WholeOntology
from core.ontology.tools.toolbox import OntologyToolbox
from core.ports import Knowledge
from evals.measuring.questions import load_questions
from tests.integration.ingest.test_what_a_scope_reads import (
    BOARD,
    EVERYONE,
    FALCON,
    GIFTS,
    markdown,
)

Ingest = Callable[..., Coroutine[Any, Any, Ingested]]
SAMPLES = Path(__file__).parents[3] / "samples"
SEEN = ("treasury.md", "gifts-v1.md", "conflicts.md")
CALLS: Sequence[tuple[str, Mapping[str, Json]]] = (
    ("get_graph_summary", {}),
    ("list_entity_types", {}),
    ("find_entities", {"type": "Role"}),
    ("find_entities", {"name": "gift"}),
    ("find_entities", {"name": "offic", "type": "Role"}),
    ("get_entity", {"id": "role:compliance-officers"}),
    ("get_neighbors", {"id": "role:compliance-officer"}),
    ("get_neighbors", {"id": "role:compliance-officer", "direction": "in"}),
    ("find_paths", {"source": "role:compliance-officer", "target": "role:employee"}),
    ("resolve_definition", {"term": "thing 1"}),
    ("summarize", {"policy": "Gifts Policy"}),
    ("summarize", {"policy": "gifts", "section": "2"}),
    ("summarize", {"policy": "zeppelins"}),
)


async def reading(known: Knowledge, question: str) -> dict[str, object]:
    """Read all that a question, or a model about it, may read."""
    vocabulary = await vocabulary_for(question, known)
    terms = await with_definitions(question, terms_of(question, vocabulary), known)
    sought = [
        SoughtWord(words=one.alternatives | {one.word}, beginning=beginning(one.word), weight=3)
        for one in terms
    ]
    found = await find_facts(terms, known, limit=10)
    near = await known.touching({one.span for one in found}, STATED, ends=NAMING)
    return {
        "extent": known.extent,
        "outline": await known.lookup.outline(),
        "vocabulary": dict(vocabulary.counts),
        "terms": terms,
        "facts": await known.facts(sought, limit=50),
        "findings": found,
        "near": {(one.key, one.name, one.aliases, one.description) for one in near.entities},
        "joined": {(one.source, one.type, one.target) for one in near.relations},
        "roles": await known.role_names(" ".join(one.text for one in found)),
        "giving way": await known.giving_way({one.place.policy_key for one in found}),
        "tools": await tools(known, question, found),
    }


async def tools(known: Knowledge, question: str, found: Sequence[Finding]) -> list[object]:
    """Call the tools with what a question leads to."""
    toolbox = OntologyToolbox(known.lookup, max_calls=100)
    asked: list[tuple[str, Mapping[str, Json]]] = [
        ("search_entities", {"query": question}),
        ("search_entities", {"query": question, "type": "Role"}),
        ("compare", {"topic_a": f"employees {question}"[:400], "topic_b": "contractors gifts"}),
        *CALLS,
    ]
    asked += [("get_neighbors", {"id": one.entity}) for one in found[:2]]
    ends = [one.entity for one in found[:2]]
    if len(ends) > 1:
        asked.append(("find_paths", {"source": ends[0], "target": ends[1], "max_hops": 4}))
    return [(name, given, await toolbox.call(name, given)) for name, given in asked]


async def assert_same(engine: AsyncEngine, scope: Scope, questions: Sequence[str]) -> None:
    store = PostgresOntologyStore(engine)
    known, whole = await store.open(scope), WholeOntology(await store.snapshot(scope))
    for question in questions:
        in_parts, at_once = await reading(known, question), await reading(whole, question)
        for name, read in at_once.items():
            assert in_parts[name] == read, (name, question, scope)


async def test_the_samples_read_the_same_in_parts(ingest: Ingest, engine: AsyncEngine) -> None:
    """Words, facts, roles, neighbours, chains and tools are those of the whole ontology."""
    for name in SEEN:
        await ingest((SAMPLES / "policies" / name).read_text(), name=name, with_chunks=False)
    asked = [one.question for one in load_questions(SAMPLES / "questions" / "dev.jsonl")]
    await assert_same(engine, EVERYONE, asked[::18])


@pytest.mark.parametrize("seed", [1, 2])
async def test_generated_policies_read_the_same_in_parts(
    ingest: Ingest, engine: AsyncEngine, seed: int
) -> None:
    """In every scope and edition, while roles are shared and sections refer to each other."""
    random = Random(seed)  # noqa: S311  # repeatable
    names = ["Gifts", "Travel", "Cash"]
    for _ in range(5):
        name = random.choice(names)
        await ingest(
            markdown(random, name, names),
            name=f"{name.lower()}.md",
            with_chunks=False,
            audience=random.choice([frozenset({"everyone"}), frozenset({"board"})]),
            jurisdiction=random.choice([None, "DE"]),
            effective_from=random.choice([None, date(2026, 3, 1)]),
        )
    questions = ["Who must report a gift above EUR 20, and to whom?", "What is a thing of value?"]
    for scope in (EVERYONE, BOARD, replace(BOARD, edition=3), replace(BOARD, jurisdiction="GB")):
        await assert_same(engine, scope, questions)


async def test_nothing_is_read_that_the_scope_may_not_read(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """Not by any reading, nor by keys, spans and names that somebody else was told."""
    await ingest(FALCON, name="falcon.md", with_chunks=False, audience=frozenset({"board"}))
    await ingest(GIFTS, with_chunks=False)
    store = PostgresOntologyStore(engine)
    board = await store.open(BOARD)
    secret = await find_facts(
        terms_of("Falcon shares", await vocabulary_for("Falcon shares", board)), board, limit=5
    )
    assert "purchase of Falcon shares" in secret[0].text
    outside = await store.open(EVERYONE)
    question = "Who must approve each purchase of Falcon shares and keep Falcon secret?"
    spans = {one.span for one in secret}
    keys = {one.entity for one in secret}
    told = (
        await reading(outside, question),
        await outside.entities(
            keys | {EntityKey("role:chief-falcon-keeper")}, at=spans, ends=NAMING
        ),
        await outside.touching(spans, set(EntityType), ends=set(EntityType)),
        await outside.entities({EntityKey("role:compliance-officer")}, at=spans, ends=STATED),
        await outside.role_names("Ask the Chief Falcon Keeper."),
        await outside.definitions({"falcon takeover", "insider mean"}),
        await outside.lookup.neighbours(EntityKey("role:compliance-officer"), limit=25),
        await outside.lookup.neighbours(EntityKey("section:gifts:sec_1.1"), limit=25),
        await outside.lookup.stated(("falcon",), "", STATED, 25),
        await outside.lookup.section_numbers(("falcon",), limit=9),
        await outside.lookup.policies_named("falcon"),
        await outside.giving_way({"falcon"}),
    )
    said = repr(told).replace("section 2.1 of the Falcon Policy", "").replace(question, "")
    assert not any(word in said for word in ("takeover", "7,000", "Keeps the files", "is watched"))


async def test_a_question_reads_a_bounded_part(ingest: Ingest, engine: AsyncEngine) -> None:
    """Twenty times as many rules cost no more statements, and rows within the bounds."""
    rows: list[int] = []

    @event.listens_for(engine.sync_engine, "after_cursor_execute")
    def _count(_connection: object, cursor: Any, *_: object) -> None:
        rows.append(cursor.rowcount)

    async def cost(rules: int) -> tuple[int, int]:
        said = "\n\n".join(
            f"Employees must report gift number {number} to the Compliance Officer."
            for number in range(rules)
        )
        await ingest(f"# Gifts Policy\n\n## 1 Rules\n\n{said}\n", with_chunks=False)
        known = await PostgresOntologyStore(engine).open(EVERYONE)
        assert known.extent.facts > rules
        rows.clear()
        await reading(known, "Which gift must employees report to the Compliance Officer?")
        return len(rows), max(rows)

    few, many = await cost(30), await cost(600)
    assert many[0] <= few[0]
    assert many[1] <= EDGES_A_STEP
    known = await PostgresOntologyStore(engine).open(EVERYONE)
    role = EntityKey("role:compliance-officer")
    (officer,) = (await known.entities({role})).entities
    assert len(officer.spans) == MOST_SPANS
    joined = await known.lookup.neighbours(role, limit=25)
    assert len(joined.part.relations) == 25
    assert joined.relations >= 600


async def test_what_an_earlier_release_published_is_indexed_when_it_is_read(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """By whoever comes first: others wait for it, and nobody does it twice."""
    await ingest(GIFTS, with_chunks=False)
    store = PostgresOntologyStore(engine)
    before = await reading(await store.open(EVERYONE), "What gifts may employees accept?")
    tables = ("fact_words", "entity_words", "word_counts", "fact_indexes")
    async with engine.begin() as connection:
        for table in tables:
            await connection.execute(text(f"DELETE FROM citebound.{table}"))  # noqa: S608
    async with asyncio.TaskGroup() as group:
        done = [group.create_task(index_missing(engine)) for _ in range(4)]
        opened = group.create_task(store.open(EVERYONE))
    assert sum(one.result() for one in done) <= 1
    assert await reading(opened.result(), "What gifts may employees accept?") == before
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE citebound.fact_indexes SET generation = 0"))
        await connection.execute(text("DELETE FROM citebound.word_counts"))
    again = await store.open(EVERYONE)
    assert await reading(again, "What gifts may employees accept?") == before
    assert await index_missing(engine) == 0


async def test_words_that_no_index_takes_are_cut(ingest: Ingest, engine: AsyncEngine) -> None:
    """A word, name or line of any length is published and found; marks in a text mark nothing."""
    random = Random(1)  # noqa: S311  # repeatable
    long = "".join(random.choices("abcdefghijklmnop", k=4_000))
    rule = f"Employees must not send {long} to the {long.upper()} Officer."
    odd = "Employees must report =gift //title /heading reimburs* to the Board."
    await ingest(f"# Odd Policy\n\n## 1 Rules\n\n{rule}\n\n{odd}\n", with_chunks=False)
    await assert_same(engine, EVERYONE, [f"May I send {long[:3000]}?", "report =gift //title *"])
