"""Show how it works: once to each new conversation, and to whoever asks.

It is worth one attempt: who missed it asks for help.
"""

import logging
from dataclasses import dataclass

from bot.teams.background import Background
from bot.teams.calls import Outcome, Refused, Told
from bot.teams.elements import Card
from bot.teams.met import Met
from bot.teams.parse import HelpWanted
from bot.teams.transport import Address, Transport, say
from bot.teams.welcome import welcome, welcome_text

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _To:
    """Whom to greet, where."""

    at: Address
    alone: str
    """Teams' id of who alone sees it; empty: everybody there."""


class Greeting:
    """Greets. Safe from many tasks."""

    def __init__(self, transport: Transport, background: Background) -> None:
        """Take how to call Teams, and what goes on after Teams was answered."""
        self._transport = transport
        self._background = background

    async def greet(self, found: Met | HelpWanted) -> None:
        """See `keeping.Welcome`."""
        self._background.begin(self._greeted(found))

    async def _greeted(self, found: Met | HelpWanted) -> None:
        is_personal = found.reference.scope == "personal"
        asker, to = found.person if is_personal else "", _to(found)
        told = await self._said(to, welcome(is_personal=is_personal, asker=asker))
        if isinstance(told, Refused):
            told = await self._said(to, welcome_text(is_personal=is_personal))
        if not isinstance(told, Told):
            logger.warning("nobody was greeted: %s", type(told).__name__)

    async def _said(self, to: _To, message: Card) -> Outcome:
        if not to.alone:
            return await say(self._transport, to.at, message)
        alone: Card = {"id": to.alone}
        return await self._transport.post(to.at, message | {"recipient": alone}, is_targeted=True)


def _to(found: Met | HelpWanted) -> _To:
    reference = found.reference
    if isinstance(found, Met):
        at = Address(service_url=reference.service_url, conversation=reference.conversation)
        return _To(at=at, alone="")
    at = Address(service_url=reference.service_url, conversation=found.spot.conversation)
    return _To(at=at, alone=found.person if found.is_targeted else "")
