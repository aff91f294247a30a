"""Who handles what is pressed, for one workspace."""

from dataclasses import dataclass

from bot.cases import CaseDesk, FeedbackDesk
from bot.intake import Intake
from bot.replies.library import Library
from bot.slack.asking import Asking
from bot.slack.audience import SlackAudience
from bot.slack.calls import Slack
from bot.slack.choosing import Choosing
from bot.slack.escalating import Escalating
from bot.slack.evidence import Evidence
from bot.slack.going_on import GoingOn
from bot.slack.home import Showing
from bot.slack.judging import Judging
from bot.slack.looking import Lookup
from bot.slack.officers import CaseWork
from bot.slack.pressing import Presses
from bot.slack.sender import Home
from bot.slack.setting import Setting
from bot.slack.waiting import Waiting
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
