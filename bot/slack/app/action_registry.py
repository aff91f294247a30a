"""Who handles what is pressed, for one workspace."""

from dataclasses import dataclass

from bot.actions.wiring import wire_actions
from bot.intake import Intake
from bot.replies.context import Library
from bot.slack.actions.answer_actions import GoingOn
from bot.slack.actions.commands import Asking
from bot.slack.actions.dispatch import Presses
from bot.slack.actions.home import Showing
from bot.slack.actions.open_items import Waiting
from bot.slack.actions.press_handlers import PressHandlers, SlackAskers
from bot.slack.actions.respond import Responder
from bot.slack.blocks.render_context import Setting
from bot.slack.inbound.identity import Home
from bot.slack.outbound.audience import PostingAudience, SlackAudience
from bot.slack.web.calls import Slack
from core.bootstrap import Service


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
        membership=PostingAudience(audience),
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
    responder = Responder(slack, Setting(library=library))
    pressing = PressHandlers(slack, actions, responder, showing.redraw)
    presses = Presses(pressing.handlers(), asking.handlers(), going_on.handlers())
    return Pressed(presses=presses, showing=showing)
