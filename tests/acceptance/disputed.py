"""Two policies that contradict each other, and a question that only a person can answer then."""

from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.ingest.prepare import Overrides
from tests.databases import logins

QUESTION = "How long must expense receipts be kept?"
POLICIES = {
    "travel.md": "# Travel Policy\n\n## 1 Receipts\n\nExpense receipts must be kept for 7 years.\n",
    "records.md": "# Records\n\n## 1 Keeping\n\nExpense receipts must be kept for 10 years.\n",
}


async def publish(database_url: str) -> None:
    """Publish them."""
    async with bootstrap(Settings(**logins(database_url))) as service:
        for name, text in POLICIES.items():
            await service.ingestor.ingest(
                text.encode(), source_name=name, given=Overrides(), with_chunks=True
            )
