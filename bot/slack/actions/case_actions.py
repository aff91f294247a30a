"""What officers do to cases: by our list, whoever else reads their channel.

A card is rewritten from what is committed, by delivery; here only whoever pressed is told
something, and only if nothing came of it.
"""

from collections.abc import Awaitable, Callable

from bot.actions.press_rules import posted, refused
from bot.cases import CaseDesk
from bot.slack.actions.dispatch import Ack, Handler
from bot.slack.actions.ephemeral import NOT_NOW, whisper
from bot.slack.actions.reply_lookup import account_of
from bot.slack.blocks.action_ids import (
    CASE_ANSWER,
    CASE_CLAIM,
    CASE_CLOSE,
    CASE_WRONG,
    VIEW_CASE_ANSWER,
    target_of,
)
from bot.slack.blocks.forms import ANSWER, DIRECT, PRIVACY, case_answer_modal
from bot.slack.blocks.modals import errors, ids_in, message_modal, updated
from bot.slack.inbound.interaction import Interaction
from bot.slack.web.calls import Slack, Told
from core.domain.case_rules import Account, CaseResult, Done, Refused
from core.domain.errors import UsageError

Redraw = Callable[[Interaction], Awaitable[None]]
"""Shows an officer's Home anew, where a button of it was pressed."""


class CaseWork:
    """Takes what officers do to cases."""

    def __init__(self, slack: Slack, desk: CaseDesk, redraw: Redraw) -> None:
        """Take where to show it, who decides, and who draws Home."""
        self._slack = slack
        self._desk = desk
        self._redraw = redraw

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {
            CASE_CLAIM: self.claim,
            CASE_ANSWER: self.begin_answer,
            VIEW_CASE_ANSWER: self.submit,
            CASE_WRONG: self.mark_wrong,
            CASE_CLOSE: self.close,
        }

    async def claim(self, interaction: Interaction, ack: Ack) -> None:
        """Let an officer have a case."""
        case_id, who = _pressed(interaction)
        result = await self._desk.claim(case_id, who, key=interaction.dedupe_key)
        await self._end(interaction, ack, result)

    async def mark_wrong(self, interaction: Interaction, ack: Ack) -> None:
        """Record that the answer which the asker got is wrong."""
        case_id, who = _pressed(interaction)
        result = await self._desk.mark_wrong(case_id, who, key=interaction.dedupe_key)
        await self._end(interaction, ack, result)

    async def close(self, interaction: Interaction, ack: Ack) -> None:
        """Close a case."""
        case_id, who = _pressed(interaction)
        result = await self._desk.close(case_id, who, key=interaction.dedupe_key)
        await self._end(interaction, ack, result)

    async def begin_answer(self, interaction: Interaction, ack: Ack) -> None:
        """Open the form for an answer, if this officer may give one."""
        case_id, who = _pressed(interaction)
        result = await self._desk.begin_answer(case_id, who, key=interaction.dedupe_key)
        if not isinstance(result, Done):
            await self._end(interaction, ack, result)
            return
        await ack()
        opened = await self._slack.write(
            "views.open", trigger_id=interaction.trigger, view=case_answer_modal(result.case)
        )
        if not isinstance(opened, Told):
            await whisper(self._slack, interaction, NOT_NOW)

    async def submit(self, interaction: Interaction, ack: Ack) -> None:
        """Send an officer's answer."""
        case_id = ids_in(interaction.context).get("case", "")
        try:
            result = await self._desk.answer(
                case_id,
                account_of(interaction),
                key=interaction.dedupe_key,
                text=interaction.values.get(ANSWER, ""),
                is_private=_wants_direct(interaction),
            )
        except UsageError as error:
            await ack(**errors({ANSWER: str(error)}))
            return
        await ack(
            **updated(
                message_modal("Answer", posted(result, wants_direct=_wants_direct(interaction)))
            )
        )
        await self._redraw(interaction)

    async def _end(self, interaction: Interaction, ack: Ack, result: CaseResult) -> None:
        await ack()
        if isinstance(result, Refused):
            await whisper(self._slack, interaction, refused(result))
        if interaction.channel is None:
            await self._redraw(interaction)


def _pressed(interaction: Interaction) -> tuple[str, Account]:
    return target_of(interaction.value).id, account_of(interaction)


def _wants_direct(interaction: Interaction) -> bool:
    return DIRECT in interaction.values.get(PRIVACY, "").split(",")
