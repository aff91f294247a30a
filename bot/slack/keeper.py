"""Messages of one workspace's events, stored before Slack hears that we have them."""

import logging

from bot.intake import Intake
from bot.slack.opened import Opened
from bot.slack.parse import Disconnected, NotForUs, Overheard, parse
from bot.slack.payload import Object
from bot.slack.sender import Home
from core.domain.casework import Account
from core.domain.errors import ContractError
from core.domain.message import (
    OFFICER_SPEAKS,
    TAKEN_OVER,
    Ignored,
    InboundMessage,
    MessageKind,
)
from core.domain.officers import Officers
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
                known = await self._conversations.find(found.message.place)
                if known is not None:
                    await self._intake.accept(await self._unless_quiet(found.message, known))
            case NotForUs():
                logger.debug("an event is not for us: %s", found.reason)
            case Opened() | Disconnected():
                return found
        return None

    async def _unless_quiet(
        self, message: InboundMessage | Ignored, conversation_id: str
    ) -> InboundMessage | Ignored:
        """Keep quiet while an officer speaks in somebody's thread, until we are addressed again."""
        if isinstance(message, Ignored) or message.kind is not MessageKind.MESSAGE:
            return message
        place = message.place
        who = Account(platform=place.platform, tenant=place.tenant, person=message.person)
        speakers = await self._conversations.speakers(conversation_id)
        speaks = self._officers.find(who) is not None and speakers.first != message.person
        if not (speaks or speakers.is_taken_over):
            return message
        return Ignored(
            place=place,
            dedupe_key=message.dedupe_key,
            person=message.person,
            sent_at=message.sent_at,
            reason=OFFICER_SPEAKS if speaks else TAKEN_OVER,
        )
