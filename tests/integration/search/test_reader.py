"""The reader in the service."""

from datetime import date
from pathlib import Path

import pytest

from core.adapters.local.reader import GUARD_SHA256, SHIPPED_SHA256
from core.agent.trace import retrieval_json
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.domain.errors import ConfigError
from core.domain.question import Scope
from core.ingest.prepare import Overrides
from core.retrieval.retriever import Query
from tests.databases import logins
from tests.fakes import ScriptedReader

POLICY = """\
# Expenses Policy

## 1 Travel

1.1 Travel expenses are paid if the travel was approved.

## 2 Receipts

2.1 A receipt is needed for all expenses above EUR 25.
"""


async def test_the_shipped_reader_serves_unless_it_is_replaced(database_url: str) -> None:
    """By a parameter, or by none."""
    settings = Settings(**logins(database_url))
    async with bootstrap(settings) as service:
        assert service.models.reader is not None
        assert service.models.reader.name == f"local:reader/{SHIPPED_SHA256[:12]}"
        assert service.models.guard is not None
        assert service.models.guard.name == f"local:guard/{GUARD_SHA256[:12]}"
    given = ScriptedReader()
    async with bootstrap(settings, reader=given) as service:
        assert service.models.reader is given
    async with bootstrap(Settings(**logins(database_url), reader_model=Path("none"))) as service:
        assert (service.models.reader, service.models.guard) == (None, None)


async def test_a_question_has_the_readers_order(database_url: str) -> None:
    """What the search puts second comes first, and the trace says who thought so."""
    reader = ScriptedReader({"Receipts": 5.0})
    async with bootstrap(Settings(**logins(database_url)), reader=reader) as service:
        await service.ingestor.ingest(
            POLICY.encode(), source_name="expenses.md", given=Overrides(), with_chunks=True
        )
        scope = Scope(as_of=date(2026, 6, 1))
        found = await service.retriever.retrieve(
            Query("Which travel expenses are paid?", scope, depth=2, neighbours=0)
        )
    assert [hit.place.number for hit in found.result.hits] == ["2.1", "1.1"]
    traced = retrieval_json(found, 2)
    assert traced["reranker"] == "test:scripted-reader"
    assert [chunk["logit"] for chunk in traced["chunks"]] == [5.0, -6.0]  # pyright: ignore


async def test_a_service_with_a_wrong_reader_does_not_start(
    database_url: str, tmp_path: Path
) -> None:
    """One that was named is wanted."""
    settings = Settings(**logins(database_url), reader_model=tmp_path)
    with pytest.raises(ConfigError, match="CITEBOUND_READER_MODEL"):
        async with bootstrap(settings):
            pass
