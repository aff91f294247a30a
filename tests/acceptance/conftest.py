"""Databases with policies, for the whole product between a fake platform and Postgres."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.ingest.prepare import Overrides
from tests.databases import MIGRATED, copied, logins, make_template
from tests.saved_work import saved_work

__all__ = ["saved_work"]

POLICIES = Path(__file__).parents[2] / "samples" / "policies"
INGESTED = ("gifts-v2.md", "speak-up.md", "conflicts.md", "third-party.txt")
WITH_POLICIES = "citebound_policies_template"


@pytest.fixture(scope="session")
def policies_template(server_url: str) -> str:
    """The name of a database with some of the samples' policies, to be copied."""
    make_template(server_url, WITH_POLICIES, fill=_ingest, source=MIGRATED)
    return WITH_POLICIES


@pytest.fixture
def policies_database(server_url: str, policies_template: str) -> Iterator[str]:
    """A database with policies for one test."""
    with copied(server_url, policies_template) as url:
        yield url


@pytest.fixture(scope="module")
def shared_database(server_url: str, policies_template: str) -> Iterator[str]:
    """A database with policies for the tests of a module, where starting is slow."""
    with copied(server_url, policies_template) as url:
        yield url


async def _ingest(url: str) -> None:
    async with bootstrap(Settings(**logins(url))) as service:
        for name in INGESTED:
            await service.ingestor.ingest(
                (POLICIES / name).read_bytes(),
                source_name=name,
                given=Overrides(),
                with_chunks=True,
            )
