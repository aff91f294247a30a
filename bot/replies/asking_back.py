"""The words of a question back: what is asked, its options by number, and how to reply."""

from collections.abc import Sequence

from bot.replies.text import line
from core.agent.wording import ALL_OPTION
from core.domain.answer import Answer

QUESTION = 2_500
"""Characters of the question."""
FOR_ALL = "Not sure - answer for all"
OR_REPLY = "Or just reply in this thread."


def question_of(answer: Answer) -> str:
    """Return the question alone."""
    asked = answer.text.removesuffix(ALL_OPTION) if answer.options else answer.text
    return line(asked, limit=QUESTION)


def offers_all(answer: Answer) -> bool:
    """Say whether every case may be asked for at once."""
    return bool(answer.options) and answer.text.endswith(ALL_OPTION)


def how_to_reply(answer: Answer, *, has_buttons: bool) -> str:
    """Return what to do without a button."""
    if has_buttons or not answer.options:
        return OR_REPLY if has_buttons else "Just reply in this thread."
    for_all = ", or “all” for every case" if offers_all(answer) else ""
    return f"Reply with a number or in your own words{for_all}."


def numbered(options: Sequence[str]) -> str:
    """Return options with the numbers by which a reply may name them."""
    lines = (f"{number}. {line(one, limit=90)}" for number, one in enumerate(options[:25], start=1))
    return "\n".join(lines)
