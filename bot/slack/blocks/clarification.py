"""A question back: a button for each value of the missing fact, or numbers to reply with."""

from collections.abc import Iterator

from bot.replies.clarification import (
    FOR_ALL,
    how_to_reply,
    numbered,
    offers_all,
    question_of,
)
from bot.replies.text import line, width
from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import (
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
from core.agent.conversation.understanding import ALL
from core.domain.answer import Answer

BUTTONS = 20
"""Options beyond this many are numbered instead."""


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


def _buttons(answer: Answer, ours: str) -> Iterator[Block]:
    for number, option in enumerate(answer.options):
        value = action_ids.value_of(ours, number)
        yield button(f"{action_ids.CLARIFY}:{number}", line(option, limit=BUTTON), value)
    if offers_all(answer):
        yield button(
            f"{action_ids.CLARIFY}:{ALL}",
            FOR_ALL,
            action_ids.value_of(ours, ALL),
        )
