"""The welcome: how it works, and a button for each question to begin with."""

from bot.replies.context import RenderContext
from bot.replies.notices import AUTOMATED
from bot.replies.welcome import Welcome, button_text, welcome_of
from bot.teams.cards.elements import (
    Card,
    attached,
    card,
    execute_button,
    paragraph,
    rich_text,
    small_print,
    text_run,
)
from bot.teams.protocol.action_ids import STARTER, STARTER_KEY, data_of
from core.language.interface.texts import Text

MENTION = Text(
    "Mention me with each question. If your team lets me read its messages, you can also just"
    " reply in my thread.",
    "Erwähnen Sie mich in jeder Frage. In Kanälen, deren Team mich die Nachrichten lesen lässt,"
    " genügt eine Antwort in einem meiner Threads.",
)
"""Worded to hold with or without consent, which Teams does not report."""
DIRECT = Text(
    "Write your question here; only you see the reply.",
    "Schreiben Sie Ihre Frage hier; die Antwort sehen nur Sie.",
)
BUTTON = 80
"""Characters on a button."""


def welcome(context: RenderContext) -> Card:
    """Return the message with its card."""
    told = _welcome(context)
    body = [
        paragraph(context.app_name, weight="Bolder", size="Medium", style="heading"),
        paragraph(told.first),
        *(rich_text(text_run(f"\u2022 {one}"), spacing="Small") for one in told.lines),
        paragraph(told.offer, spacing="Medium", wrap=True),
    ]
    buttons = [
        execute_button(
            STARTER,
            button_text(number, one, limit=BUTTON, language=context.language),
            data_of(STARTER_KEY, one.starter_id),
        )
        for number, one in enumerate(told.starters)
    ]
    body.append(small_print(AUTOMATED.of(context.language)))
    return {
        "type": "message",
        "summary": told.text(context.app_name),
        "attachments": [attached(card(body, buttons))],
    }


def welcome_text(context: RenderContext) -> Card:
    """Return the same without a card."""
    text = _welcome(context).text(context.app_name)
    return {"type": "message", "textFormat": "plain", "text": text}


def _welcome(context: RenderContext) -> Welcome:
    how_to_ask = MENTION if context.is_public else DIRECT
    return welcome_of(context.starters, how_to_ask=how_to_ask, language=context.language)
