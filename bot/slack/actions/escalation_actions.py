"""Askers hand a question to Compliance, and say whether the officer's answer does.

A form is opened where Slack opens one; where it can't, the case is opened without a note, and then
officers are told no name, since nobody could say that they would be.
"""

import asyncio

from bot.actions.press_rules import is_report, sent, settled, urgency_of, why_not_send
from bot.cases import CaseDesk
from bot.payload import maybe_object
from bot.replies.case_states import already_sent
from bot.slack.actions.dispatch import Ack, Handler
from bot.slack.actions.ephemeral import NOT_NOW, whisper
from bot.slack.actions.reply_lookup import Lookup, account_of
from bot.slack.blocks.action_ids import CASE_ACCEPT, CASE_AGAIN, ESCALATE, VIEW_ESCALATE, target_of
from bot.slack.blocks.elements import Block
from bot.slack.blocks.forms import (
    ANONYMOUS,
    DIRECT,
    NOTE,
    PRIVACY,
    URGENCY,
    escalate_modal,
)
from bot.slack.blocks.modals import ids_in, message_modal, updated
from bot.slack.inbound.interaction import Interaction
from bot.slack.web.calls import Limited, Refused, Slack, Told
from bot.slack.web.payload import maybe
from bot.slack.web.permalinks import LOOKED_UP_WITHIN_S, Spot, link_to
from core.domain.case import Case
from core.domain.case_rules import Opener
from core.ports.shown import ShownReply

TITLE = "Ask Compliance"
ACCEPTED = "Thank you. Case {number} is closed."
AGAIN = "Case {number} is with Compliance again. Write in this thread what is still open."
AGAIN_DIRECT = "Case {number} is with Compliance again."


class Escalating:
    """Takes what askers do to cases."""

    def __init__(self, slack: Slack, lookup: Lookup, desk: CaseDesk) -> None:
        """Take where to show it, who finds the answer, and who opens cases."""
        self._slack = slack
        self._lookup = lookup
        self._desk = desk

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {
            ESCALATE: self.open,
            VIEW_ESCALATE: self.submit,
            CASE_ACCEPT: self.accept,
            CASE_AGAIN: self.ask_again,
        }

    async def open(self, interaction: Interaction, ack: Ack) -> None:
        """Open the form, to the asker or an officer."""
        found = await self._lookup.reply(interaction)
        refusal = self._refusal(found, interaction)
        answer_id = target_of(interaction.value).id
        known = None
        if found is not None and not refusal:
            known = await self._desk.about(answer_id, account_of(interaction))
        await ack()
        if found is None or refusal:
            await whisper(self._slack, interaction, refusal)
            return
        view = _form(found, known, answer_id)
        opened = await self._slack.write("views.open", trigger_id=interaction.trigger, view=view)
        if isinstance(opened, Told):
            return
        if known is None and isinstance(opened, Refused | Limited):
            await self._without_note(interaction, answer_id)
        else:
            await whisper(self._slack, interaction, NOT_NOW)

    async def submit(self, interaction: Interaction, ack: Ack) -> None:
        """Open the case of a form, and say so."""
        answer_id = ids_in(interaction.context).get("a", "")
        found = await self._lookup.answer(answer_id, interaction)
        refusal = self._refusal(found, interaction)
        if found is None or refusal:
            await ack(**updated(message_modal(TITLE, refusal)))
            return
        wishes = interaction.values.get(PRIVACY, "").split(",")
        where, name = await self._looked_up(found, interaction)
        result = await self._desk.open(
            answer_id,
            account_of(interaction),
            key=interaction.dedupe_key,
            note=interaction.values.get(NOTE, ""),
            urgency=urgency_of(interaction.values.get(URGENCY, "")),
            is_private=DIRECT in wishes,
            is_anonymous=ANONYMOUS in wishes,
            permalink=where,
            asker_name=name,
        )
        await ack(**updated(message_modal(TITLE, sent(result))))

    async def accept(self, interaction: Interaction, ack: Ack) -> None:
        """Close a case whose answer does."""
        result = await self._desk.accept(
            target_of(interaction.value).id, account_of(interaction), key=interaction.dedupe_key
        )
        await ack()
        await whisper(self._slack, interaction, settled(result, ACCEPTED))

    async def ask_again(self, interaction: Interaction, ack: Ack) -> None:
        """Give a case back to its officer."""
        result = await self._desk.ask_again(
            target_of(interaction.value).id, account_of(interaction), key=interaction.dedupe_key
        )
        await ack()
        is_direct = (interaction.channel or "").startswith("D")
        words = AGAIN_DIRECT if is_direct else AGAIN
        await whisper(self._slack, interaction, settled(result, words))

    def _refusal(self, found: ShownReply | None, interaction: Interaction) -> str:
        """Say why this person may not hand the question over; empty: they may."""
        return why_not_send(
            found,
            interaction.person,
            is_outside=interaction.is_outside,
            is_officer=self._desk.is_officer(account_of(interaction)),
        )

    async def _without_note(self, interaction: Interaction, answer_id: str) -> None:
        """Open the case at once: Slack shows no form."""
        result = await self._desk.open(
            answer_id,
            account_of(interaction),
            key=interaction.dedupe_key,
            opener=Opener.PIPELINE,
        )
        await whisper(self._slack, interaction, sent(result))

    async def _looked_up(
        self, found: ShownReply, interaction: Interaction
    ) -> tuple[str | None, str | None]:
        """Return a link to the thread and the asker's name, as far as Slack tells them in time."""
        place = found.place
        async with asyncio.TaskGroup() as group:
            linking = group.create_task(
                link_to(self._slack, Spot(channel=place.channel, ts=place.thread))
            )
            naming = group.create_task(self._name(interaction.person))
        return linking.result(), naming.result()

    async def _name(self, person: str) -> str | None:
        try:
            async with asyncio.timeout(LOOKED_UP_WITHIN_S):
                told = await self._slack.read("users.info", user=person)
        except TimeoutError:
            return None
        found = maybe_object(told.body, "user") if isinstance(told, Told) else {}
        return maybe(found, "real_name") or None


def _form(found: ShownReply, known: Case | None, answer_id: str) -> Block:
    """Return the form; once the asker has sent it, how the case stands."""
    if known is not None and not known.may_be_added_to:
        return message_modal(TITLE, already_sent(known))
    return escalate_modal(
        answer_id,
        is_report=is_report(found),
        is_own=_is_own(found),
        known=known.number if known else None,
    )


def _is_own(found: ShownReply) -> bool:
    return found.place.mode == "direct"
