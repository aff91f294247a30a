"""A question back: a button for each value of the missing fact, or numbers to reply with."""

from collections.abc import Iterator, Sequence

from bot.replies.text import line, width
from bot.slack import names
from bot.slack.elements import (
    BUTTON,
    Block,
    actions,
    button,
    context,
    named,
    rich,
    said,
    words,
)
from core.agent.wording import ALL_OPTION
from core.domain.answer import Answer

BUTTONS = 20
"""Options beyond this many are numbered instead."""
QUESTION = 2_500
FOR_ALL = "Not sure - answer for all"
OR_REPLY = "Or just reply in this thread."


def clarification_blocks(
    answer: Answer, ours: str, *, reference: str, is_rich: bool
) -> list[Block]:
    """Return the question, its options and that a reply will do."""
    has_buttons = is_rich and bool(ours) and 0 < len(answer.options) <= BUTTONS
    needs_list = bool(answer.options) and (
        not has_buttons or any(width(line(option)) > BUTTON for option in answer.options)
    )
    told = [said(words(question_of(answer), bold=True))]
    if needs_list:
        told += [said(words(numbered(answer.options)))]
    blocks = [named(rich(*told), f"ask:{ours}")]
    if has_buttons:
        blocks.append(actions(f"clr:{ours}", *_buttons(answer, ours)))
    return [*blocks, context(f"{how_to_reply(answer, has_buttons=has_buttons)} · {reference}")]


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


def _buttons(answer: Answer, ours: str) -> Iterator[Block]:
    for number, option in enumerate(answer.options):
        value = names.value_of(ours, number)
        yield button(f"{names.CLARIFY}:{number}", line(option, limit=BUTTON), value)
    if offers_all(answer):
        yield button(f"{names.CLARIFY}:{names.ALL}", FOR_ALL, names.value_of(ours, names.ALL))
