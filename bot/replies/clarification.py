"""The words of a question back: what is asked, its options by number, and how to reply."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from bot.replies.text import line
from core.agent.wording import ALL_OPTION
from core.domain.answer import Answer

QUESTION = 2_500
"""Characters of the question."""
FOR_ALL = "Not sure - answer for all"
Heard: TypeAlias = Literal["thread", "named", "chat"]
"""What of a reply reaches us: all that is written in the thread; what mentions us; all of a chat
with one person."""
_REPLY: Mapping[Heard, str] = {
    "thread": "just reply in this thread",
    "named": "reply and mention me",
    "chat": "just reply",
}


def question_of(answer: Answer) -> str:
    """Return the question alone."""
    asked = answer.text.removesuffix(ALL_OPTION) if answer.options else answer.text
    return line(asked, limit=QUESTION)


def offers_all(answer: Answer) -> bool:
    """Say whether every case may be asked for at once."""
    return bool(answer.options) and answer.text.endswith(ALL_OPTION)


def how_to_reply(answer: Answer, *, has_buttons: bool, heard: Heard = "thread") -> str:
    """Return what to do without a button, so that it reaches us."""
    reply = _REPLY[heard]
    if has_buttons:
        return f"Or {reply}."
    if not answer.options:
        return f"{reply.capitalize()}."
    for_all = ", or “all” for every case" if offers_all(answer) else ""
    named = ", and mention me" if heard == "named" else ""
    return f"Reply with a number or in your own words{for_all}{named}."


def numbered(options: Sequence[str]) -> str:
    """Return options with the numbers by which a reply may name them."""
    lines = (f"{number}. {line(one, limit=90)}" for number, one in enumerate(options[:25], start=1))
    return "\n".join(lines)
