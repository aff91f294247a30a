"""Messages of one workspace's events, stored before Slack hears that we have them."""

import logging

from bot.intake import Intake, Overheard, heard
from bot.json_fields import Object
from bot.slack.inbound.app_events import Opened
from bot.slack.inbound.identity import Home
from bot.slack.inbound.parse import Disconnected, NotForUs, parse
from core.domain.errors import ContractError
from core.domain.message import (
    Ignored,
    InboundMessage,
)
from core.domain.officers import Account, Officers
from core.ports import ConversationStore

logger = logging.getLogger(__name__)


class Keeper:
    """Keeps the messages of Slack's events. Safe from many tasks."""

    def __init__(
        self, intake: Intake, conversations: ConversationStore, home: Home, officers: Officers
    ) -> None:
        """Take where messages are kept, who knows our threads, who we are, and our officers."""
        self._officers = officers
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
                kept = await heard(
                    found,
                    conversations=self._conversations,
                    is_officer=self._is_officer(found.message),
                )
                if kept is not None:
                    await self._intake.accept(kept)
            case NotForUs():
                logger.debug("an event is not for us: %s", found.reason)
            case Opened() | Disconnected():
                return found
        return None

    def _is_officer(self, message: InboundMessage | Ignored) -> bool:
        place = message.place
        who = Account(platform=place.platform, tenant=place.tenant, person=message.person)
        return self._officers.find(who) is not None
