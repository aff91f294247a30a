"""Lead-ins in the database: with each finding, in scope, and for what was published before."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.ontology.ontology_reader import REACH, PostgresOntologyStore
from core.agent.planning.facts import findings_of
from core.domain.evidence import Finding
from core.domain.ontology import SoughtWord
from core.domain.question import Scope
from core.ingest.publish import Ingested
from core.ontology.fact_words import NAMING, stems_of
from core.ports import Knowledge
from tests.databases import corpus_store
from tests.integration.ingest.test_what_a_scope_reads import EVERYONE

Ingest = Callable[..., Coroutine[Any, Any, Ingested]]
SHARED = Path(__file__).parents[4] / "shared" / "data" / "policies" / "COMP-002_anti_corruption.md"
CASH = """# Cash Policy

## 1 Cash

Employees must not:

- accept cash;
- lend:
  - vouchers to suppliers.

However, petty cash may be used by the cashier.

| Amount | Approver |
|---|---|
| Up to EUR 1,000 | Line manager |
"""


async def findings(known: Knowledge, word: str) -> Mapping[str, Finding]:
    """Return the facts that have a word, by their text."""
    stated = await known.facts([SoughtWord(words=stems_of(word), beginning="", weight=1)], limit=50)
    spans = {one.span: one.entity for one in stated}
    part = await known.entities(set(spans.values()), at=spans, ends=NAMING)
    return {one.text: one for one in findings_of(spans, part)}


def chain(finding: Finding) -> list[str]:
    return [one.text for one in finding.lead_in.chain] if finding.lead_in else []


async def opened(engine: AsyncEngine, scope: Scope = EVERYONE) -> Knowledge:
    return await PostgresOntologyStore(engine).open(scope)


async def test_a_finding_carries_what_introduces_it(ingest: Ingest, engine: AsyncEngine) -> None:
    """An item its lead-in, a nested one the whole chain, a row its header; found by their words."""
    await ingest(CASH, name="cash.md", with_chunks=False)
    known = await opened(engine)
    found = await findings(known, "cash")
    assert chain(found["- accept cash;"]) == ["Employees must not:"]
    assert "Employees must not:" not in found, "it says nothing by itself"
    [nested] = (await findings(known, "lend")).values()
    assert (nested.text, chain(nested)) == (
        "- vouchers to suppliers.",
        ["Employees must not:", "- lend:"],
    )
    [row] = (await findings(known, "manager")).values()
    assert chain(row) == ["Amount | Approver"]


async def test_what_was_published_before_gets_its_lead_ins_when_it_is_read(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """The first question after an upgrade reads them from the text, for earlier editions too."""
    await ingest(CASH, name="cash.md", with_chunks=False)
    await ingest(CASH.replace("EUR 1,000", "EUR 500"), name="cash.md", with_chunks=False)
    async with engine.begin() as connection:
        await connection.execute(text("DELETE FROM citebound.lead_ins"))
        await connection.execute(text("UPDATE citebound.fact_indexes SET generation = 1"))
    for scope in (EVERYONE, replace(EVERYONE, edition=1)):
        found = await findings(await opened(engine, scope), "cash")
        assert chain(found["- accept cash;"]) == ["Employees must not:"]


async def test_sections_are_read_in_scope(ingest: Ingest, engine: AsyncEngine) -> None:
    """Who may not read a policy gets none of its sections, whatever span is asked for."""
    await ingest(CASH, name="cash.md", with_chunks=False, audience=frozenset({"board"}))
    board = replace(EVERYONE, groups=frozenset({"everyone", "board"}))
    known = await opened(engine, board)
    spans = [one.span for one in (await findings(known, "cash")).values()]
    [section] = await known.sections_at(spans)
    assert section.body_start is not None
    assert section.text[section.body_start :].strip().startswith("Employees must not:")
    assert await (await opened(engine)).sections_at(spans) == ()
    assert await known.sections_at([]) == ()


async def test_of_a_long_section_only_what_is_near_is_read(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """A section may be a whole document: what lies far away does not belong to a rule."""
    filler = "The calendar is public.\n\n" * 1_000
    rule = "Employees must report every gift."
    await ingest(f"# P\n\n## 1 All\n\n{filler}{rule}\n\n{filler}", with_chunks=False)
    known = await opened(engine)
    [finding] = (await findings(known, "gift")).values()
    [section] = await known.sections_at([finding.span])
    assert section.body_start is None
    assert section.is_cut
    assert len(section.text) == 2 * REACH + len(rule)
    start = finding.span.char_start - section.char_start
    assert section.text[start : start + len(rule)] == rule


async def test_lead_ins_of_a_published_policy(ingest: Ingest, engine: AsyncEngine) -> None:
    """What others wrote: the items of their lists say what they are items of."""
    if not SHARED.exists():
        pytest.skip("shared data absent")
    await ingest(SHARED.read_text(), name=SHARED.name, with_chunks=False)
    known = await opened(engine)
    snapshot = await PostgresOntologyStore(engine).snapshot(EVERYONE)
    items = {span for span in snapshot.quotes if snapshot.quotes[span].startswith(("- ", "* "))}
    introduced = {span: snapshot.lead_ins[span] for span in items if span in snapshot.lead_ins}
    assert introduced
    part = await known.entities({one.key for one in snapshot.entities}, at=items)
    assert {span: part.lead_ins.get(span) for span in introduced} == introduced
    leads = {one.span: one.text for one in introduced.values()}
    assert await corpus_store(engine).read_spans(sorted(leads), EVERYONE) == leads
