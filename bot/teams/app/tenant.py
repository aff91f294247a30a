"""Teams, wired: everything that acts in a tenant is made here."""

from dataclasses import dataclass

from bot.audience_config import Rights
from bot.intake import Intake
from bot.replies.answer import follow_ups
from bot.replies.context import Library
from bot.teams.actions.dispatch import Presses
from bot.teams.actions.press_identity import officers_in
from bot.teams.app.action_registry import handlers
from bot.teams.app.event_intake import Keeper
from bot.teams.app.vetting import Site
from bot.teams.cards.render import SHAPES, render
from bot.teams.cards.render_context import Setting
from bot.teams.connector.addresses import Addresses
from bot.teams.connector.background_tasks import Background
from bot.teams.connector.connector import Transport
from bot.teams.connector.roster import Rosters
from bot.teams.outbound.audience import PostingAudience, TeamsAudience
from bot.teams.outbound.poster import Rendered, TeamsPoster
from bot.teams.outbound.surface import Patience, TeamsSurface
from bot.teams.protocol.identity import Home
from bot.teams.protocol.reference import Reference
from core.bootstrap import Service
from core.domain.delivery import Delivery
from core.ports import Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """What a process has of Teams."""

    keeper: Keeper
    """Keeps what is sent to us."""
    presses: Presses
    """Takes what is pressed."""
    answering: Platform
    """For workers: membership may be some minutes old."""
    posting: Platform
    """For delivery: membership is read again."""
    site: Site
    """For who looks at channels that must be private."""


def wire(
    service: Service,
    transport: Transport,
    *,
    home: Home,
    rights: Rights,
    patience: Patience | None,
    background: Background,
) -> Connected:
    """Wire Teams; nothing is called.

    Args:
        service: the product.
        transport: how Teams is called.
        home: who we are.
        rights: who belongs to which group.
        patience: see `Patience`.
        background: does what goes on after its request was answered.
    """
    addresses = Addresses(service.references, home, transport)
    rosters = Rosters(transport, addresses, home)
    audience = TeamsAudience(rosters, rights)
    surface = TeamsSurface(transport, addresses, patience=patience)
    library = Library()

    def rendered(delivery: Delivery) -> Rendered:
        setting = setting_of(
            delivery,
            library,
            asker_name=rosters.name_of(delivery.place, delivery.person),
            officers=officers_in(delivery.place, rosters, service.officers),
        )
        return render(delivery.reply, delivery.shape, setting=setting)

    def forget(reference: Reference) -> None:
        rosters.forget(reference.tenant, reference.conversation)

    poster = TeamsPoster(transport, addresses, render=rendered, shapes=SHAPES)
    intake = Intake(service.inbox)
    presses = handlers(
        service,
        transport,
        addresses=addresses,
        audience=audience,
        rosters=rosters,
        intake=intake,
        library=library,
        background=background,
    )
    keeper = Keeper(
        intake,
        service.conversations,
        service.references,
        home,
        officers=service.officers,
        presses=presses,
        forget=forget,
    )
    return Connected(
        keeper=keeper,
        presses=presses,
        answering=Platform(
            audience=audience, surface=surface, poster=poster, waking=surface.waking
        ),
        posting=Platform(audience=PostingAudience(audience), surface=surface, poster=poster),
        site=Site(tenants=home.tenants, addresses=addresses, rosters=rosters),
    )


def setting_of(
    delivery: Delivery, library: Library, *, asker_name: str, officers: tuple[str, ...]
) -> Setting:
    """Return what a reply is rendered with."""
    answer = delivery.reply.answer
    is_own = delivery.is_direct or delivery.place.mode == "direct"
    return Setting(
        library=library,
        asker=delivery.person,
        asker_name=asker_name,
        has_file=delivery.has_file,
        is_public=not is_own,
        follow_ups=() if answer is None else follow_ups(answer),
        officers=officers,
    )
