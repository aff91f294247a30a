"""What an asker does with an answer in Slack alone: ask on, show it to the channel."""

import asyncio
from dataclasses import KW_ONLY, dataclass
from functools import partial

from bot.actions.answers import FollowUpActions, ReplyAccess, why_not_asker
from bot.actions.press import AskedOn, Say
from bot.replies.notices import ONLY_ASKER, OUTDATED
from bot.slack.actions.dispatch import Ack, Handler
from bot.slack.actions.press_handlers import account_of, press_of
from bot.slack.actions.respond import whisper
from bot.slack.blocks.action_ids import FOLLOW_UP, SHARE, target_of
from bot.slack.blocks.render import ASKED_MARK, asked_blocks, asked_text
from bot.slack.inbound.identity import SlackIdentity
from bot.slack.inbound.interaction import SlackInteraction, asked
from bot.slack.outbound.audience import SlackAudience
from bot.slack.web.calls import MessageRef, Slack, link_to
from core.domain.answer import Outcome
from core.domain.conversation import Place
from core.domain.delivery import Readers
from core.language.interface.texts import Text
from core.language.languages import Language
from core.ports.posted_answers import (
    CopyState,
    PostedAnswer,
    PostedAnswerActions,
    PostedAnswers,
    SharedCopy,
)

SHARED = Text("The channel sees the answer now.", "Der Channel sieht die Antwort jetzt.")
SHOWN_SOON = Text(
    "The answer is queued, and will appear in the channel shortly.",
    "Der Channel sieht die Antwort bald: Sie wartet, bis sie an der Reihe ist.",
)
NOT_SHOWN = Text(
    "The answer could not be shown in that channel. It is still here.",
    "Die Antwort konnte in diesem Channel nicht gezeigt werden. Hier steht sie weiterhin.",
)
TO_ANSWER = Text("Go to it", "Zur Antwort")
LOOKED_EVERY_S, LOOKED_FOR = 0.25, 40
"""Times, after the press was acknowledged: a post takes some tenths of a second."""
NOT_ALL_MAY = Text(
    "Not everyone in that channel may read the policies behind this answer.",
    "Nicht alle in diesem Channel dürfen lesen, worauf diese Antwort beruht.",
)
NOT_INVITED = Text(
    "I'm not in that channel. Invite me, then share again.",
    "Ich bin nicht in diesem Channel. Laden Sie mich dorthin ein, und teilen Sie dann noch einmal.",
)


@dataclass(frozen=True, slots=True)
class AskerActions:
    """Takes what an asker does with an answer."""

    slack: Slack
    access: ReplyAccess
    follow_ups: FollowUpActions
    _: KW_ONLY
    audience: SlackAudience
    shown: PostedAnswers
    actions: PostedAnswerActions
    identity: SlackIdentity

    def handlers(self) -> dict[str, Handler]:
        """Return what is handled here."""
        return {FOLLOW_UP: self.ask_on, SHARE: self.share}

    async def ask_on(self, interaction: SlackInteraction, ack: Ack) -> None:
        """Ask a question that was suggested: once, and quoted in the thread."""
        press, as_message = press_of(interaction), partial(asked, interaction)
        outcome = await self.follow_ups.ask_on(press, as_message)
        await ack()
        if isinstance(outcome, Say):
            await whisper(self.slack, interaction, outcome.words, whose=outcome.whose)
        elif outcome.is_shown:
            await self._quote(outcome, interaction.language)

    async def share(self, interaction: SlackInteraction, ack: Ack) -> None:
        """Show an answer to the channel from which it was asked, if all there may read it."""
        press = press_of(interaction)
        found = await self.access.find(press)
        told = why_not_asker(found, press)
        if found is not None and told is None:
            told = await self._shared(interaction, found, target_of(interaction.value).id)
        await ack()
        if told is not None:
            await whisper(self.slack, interaction, told, whose=_whose(found, told))
        elif found is not None:
            await self._point(interaction, found.asked_from or "")

    async def _shared(
        self, interaction: SlackInteraction, found: PostedAnswer, answer_id: str
    ) -> Text | None:
        """Share; say why not, and nothing if it is, now or before."""
        channel, answer = found.asked_from or "", found.reply.answer
        is_answer = answer is not None and answer.outcome is Outcome.ANSWERED
        if not is_answer or not channel.startswith(("C", "G")) or found.place.mode != "direct":
            return OUTDATED
        place = Place(
            platform="slack",
            tenant=interaction.tenant,
            channel=channel,
            thread="",
            mode="channel",
        )
        person = interaction.person
        if not await self.audience.is_member(channel, self.identity.bot_user):
            return NOT_INVITED
        readers = await self.audience.when_posting().readers(place, person, is_direct=False)
        if not isinstance(readers, Readers):
            return NOT_ALL_MAY
        needed = await self.access.may_be_read(found, readers.groups)
        if needed is None or not await self.audience.is_member(channel, person):
            return NOT_ALL_MAY
        await self.actions.share(answer_id, account_of(interaction), channel=channel, groups=needed)
        return None

    async def _point(self, interaction: SlackInteraction, channel: str) -> None:
        """Say whether the channel sees it, with a link, once it does."""
        copy = await self._copy(interaction, channel)
        if copy is None or copy.state is CopyState.NOT_SHOWN:
            await whisper(self.slack, interaction, NOT_SHOWN)
            return
        if copy.state is CopyState.ON_ITS_WAY:
            await whisper(self.slack, interaction, SHOWN_SOON)
            return
        spot = MessageRef(channel=channel, ts=copy.message_id) if copy.message_id else None
        url = await link_to(self.slack, spot) if spot else None
        await whisper(self.slack, interaction, SHARED, to=url, at=TO_ANSWER)

    async def _copy(self, interaction: SlackInteraction, channel: str) -> SharedCopy | None:
        """Return what became of it, once that is known or after some seconds."""
        answer_id, who = target_of(interaction.value).id, account_of(interaction)
        copy: SharedCopy | None = None
        for _ in range(LOOKED_FOR):
            copy = await self.shown.shared_copy(answer_id, who, channel=channel)
            if copy is None or copy.state is not CopyState.ON_ITS_WAY:
                break
            await asyncio.sleep(LOOKED_EVERY_S)
        return copy

    async def _quote(self, asked_on: AskedOn, language: Language) -> None:
        await self.slack.post_message(
            asked_on.place.channel,
            asked_text(asked_on.question, asked_on.person, language),
            thread_ts=asked_on.place.thread,
            blocks=asked_blocks(asked_on.question, asked_on.person, language),
            metadata=ASKED_MARK,
        )


def _whose(found: PostedAnswer | None, refusal: Text) -> str:
    """Return who asked, to somebody else who pressed what is for the asker; empty otherwise."""
    return found.person if found is not None and refusal == ONLY_ASKER else ""
