"""Questions that came by a command, a button or a modal: the same messages as those typed.

What the person chose is given by the caller, who looked it up by its id: a callback's own words are
never taken for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from bot.slack.inbound.interaction import Interaction
from core.domain.context import ContextMessage, bounded, carried_text
from core.domain.message import InboundMessage, MessageKind
from core.domain.place import Place
from core.domain.run import Json

ABOUT = "about"
"""Key of `InboundMessage.raw`: channel, thread and `ts` of the message that is asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """`/policy` with a question."""

    question: str
    """Its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admin:
    """`/policy admin …`: for officers."""

    words: tuple[str, ...]
    """What follows, word by word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mine:
    """`/policy mine`: what of this person's is still open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """`/policy`, `/policy help`: how it works."""


Command: TypeAlias = Ask | Admin | Mine | Help


def command_of(words: str) -> Command:
    """Return what the words of a command mean; a question may begin with any word but one's own."""
    first, _, rest = words.strip().partition(" ")
    match first.lower():
        case "" | "help" if not rest.strip():
            return Help()
        case "mine" if not rest.strip():
            return Mine()
        case "admin":
            return Admin(words=tuple(rest.split()))
        case _:
            return Ask(question=words.strip())


def asked(
    interaction: Interaction,
    *,
    place: Place,
    text: str,
    sent_at: datetime,
    kind: MessageKind = MessageKind.MESSAGE,
    message_key: str | None = None,
    about: Mapping[str, str] | None = None,
    is_whispered: bool = False,
) -> InboundMessage:
    """Return the message that an interaction amounts to.

    Args:
        interaction: tells who, and is its identity: a repeated one is the same message.
        place: where the reply goes; of a command the direct conversation.
        text: the question, or the option that was chosen, from our own tables.
        sent_at: when it was pressed, aware, UTC.
        kind: `CHOICE` for an option of a clarification.
        about: what the form of a shortcut carried of the message that is asked about; a client may
            have changed it.
        is_whispered: nobody else saw what it follows from; Slack has no such message, so it is
            False.
        message_key: what can be said once, however often and by whatever it is pressed; None: each
            press counts.
    """
    facts: dict[str, Json] = {
        "team": interaction.team,
        "channel": place.channel,
        "ts": interaction.message_ts,
        "channel_type": "im" if place.mode == "direct" else "",
        "is_shared": False,
        "is_outside": interaction.is_outside,
        "from_channel": interaction.channel,
        "response_url": interaction.response_url,
    }
    if is_whispered:
        facts["is_targeted"] = True
    held = about or {}
    if held.get("c"):
        facts[ABOUT] = {"channel": held["c"], "ts": held.get("ts"), "thread": held.get("t")}
    said = carried_text(held.get("m", ""))
    told = ContextMessage(text=said, part="about", is_own=bool(held.get("o")))
    return InboundMessage(
        place=place,
        dedupe_key=interaction.dedupe_key,
        message_key=message_key,
        kind=kind,
        person=interaction.person,
        text=text,
        sent_at=sent_at,
        raw=facts,
        context=bounded([told]),
    )
