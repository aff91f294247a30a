"""What a chat platform needs to be told to write to a conversation without being asked."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.domain.run import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationReference:
    """One conversation in which our app is, and how to write to it."""

    platform: str
    """See `Place.platform`."""
    tenant: str
    """See `Place.tenant`."""
    conversation: str
    """Id of the conversation, without a thread: see `Place.channel`."""
    person: str | None = None
    """The platform's id of whose direct conversation with us it is; None for any other."""
    team: str | None = None
    """Id of the team whose channel it is; None for a chat."""
    facts: Mapping[str, Json]
    """What the platform's own side wrote, and checks again when it reads it; no text."""
