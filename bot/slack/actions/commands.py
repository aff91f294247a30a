"""Questions that are no messages: `/policy`, Home, shortcuts. They become threads like all others.

The question is posted as the root of its thread, in the direct conversation, or quoted in the
thread that it is about; then it is kept, and only then acknowledged. A command is sent once: if
anything fails, the person is told at once and asks again.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass

from bot.call_results import Succeeded
from bot.forms.forms import DIRECT, QUESTION, THREAD, WHERE, FormName, question_form
from bot.intake import Intake
from bot.replies.notices import (
    ASKED_BEFORE,
    EMPTY,
    IN_DIRECT,
    IN_THREAD,
    NOT_NOW,
    NOT_THERE,
    OFFICERS_ONLY,
    OUTDATED,
    OUTSIDE,
    STAFF_ALONE,
)
from bot.replies.safe_text import line, permalink_or_none
from bot.slack.actions.dispatch import Ack, Handler
from bot.slack.actions.home import OpenItemsFinder
from bot.slack.actions.press_handlers import account_of
from bot.slack.actions.respond import NOT_NOW as NOT_OPENED
from bot.slack.actions.respond import whisper
from bot.slack.blocks.action_ids import (
    ASK_ABOUT,
    ASK_GLOBAL,
    HOME_ASK,
    STARTER,
    VIEW_DONE,
    target_of,
)
from bot.slack.blocks.elements import Block
from bot.slack.blocks.home_view import AND_MORE, HOW, LISTED, WAITING, OpenQuestion
from bot.slack.blocks.modals import (
    errors,
    form_modal,
    ids_in,
    message_modal,
    question_about_modal,
    updated,
)
from bot.slack.blocks.mrkdwn import escaped, link
from bot.slack.blocks.render import ASKED_MARK, asked_blocks, asked_text
from bot.slack.inbound.interaction import Order, SlackInteraction, asked, order_of
from bot.slack.inbound.payload import maybe
from bot.slack.outbound.audience import SlackAudience
from bot.slack.web.calls import MessageRef, Slack, link_to
from core.agent.starters.service import StarterService
from core.cases.service import CaseService
from core.domain.conversation import Place
from core.domain.delivery import NoReaders
from core.domain.errors import TransientError
from core.domain.message import Accepted
from core.language.interface.texts import Text
from core.language.languages import Language
from core.ports import Clock

COMMAND = "/policy"
TITLE = Text("Ask a policy question", "Frage zu Richtlinien")
NOTHING_OPEN = Text("You have no open questions.", "Keine Ihrer Fragen ist offen.")
TO_QUESTION = Text("Go to your question", "Zu Ihrer Frage")
WITH_COMPLIANCE = Text("With Compliance", "Bei Compliance")
_SCOPE = (
    Text("Channel {channel}", "Channel {channel}"),
    Text("Jurisdiction: {jurisdiction}", "Rechtsordnung: {jurisdiction}"),
    Text("Tags: {tags}", "Schlagwörter: {tags}"),
    Text("Audience: {audience}", "Leserkreis: {audience}"),
    Text(
        "It is set in the file CITEBOUND_SLACK_CONFIG.",
        "Das steht in der Datei CITEBOUND_SLACK_CONFIG.",
    ),
)
_AS_ASKED = Text("as the question says", "wie es die Frage sagt")
_ANY = Text("any", "beliebige")
_AS_MEMBERS = Text("what all its members may read", "was alle Mitglieder lesen dürfen")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """What became of a question."""

    told: Text
    """What its asker is told."""
    spot: MessageRef | None = None
    """Where it stands; None: it was not taken."""


NOT_TAKEN = _Taken(told=NOT_NOW)


@dataclass(frozen=True, slots=True)
class SlackQuestions:
    """Takes questions that are no messages."""

    slack: Slack
    intake: Intake
    audience: SlackAudience
    clock: Clock
    _: KW_ONLY
    desk: CaseService
    waiting: OpenItemsFinder
    starters: StarterService

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {
            COMMAND: self.command,
            HOME_ASK: self.open,
            STARTER: self.begin,
            ASK_GLOBAL: self.open,
            ASK_ABOUT: self.open_about,
            FormName.QUESTION: self.submit,
            VIEW_DONE: self.done,
        }

    async def command(self, interaction: SlackInteraction, ack: Ack) -> None:
        """`/policy`: seen by the asker alone."""
        language = interaction.language
        match order_of(interaction.value):
            case Order.ASK:
                question = interaction.value.strip()
                taken = await self._take_direct(interaction, question)
                told = await self._pointer(taken, language)
            case Order.HELP:
                told = await self._help(interaction)
            case Order.MINE:
                told = await self._mine(interaction)
            case Order.ADMIN:
                is_officer = self.desk.is_officer(account_of(interaction))
                told = self._scope(interaction) if is_officer else OFFICERS_ONLY.of(language)
        await ack(text=told, response_type="ephemeral")

    async def _help(self, interaction: SlackInteraction) -> str:
        """Say how it works; to a guest who may not ask, that."""
        place = Place(
            platform="slack",
            tenant=interaction.tenant,
            channel=interaction.channel or "",
            thread="",
            mode="direct",
        )
        with suppress(TransientError):
            readers = await self.audience.readers(place, interaction.person, is_direct=True)
            if isinstance(readers, NoReaders) and not readers.may_read_direct:
                return STAFF_ALONE.of(interaction.language)
        return "\n".join(f"• {line.of(interaction.language)}" for line in HOW)

    async def begin(self, interaction: SlackInteraction, ack: Ack) -> None:
        """Ask a question to begin with, as the presser's own: once below each welcome."""
        found = await self.starters.find(target_of(interaction.value).id)
        told = OUTSIDE if interaction.is_outside else OUTDATED if found is None else None
        if found is not None and told is None:
            told = await self._begun(interaction, found.question)
        await ack()
        if told is not None:
            await whisper(self.slack, interaction, told)

    async def _begun(self, interaction: SlackInteraction, question: str) -> Text | None:
        """Ask where it was pressed, or from Home directly; say what the presser is to know."""
        channel, root = interaction.channel, interaction.thread_ts or interaction.message_ts
        if channel is None or root is None:
            return (await self._take_direct(interaction, question)).told
        is_direct = channel.startswith("D")
        try:
            if not is_direct and not await self.audience.is_member(channel, interaction.person):
                return NOT_THERE
        except TransientError:
            return NOT_NOW
        place = Place(
            platform="slack",
            tenant=interaction.tenant,
            channel=channel,
            thread=root,
            mode="direct" if is_direct else "thread",
        )
        key = f"slack:{interaction.tenant}:starter:{channel}:{root}"
        taken = await self.intake.accept(
            asked(
                interaction,
                place=place,
                text=question,
                sent_at=self.clock.now(),
                message_key=f"{key}:{interaction.person}:{target_of(interaction.value).id}",
            )
        )
        if not isinstance(taken, Accepted):
            return ASKED_BEFORE
        await self.slack.post_message(
            channel,
            asked_text(question, interaction.person, interaction.language),
            thread_ts=root,
            blocks=asked_blocks(question, interaction.person, interaction.language),
            metadata=ASKED_MARK,
        )
        return None

    async def open(self, interaction: SlackInteraction, ack: Ack) -> None:
        """Open the form."""
        await ack()
        form = form_modal(question_form(TITLE), language=interaction.language)
        await self._open(interaction, form)

    async def open_about(self, interaction: SlackInteraction, ack: Ack) -> None:
        """Open the form with the message that it is about."""
        await ack()
        if interaction.channel is None or interaction.message_ts is None:
            return
        view = question_about_modal(
            interaction.quoted,
            channel=interaction.channel,
            ts=interaction.message_ts,
            thread_ts=interaction.thread_ts,
            is_own=interaction.is_own,
            language=interaction.language,
        )
        await self._open(interaction, view)

    async def _open(self, interaction: SlackInteraction, view: Block) -> None:
        opened = await self.slack.show("views.open", view, trigger_id=interaction.trigger)
        if not isinstance(opened, Succeeded):
            await whisper(self.slack, interaction, NOT_OPENED)

    async def submit(self, interaction: SlackInteraction, ack: Ack) -> None:
        """Take the question of a form."""
        question = interaction.values.get(QUESTION, "").strip()
        if not question:
            await ack(**errors({QUESTION: EMPTY}, interaction.language))
            return
        if interaction.values.get(WHERE, DIRECT) == THREAD:
            told = await self._take_in_thread(interaction, question)
        else:
            told = (await self._take_direct(interaction, question)).told
        await ack(**updated(message_modal(TITLE, told, interaction.language)))

    async def done(self, _: SlackInteraction, ack: Ack) -> None:
        """A confirmation was closed."""
        await ack()

    async def _take_direct(self, interaction: SlackInteraction, question: str) -> _Taken:
        if interaction.is_outside:
            return _Taken(told=OUTSIDE)
        channel = await self.slack.open_direct(interaction.person)
        if not isinstance(channel, str):
            return NOT_TAKEN
        root = await self._take(interaction, question, channel, None, mode="direct")
        return (
            _Taken(told=IN_DIRECT, spot=MessageRef(channel=channel, ts=root)) if root else NOT_TAKEN
        )

    async def _take_in_thread(self, interaction: SlackInteraction, question: str) -> Text:
        """Answer where the message stands: only if the person is there, too."""
        about = ids_in(interaction.context)
        channel, root = about.get("c", ""), about.get("t") or about.get("ts", "")
        try:
            is_there = await self.audience.is_member(channel, interaction.person)
        except TransientError:
            return NOT_NOW
        if interaction.is_outside or not is_there:
            return NOT_THERE
        thread = await self._take(interaction, question, channel, root, mode="thread")
        return IN_THREAD if thread else NOT_NOW

    async def _pointer(self, taken: _Taken, language: Language) -> str:
        """Return where the answer comes, with a link if Slack tells one in time."""
        url = await link_to(self.slack, taken.spot) if taken.spot else None
        told = escaped(taken.told.of(language))
        return f"{told} {link(url, TO_QUESTION.of(language))}" if url else told

    async def _take(
        self,
        interaction: SlackInteraction,
        question: str,
        channel: str,
        root: str | None,
        *,
        mode: str,
    ) -> str | None:
        """Post the question and keep it; return its thread, None if it is not kept."""
        asker = interaction.person
        posted = await self.slack.post_message(
            channel,
            asked_text(question, asker, interaction.language),
            thread_ts=root,
            blocks=asked_blocks(question, asker, interaction.language),
            metadata=ASKED_MARK,
        )
        if not isinstance(posted, Succeeded):
            return None
        thread = root or maybe(posted.body, "ts")
        place = Place(
            platform="slack",
            tenant=interaction.tenant,
            channel=channel,
            thread=thread,
            mode=mode,
        )
        about = ids_in(interaction.context) if interaction.context else {}
        await self.intake.accept(
            asked(interaction, place=place, text=question, sent_at=self.clock.now(), about=about)
        )
        return thread

    async def _mine(self, interaction: SlackInteraction) -> str:
        """List what of the asker's is open, with links."""
        language = interaction.language
        mine = await self.waiting.of(account_of(interaction), language)
        told = [
            *_list(WAITING, mine.for_asker, language),
            *_list(WITH_COMPLIANCE, mine.for_compliance, language),
        ]
        return "\n".join(told) or NOTHING_OPEN.of(language)

    def _scope(self, interaction: SlackInteraction) -> str:
        """Say what holds in the channel: the file says it, and is changed there."""
        scope = self.audience.scope_of(interaction.channel or "")
        told = {
            "channel": interaction.channel or "",
            "jurisdiction": scope.jurisdiction or _AS_ASKED,
            "tags": ", ".join(sorted(scope.tags)) or _ANY,
            "audience": ", ".join(sorted(scope.audience)) or _AS_MEMBERS,
        }
        return "\n".join(one.format(**told).of(interaction.language) for one in _SCOPE)


def _list(title: Text, questions: Sequence[OpenQuestion], language: Language) -> Iterator[str]:
    if questions:
        yield f"*{title.of(language)}*"
    for one in questions[:LISTED]:
        yield f"• {_linked(one)} - {escaped(line(one.state, limit=150))}"
    if len(questions) > LISTED:
        yield AND_MORE.format(count=len(questions) - LISTED).of(language)


def _linked(asked: OpenQuestion) -> str:
    title, url = line(asked.title, limit=150), permalink_or_none(asked.permalink)
    return link(url, title) if url else escaped(title)
