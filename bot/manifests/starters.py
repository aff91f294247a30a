"""Questions to begin with: chosen anew while a process works, and for a manifest or a package.

What is chosen is the same for all processes and platforms; see `core.agent.starters`.
"""

import asyncio
import logging
import sys

from core.agent.starters.service import StarterService
from core.bootstrap import bootstrap
from core.config.settings import Settings
from core.domain.errors import ConfigError, TransientError, raised_at
from core.ports.starters import Starter, StarterSet

LOOKS_EVERY_S = 30.0
logger = logging.getLogger(__name__)


async def keep_choosing(service: StarterService, *, looks_every_s: float = LOOKS_EVERY_S) -> None:
    """Choose starters after each change of the policies, until it is cancelled.

    A process that starts has questions to answer first: it looks after a while.
    """
    while True:
        await asyncio.sleep(looks_every_s)
        try:
            await service.refresh()
        except TransientError:
            logger.warning("starters are chosen later: the database failed")
        except Exception as error:
            logger.error(  # noqa: TRY400  # what it says may hold what a policy says
                "starters are not chosen: %s at %s", type(error).__name__, raised_at(error)
            )


def starters_for(settings: Settings) -> tuple[Starter, ...]:
    """Return the starters of a manifest or a package, chosen now if they are not up to date.

    What was chosen, and what is missing, is said on standard error. Without a database there are
    none: an app without starters works.
    """
    try:
        found = asyncio.run(_chosen(settings))
    except (ConfigError, TransientError) as error:
        sys.stderr.write(f"No questions to begin with are in it: {error}\n")
        return ()
    sys.stderr.write(_told(found))
    return found.starters


async def _chosen(settings: Settings) -> StarterSet:
    sys.stderr.write(
        "Choosing suggested questions; each is asked first to check that it is answered.\n"
    )
    async with bootstrap(settings, keeps_calls=False) as service:
        return await service.starters.refresh(is_urgent=True)


def _told(found: StarterSet) -> str:
    if not found.starters:
        why = (
            "nothing was ingested"
            if found.edition is None
            else "no question about the policies was answered confidently; set your own with"
            " CITEBOUND_STARTERS"
        )
        return f"It contains no suggested questions: {why}.\n"
    return "".join(map(_line, found.starters))


def _line(starter: Starter) -> str:
    how = starter.badge.value.capitalize() if starter.badge else "NOT ANSWERED, see the settings"
    return f"  {starter.question} [{how}]\n"
