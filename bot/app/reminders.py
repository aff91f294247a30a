"""Look each minute which cases are due; what is told of it, `core.cases.reminders` decides."""

import asyncio
import logging

from core.cases.reminders import CaseReminders
from core.domain.errors import TransientError, raised_at

LOOKS_EVERY_S = 60.0

logger = logging.getLogger(__name__)


async def keep_reminding(reminders: CaseReminders, *, every_s: float = LOOKS_EVERY_S) -> None:
    """Remind officers of their cases, until it is cancelled."""
    while True:
        try:
            if told := await reminders.once():
                logger.info("officers are reminded of %d cases", told)
        except TransientError:
            logger.warning("officers are reminded of their cases later: the database failed")
        except Exception as error:
            logger.error(  # noqa: TRY400  # what it says may hold what was asked
                "officers are not reminded of their cases: %s at %s",
                type(error).__name__,
                raised_at(error),
            )
        await asyncio.sleep(every_s)
