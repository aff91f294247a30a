"""Tell one person something where others read along."""

from bot.slack.calls import Slack
from bot.slack.elements import escaped
from bot.slack.interaction import Interaction

NOT_NOW = "Slack did not open the form. Please press the button again."


async def whisper(slack: Slack, interaction: Interaction, words: str) -> None:
    """Say a line to whoever pressed; in a view nothing is said."""
    if interaction.channel is None:
        return
    await slack.write(
        "chat.postEphemeral",
        channel=interaction.channel,
        user=interaction.person,
        thread_ts=interaction.thread_ts,
        text=escaped(words),
        parse="none",
        link_names=False,
    )
