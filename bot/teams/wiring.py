"""Who handles what is pressed in Teams."""

from bot.cases import CaseDesk, FeedbackDesk
from bot.intake import Intake
from bot.replies.library import Library
from bot.teams.addresses import Addresses
from bot.teams.asking import Asking
from bot.teams.audience import TeamsAudience
from bot.teams.background import Background
from bot.teams.choosing import Choosing
from bot.teams.escalating import Escalating
from bot.teams.evidence import Evidence
from bot.teams.going_on import GoingOn
from bot.teams.judging import Judging
from bot.teams.looking import Lookup
from bot.teams.officers import CaseWork
from bot.teams.pressing import Presses
from bot.teams.roster import Rosters
from bot.teams.setting import Setting
from bot.teams.transport import Transport
from bot.teams.whisper import Whisper
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
