"""A policy for Finance alone, and a question that it answers."""

from pathlib import Path

from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.ingest.prepare import Overrides
from tests.databases import logins

TREASURY = "Treasury and Payment Release Policy"
QUESTION = "How many persons must release a payment?"
SAYS = "two different persons"
"""Words of the policy that answer it."""
_FILE = Path(__file__).parents[3] / "samples" / "policies" / "treasury.md"


async def publish(database_url: str, *, key: str = "treasury", group: str = "finance") -> None:
    """Publish it for one group."""
    async with bootstrap(Settings(**logins(database_url))) as service:
        await service.ingestor.ingest(
            _FILE.read_bytes(),
            source_name=_FILE.name,
            given=Overrides(key=key, audience=frozenset({group})),
            with_chunks=True,
        )
