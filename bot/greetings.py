"""How people begin, before they ask anything: it is answered with how it works."""

from core.agent.conversation.small_talk import SmallTalk, small_talk

HELP = frozenset({"help", "/help"})
"""The command."""


def wants_help(text: str) -> bool:
    """Say whether a greeting, or asking what the bot can do, is all that was written."""
    return small_talk(text) in {SmallTalk.GREETING, SmallTalk.HELP}
