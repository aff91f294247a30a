"""Who handles what is pressed, for one workspace."""

from dataclasses import dataclass

from bot.cases import CaseDesk, FeedbackDesk
from bot.intake import Intake
from bot.replies.library import Library
from bot.slack.actions.answer_actions import GoingOn
from bot.slack.actions.case_actions import CaseWork
from bot.slack.actions.clarification_actions import Choosing
from bot.slack.actions.commands import Asking
from bot.slack.actions.dispatch import Presses
from bot.slack.actions.escalation_actions import Escalating
from bot.slack.actions.evidence_actions import Evidence
from bot.slack.actions.feedback_actions import Judging
from bot.slack.actions.home import Showing
from bot.slack.actions.open_items import Waiting
from bot.slack.actions.reply_lookup import Lookup
from bot.slack.blocks.render_context import Setting
from bot.slack.outbound.audience import SlackAudience
from bot.slack.web.calls import Slack
from bot.slack.web.identity import Home
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
    desk = CaseDesk(cases=service.cases, officers=service.officers)
    lookup = Lookup(service.shown, audience)
    waiting = Waiting(slack, desk, service.shown)
    showing = Showing(
        slack,
        corpus=service.corpus,
        changes=service.changes,
        audience=audience,
        desk=desk,
        waiting=waiting,
        library=library,
    )
    going_on = GoingOn(
        slack,
        lookup,
        intake,
        audience=audience,
        deeds=service.shown_deeds,
        desk=desk,
        home=home,
        clock=service.clock,
    )
    presses = Presses(
        Choosing(slack, lookup, intake, service.clock).handlers(),
        Evidence(slack, lookup, service.shown, Setting(library=library)).handlers(),
        Asking(slack, intake, audience, service.clock, desk=desk, waiting=waiting).handlers(),
        Escalating(slack, lookup, desk).handlers(),
        CaseWork(slack, desk, showing.redraw).handlers(),
        Judging(slack, lookup, FeedbackDesk(service.feedback, cases=desk)).handlers(),
        going_on.handlers(),
    )
    return Pressed(presses=presses, showing=showing)
