"""Carry out what an action decided, in the form in which what somebody did is answered."""

import logging
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import assert_never

from bot.actions.press import (
    FieldError,
    FormNotice,
    OpenForm,
    Outcome,
    Redraw,
    Removed,
    Say,
    View,
)
from bot.background_tasks import BackgroundTasks
from bot.call_results import CallResult, Rejected, Succeeded
from bot.forms.evidence import TITLE, EvidenceView
from bot.forms.forms import Form
from bot.replies.context import Library, RenderContext
from bot.replies.notices import ASKED_BY, REMOVED
from bot.replies.safe_text import line
from bot.teams.cards import dialogs
from bot.teams.cards.answer import clarified_card
from bot.teams.cards.cases import affected_card, case_card
from bot.teams.cards.dialogs import FORMS, again, form_card
from bot.teams.cards.elements import Card, attached
from bot.teams.cards.evidence import evidence_card
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.connector import Address, Transport
from bot.teams.connector.http_client import NOT_HERE
from bot.teams.connector.roster import Rosters, officers_in
from bot.teams.inbound.interaction import TeamsInteraction
from core.domain.affected import AffectedEdition
from core.domain.case import Case
from core.domain.delivery import Clarified
from core.domain.json_value import Json
from core.domain.officers import Officers

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TeamsResponder:
    """Answers invokes, and writes to one person where no answer would be shown.

    Safe from many tasks.
    """

    transport: Transport
    addresses: Addresses
    background: BackgroundTasks
    _: KW_ONLY
    library: Library
    officers: Officers
    rosters: Rosters

    def respond(self, interaction: TeamsInteraction, outcome: Outcome) -> Mapping[str, Json]:
        """Return the body that an invoke is answered with."""
        match outcome:
            case Say():
                return self._say(interaction, self._worded(interaction, outcome))
            case FieldError():
                form = again(interaction, outcome.words) if interaction.kind in FORMS else None
                words = outcome.words.of(interaction.language)
                return self._say(interaction, words) if form is None else form
            case OpenForm():
                return self._open_form(interaction, outcome.form)
            case Redraw():
                return self._redraw(interaction, outcome.now)
            case Removed():
                # Teams shows an error for a press without an answer.
                return self._say(interaction, REMOVED.of(interaction.language))
            case _:
                assert_never(outcome)

    def open(
        self, interaction: TeamsInteraction, title: str, card: Card, *, is_large: bool = False
    ) -> Mapping[str, Json]:
        """Return the answer that opens a dialog; where a client has none, write its card."""
        if interaction.kind != "press":
            return dialogs.opened(title, card, is_large=is_large)
        message: Card = {"type": "message", "summary": title, "attachments": [attached(card)]}
        self.background.begin(self._write(interaction, message))
        return dialogs.NOTHING

    def _worded(self, interaction: TeamsInteraction, told: Say) -> str:
        """Return a line, with the name of who asked before it where that is to be said."""
        place = interaction.location.place
        who = line(self.rosters.name_of(place, told.whose), limit=80) if told.whose else ""
        language = interaction.language
        words = told.words.of(language)
        return f"{ASKED_BY.of(language).format(who=who)} {words}" if who else words

    def _say(self, interaction: TeamsInteraction, words: str) -> Mapping[str, Json]:
        """Return the answer that says it; where none can, write to that person alone."""
        match interaction.kind:
            case "execute":
                return dialogs.whispered(words)
            case "press":
                line: Card = {"type": "message", "textFormat": "plain", "text": words}
                self.background.begin(self._write(interaction, line))
                return dialogs.NOTHING
            case "feedback":
                return dialogs.NOTHING
            case _:
                return dialogs.message(words)

    def _open_form(self, interaction: TeamsInteraction, form: View) -> Mapping[str, Json]:
        language = interaction.language
        match form:
            case Form():
                card = form_card(form, language=language)
                return self.open(interaction, form.title.of(language), card)
            case EvidenceView():
                shown = replace(form, language=language)
                card = evidence_card(shown, self.library.of(form.answer))
                return self.open(interaction, TITLE.of(language), card, is_large=True)
            case FormNotice():
                return self._say(interaction, form.words.of(language))
            case _:
                assert_never(form)

    def _redraw(
        self, interaction: TeamsInteraction, now: Clarified | Case | AffectedEdition
    ) -> Mapping[str, Json]:
        """Answer with the card as it is now, where a client takes one."""
        # As a message it is rewritten by delivery, for whoever pressed as for all others.
        is_shown = interaction.kind == "execute"
        return dialogs.replaced(self._card(interaction, now)) if is_shown else dialogs.NOTHING

    def _card(self, interaction: TeamsInteraction, now: Clarified | Case | AffectedEdition) -> Card:
        language = interaction.language
        if isinstance(now, Clarified):
            return clarified_card(now, None, language)
        if isinstance(now, AffectedEdition):
            return affected_card(now, RenderContext(library=self.library, language=language))
        context = RenderContext(
            language=language,
            is_public=interaction.location.scope != "personal",
            officers=officers_in(interaction.location.place, self.rosters, self.officers),
        )
        return case_card(now, context)

    async def _write(self, interaction: TeamsInteraction, message: Card) -> None:
        location, at = interaction.location, _address(interaction)

        async def send() -> CallResult:
            if location.scope == "personal":
                return await self.transport.post(at, message)
            to: Card = {"id": interaction.person}
            return await self.transport.post(at, message | {"recipient": to}, is_targeted=True)

        told = await self.background.retry(send)
        if isinstance(told, Rejected) and told.status in NOT_HERE and location.scope != "personal":
            told = await self.background.retry(lambda: self._directly(interaction, message))
        if not isinstance(told, Succeeded):
            logger.info("nobody was told what came of a press: %s", type(told).__name__)

    async def _directly(self, interaction: TeamsInteraction, message: Card) -> CallResult:
        """Write to the person's own chat: not everywhere has Teams messages for one alone."""
        own = await self.addresses.direct(interaction.location.place, interaction.person)
        return await self.transport.post(own, message) if isinstance(own, Address) else own


def _address(interaction: TeamsInteraction) -> Address:
    return Address(
        service_url=interaction.reference.service_url,
        conversation=interaction.location.conversation,
    )
