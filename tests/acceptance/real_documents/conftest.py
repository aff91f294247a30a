"""The real documents, ingested once into a database of their own, and asked once."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.agent.request import AskRequest
from core.agent.trace import reply_json
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.domain.conversation import Place
from core.ingest.prepare import Overrides
from tests.databases import MIGRATED, copied, logins, make_template

REAL = "citebound_real_documents_template"
Ask = Callable[[Sequence[str]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def real_url(server_url: str, shared: Path) -> Iterator[str]:
    """A database that holds all eight documents of `policies/`, read once a run."""
    files = sorted((shared / "policies").iterdir())
    make_template(server_url, REAL, fill=lambda url: _ingest(url, files), source=MIGRATED)
    with copied(server_url, REAL) as url:
        yield url


async def _ingest(url: str, files: Sequence[Path]) -> None:
    assert len(files) == 8
    async with bootstrap(Settings(**logins(url))) as service:
        for file in files:
            done = await service.ingestor.ingest(
                file.read_bytes(), source_name=file.name, given=Overrides(), with_chunks=True
            )
            assert done.sections > 10, file.name


@pytest.fixture(scope="module")
def ask(real_url: str) -> Ask:
    """Ask questions, each in a thread of its own, and return what `ask --json` prints."""

    async def run(questions: Sequence[str]) -> list[dict[str, Any]]:
        async with bootstrap(Settings(**logins(real_url))) as service:
            return [
                reply_json(
                    await service.answering.ask(
                        AskRequest(text=question, place=Place(thread=question))
                    )
                )
                for question in questions
            ]

    return lambda questions: asyncio.run(run(questions))
