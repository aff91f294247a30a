"""Questions about a message, by the command in its menu. They become messages like all others.

The question is shown where its answer will stand, then kept, and only then acknowledged.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace

from bot.call_results import Succeeded
from bot.forms.forms import QUESTION, QUESTION_LIMIT, THREAD, WHERE, FormName, question_about_form
from bot.intake import Intake
from bot.replies.notices import (
    ASKED_BEFORE,
    EMPTY,
    IN_DIRECT,
    IN_THREAD,
    NOT_NOW,
    NOT_THERE,
    OUTDATED,
    OUTSIDE,
)
from bot.replies.safe_text import line
from bot.teams.actions.dispatch import Handler, said
from bot.teams.cards import dialogs
from bot.teams.cards.dialogs import ASK_TITLE, again, form_dialog
from bot.teams.cards.elements import Card
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.connector import Address, Transport
from bot.teams.connector.roster import Rosters
from bot.teams.inbound.interaction import TeamsInteraction, asked
from bot.teams.outbound.audience import TeamsAudience
from bot.teams.protocol import action_ids
from bot.teams.protocol.action_ids import target_of
from bot.teams.protocol.conversations import NAME
from core.agent.starters.service import StarterService
from core.domain.conversation import ContextMessage, Place
from core.domain.errors import TransientError
from core.domain.json_value import Json
from core.domain.message import Accepted
from core.language.interface.texts import Text
from core.ports import Clock
from core.ports.messages import ConversationReferences

HERE = Text("Asked: the answer comes here.", "Gefragt: Die Antwort kommt hierher.")
TAKEN = frozenset({IN_THREAD, IN_DIRECT})
ASKED = Text("You asked: {question}", "Sie haben gefragt: {question}")
ASKED_BY = Text("{name} asked: {question}", "{name} hat gefragt: {question}")
SOMEBODY = Text("Somebody", "Jemand")


@dataclass(frozen=True, slots=True)
class TeamsQuestions:
    """Takes questions about messages."""

    intake: Intake
    references: ConversationReferences
    _: KW_ONLY
    transport: Transport
    addresses: Addresses
    audience: TeamsAudience
    rosters: Rosters
    clock: Clock
    starters: StarterService

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {
            action_ids.ASK_ABOUT: self.open,
            FormName.QUESTION: self.submit,
            action_ids.STARTER: self.begin,
        }

    async def begin(self, interaction: TeamsInteraction) -> Mapping[str, Json]:
        """Ask a question to begin with, as the presser's own: once below each welcome."""
        if interaction.is_outside:
            return told(interaction, OUTSIDE)
        starter_id = target_of(interaction.values).id
        found = await self.starters.find(starter_id)
        place = interaction.location.place
        is_direct = place.mode == "direct"
        if found is None:
            return told(interaction, OUTDATED)
        if not is_direct and not await self.audience.is_member(place, interaction.person):
            return told(interaction, NOT_THERE)
        await self.references.put(interaction.reference.stored())
        key = f"{NAME}:{place.tenant}:{place.channel}:{place.thread}:starter"
        taken = await self.intake.accept(
            asked(
                interaction,
                place=place,
                text=found.question,
                sent_at=self.clock.now(),
                message_key=f"{key}:{interaction.message_id}:{interaction.person}:{starter_id}",
            )
        )
        if not isinstance(taken, Accepted):
            return told(interaction, ASKED_BEFORE)
        await self.show(place, interaction, found.question)
        return told(interaction, HERE)

    async def show(self, place: Place, interaction: TeamsInteraction, question: str) -> None:
        """Show what somebody asked by a press, who is named where others read."""
        at = await self.addresses.of(place)
        if not isinstance(at, Address):
            return
        language = interaction.language
        words = (ASKED if place.mode == "direct" else ASKED_BY).of(language)
        name = self._name_of(place, interaction)
        shown = words.format(name=name, question=_shortened(question))
        await self.transport.post(at, {"type": "message", "textFormat": "plain", "text": shown})

    def _name_of(self, place: Place, interaction: TeamsInteraction) -> str:
        known = line(self.rosters.name_of(place, interaction.person), limit=80)
        return known or SOMEBODY.of(interaction.language)

    async def open(self, interaction: TeamsInteraction) -> Mapping[str, Json]:
        """Open the form with the message that it is about."""
        if interaction.is_outside:
            return dialogs.message(OUTSIDE.of(interaction.language))
        about = interaction.message_id or interaction.location.root
        form = question_about_form(interaction.quoted, title=ASK_TITLE, message_id=about)
        return form_dialog(form, language=interaction.language)

    async def submit(self, interaction: TeamsInteraction) -> Mapping[str, Json]:
        """Take the question of the form."""
        target_of(interaction.values)
        question = interaction.values.get(QUESTION, "").strip()[:QUESTION_LIMIT]
        if interaction.is_outside:
            return dialogs.message(OUTSIDE.of(interaction.language))
        if not question:
            return again(interaction, EMPTY) or dialogs.message(EMPTY.of(interaction.language))
        in_thread = interaction.values.get(WHERE) == THREAD
        ask = self._in_thread if in_thread else self._direct
        words = await ask(interaction, question)
        said = dialogs.message(words.of(interaction.language))
        return said if words in TAKEN else again(interaction, words) or said

    async def _in_thread(self, interaction: TeamsInteraction, question: str) -> Text:
        """Answer where the message stands: only if we and the person are there, too."""
        place = interaction.location.place
        try:
            is_there = await self.audience.is_member(place, interaction.person)
        except TransientError:
            return NOT_NOW
        at = await self.addresses.of(place)
        if not is_there or not isinstance(at, Address):
            return NOT_THERE
        words = ASKED_BY.of(interaction.language).format(
            name=self._name_of(place, interaction), question=_shortened(question)
        )
        return IN_THREAD if await self._taken(interaction, question, place, at, words) else NOT_NOW

    async def _direct(self, interaction: TeamsInteraction, question: str) -> Text:
        at = await self.addresses.direct(interaction.location.place, interaction.person)
        if not isinstance(at, Address):
            at = await self.addresses.made(interaction.reference, interaction.person)
        if not isinstance(at, Address):
            return NOT_NOW
        own = replace(
            interaction.reference,
            conversation=at.conversation,
            scope="personal",
            service_url=at.service_url,
            person=interaction.person,
            aad=interaction.aad or None,
            team=None,
            locale=interaction.locale or None,
        )
        await self.references.put(own.stored())
        place = Place(
            platform=NAME,
            tenant=own.tenant,
            channel=at.conversation,
            thread=at.conversation,
            mode="direct",
        )
        words = ASKED.of(interaction.language).format(question=_shortened(question))
        return IN_DIRECT if await self._taken(interaction, question, place, at, words) else NOT_NOW

    async def _taken(
        self, interaction: TeamsInteraction, question: str, place: Place, at: Address, words: str
    ) -> bool:
        """Show the question in these words and keep it; say whether it is kept."""
        shown: Card = {"type": "message", "textFormat": "plain", "text": words}
        if not isinstance(await self.transport.post(at, shown), Succeeded):
            return False
        await self.intake.accept(
            asked(
                interaction,
                place=place,
                text=question,
                sent_at=self.clock.now(),
                about=ContextMessage(
                    text=interaction.quoted, part="about", is_own=interaction.is_own
                ),
            )
        )
        return True


def told(interaction: TeamsInteraction, words: Text) -> Mapping[str, Json]:
    """Return a line for whoever pressed; a client that sends a press as a message shows none."""
    return said(interaction, words).body


def _shortened(question: str) -> str:
    return line(question, limit=1_500)
