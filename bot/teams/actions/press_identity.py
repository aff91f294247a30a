"""What was pressed, and by whom: as askers are known, and as the list of officers knows them."""

from collections.abc import Mapping

from bot.actions.press import Press, PressTarget
from bot.forms.forms import DETAILS, Entered, entered
from bot.teams.inbound.interaction import COMMENT, TeamsInteraction
from bot.teams.protocol.conversations import NAME
from core.domain.officers import Account, Officers


def press_of(interaction: TeamsInteraction, target: PressTarget, officers: Officers) -> Press:
    """Return what was pressed or sent; the target may have been looked up."""
    location = interaction.location
    own = Account(platform=NAME, tenant=location.tenant, person=interaction.person)
    return Press(
        who=own,
        listed=_listed(own, interaction.aad, officers),
        is_outside=interaction.is_outside,
        key=interaction.dedupe_key,
        target=target.id,
        choice=target.choice,
        room=None if location.scope == "personal" else location.channel,
        message_id=interaction.message_id,
        entered=_entered(interaction.values),
    )


def _entered(held: Mapping[str, str]) -> Entered:
    """Read a form, or what was written beside a thumb."""
    return entered({**held, DETAILS: held[COMMENT]} if COMMENT in held else held)


def _listed(own: Account, aad: str, officers: Officers) -> Account:
    """Return how our list knows somebody: by Teams' own id, or by the directory's."""
    if not aad or officers.find(own) is not None:
        return own
    named = Account(platform=NAME, tenant=own.tenant, person=aad.lower())
    return own if officers.find(named) is None else named
