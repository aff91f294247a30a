"""Carry out what an action decided: lines for one person, forms, messages drawn anew."""

import logging
from dataclasses import replace
from typing import assert_never

from bot.actions.press import (
    FieldError,
    FormNotice,
    OpenForm,
    Outcome,
    Redraw,
    Removed,
    Say,
    View,
)
from bot.call_results import CallResult, RateLimited, Rejected, Succeeded
from bot.forms.evidence import TITLE, EvidenceView
from bot.forms.forms import TITLES, Form
from bot.replies.answer import WHOLE_TITLE
from bot.replies.context import Library, RenderContext
from bot.replies.notices import ASKED_BY
from bot.slack.actions.dispatch import Ack
from bot.slack.blocks.action_ids import VIEW_DONE
from bot.slack.blocks.answer import whole_blocks
from bot.slack.blocks.elements import Block
from bot.slack.blocks.evidence import evidence_modal
from bot.slack.blocks.modals import errors, form_modal, message_modal, modal, updated
from bot.slack.blocks.mrkdwn import escaped, link, mention
from bot.slack.inbound.interaction import SlackInteraction
from bot.slack.web.calls import Slack
from core.domain.answer import Answer
from core.language.interface.texts import Text
from core.language.languages import Language

NOT_NOW = Text(
    "Slack did not open the form. Please press the button again.",
    "Slack hat das Formular nicht geöffnet. Bitte drücken Sie noch einmal.",
)

logger = logging.getLogger(__name__)


class SlackResponder:
    """Acknowledges, then shows what came of a press, in one workspace."""

    def __init__(self, slack: Slack, library: Library) -> None:
        self._slack = slack
        self._library = library

    async def respond(self, interaction: SlackInteraction, ack: Ack, outcome: Outcome) -> None:
        """Acknowledge and carry it out; what is committed stays so whether or not that works."""
        if interaction.kind == "submit":
            await ack(**_after_submit(interaction, outcome))
            return
        await ack()
        match outcome:
            case Say():
                await whisper(self._slack, interaction, outcome.words, whose=outcome.whose)
            case FieldError():
                await whisper(self._slack, interaction, outcome.words)
            case OpenForm():
                opened = await self.open(interaction, outcome.form)
                if not isinstance(opened, Succeeded):
                    await whisper(self._slack, interaction, await _unopened(outcome, opened))
            case Redraw() | Removed():
                pass  # delivery rewrites the message
            case _:
                assert_never(outcome)

    async def open(self, interaction: SlackInteraction, form: View) -> CallResult:
        """Open a form; a trigger lives 3 s."""
        return await self._slack.show(
            "views.open", self.view(form, interaction.language), trigger_id=interaction.trigger
        )

    def whole(self, answer: Answer, language: Language) -> Block:
        """Return an answer as a modal with nothing to press."""
        context = RenderContext(library=self._library.of(answer), language=language)
        blocks, title = whole_blocks(answer, context), WHOLE_TITLE.of(language)
        return modal(title, blocks, callback_id=VIEW_DONE, language=language)

    def view(self, form: View, language: Language) -> Block:
        """Return a form as a modal."""
        match form:
            case Form():
                return form_modal(form, language=language)
            case EvidenceView():
                shown = replace(form, language=language)
                return evidence_modal(shown, self._library.of(form.answer))
            case FormNotice():
                return message_modal(form.title, form.words, language)
            case _:
                assert_never(form)


async def _unopened(outcome: OpenForm, result: CallResult) -> Text:
    """Return what is said of a form that Slack did not open; at worst it is open all the same."""
    if outcome.without_form is not None and isinstance(result, Rejected | RateLimited):
        return (await outcome.without_form()).words
    return outcome.otherwise or NOT_NOW


def _after_submit(interaction: SlackInteraction, outcome: Outcome) -> Block:
    """Return what becomes of the form that was sent."""
    match outcome:
        case FieldError(field=str() as field):
            return errors({field: outcome.words}, interaction.language)
        case Say() | FieldError():
            title = TITLES.get(interaction.name, TITLE)
            return updated(message_modal(title, outcome.words, interaction.language))
        case _:
            return {}


async def whisper(
    slack: Slack,
    interaction: SlackInteraction,
    words: Text,
    *,
    to: str | None = None,
    at: Text | None = None,
    whose: str = "",
) -> None:
    """Say a line to whoever pressed.

    Where Slack does not show it (they have left the channel, or pressed in a view) it comes in a
    direct message. Succeeded twice harms less than not told.

    Args:
        slack: calls their workspace.
        interaction: tells who pressed, and where.
        words: what is said.
        to: an address that Slack told us, which `at` leads to; None: none.
        at: the words of the link, where there is one.
        whose: who asked what was pressed, to be named first; empty: nobody.
    """
    language = interaction.language
    text = escaped(words.of(language))
    if to and at is not None:
        text = f"{text} {link(to, at.of(language))}"
    if asker := mention(whose):
        text = f"{ASKED_BY.of(language).format(who=asker)} {text}"
    if interaction.channel is not None:
        shown = await slack.post_ephemeral(
            interaction.channel, interaction.person, text, thread_ts=interaction.thread_ts
        )
        if isinstance(shown, Succeeded):
            return
    await _directly(slack, interaction.person, text)


async def _directly(slack: Slack, person: str, text: str) -> None:
    channel = await slack.open_direct(person)
    told = await slack.post_message(channel, text) if isinstance(channel, str) else channel
    if not isinstance(told, Succeeded):
        why = told.code if isinstance(told, Rejected) else type(told).__name__
        logger.error("nobody could be told what became of a press: %s", why)
