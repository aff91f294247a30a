"""The real documents, ingested once into a database of their own, and asked once."""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import NullPool, create_engine, make_url, text

from core.agent.report import reply_json
from core.agent.request import AskRequest
from core.bootstrap import bootstrap
from core.config import Settings
from core.domain.chat import Place
from core.ingest.prepare import Overrides

Ask = Callable[[Sequence[str]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def real_url(server_url: str, shared: Path) -> Iterator[str]:
    """A database that holds all eight documents of `policies/`."""
    name = f"real_documents_{os.getpid()}"
    admin = create_engine(
        make_url(server_url).set(drivername="postgresql+psycopg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
    )
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE citebound_template"))
    url = make_url(server_url).set(database=name).render_as_string(hide_password=False)
    asyncio.run(_ingest(url, sorted((shared / "policies").iterdir())))
    yield url
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


async def _ingest(url: str, files: Sequence[Path]) -> None:
    assert len(files) == 8
    async with bootstrap(Settings(database_url=url)) as service:
        for file in files:
            done = await service.ingestor.ingest(
                file.read_bytes(), source_name=file.name, given=Overrides(), with_chunks=True
            )
            assert done.sections > 10, file.name


@pytest.fixture(scope="module")
def ask(real_url: str) -> Ask:
    """Ask questions, each in a thread of its own, and return what `ask --json` prints."""

    async def run(questions: Sequence[str]) -> list[dict[str, Any]]:
        async with bootstrap(Settings(database_url=real_url)) as service:
            return [
                reply_json(
                    await service.answering.ask(
                        AskRequest(text=question, place=Place(thread=question))
                    )
                )
                for question in questions
            ]

    return lambda questions: asyncio.run(run(questions))
