"""`citebound migrate`: bring the schema to this release."""

import asyncio
import sys

from core.adapters.postgres.access import migration_url
from core.adapters.postgres.engine.database import server_facts
from core.adapters.postgres.engine.roles import Access
from core.adapters.postgres.engine.schema import newest_revision, open_database
from core.config.settings import Settings


def migrate() -> int:
    """Migrate, and say where the schema is; 0."""
    sys.stdout.write(asyncio.run(_migrated(Settings.from_environment())) + "\n")
    return 0


async def _migrated(settings: Settings) -> str:
    access = Access(unit=settings.unit)
    async with open_database(await migration_url(settings), access=access) as engine:
        revision = (await server_facts(engine)).revision
    own = newest_revision()
    later = "" if revision == own else f", of a later release that works with {own}"
    return f"The schema is at {revision}{later}."
