"""What the page for officers tells them to type."""

import re
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

PAGE = (Path(__file__).parents[3] / "docs" / "officers.md").read_text()
QUERIES = [
    query.strip()
    for block in re.findall(r"^```sql\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    for query in block.split(";\n")
    if query.strip()
]
ROWS = re.findall(r"^\| (`v_[^|]+) \|", PAGE, re.MULTILINE)
VIEWS = {f"audit.{name}" for row in ROWS for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
async def test_each_query_of_the_page_runs(engine: AsyncEngine, query: str) -> None:
    """Its views and columns are there."""
    async with engine.connect() as connection:
        assert (await connection.execute(text(query))).all() == []


async def test_the_page_lists_each_view(engine: AsyncEngine) -> None:
    """All views of the record, and none that is not there; each with a comment."""
    async with engine.connect() as connection:
        found = await connection.execute(
            text(
                "SELECT schemaname || '.' || viewname AS name,"
                " obj_description((schemaname || '.' || viewname)::regclass) AS told"
                " FROM pg_views WHERE schemaname = 'audit'"
            )
        )
        told = {row.name: row.told for row in found}
    assert set(told) == VIEWS
    assert all(told.values())
