"""Tell one person something, in the form in which what they did is answered."""

import logging
from collections.abc import Mapping

from bot.teams.cards import dialogs
from bot.teams.cards.elements import Card, attached
from bot.teams.cards.forms import FORMS, again
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.background_tasks import Background
from bot.teams.connector.calls import NOT_HERE, Outcome, Refused, Told
from bot.teams.connector.connector import Address, Transport
from bot.teams.protocol.interaction import Interaction
from core.domain.run import Json

logger = logging.getLogger(__name__)


class Whisper:
    """Tells. Safe from many tasks."""

    def __init__(self, transport: Transport, addresses: Addresses, background: Background) -> None:
        """Take how to call Teams, where people's chats are, and what goes on after a press."""
        self._transport = transport
        self._addresses = addresses
        self._background = background

    def say(self, interaction: Interaction, words: str) -> Mapping[str, Json]:
        """Return the answer that says it; where none can, write to that person alone."""
        match interaction.kind:
            case "execute":
                return dialogs.whispered(words)
            case "press":
                line: Card = {"type": "message", "textFormat": "plain", "text": words}
                self._background.begin(self._write(interaction, line))
                return dialogs.NOTHING
            case "feedback":
                return dialogs.NOTHING
            case _:
                return dialogs.told(words)

    def open(
        self, interaction: Interaction, title: str, card: Card, *, is_large: bool = False
    ) -> Mapping[str, Json]:
        """Return the answer that opens a dialog; where a client has none, write its card."""
        if interaction.kind != "press":
            return dialogs.opened(title, card, is_large=is_large)
        message: Card = {"type": "message", "summary": title, "attachments": [attached(card)]}
        self._background.begin(self._write(interaction, message))
        return dialogs.NOTHING

    def refuse(self, interaction: Interaction, words: str) -> Mapping[str, Json]:
        """Say why something was not taken; what was typed into a dialog is shown again."""
        is_form = interaction.kind in FORMS
        form = again(interaction, words) if is_form else None
        return self.say(interaction, words) if form is None else form

    async def _write(self, interaction: Interaction, message: Card) -> None:
        spot = interaction.spot
        at = Address(service_url=interaction.reference.service_url, conversation=spot.conversation)

        async def send() -> Outcome:
            if spot.scope == "personal":
                return await self._transport.post(at, message)
            to: Card = {"id": interaction.person}
            return await self._transport.post(at, message | {"recipient": to}, is_targeted=True)

        told = await self._background.insist(send)
        if isinstance(told, Refused) and told.status in NOT_HERE and spot.scope != "personal":
            told = await self._background.insist(lambda: self._directly(interaction, message))
        if not isinstance(told, Told):
            logger.info("nobody was told what came of a press: %s", type(told).__name__)

    async def _directly(self, interaction: Interaction, message: Card) -> Outcome:
        """Write to the person's own chat: not everywhere has Teams messages for one alone."""
        own = await self._addresses.direct(interaction.spot.place, interaction.person)
        return await self._transport.post(own, message) if isinstance(own, Address) else own
