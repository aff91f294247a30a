"""Where a reply goes: the reference that was kept of its conversation, checked again.

A person's own chat is the newest one that we know; else one is made, at the service that keeps the
conversation in which they asked, or, for an officer's card, any conversation of the tenant.
"""

import logging
from typing import TypeAlias

from bot.call_results import CallResult, NotSent, Rejected, Succeeded
from bot.teams.connector.connector import Address, Transport
from bot.teams.protocol.conversations import NAME, Reference, conversation_of, read_reference
from bot.teams.protocol.identity import TeamsIdentity
from bot.teams.protocol.payload import maybe
from core.domain.conversation import ConversationReference, Place
from core.domain.errors import ContractError, TransientError
from core.ports.messages import ConversationReferences

NO_REFERENCE = "no_reference"
"""We are not in that conversation, or its address is none that we may call."""

ALONE = "@"
"""How the place of a case's card begins that goes to one officer; see `Route.place`."""

Found: TypeAlias = Address | CallResult
"""An address; or why there is none, `Succeeded` excepted."""

logger = logging.getLogger(__name__)


class Addresses:
    """Finds them. Safe from many tasks."""

    def __init__(
        self, references: ConversationReferences, identity: TeamsIdentity, transport: Transport
    ) -> None:
        self._references = references
        self._identity = identity
        self._transport = transport

    async def of(self, place: Place) -> Found:
        """Return where a place is."""
        if place.channel.startswith(ALONE):
            return await self.direct(place, place.channel.removeprefix(ALONE))
        try:
            reference = await self.reference(place)
        except TransientError:
            return NotSent(why="no_database")
        if reference is None:
            return Rejected(status=0, code=NO_REFERENCE)
        return Address(service_url=reference.service_url, conversation=conversation_of(place))

    async def is_private(self, place: Place) -> bool:
        """Say whether only those read a place who were let in by name.

        Raises:
            TransientError: The database could not say.
        """
        if place.channel.startswith(ALONE) or place.mode == "direct" or self._identity.is_anonymous:
            return True  # nobody but who sits at this machine reads what the playground shows
        reference = await self.reference(place)
        return reference is not None and reference.is_private

    async def direct(self, place: Place, person: str) -> Found:
        """Return the own chat of somebody who asked in a place, or who answers cases."""
        try:
            kept = await self._references.find_direct(NAME, place.tenant, person)
            if kept is not None:
                own = read_reference(kept, self._identity)
                return Address(service_url=own.service_url, conversation=own.conversation)
            reference = await self.reference(place) or await self._near(place.tenant)
        except ContractError:
            return Rejected(status=0, code=NO_REFERENCE)
        except TransientError:
            return NotSent(why="no_database")
        if reference is None:
            return Rejected(status=0, code=NO_REFERENCE)
        return await self.made(reference, person)

    async def reference(self, place: Place) -> Reference | None:
        """Return what is kept of a conversation; None: nothing that we may use.

        Raises:
            TransientError: The database could not say.
        """
        return self._read(await self._references.find(NAME, place.tenant, place.channel))

    async def _near(self, tenant: str) -> Reference | None:
        """Return any conversation of a tenant: an officer may never have written to us."""
        return self._read(await self._references.find_any(NAME, tenant))

    def _read(self, kept: ConversationReference | None) -> Reference | None:
        if kept is None:
            return None
        try:
            return read_reference(kept, self._identity)
        except ContractError as error:
            logger.error("a reference is not used: %s", error)  # noqa: TRY400
            return None

    async def made(self, near: Reference, person: str) -> Found:
        """Make the own chat of somebody, at the service of a conversation."""
        told = await self._transport.create(
            near.service_url,
            {
                "isGroup": False,
                "bot": {"id": near.bot},
                "members": [{"id": person}],
                "tenantId": near.tenant,
                "channelData": {"tenant": {"id": near.tenant}},
            },
        )
        if not isinstance(told, Succeeded):
            return told
        conversation = maybe(told.body, "id")
        if not conversation:
            return Rejected(status=0, code=NO_REFERENCE)
        return Address(service_url=near.service_url, conversation=conversation)
