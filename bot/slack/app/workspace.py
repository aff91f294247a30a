"""One workspace of Slack, wired: everything that acts in it is made here, for it alone."""

from dataclasses import dataclass

from bot.actions.wiring import wire_actions
from bot.audience_config import AudienceConfig
from bot.intake import Intake
from bot.replies.context import Library, RenderContext
from bot.slack.actions.answer_actions import GoingOn
from bot.slack.actions.commands import Asking
from bot.slack.actions.dispatch import Presses
from bot.slack.actions.home import Showing, Waiting
from bot.slack.actions.press_handlers import PressHandlers, SlackAskers
from bot.slack.actions.respond import Responder
from bot.slack.app.event_intake import Keeper
from bot.slack.inbound.identity import Home
from bot.slack.outbound.audience import SlackAudience
from bot.slack.outbound.poster import SlackPoster
from bot.slack.outbound.progress import SlackSurface, SlackTimings
from bot.slack.outbound.surroundings import SlackSurroundings
from bot.slack.setup import SlackSetup
from bot.slack.web.calls import Slack
from core.bootstrap import Service
from core.domain.delivery import Delivery
from core.ports import Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """What people see and press in one workspace."""

    presses: Presses
    """Takes what is pressed."""
    showing: Showing
    """Shows Home, and what to ask."""


def wire(
    service: Service,
    slack: Slack,
    *,
    home: Home,
    audience: SlackAudience,
    intake: Intake,
    library: Library,
) -> Pressed:
    """Return the handlers of one workspace."""
    actions = wire_actions(
        service,
        membership=audience.when_posting(),
        intake=intake,
        askers=SlackAskers(slack),
        hears_threads=True,
    )
    waiting = Waiting(slack, actions.desk, service.posted_answers)
    showing = Showing(
        slack,
        corpus=service.corpus,
        changes=service.changes,
        audience=audience,
        desk=actions.desk,
        waiting=waiting,
        library=library,
    )
    asking = Asking(slack, intake, audience, service.clock, desk=actions.desk, waiting=waiting)
    going_on = GoingOn(
        slack,
        actions.access,
        intake,
        audience=audience,
        shown=service.posted_answers,
        actions=service.answer_actions,
        home=home,
        clock=service.clock,
    )
    responder = Responder(slack, library)
    pressing = PressHandlers(slack, actions, responder, showing.redraw)
    presses = Presses(pressing.handlers(), asking.handlers(), going_on.handlers())
    return Pressed(presses=presses, showing=showing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """One workspace that we serve, or one organisation."""

    home: Home
    """Who we are there."""
    audience: SlackAudience
    """Who its people are."""
    keeper: Keeper
    """Keeps the messages of its events."""
    presses: Presses
    """Takes what is pressed there."""
    showing: Showing
    """Shows Home and the agent's tab."""
    answering: Platform
    """For workers: membership may be some minutes old."""
    posting: Platform
    """For delivery: membership is read again."""


class Wiring:
    """Wires workspaces: what all of them share, and what each has of its own."""

    def __init__(
        self,
        service: Service,
        setup: SlackSetup,
        rights: AudienceConfig,
        timings: SlackTimings | None,
    ) -> None:
        """Take what they share."""
        self._service = service
        self._setup = setup
        self._rights = rights
        self._timings = timings
        self._library = Library()

    def connect(self, home: Home, slack: Slack) -> Connected:
        """Wire one workspace; nothing is called.

        Args:
            home: who we are there.
            slack: calls with the token of this workspace, and no other.
        """
        service = self._service
        audience = SlackAudience(slack, home, self._rights)
        surface = SlackSurface(slack, team=home.tenant, timings=self._timings)
        around = SlackSurroundings(slack, audience, home).around
        poster = SlackPoster(slack, context_of=self._context_of)
        intake = Intake(service.inbox)
        pressed = wire(
            service, slack, home=home, audience=audience, intake=intake, library=self._library
        )
        return Connected(
            home=home,
            audience=audience,
            keeper=Keeper(intake, service.conversations, home, service.officers),
            presses=pressed.presses,
            showing=pressed.showing,
            answering=Platform(
                audience=audience,
                surface=surface,
                poster=poster,
                around=around,
                waking=surface.waking,
            ),
            posting=Platform(audience=audience.when_posting(), surface=surface, poster=poster),
        )

    def _context_of(self, delivery: Delivery) -> RenderContext:
        is_own = delivery.is_direct or delivery.place.mode == "direct"
        from_channel = (delivery.asked_from or "").startswith(("C", "G"))
        return RenderContext(
            library=self._library,
            asker=delivery.person,
            has_file=delivery.has_file,
            is_public=not is_own,
            may_share=is_own and from_channel,
        )
