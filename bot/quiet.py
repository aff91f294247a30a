"""Keep quiet while an officer speaks in somebody's thread, until we are addressed again."""

from core.domain.message import (
    OFFICER_SPEAKS,
    TAKEN_OVER,
    Ignored,
    InboundMessage,
    MessageKind,
)
from core.ports import ConversationStore


async def unless_quiet(
    message: InboundMessage | Ignored,
    conversation_id: str,
    *,
    conversations: ConversationStore,
    is_officer: bool,
) -> InboundMessage | Ignored:
    """Return what a message is that was written in a thread of ours without naming us."""
    if isinstance(message, Ignored) or message.kind is not MessageKind.MESSAGE:
        return message
    speakers = await conversations.speakers(conversation_id)
    speaks = is_officer and speakers.first != message.person
    if not (speaks or speakers.is_taken_over):
        return message
    return message.ignored(OFFICER_SPEAKS if speaks else TAKEN_OVER)
