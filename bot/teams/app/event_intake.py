"""What Teams sends, on its way in: stored first, then acknowledged.

- A message is in the inbox before Teams hears 200; if it can't be, Teams hears 503. No network call
  comes before that.
- How to write to a conversation is stored before the message is, so that its answer finds it.
- A greeting is stored like a message: what follows from both is queued in the same transaction.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field

from bot.intake import Intake, NotForUs, Overheard, heard
from bot.json_fields import Object
from bot.teams.actions.dispatch import TeamsDispatcher
from bot.teams.inbound.interaction import TeamsInteraction
from bot.teams.inbound.membership_events import Changed, Met, Parted
from bot.teams.inbound.parse import parse
from bot.teams.protocol.conversations import NAME, Reference, reference_of
from bot.teams.protocol.identity import TeamsIdentity
from core.domain.errors import TransientError
from core.domain.message import Ignored, InboundMessage
from core.domain.officers import Officers
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


@dataclass(frozen=True, slots=True)
class TeamsEventIntake:
    """Stores what activities tell, except invokes. Safe from many tasks."""

    intake: Intake
    conversations: ConversationStore
    references: ConversationReferences
    identity: TeamsIdentity
    _: KW_ONLY
    officers: Officers
    presses: TeamsDispatcher
    forget: Forget
    _remembered: dict[Reference, float] = field(default_factory=dict, init=False)

    async def keep(self, activity: Object) -> None:
        """Store what an activity tells.

        Raises:
            ContractError: It lacks what Teams promises; sent again it would lack it, too.
            TransientError: It may not be stored: Teams must send it again.
        """
        found = parse(activity, self.identity)
        match found:
            case InboundMessage() | Ignored():
                await self._accept(activity, found)
            case Overheard():
                kept = await heard(found, conversations=self.conversations, officers=self.officers)
                if kept is not None:
                    await self._accept(activity, kept)
            case TeamsInteraction():
                await self._press(found)
            case Met():
                since = await self.references.put(found.reference.stored())
                await self.intake.accept(found.greeting(since))
            case Changed():
                self.forget(found.reference)
                await self._know(found.reference)
            case Parted():
                await self._part(found)
            case NotForUs():
                logger.debug("an activity is not for us: %s", found.reason)

    async def _accept(self, activity: Object, message: InboundMessage | Ignored) -> None:
        if isinstance(message, InboundMessage):
            await self._know(reference_of(activity, self.identity))
        await self.intake.accept(message)

    async def _press(self, interaction: TeamsInteraction) -> None:
        response = await self.presses.take(interaction)
        if response.status != 200:  # noqa: PLR2004  # the only good one
            raise UnavailableError

    async def _part(self, found: Parted) -> None:
        self._remembered.clear()
        gone = await self.references.forget(NAME, found.tenant, found.team or found.conversation)
        if found.team:
            gone += await self.references.forget(NAME, found.tenant, found.conversation)
        logger.info("our app was taken from a conversation: %d forgotten", gone)

    async def _know(self, reference: Reference) -> None:
        """Keep how to write to a conversation."""
        now = time.monotonic()
        if self._remembered.get(reference, 0.0) > now:
            return
        await self.references.put(reference.stored())
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[reference] = now + SAME_FOR_S
