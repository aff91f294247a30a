"""Links to messages of Teams, as Microsoft documents them for channels."""

from urllib.parse import quote

from bot.teams.protocol.conversations import scope_of
from core.domain.place import Place


def permalink_of(place: Place) -> str | None:
    """Return a link to where something was asked; None for a chat, which has no such link."""
    if scope_of(place) != "channel":
        return None
    channel, thread = quote(place.channel, safe=""), quote(place.thread, safe="")
    tenant = quote(place.tenant, safe="")
    return f"https://teams.microsoft.com/l/message/{channel}/{thread}?tenantId={tenant}"
