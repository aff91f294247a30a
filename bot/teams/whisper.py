"""Tell one person something, in the form in which what they did is answered."""

import logging
from collections.abc import Mapping

from bot.teams import dialogs
from bot.teams.background import Background
from bot.teams.calls import Outcome, Told
from bot.teams.elements import Card, attached
from bot.teams.forms import FORMS, again
from bot.teams.interaction import Interaction
from bot.teams.transport import Address, Transport
from core.domain.run import Json

logger = logging.getLogger(__name__)


class Whisper:
    """Tells. Safe from many tasks."""

    def __init__(self, transport: Transport, background: Background) -> None:
        """Take how to call Teams, and what goes on after a press was answered."""
        self._transport = transport
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
        if not isinstance(told, Told):
            logger.info("nobody was told what came of a press: %s", type(told).__name__)
