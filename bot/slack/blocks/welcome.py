"""The welcome: how it works, and a button for each question to begin with."""

from collections.abc import Sequence

from bot.replies import notices
from bot.replies.context import RenderContext
from bot.replies.safe_text import line
from bot.replies.welcome import Welcome, button_text, welcome_of
from bot.slack.blocks import action_ids
from bot.slack.blocks.elements import (
    Block,
    actions,
    bullet_list,
    button,
    header,
    rich_text,
    section,
    small,
    words,
)
from bot.slack.blocks.mrkdwn import escaped
from core.language.interface.texts import Text
from core.language.languages import Language
from core.ports.starters import Starter

BUTTON = 75
"""Characters on a button."""
HOW_TO_ASK = Text(
    "Message me directly, mention me in a channel, or use /policy.",
    "Schreiben Sie mir direkt, erwähnen Sie mich in einem Channel, oder nutzen Sie /policy.",
)
_ASK = Text("Ask: {question}", "Fragen: {question}")


def welcome_blocks(context: RenderContext) -> list[Block]:
    """Return the welcome as blocks."""
    told = _welcome(context)
    blocks = [
        header(line(context.app_name)),
        section(told.first),
        rich_text(bullet_list(map(words, told.lines))),
        section(told.offer),
    ]
    if told.starters:
        blocks.append(starter_buttons(told.starters, context.language))
    return [*blocks, small(notices.AUTOMATED.of(context.language))]


def welcome_text(context: RenderContext) -> str:
    """Return the same as mrkdwn."""
    return escaped(_welcome(context).text(context.app_name))


def starter_buttons(starters: Sequence[Starter], language: Language = Language.ENGLISH) -> Block:
    """Return a row of buttons, each of which asks a question."""
    buttons = (
        button(
            f"{action_ids.STARTER}:{number}",
            button_text(number, one, limit=BUTTON, language=language),
            one.starter_id,
            label=line(_ASK.format(question=one.question).of(language), limit=BUTTON),
        )
        for number, one in enumerate(starters)
    )
    return actions("starters", *buttons)


def _welcome(context: RenderContext) -> Welcome:
    return welcome_of(context.starters, how_to_ask=HOW_TO_ASK, language=context.language)
