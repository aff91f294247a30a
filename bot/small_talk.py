"""Greetings and thanks: a greeting is answered with how the bot works, thanks need no reply."""

import re
from typing import TypeGuard

from core.agent.conversation.small_talk import SmallTalk, small_talk
from core.domain.message import Ignored, InboundMessage, MessageKind

HELP = frozenset({"help", "/help"})
"""The command."""
THANKS = "thanks"
"""Reason of `Ignored`."""
_SIGN_IN = frozenset(
    {
        "sign in",
        "sign-in",
        "signin",
        "console",
        "officer console",
        "officers console",
        "officers' console",
        "open console",
        "open the console",
        "sign in to the console",
    }
)
_WORD = r"thank(?:s| ?you| ?u)|thx|cheers|much appreciated"
_BESIDE = (
    r"ok(?:ay)?|great|perfect|cool|super|nice|good|oh|ah|and|yes|got it|understood|noted|again|all"
    r"|(?:so|very|that|a)? ?much|a lot|for (?:the|your) (?:help|answer|information|reply)"
    r"|for (?:that|this)|(?:that|this|it) helps"
    r"|(?:that is|that's|this is|very) (?:very |really )?(?:helpful|useful|clear|kind)"
)
_EMOJI = r":[a-z0-9_+-]+:|[^\w\s]"
_ONLY_THANKS = re.compile(
    rf"(?=.*\b(?:{_WORD})\b)(?>(?>(?:(?:{_WORD}|{_BESIDE})\b|{_EMOJI})\s*)+)",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 100
"""Characters: more says more than thanks."""


def wants_help(text: str) -> bool:
    """Say whether a greeting, or asking what the bot can do, is all that was written."""
    return small_talk(text) in {SmallTalk.GREETING, SmallTalk.HELP}


def wants_console(text: str) -> bool:
    """Say whether somebody asks, in so many words, to be let into the officers' console."""
    return text[:_LONGEST].strip(" \n/.!").lower().replace("\u2019", "'") in _SIGN_IN


def is_only_thanks(message: InboundMessage | Ignored) -> TypeGuard[InboundMessage]:
    """Say whether a message holds thanks and nothing that could be answered.

    A question mark always asks for something.
    """
    if not isinstance(message, InboundMessage) or message.kind is not MessageKind.MESSAGE:
        return False
    text = message.text.strip()
    return len(text) <= _LONGEST and "?" not in text and bool(_ONLY_THANKS.fullmatch(text))
