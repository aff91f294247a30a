"""`read_section`, by which a model reads a section whole: what the asker may not read is not there.

Against the real database, since its queries hold the scope.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.ontology.ontology_reader import PostgresOntologyStore
from core.adapters.postgres.search.search import PostgresChunkSearch
from core.agent.document_search import DocumentSearch
from core.domain.json_value import Json
from core.domain.policy import EVERYONE
from core.domain.question import Scope
from core.domain.run import Budget, RunLimits
from core.ontology.tools.toolbox import OntologyToolbox
from core.ports import Published
from core.retrieval.retriever import Retriever
from tests.factories import make_question

Publish = Callable[..., Awaitable[Published]]
DAY = date(2026, 6, 1)
CODE = "The vault code is changed on the first Monday."
PARTS = [("1", "Vault", CODE)]
HERE = Scope(as_of=DAY, groups=frozenset({EVERYONE, "staff"}), jurisdiction="DE")
IDS = ["vaults#sec_1", "vaults#1", "VAULTS#vault", "vaults# 1 ", "vaults#%", "vaults#' OR '1'='1"]


async def read(engine: AsyncEngine, scope: Scope, section: str) -> str:
    """Call the tool as a model does; return all that the model is told, as JSON."""
    question = replace(make_question("When is the vault code changed?"), scope=scope)
    limits = RunLimits()
    passages = DocumentSearch(
        Retriever(PostgresChunkSearch(engine, None), None),
        question,
        budget=Budget(limits, started_s=0.0),
        limits=limits,
        is_model=True,
    )
    knowledge = await PostgresOntologyStore(engine).open(scope)
    toolbox = OntologyToolbox(knowledge.lookup, max_calls=limits.tool_calls)
    toolbox.register(passages.tools)
    told: dict[str, Json] = dict(await toolbox.call("read_section", {"id": section}))
    # What is looked up becomes evidence: that must agree with what was told.
    assert bool(passages.found) == bool(told["evidence"])
    return json.dumps(told)


@pytest.mark.parametrize(
    ("audience", "jurisdiction", "allowed"),
    [
        (frozenset({"board"}), None, replace(HERE, groups=frozenset({EVERYONE, "board"}))),
        (frozenset({EVERYONE}), "GB", replace(HERE, jurisdiction="GB")),
        (frozenset({"board"}), "GB", Scope(as_of=DAY, groups=frozenset({EVERYONE, "board"}))),
    ],
)
async def test_what_is_for_others_is_not_read(
    engine: AsyncEngine,
    publish: Publish,
    audience: frozenset[str],
    jurisdiction: str | None,
    allowed: Scope,
) -> None:
    """A section of another country or audience; who may read it gets it by the same id."""
    await publish("keys", [("1", "Keys", "A key is signed for at the gate.")])
    await publish("vaults", PARTS, audience=audience, jurisdiction=jurisdiction)
    assert CODE in await read(engine, allowed, "vaults#1")
    assert "signed for" in await read(engine, HERE, "keys#1")
    for section in IDS:
        assert CODE not in await read(engine, HERE, section)


@pytest.mark.parametrize("section", IDS)
async def test_what_is_for_others_reads_like_what_is_not_there(
    engine: AsyncEngine, publish: Publish, section: str
) -> None:
    """No word, no count and no other error tells that there is such a section."""
    await publish("keys", [("1", "Keys", "A key is signed for at the gate.")])
    before = await read(engine, HERE, section)
    await publish("vaults", PARTS, audience=frozenset({"board"}), jurisdiction="GB")
    assert await read(engine, HERE, section) == before
