"""Messages of one workspace's events, stored before Slack hears that we have them."""

import logging

from bot.intake import Intake
from bot.slack.opened import Opened
from bot.slack.parse import Disconnected, NotForUs, Overheard, parse
from bot.slack.payload import Object
from bot.slack.sender import Home
from core.domain.errors import ContractError
from core.domain.message import Ignored, InboundMessage
from core.ports import ConversationStore

logger = logging.getLogger(__name__)


class Keeper:
    """Keeps the messages of Slack's events. Safe from many tasks."""

    def __init__(self, intake: Intake, conversations: ConversationStore, home: Home) -> None:
        """Take where messages are kept, who knows our threads, and who we are."""
        self._intake = intake
        self._conversations = conversations
        self._home = home

    async def keep(self, body: Object) -> Opened | Disconnected | None:
        """Store what an event tells; return what is no message and has to be seen to.

        Raises:
            TransientError: It may not be stored: Slack must send it again.
        """
        try:
            found = parse(body, self._home)
        except ContractError as error:
            logger.warning("an event of Slack's can't be read: %s", error)
            return None
        match found:
            case InboundMessage() | Ignored():
                await self._intake.accept(found)
            case Overheard():
                if await self._conversations.find(found.message.place) is not None:
                    await self._intake.accept(found.message)
            case NotForUs():
                logger.debug("an event is not for us: %s", found.reason)
            case Opened() | Disconnected():
                return found
        return None
