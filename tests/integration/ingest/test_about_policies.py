"""Facts about policies: what is in force, what changed, and for whom, never beyond the scope."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from core.adapters.postgres.corpus.policy_facts import PostgresAboutPolicies
from core.domain.policy_facts import SectionChanges
from core.ingest.publish import Ingested
from tests.databases import corpus_store
from tests.integration.ingest.test_what_a_scope_reads import BOARD, EVERYONE

Ingest = Callable[..., Coroutine[Any, Any, Ingested]]
FIRST = """# Travel Policy

## 1 Scope

This policy applies to all employees and contractors.

## 2 Trains

Employees must book second class.

## 3 Cars

Employees must rent small cars.
"""
SECOND = """# Travel Policy

## 1 Scope

This policy applies to all  employees
and contractors.

## 2 Trains

Employees must book first class.

## 4 Bicycles

Employees may rent bicycles.
"""
GIFTS = "# Gifts Policy\n\n## 1 Limits\n\nContractors must not accept gifts.\n"


async def test_what_changed_is_told_by_section(ingest: Ingest, engine: AsyncEngine) -> None:
    """Between the two last texts; white space alone is no change."""
    await ingest(FIRST, name="travel.md", owner="Travel Desk", label="1.0", with_chunks=False)
    about = PostgresAboutPolicies(engine)
    [first] = await about.facts(["travel"], EVERYONE)
    assert (first.metadata.owner, first.before, first.changes) == ("Travel Desk", None, None)
    await ingest(
        SECOND,
        name="travel.md",
        owner="CFO",
        label="2.0",
        effective_from=date(2026, 3, 1),
        with_chunks=False,
    )
    [facts] = await about.facts(["travel", "zeppelins"], EVERYONE)
    assert (facts.metadata.owner, facts.metadata.label, facts.before) == ("CFO", "2.0", "1.0")
    assert facts.metadata.effective_from == date(2026, 3, 1)
    assert facts.source_name == "travel.md"
    assert facts.changes == SectionChanges(
        added=("4 Bicycles",), changed=("2 Trains",), removed=("3 Cars",)
    )
    said = await corpus_store(engine).read_spans([facts.heading], EVERYONE)
    assert "Travel Policy" in said[facts.heading]
    [earlier] = await about.facts(["travel"], replace(EVERYONE, edition=1))
    assert (earlier.metadata.label, earlier.changes) == ("1.0", None)


async def test_nothing_is_told_of_what_the_scope_may_not_read(
    ingest: Ingest, engine: AsyncEngine
) -> None:
    """Neither a policy of others, nor the headings of an earlier version that was theirs."""
    about = PostgresAboutPolicies(engine)
    board = frozenset({"board"})
    await ingest(GIFTS, name="gifts.md", audience=board, with_chunks=False)
    assert await about.facts(["gifts"], EVERYONE) == ()
    assert len(await about.facts(["gifts"], BOARD)) == 1
    assert await about.applying_to("contractors", EVERYONE) == ()
    await ingest(FIRST, name="travel.md", audience=board, with_chunks=False)
    everyone = frozenset({"everyone"})
    await ingest(SECOND, name="travel.md", audience=everyone, with_chunks=False)
    [open_now] = await about.facts(["travel"], EVERYONE)
    assert (open_now.before, open_now.changes) == (None, None)
    [of_board] = await about.facts(["travel"], BOARD)
    assert of_board.changes is not None


async def test_whom_policies_apply_to(ingest: Ingest, engine: AsyncEngine) -> None:
    """A policy as a whole comes before one of which a rule does, with where it says so."""
    await ingest(GIFTS, name="gifts.md", with_chunks=False)
    await ingest(FIRST, name="travel.md", with_chunks=False)
    found = await PostgresAboutPolicies(engine).applying_to("Contractor", EVERYONE)
    assert [(one.policy_key, one.is_whole) for one in found] == [("travel", True), ("gifts", False)]
    quotes = await corpus_store(engine).read_spans([one.span for one in found], EVERYONE)
    assert [quotes[one.span] for one in found] == [
        "This policy applies to all employees and contractors.",
        "Contractors must not accept gifts.",
    ]
    assert await PostgresAboutPolicies(engine).applying_to("pilots", EVERYONE) == ()
    assert await PostgresAboutPolicies(engine).applying_to(" ", EVERYONE) == ()
