"""Questions that came by a button or a dialog: the same messages as those typed."""

from datetime import datetime

from bot.teams.inbound.interaction import Interaction
from core.domain.context import ContextMessage, bounded
from core.domain.message import InboundMessage, MessageKind
from core.domain.place import Place
from core.domain.run import Json


def asked(
    interaction: Interaction,
    *,
    place: Place,
    text: str,
    sent_at: datetime,
    kind: MessageKind = MessageKind.MESSAGE,
    message_key: str | None = None,
    is_whispered: bool = False,
    about: ContextMessage | None = None,
) -> InboundMessage:
    """Return the message of what somebody pressed or sent.

    Args:
        interaction: what was done.
        place: where it is answered, looked up.
        text: words of ours that were looked up, or what was typed.
        sent_at: when we heard of it, aware, UTC.
        kind: what was done, in our words.
        message_key: its identity, where several presses mean one thing.
        about: the message that is asked about, as the request says it.
        is_whispered: True: nobody else saw what it follows from, and nor may they see the reply.
    """
    facts: dict[str, Json] = {
        "service_url": interaction.reference.service_url,
        "conversation": interaction.spot.conversation,
        "scope": interaction.spot.scope,
        "bot": interaction.reference.bot,
        "aad": interaction.aad,
        "locale": interaction.locale,
        "is_targeted": is_whispered,
        "is_outside": interaction.is_outside,
    }
    return InboundMessage(
        place=place,
        dedupe_key=interaction.dedupe_key,
        message_key=message_key or interaction.dedupe_key,
        kind=kind,
        person=interaction.person,
        text=text,
        sent_at=sent_at,
        raw=facts,
        context=bounded([about] if about else []),
    )
