"""Who handles what is pressed in Teams."""

from bot.cases import CaseDesk, FeedbackDesk
from bot.intake import Intake
from bot.replies.library import Library
from bot.teams.actions.answer_actions import GoingOn
from bot.teams.actions.case_actions import CaseWork
from bot.teams.actions.clarification_actions import Choosing
from bot.teams.actions.commands import Asking
from bot.teams.actions.dispatch import Presses
from bot.teams.actions.ephemeral import Whisper
from bot.teams.actions.escalation_actions import Escalating
from bot.teams.actions.evidence_actions import Evidence
from bot.teams.actions.feedback_actions import Judging
from bot.teams.actions.reply_lookup import Lookup
from bot.teams.cards.render_context import Setting
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.background_tasks import Background
from bot.teams.connector.connector import Transport
from bot.teams.connector.roster import Rosters
from bot.teams.outbound.audience import TeamsAudience
from core.bootstrap import Service


def handlers(
    service: Service,
    transport: Transport,
    *,
    addresses: Addresses,
    audience: TeamsAudience,
    rosters: Rosters,
    intake: Intake,
    library: Library,
    background: Background,
) -> Presses:
    """Return the handlers; nothing is called."""
    officers = service.officers
    desk = CaseDesk(cases=service.cases, officers=officers)
    lookup, whisper = Lookup(service.shown, audience), Whisper(transport, addresses, background)
    choosing = Choosing(
        lookup,
        intake,
        whisper,
        transport=transport,
        background=background,
        clock=service.clock,
    )
    asking = Asking(
        intake,
        service.references,
        transport=transport,
        addresses=addresses,
        audience=audience,
        rosters=rosters,
        clock=service.clock,
    )
    return Presses(
        choosing.handlers(),
        Evidence(lookup, service.shown, whisper, Setting(library=library)).handlers(),
        Escalating(lookup, desk, whisper, officers=officers, rosters=rosters).handlers(),
        Judging(lookup, FeedbackDesk(service.feedback, cases=desk), whisper).handlers(),
        CaseWork(desk, whisper, officers=officers, rosters=rosters).handlers(),
        GoingOn(lookup, service.shown_deeds, whisper, desk=desk, officers=officers).handlers(),
        asking.handlers(),
    )
