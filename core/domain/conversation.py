"""A conversation on a chat platform: where it is, how to write to it, and what others wrote in it.

What people wrote around a question (the message it is about or quotes, and its thread) is material,
as a policy's text is: never an instruction, never the asker's own statement, and shown to nobody.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from core.domain.codec import json_of, value_of
from core.domain.json_value import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The key by which a thread is known again."""

    platform: str = "console"
    """`console`, `slack`, `teams`."""
    tenant: str = "local"
    """Workspace or tenant id."""
    channel: str = "console"
    """Channel id."""
    thread: str
    """Thread id; for the console an id that the asker may choose."""
    mode: str = "console"
    """`channel`, `thread`, `direct`, `console`."""


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


LONGEST = 1_000
"""Characters that are taken of one message."""
MOST = 6
"""Messages that are taken around one question."""
CARRIED = 2_400
"""Characters of a message as a form carries it; of all it carries Slack takes 3,000."""

Part: TypeAlias = Literal["about", "quoted", "root", "earlier"]
"""What a message is to a question: that about which is asked, or which is quoted; the first of the
thread; one of the last before the question."""
_CHOSEN: tuple[Part, ...] = ("about", "quoted")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextMessage:
    """One message around a question, as far as it is taken."""

    text: str
    """Its words, at most `LONGEST` characters."""
    part: Part
    """What it is to the question."""
    is_own: bool = False
    """True: the asker wrote it."""

    @property
    def is_chosen(self) -> bool:
        """True if the asker pointed at it."""
        return self.part in _CHOSEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What was read around a question."""

    messages: tuple[ContextMessage, ...] = ()
    """As they were written, the oldest first; those that the asker pointed at come last."""
    is_unread: bool = False
    """True: there may be more, and the platform did not let us read it."""


def bounded(messages: Sequence[ContextMessage]) -> tuple[ContextMessage, ...]:
    """Return what is taken: what the asker pointed at, then the root, then the latest others."""
    told = [one for one in messages if one.text.strip()]
    ranked = sorted(
        range(len(told)),
        key=lambda n: (not told[n].is_chosen, told[n].part != "root", -n),
    )
    return tuple(_cut(told[n]) for n in sorted(ranked[:MOST]))


def carried(text: str) -> str:
    """Return a message as a form carries it to its submit: in Base64, so that nothing of it lives.

    At most `CARRIED` characters; a character that no form can hold becomes a question mark.
    """
    told = text.strip()[:LONGEST].encode("utf-8", "replace")[: CARRIED * 3 // 4]
    return base64.b64encode(told).decode("ascii")


def carried_text(told: str) -> str:
    """Return the message that a form carried; `""` for what is none."""
    try:
        return base64.b64decode(told, validate=True).decode("utf-8", "ignore")
    except ValueError:
        return ""


_CONTEXT = "part is_own~ text"


def context_json(messages: Sequence[ContextMessage]) -> list[JsonObject]:
    """Return context as it is stored."""
    return [json_of(message, _CONTEXT) for message in messages]


def context_of(stored: Sequence[Mapping[str, Any]]) -> tuple[ContextMessage, ...]:
    """Return context as it was stored.

    Raises:
        ContractError: It was not stored by us.
    """
    return tuple(value_of(ContextMessage, message, _CONTEXT) for message in stored)


def _cut(message: ContextMessage) -> ContextMessage:
    text = message.text.strip()[:LONGEST]
    return ContextMessage(text=text, part=message.part, is_own=message.is_own)
