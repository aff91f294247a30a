"""Who handles what is pressed in Teams."""

from bot.actions.wiring import wire_actions
from bot.intake import Intake
from bot.replies.context import Library
from bot.teams.actions.commands import Asking
from bot.teams.actions.dispatch import Presses
from bot.teams.actions.press_handlers import PressHandlers, TeamsAskers
from bot.teams.actions.respond import Responder
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
    setting = Setting(library=library)
    actions = wire_actions(
        service,
        membership=audience,
        intake=intake,
        askers=TeamsAskers(rosters),
        hears_threads=False,
    )
    responder = Responder(
        transport,
        addresses,
        background,
        setting=setting,
        officers=service.officers,
        rosters=rosters,
    )
    pressing = PressHandlers(
        actions, responder, officers=service.officers, shown=service.posted_answers, setting=setting
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
    return Presses(pressing.handlers(), asking.handlers())
