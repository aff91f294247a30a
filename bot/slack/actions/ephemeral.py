"""Tell one person something where others read along; where that can't arrive, directly."""

import logging

from bot.payload import maybe_object
from bot.slack.blocks.elements import escaped, link
from bot.slack.inbound.interaction import Interaction
from bot.slack.web.calls import Refused, Slack, Told
from bot.slack.web.payload import maybe

NOT_NOW = "Slack did not open the form. Please press the button again."
LITERAL = {"parse": "none", "link_names": False}

logger = logging.getLogger(__name__)


async def whisper(
    slack: Slack, interaction: Interaction, words: str, *, to: str | None = None, at: str = ""
) -> None:
    """Say a line to whoever pressed.

    Where Slack does not show it (they have left the channel, or pressed in a view) it comes in a
    direct message. Told twice harms less than not told.

    Args:
        slack: calls their workspace.
        interaction: tells who pressed, and where.
        words: what is said.
        to: an address that Slack told us, which `at` leads to; None: none.
        at: the words of the link.
    """
    text = f"{escaped(words)} {link(to, at)}" if to else escaped(words)
    if interaction.channel is not None:
        shown = await slack.write(
            "chat.postEphemeral",
            channel=interaction.channel,
            user=interaction.person,
            thread_ts=interaction.thread_ts,
            text=text,
            **LITERAL,
        )
        if isinstance(shown, Told):
            return
    await _directly(slack, interaction.person, text)


async def _directly(slack: Slack, person: str, text: str) -> None:
    opened = await slack.write("conversations.open", users=person)
    channel = ""
    if isinstance(opened, Told):
        channel = maybe(maybe_object(opened.body, "channel"), "id")
        opened = await slack.write(
            "chat.postMessage",
            channel=channel,
            text=text,
            unfurl_links=False,
            unfurl_media=False,
            **LITERAL,
        )
    if not isinstance(opened, Told):
        why = opened.code if isinstance(opened, Refused) else type(opened).__name__
        logger.error("nobody could be told what became of a press: %s", why)
