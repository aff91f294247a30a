"""`citebound migrate`: bring the schema to this release."""

import asyncio
import sys

from bot.console.commands.doctor import EXIT_BROKEN, finding_row, surface_checks
from bot.console.production_checks import check_deployment
from bot.console.views.terminal import open_terminal
from bot.doctor_check import Status
from core.adapters.postgres.access import migration_url
from core.adapters.postgres.engine.database import server_facts
from core.adapters.postgres.engine.roles import Access
from core.adapters.postgres.engine.schema import newest_revision, open_database
from core.config.settings import Settings


def migrate(*, is_production: bool) -> int:
    """Migrate, and say where the schema is; 0. 3: the deployment can't start as it is set up."""
    settings = Settings.from_environment()
    if is_production and asyncio.run(_is_broken(settings)):
        return EXIT_BROKEN
    sys.stdout.write(asyncio.run(_migrated(settings)) + "\n")
    return 0


async def _is_broken(settings: Settings) -> bool:
    """Print what the deployment lacks, and say whether it can't start so."""
    terminal, is_broken = open_terminal(), False
    async for finding in check_deployment(settings, surface_checks()):
        is_broken = is_broken or finding.health is Status.BROKEN
        if finding.health in {Status.BROKEN, Status.DOUBTFUL}:
            terminal.show(finding_row(finding))
    return is_broken


async def _migrated(settings: Settings) -> str:
    access = Access(unit=settings.unit)
    async with open_database(await migration_url(settings), access=access) as engine:
        revision = (await server_facts(engine)).revision
    own = newest_revision()
    later = "" if revision == own else f", of a later release that works with {own}"
    return f"The schema is at {revision}{later}."
