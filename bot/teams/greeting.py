"""Show how it works: once to each new conversation, and to whoever asks.

It goes on after Teams was answered, and is worth one attempt: who missed it asks for help.
"""

import asyncio
import logging

from bot.teams.calls import Refused, Told
from bot.teams.elements import Card
from bot.teams.met import Met
from bot.teams.parse import HelpWanted
from bot.teams.transport import Address, Transport, say
from bot.teams.welcome import welcome, welcome_text

MOST_AT_A_TIME = 64
"""Greetings under way: an app that a whole company gets at once greets as it can."""

logger = logging.getLogger(__name__)


class Greeting:
    """Greets. Safe from many tasks."""

    def __init__(self, transport: Transport, group: asyncio.TaskGroup) -> None:
        """Take how to call Teams, and what is waited for when the process stops."""
        self._transport = transport
        self._group = group
        self._free = asyncio.Semaphore(MOST_AT_A_TIME)

    async def greet(self, found: Met | HelpWanted) -> None:
        """See `keeping.Welcome`."""
        self._group.create_task(self._greeted(found))

    async def _greeted(self, found: Met | HelpWanted) -> None:
        async with self._free:
            try:
                await self._shown(found)
            except Exception as error:  # a greeting ends no process
                logger.warning("nobody was greeted: %s", type(error).__name__)

    async def _shown(self, found: Met | HelpWanted) -> None:
        is_personal = found.reference.scope == "personal"
        asker = found.person if is_personal else ""
        told = await self._sent(found, welcome(is_personal=is_personal, asker=asker))
        if isinstance(told, Refused):
            told = await self._sent(found, welcome_text(is_personal=is_personal))
        if not isinstance(told, Told):
            logger.warning("nobody was greeted: %s", told)

    async def _sent(self, found: Met | HelpWanted, message: Card) -> object:
        reference = found.reference
        conversation = found.spot.conversation if isinstance(found, HelpWanted) else ""
        at = Address(
            service_url=reference.service_url,
            conversation=conversation or reference.conversation,
        )
        if isinstance(found, HelpWanted) and found.is_targeted:
            to: Card = {"id": found.person}
            return await self._transport.post(at, {**message, "recipient": to}, is_targeted=True)
        return await say(self._transport, at, message)
