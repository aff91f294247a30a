"""What people press in Slack, handed to the actions, and their outcomes to the responder.

Only what Slack does in its own way is decided here: a trigger lives 3 s, so evidence is opened
before it is read; Home is drawn anew.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from bot.actions.cases import AskerDetails
from bot.actions.press import FieldError, OpenForm, Outcome, Press, PressTarget, Say
from bot.actions.wiring import Action, Actions
from bot.call_results import Succeeded
from bot.forms.evidence import TITLE
from bot.forms.forms import FormName, entered
from bot.json_fields import maybe_object
from bot.replies.buttons import Act
from bot.slack.actions.dispatch import Ack, Handler
from bot.slack.actions.respond import NOT_NOW, SlackResponder, whisper
from bot.slack.blocks import action_ids
from bot.slack.blocks.action_ids import target_of
from bot.slack.blocks.evidence import loading_modal
from bot.slack.blocks.modals import (
    fields_in,
    ids_in,
    message_modal,
)
from bot.slack.inbound.interaction import SlackInteraction, asked
from bot.slack.inbound.payload import maybe
from bot.slack.web.calls import LOOKED_UP_WITHIN_S, MessageRef, Slack, link_to
from core.cases.written import named, people_in
from core.domain.errors import TransientError
from core.domain.officers import Account
from core.language.interface.texts import Text
from core.language.languages import Language
from core.ports.posted_answers import PostedAnswer

PLATFORM = "slack"
NOT_OPENED = Text(
    "Slack did not open the evidence. Please press the button again.",
    "Slack hat die Belege nicht geöffnet. Bitte drücken Sie noch einmal.",
)
FAILED = Text(
    "The evidence can't be read at the moment. Please press the button again.",
    "Die Belege lassen sich gerade nicht lesen. Bitte drücken Sie noch einmal.",
)

NAMED = 5
"""People whose names are looked up while a form waits; others are mentioned without."""

_ON_HOME = frozenset(
    {
        *(Act.CASE_CLAIM, Act.CASE_ANSWER, Act.CASE_WRONG, Act.CASE_PARTLY, Act.CASE_RIGHT),
        *(Act.CASE_ACKNOWLEDGE, Act.CASE_CLOSE, FormName.CASE_ANSWER),
    }
)
"""What stands on an officer's Home too."""

RedrawHome = Callable[[SlackInteraction], Awaitable[None]]
"""Shows an officer's Home anew, where a button of it was pressed."""


def account_of(interaction: SlackInteraction) -> Account:
    """Return who did something, as our lists know them."""
    return Account(platform=PLATFORM, tenant=interaction.tenant, person=interaction.person)


def press_of(interaction: SlackInteraction) -> Press:
    """Return what was pressed or sent.

    Raises:
        ContractError: It is about nothing of ours.
    """
    if interaction.kind == "submit":
        ids = ids_in(interaction.context)
        target = PressTarget(id=ids.get("a") or ids.get("case", ""))
    else:
        target = target_of(interaction.value)
    who, channel = account_of(interaction), interaction.channel
    is_alone = channel is None or channel.startswith("D")
    return Press(
        who=who,
        listed=who,
        is_outside=interaction.is_outside,
        key=interaction.dedupe_key,
        target=target.id,
        choice=target.choice,
        room=None if is_alone else channel,
        message_id=interaction.message_ts,
        entered=entered(fields_in(interaction.values)),
    )


