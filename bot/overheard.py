"""What people write in a thread of ours without naming us: most of it is meant for each other.

It is answered only if it comes from whom we answered last there, asks something, and speaks to
nobody else; or if it answers a question that we asked that person back. All else is dropped before
anything is stored. While an officer speaks in somebody's thread we keep quiet, until we are
addressed again.
"""

from dataclasses import dataclass

from core.agent.conversation.speech import asks, is_aside, speaks_to_others
from core.domain.message import (
    OFFICER_SPEAKS,
    TAKEN_OVER,
    Ignored,
    InboundMessage,
    MessageKind,
    Speakers,
)
from core.ports import ConversationStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheard:
    """Addressed to us only if its thread is ours, and then perhaps; else not to be kept."""

    message: InboundMessage | Ignored
    """What it then is."""
    names_others: bool
    """True: it mentions somebody, whom the platform tells."""


async def heard(
    found: Overheard,
    *,
    conversations: ConversationStore,
    is_officer: bool,
) -> InboundMessage | Ignored | None:
    """Return what is to be kept of what was overheard; None: nothing, it is not meant for us.

    Raises:
        TransientError: The tables can't be read: the platform must send it again.
    """
    message = found.message
    known = await conversations.find(message.place)
    if known is None:
        return None
    if isinstance(message, Ignored) or message.kind is not MessageKind.MESSAGE:
        return message
    speakers = await conversations.speakers(known)
    if is_officer and speakers.first != message.person:
        return message.ignored(OFFICER_SPEAKS)
    if not is_meant_for_us(message, speakers, names_others=found.names_others):
        return None
    if speakers.is_taken_over:
        return message.ignored(TAKEN_OVER)
    return message.overheard()


def is_meant_for_us(message: InboundMessage, speakers: Speakers, *, names_others: bool) -> bool:
    """Say whether a message that names us nowhere goes on with what its writer asked us."""
    if message.person != speakers.asker or names_others or speaks_to_others(message.text):
        return False
    return asks(message.text) or (speakers.is_asked_back and not is_aside(message.text))
