"""What people press in Teams, handed to the actions, and their outcomes to the responder."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial

from bot.actions.cases import AskerDetails
from bot.actions.press import Press, PressTarget, Say
from bot.actions.wiring import Action, Actions
from bot.replies.answer import WHOLE_TITLE
from bot.replies.context import Library
from bot.replies.notices import THANKS_UP
from bot.teams.actions.commands import HERE
from bot.teams.actions.dispatch import Handler
from bot.teams.actions.press_identity import press_of
from bot.teams.actions.respond import TeamsResponder
from bot.teams.cards import dialogs
from bot.teams.cards.answer import whole_card
from bot.teams.connector.roster import Rosters
from bot.teams.inbound.interaction import FEEDBACK, REACTION, TeamsInteraction, asked
from bot.teams.protocol import action_ids
from bot.teams.protocol.action_ids import target_of
from bot.teams.protocol.conversations import NAME, permalink_of
from core.domain.conversation import Place
from core.domain.json_value import Json
from core.domain.officers import Officers
from core.ports.posted_answers import PostedAnswer, PostedAnswers

_THUMBS = {"like": "up", "dislike": "down"}


logger = logging.getLogger(__name__)


ShowQuestion = Callable[[Place, TeamsInteraction, str], Awaitable[None]]
"""Shows where its answer will stand what somebody asked by a press."""


@dataclass(frozen=True, slots=True)
class TeamsPressHandlers:
    """Handles what is pressed, in one tenant."""

    actions: Actions
    responder: TeamsResponder
    _: KW_ONLY
    officers: Officers
    shown: PostedAnswers
    library: Library
    show_question: ShowQuestion

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        answers = self.actions.answers
        return {
            FEEDBACK: self._rate,
            action_ids.CLARIFY: self._choose,
            action_ids.FOLLOW_UP: self._ask_on,
            action_ids.CASE_REFRESH: self._handler(self.actions.cases.show),
            action_ids.EVIDENCE: self._handler(answers.evidence),
            action_ids.EVIDENCE_PAGE: self._handler(answers.evidence),
            action_ids.SHOW: self._show,
            **{act: self._handler(action) for act, action in self.actions.routes().items()},
        }

    def _handler(self, act: Action) -> Handler:
        async def handle(interaction: TeamsInteraction) -> Mapping[str, Json]:
            return self.responder.respond(interaction, await act(self._press(interaction)))

        return handle

    def _press(self, interaction: TeamsInteraction) -> Press:
        return press_of(interaction, target_of(interaction.values), self.officers)

    async def _rate(self, interaction: TeamsInteraction) -> Mapping[str, Json]:
        """Keep a thumb; whatever comes of it, Teams takes nothing but an empty answer."""
        answer_id = await self.shown.answer_in(
            interaction.message_id,
            platform=NAME,
            tenant=interaction.location.tenant,
            channel=interaction.location.channel,
            person=interaction.person,
        )
        if answer_id is None:
            logger.info("a thumb is about no answer of ours")
            return dialogs.NOTHING
        thumb = _THUMBS.get(interaction.values.get(REACTION, ""), "")
        press = press_of(interaction, PressTarget(id=answer_id, choice=thumb), self.officers)
        # It was found by where it stands: there is nothing to hold its channel against.
        outcome = await self.actions.feedback.rate(replace(press, room=None))
        if isinstance(outcome, Say) and outcome.words != THANKS_UP:
            logger.info("a thumb of who may not read the answer, or about one that is over")
        return dialogs.NOTHING

    async def _choose(self, interaction: TeamsInteraction) -> Mapping[str, Json]:
        press, as_message = self._press(interaction), partial(asked, interaction)
        outcome = await self.actions.clarification.choose(press, as_message)
        return self.responder.respond(interaction, outcome)

    async def _ask_on(self, interaction: TeamsInteraction) -> Mapping[str, Json]:
        press, as_message = self._press(interaction), partial(asked, interaction)
        outcome = await self.actions.follow_ups.ask_on(press, as_message)
        if isinstance(outcome, Say):
            return self.responder.respond(interaction, outcome)
        if outcome.is_shown:
            await self.show_question(outcome.place, interaction, outcome.question)
        return self.responder.respond(interaction, Say(words=HERE))

    async def _show(self, interaction: TeamsInteraction) -> Mapping[str, Json]:
        """Open a dialog with an answer of which Teams did not say whether it arrived."""
        found = await self.actions.answers.whole(self._press(interaction))
        if isinstance(found, Say):
            return self.responder.respond(interaction, found)
        language = interaction.language
        card = whole_card(found, self.library.of(found), language)
        title = WHOLE_TITLE.of(language)
        return self.responder.open(interaction, title, card, is_large=True)


class TeamsAskers:
    """See `bot.actions.cases.Askers`."""

    def __init__(self, rosters: Rosters) -> None:
        self._rosters = rosters

    async def details(self, found: PostedAnswer) -> AskerDetails:
        """See `Askers.details`."""
        name = self._rosters.name_of(found.place, found.person)
        return AskerDetails(permalink=permalink_of(found.place), name=name or None)
