"""What Teams sends, on its way in: kept first, then acknowledged (platforms, 3.3).

- A message is in the inbox before Teams hears 200; if it can't be, Teams hears 503. No network
  call comes before that.
- How to write to a conversation is kept before the message is: its answer must not find nothing.
- A greeting is kept like a message: what follows from both is queued in the same transaction.
"""

import logging
import time
from collections.abc import Callable

from bot.intake import Intake, Overheard, heard
from bot.json_fields import Object
from bot.teams.actions.dispatch import Presses
from bot.teams.inbound.interaction import Interaction, NotOurs
from bot.teams.inbound.membership_events import Changed, Met, Parted
from bot.teams.inbound.parse import NotForUs, parse
from bot.teams.protocol.conversations import NAME, Reference, reference_of
from bot.teams.protocol.identity import Home
from core.domain.errors import TransientError
from core.domain.message import Ignored, InboundMessage
from core.domain.officers import Account, Officers
from core.ports import ConversationStore
from core.ports.messages import ConversationReferences

Forget = Callable[[Reference], None]
"""Forgets who the members of a conversation were."""

SAME_FOR_S = 600.0
"""How long an unchanged reference is not written again by this process."""
MOST_REMEMBERED = 4096

logger = logging.getLogger(__name__)


class UnavailableError(TransientError):
    """What was sent could not be kept: Teams is to hear so."""


class Keeper:
    """Keeps what activities tell, except invokes. Safe from many tasks."""

    def __init__(
        self,
        intake: Intake,
        conversations: ConversationStore,
        references: ConversationReferences,
        home: Home,
        *,
        officers: Officers,
        presses: Presses,
        forget: Forget,
    ) -> None:
        """Take where messages and references are kept, who we are, and who does the rest.

        Officers are those of our list: while one speaks in a thread, we do not.
        """
        self._intake = intake
        self._conversations = conversations
        self._references = references
        self._home = home
        self._officers = officers
        self._presses = presses
        self._forget = forget
        self._remembered: dict[Reference, float] = {}

    async def keep(self, activity: Object) -> None:
        """Store what an activity tells.

        Raises:
            ContractError: It lacks what Teams promises; sent again it would lack it, too.
            TransientError: It may not be stored: Teams must send it again.
        """
        found = parse(activity, self._home)
        match found:
            case InboundMessage() | Ignored():
                await self._accept(activity, found)
            case Overheard():
                kept = await heard(
                    found,
                    conversations=self._conversations,
                    is_officer=self._is_officer(found.message),
                )
                if kept is not None:
                    await self._accept(activity, kept)
            case Interaction():
                await self._press(found)
            case Met():
                since = await self._references.put(found.reference.stored())
                await self._intake.accept(found.greeting(since))
            case Changed():
                self._forget(found.reference)
                await self._know(found.reference)
            case Parted():
                await self._part(found)
            case NotForUs() | NotOurs():
                logger.debug("an activity is not for us: %s", found.reason)

    async def _accept(self, activity: Object, message: InboundMessage | Ignored) -> None:
        if isinstance(message, InboundMessage):
            await self._know(reference_of(activity, self._home))
        await self._intake.accept(message)

    def _is_officer(self, message: InboundMessage | Ignored) -> bool:
        aad = message.raw.get("aad") if isinstance(message, InboundMessage) else None
        tenant = message.place.tenant
        ids = {message.person, aad.lower() if isinstance(aad, str) else ""} - {""}
        return any(
            self._officers.find(Account(platform=NAME, tenant=tenant, person=one)) for one in ids
        )

    async def _press(self, interaction: Interaction) -> None:
        response = await self._presses.take(interaction)
        if response.status != 200:  # noqa: PLR2004  # the only good one
            raise UnavailableError

    async def _part(self, found: Parted) -> None:
        self._remembered.clear()
        gone = await self._references.forget(NAME, found.tenant, found.team or found.conversation)
        if found.team:
            gone += await self._references.forget(NAME, found.tenant, found.conversation)
        logger.info("our app was taken from a conversation: %d forgotten", gone)

    async def _know(self, reference: Reference) -> None:
        """Keep how to write to a conversation."""
        now = time.monotonic()
        if self._remembered.get(reference, 0.0) > now:
            return
        await self._references.put(reference.stored())
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[reference] = now + SAME_FOR_S
