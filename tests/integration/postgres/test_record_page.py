"""What the page about the record tells auditors to type."""

import re
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

PAGE = (Path(__file__).parents[3] / "docs" / "record.md").read_text()
QUERIES = [
    query.strip()
    for block in re.findall(r"^```sql\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    for query in block.split(";\n")
    if query.strip()
]
VIEWS = re.findall(r"^\| `((?:audit|citebound)\.\w+)` \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
async def test_each_query_of_the_page_runs(engine: AsyncEngine, query: str) -> None:
    """Its views and columns are there."""
    async with engine.connect() as connection:
        assert (await connection.execute(text(query))).all() == []


async def test_the_page_lists_each_view_for_officers(engine: AsyncEngine) -> None:
    """All views of the record, and what else it names, with a comment on each view of `audit`."""
    async with engine.connect() as connection:
        found = await connection.execute(
            text(
                "SELECT schemaname || '.' || viewname AS name, schemaname,"
                " obj_description((schemaname || '.' || viewname)::regclass) AS told"
                " FROM pg_views WHERE schemaname IN ('audit', 'citebound')"
            )
        )
        views = {row.name: row for row in found}
        for name in VIEWS:
            assert await connection.scalar(text("SELECT to_regclass(:name)"), {"name": name})
    of_the_record = {name for name, row in views.items() if row.schemaname == "audit"}
    assert of_the_record <= set(VIEWS)
    assert all(views[name].told for name in of_the_record)
