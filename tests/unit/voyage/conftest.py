"""A scripted server and a client of the real SDK that calls it; pauses are noted, not waited."""

from collections.abc import AsyncIterator, Iterator

import pytest

from core.adapters.voyage.client import VoyageAccess, VoyageClient
from tests.servers.voyage import KEY, VoyageServer, voyage_server


@pytest.fixture
def server() -> Iterator[VoyageServer]:
    """A server without a script."""
    with voyage_server() as running:
        yield running


@pytest.fixture
def pauses() -> list[float]:
    """The pauses between attempts, in seconds."""
    return []


@pytest.fixture
async def client(server: VoyageServer, pauses: list[float]) -> AsyncIterator[VoyageClient]:
    """A client of that server."""

    async def note(seconds: float) -> None:
        pauses.append(seconds)

    client = VoyageClient(
        VoyageAccess(api_key=KEY, base_url=server.base_url), sleep=note, share=lambda: 1.0
    )
    yield client
    await client.aclose()