@dataclass(frozen=True, slots=True)
class SlackPressHandlers:
    """Handles what is pressed, in one workspace."""

    slack: Slack
    actions: Actions
    responder: SlackResponder
    redraw_home: RedrawHome

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        routes = {**self.actions.routes(), FormName.CASE_ANSWER: self._answer_case}
        return {
            action_ids.CLARIFY: self._choose,
            action_ids.FEEDBACK: self._handler(self.actions.feedback.rate),
            action_ids.EVIDENCE: self._open_evidence,
            action_ids.EVIDENCE_PAGE: self._turn,
            action_ids.SHOW: self._show,
            action_ids.OPEN_POLICY: self._follow,
            action_ids.OPEN_CONSOLE: self._follow,
            **{
                action_ids.name_of(act): self._handler(action, is_on_home=act in _ON_HOME)
                for act, action in routes.items()
            },
        }

    def _handler(self, act: Action, *, is_on_home: bool = False) -> Handler:
        """Return what takes a press; Home is drawn anew if its button or form stood there."""

        async def handle(interaction: SlackInteraction, ack: Ack) -> None:
            outcome = await act(press_of(interaction))
            await self.responder.respond(interaction, ack, outcome)
            is_form_open = isinstance(outcome, OpenForm) or (
                isinstance(outcome, FieldError) and outcome.field is not None
            )
            if is_on_home and interaction.channel is None and not is_form_open:
                await self.redraw_home(interaction)

        return handle

    async def _choose(self, interaction: SlackInteraction, ack: Ack) -> None:
        as_message = partial(asked, interaction)
        outcome = await self.actions.clarification.choose(press_of(interaction), as_message)
        await self.responder.respond(interaction, ack, outcome)

    async def _answer_case(self, press: Press) -> Outcome:
        """Send an officer's answer, with the names of people whom it mentions."""
        text = press.entered.text
        people = people_in(text)[:NAMED]
        if people:
            async with asyncio.TaskGroup() as group:
                naming = {one: group.create_task(name_of(self.slack, one.person)) for one in people}
            text = named(text, {one: task.result() or "" for one, task in naming.items()})
        entered = replace(press.entered, text=text, is_formed=True)
        return await self.actions.cases.submit(replace(press, entered=entered))

    async def _open_evidence(self, interaction: SlackInteraction, ack: Ack) -> None:
        """Open the modal and fill it."""
        press = press_of(interaction)
        await ack()
        opened = await self.slack.show(
            "views.open",
            loading_modal(press.target, interaction.language),
            trigger_id=interaction.trigger,
        )
        if not isinstance(opened, Succeeded):
            await whisper(self.slack, interaction, NOT_OPENED)
            return
        view = maybe_object(opened.body, "view")
        language = interaction.language
        await self._fill(press, maybe(view, "id"), maybe(view, "hash"), language)

    async def _turn(self, interaction: SlackInteraction, ack: Ack) -> None:
        """Show another page in the same modal."""
        press = press_of(interaction)
        await ack()
        if interaction.view is not None:
            mark, language = interaction.view_hash or "", interaction.language
            await self._fill(press, interaction.view, mark, language)

    async def _show(self, interaction: SlackInteraction, ack: Ack) -> None:
        """Open an answer of which Slack did not say whether it arrived."""
        found = await self.actions.answers.whole(press_of(interaction))
        if isinstance(found, Say):
            await self.responder.respond(interaction, ack, found)
            return
        await ack()
        view = self.responder.whole(found, interaction.language)
        opened = await self.slack.show("views.open", view, trigger_id=interaction.trigger)
        if not isinstance(opened, Succeeded):
            await whisper(self.slack, interaction, NOT_NOW)

    async def _follow(self, _: SlackInteraction, ack: Ack) -> None:
        """A link was opened: Slack wants to hear that we heard."""
        await ack()

    async def _fill(self, press: Press, view: str, mark: str, language: Language) -> None:
        try:
            outcome = await self.actions.answers.evidence(press)
        except TransientError:
            outcome = Say(words=FAILED)
        if isinstance(outcome, OpenForm):
            made = self.responder.view(outcome.form, language)
        else:
            made = message_modal(TITLE, outcome.words, language)
        await self.slack.show("views.update", made, view_id=view, hash=mark or None)


class SlackAskers:
    """See `bot.actions.cases.Askers`: what Slack tells while a form waits."""

    def __init__(self, slack: Slack) -> None:
        self._slack = slack

    async def details(self, found: PostedAnswer) -> AskerDetails:
        """See `Askers.details`."""
        spot = MessageRef(channel=found.place.channel, ts=found.place.thread)
        async with asyncio.TaskGroup() as group:
            linking = group.create_task(link_to(self._slack, spot))
            naming = group.create_task(name_of(self._slack, found.person))
        return AskerDetails(permalink=linking.result(), name=naming.result())


async def name_of(slack: Slack, person: str) -> str | None:
    """Return what somebody is called, if Slack tells in time."""
    try:
        async with asyncio.timeout(LOOKED_UP_WITHIN_S):
            told = await slack.read("users.info", user=person)
    except TimeoutError:
        return None
    found = maybe_object(told.body, "user") if isinstance(told, Succeeded) else {}
    return maybe(found, "real_name") or None
