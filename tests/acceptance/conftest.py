"""Databases with policies, for the whole product between a fake platform and Postgres."""

import asyncio
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine, make_url, text

from core.bootstrap import bootstrap
from core.config import Settings
from core.ingest.prepare import Overrides
from tests.conftest import TEMPLATE

POLICIES = Path(__file__).parents[2] / "samples" / "policies"
INGESTED = ("gifts-v2.md", "speak-up.md", "conflicts.md", "third-party.txt")
WITH_POLICIES = "citebound_policies_template"
_numbers = count()


@pytest.fixture(scope="session")
def policies_url(server_url: str) -> Iterator[str]:
    """A database with some of the samples' policies, to be copied."""
    _run(server_url, f"CREATE DATABASE {WITH_POLICIES} TEMPLATE {TEMPLATE}")
    url = _named(server_url, WITH_POLICIES)

    async def ingest() -> None:
        async with bootstrap(Settings(database_url=url)) as service:
            for name in INGESTED:
                await service.ingestor.ingest(
                    (POLICIES / name).read_bytes(),
                    source_name=name,
                    given=Overrides(),
                    with_chunks=True,
                )

    asyncio.run(ingest())
    yield url
    _run(server_url, f"DROP DATABASE {WITH_POLICIES} WITH (FORCE)")


@pytest.fixture
def policies_database(server_url: str, policies_url: str) -> Iterator[str]:
    """A database with policies for one test."""
    with _copied(server_url, policies_url) as url:
        yield url


@pytest.fixture(scope="module")
def shared_database(server_url: str, policies_url: str) -> Iterator[str]:
    """A database with policies for the tests of a module, where starting is slow."""
    with _copied(server_url, policies_url) as url:
        yield url


@contextmanager
def _copied(server_url: str, policies_url: str) -> Generator[str]:
    name = f"policies_{os.getpid()}_{next(_numbers)}"
    _run(server_url, f"CREATE DATABASE {name} TEMPLATE {make_url(policies_url).database}")
    yield _named(server_url, name)
    _run(server_url, f"DROP DATABASE {name} WITH (FORCE)")


def _run(url: str, statement: str) -> None:
    admin = create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
    )
    with admin.connect() as connection:
        connection.execute(text(statement))
    admin.dispose()


def _named(url: str, database: str) -> str:
    return make_url(url).set(database=database).render_as_string(hide_password=False)
