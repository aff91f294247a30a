"""One workspace of Slack: everything that acts in it is made here, for it alone."""

import logging
from dataclasses import dataclass

from bot.actions.wiring import wire_actions
from bot.audience_config import AudienceConfig
from bot.intake import Intake, NotForUs, Overheard, heard
from bot.json_fields import Object
from bot.manifests.identity import read_app_identity
from bot.replies.context import RenderContext, library_of
from bot.report_codes import CodeAnswers
from bot.slack.actions.answer_actions import AskerActions
from bot.slack.actions.commands import SlackQuestions
from bot.slack.actions.dispatch import SlackDispatcher
from bot.slack.actions.home import HomeTab, OpenItemsFinder
from bot.slack.actions.press_handlers import SlackAskers, SlackPressHandlers
from bot.slack.actions.respond import SlackResponder
from bot.slack.inbound.app_events import Opened
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.parse import Disconnected, parse
from bot.slack.outbound.audience import SlackAudience
from bot.slack.outbound.languages import SlackLanguages
from bot.slack.outbound.poster import SlackPoster
from bot.slack.outbound.progress import SlackSurface
from bot.slack.outbound.surroundings import SlackSurroundings
from bot.slack.outbound.timings import SlackTimings
from bot.slack.setup import SlackSetup
from bot.slack.web.calls import Slack
from core.bootstrap import Service
from core.domain.delivery import Delivery
from core.domain.errors import ContractError
from core.domain.message import (
    Ignored,
    InboundMessage,
)
from core.domain.officers import Officers
from core.ports import ConversationStore, Platform

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SlackEventIntake:
    """Keeps the messages of Slack's events. Safe from many tasks."""

    intake: Intake
    conversations: ConversationStore
    identity: SlackIdentity
    officers: Officers

    async def keep(self, body: Object) -> Opened | Disconnected | None:
        """Store what an event tells; return what is no message and has to be seen to.

        Raises:
            TransientError: It may not be stored: Slack must send it again.
        """
        try:
            found = parse(body, self.identity)
        except ContractError as error:
            logger.warning("an event of Slack's can't be read: %s", error)
            return None
        match found:
            case InboundMessage() | Ignored():
                await self.intake.accept(found)
            case Overheard():
                kept = await heard(found, conversations=self.conversations, officers=self.officers)
                if kept is not None:
                    await self.intake.accept(kept)
            case NotForUs():
                logger.debug("an event is not for us: %s", found.reason)
            case Opened() | Disconnected():
                return found
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectedWorkspace:
    """One workspace that we serve, or one organisation."""

    identity: SlackIdentity
    """Who we are there."""
    audience: SlackAudience
    """Who its people are."""
    events: SlackEventIntake
    """Keeps the messages of its events."""
    dispatcher: SlackDispatcher
    """Takes what is pressed there."""
    home_tab: HomeTab
    """Shows Home and the agent's tab."""
    answering: Platform
    """For workers: membership may be some minutes old."""
    posting: Platform
    """For delivery: membership is read again."""


class WorkspaceFactory:
    """Wires workspaces: what all of them share, and what each has of its own."""

    def __init__(
        self,
        service: Service,
        setup: SlackSetup,
        rights: AudienceConfig,
        timings: SlackTimings | None,
    ) -> None:
        self._service = service
        self._setup = setup
        self._rights = rights
        self._timings = timings
        self._name = read_app_identity(service.settings).texts.name
        self._library = library_of(service.settings)

    def connect(self, identity: SlackIdentity, slack: Slack) -> ConnectedWorkspace:
        """Wire one workspace; nothing is called.

        Args:
            identity: who we are there.
            slack: calls with the token of this workspace, and no other.
        """
        service = self._service
        audience = SlackAudience(slack, identity, self._rights)
        default = service.settings.own_language
        languages = SlackLanguages(audience.directory, default=default)
        surface = SlackSurface(
            slack, team=identity.tenant, language_of=languages.known, timings=self._timings
        )
        around = SlackSurroundings(slack, audience, identity).around
        poster = SlackPoster(slack, context_of=self._context_of)
        zone = service.officers.calendar.zone
        codes = CodeAnswers(service.writers, poster, language=languages.at, zone=zone)
        intake = Intake(service.inbox, answers_code=codes)
        actions = wire_actions(
            service,
            membership=audience.when_posting(),
            intake=intake,
            askers=SlackAskers(slack),
            hears_threads=True,
        )
        open_items = OpenItemsFinder(slack, actions.desk, service.posted_answers)
        home_tab = HomeTab(
            slack,
            corpus=service.corpus,
            changes=service.changes,
            audience=audience,
            desk=actions.desk,
            waiting=open_items,
            library=self._library,
            starters=service.starters,
            languages=languages,
            name=self._name,
            zone=service.clock.zones.home,
        )
        questions = SlackQuestions(
            slack,
            intake,
            audience,
            service.clock,
            desk=actions.desk,
            waiting=open_items,
            starters=service.starters,
        )
        asker_actions = AskerActions(
            slack,
            actions.access,
            actions.follow_ups,
            audience=audience,
            shown=service.posted_answers,
            actions=service.answer_actions,
            identity=identity,
        )
        responder = SlackResponder(slack, self._library)
        presses = SlackPressHandlers(slack, actions, responder, home_tab.redraw)
        return ConnectedWorkspace(
            identity=identity,
            audience=audience,
            events=SlackEventIntake(intake, service.conversations, identity, service.officers),
            dispatcher=SlackDispatcher(
                presses.handlers(),
                questions.handlers(),
                asker_actions.handlers(),
                language_of=languages.of,
            ),
            home_tab=home_tab,
            answering=Platform(
                audience=audience,
                surface=surface,
                poster=poster,
                around=around,
                language=languages.at,
                waking=surface.waking,
            ),
            posting=Platform(
                audience=audience.when_posting(),
                surface=surface,
                poster=poster,
                language=languages.at,
            ),
        )

    def _context_of(self, delivery: Delivery) -> RenderContext:
        is_own = delivery.is_direct or delivery.place.mode == "direct"
        from_channel = (delivery.asked_from or "").startswith(("C", "G"))
        return RenderContext(
            library=self._library.of_reply(delivery.reply),
            asker=delivery.person,
            tenant=delivery.place.tenant,
            has_file=delivery.has_file,
            is_public=not is_own,
            may_share=is_own and from_channel,
            starters=self._service.starters.known,
            app_name=self._name,
            language=delivery.reply.language or self._service.settings.own_language,
        )
