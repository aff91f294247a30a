"""What was pressed, and by whom: as askers are known, and as the list of officers knows them."""

from collections.abc import Mapping

from bot.actions.press import Press
from bot.forms.forms import DETAILS, Entered, entered
from bot.teams.connector.roster import Rosters
from bot.teams.inbound.interaction import COMMENT, Interaction
from bot.teams.protocol.action_ids import Target
from bot.teams.protocol.conversations import NAME
from core.domain.conversation import Place
from core.domain.officers import Account, Officers


def press_of(interaction: Interaction, target: Target, officers: Officers) -> Press:
    """Return what was pressed or sent; the target may have been looked up."""
    spot = interaction.spot
    own = Account(platform=NAME, tenant=spot.tenant, person=interaction.person)
    return Press(
        who=own,
        listed=_listed(own, interaction.aad, officers),
        is_outside=interaction.is_outside,
        key=interaction.dedupe_key,
        target=target.id,
        choice=target.choice,
        room=None if spot.scope == "personal" else spot.channel,
        message_id=interaction.message_id,
        entered=_entered(interaction.values),
    )


def _entered(held: Mapping[str, str]) -> Entered:
    """Read a form, or what was written beside a thumb."""
    return entered({**held, DETAILS: held[COMMENT]} if COMMENT in held else held)


def officers_in(place: Place, rosters: Rosters, officers: Officers) -> tuple[str, ...]:
    """Return Teams' own ids of officers in a conversation, as its list was last read."""

    def is_officer(person: str) -> bool:
        account = Account(platform=NAME, tenant=place.tenant, person=person)
        return bool(person) and officers.find(account) is not None

    known = rosters.known(place)
    return tuple(one.id for one in known if is_officer(one.id) or is_officer(one.aad))


def _listed(own: Account, aad: str, officers: Officers) -> Account:
    """Return how our list knows somebody: by Teams' own id, or by the directory's."""
    if not aad or officers.find(own) is not None:
        return own
    named = Account(platform=NAME, tenant=own.tenant, person=aad.lower())
    return own if officers.find(named) is None else named
