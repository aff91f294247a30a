"""Show how it works: once to each new conversation, and to whoever asks.

It is sent until Teams takes it, for as long as somebody may wait: see `background`.
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

MOST_REMEMBERED = 4096

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
        self._asked: set[str] = set()

    async def greet(self, found: Met | HelpWanted) -> None:
        """See `keeping.Welcome`; who asked is answered once, however often Teams delivers it."""
        if isinstance(found, HelpWanted):
            if found.dedupe_key in self._asked:
                return
            if len(self._asked) >= MOST_REMEMBERED:
                self._asked.clear()
            self._asked.add(found.dedupe_key)
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
        async def send() -> Outcome:
            if not to.alone:
                return await say(self._transport, to.at, message)
            alone: Card = {"id": to.alone}
            own = message | {"recipient": alone}
            return await self._transport.post(to.at, own, is_targeted=True)

        return await self._background.insist(send)


def _to(found: Met | HelpWanted) -> _To:
    reference = found.reference
    if isinstance(found, Met):
        at = Address(service_url=reference.service_url, conversation=reference.conversation)
        return _To(at=at, alone="")
    at = Address(service_url=reference.service_url, conversation=found.spot.conversation)
    return _To(at=at, alone=found.person if found.is_targeted else "")
