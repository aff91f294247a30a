"""How people begin, before they ask anything: it is answered with how it works."""

HELP = frozenset({"help", "/help"})
"""The command."""
_GREETINGS = frozenset(
    {"hi", "hello", "hey", "help me", "how does this work", "what can you do", "who are you"}
)


def wants_help(text: str) -> bool:
    """Say whether that is all that was written."""
    return text.strip().casefold().rstrip(" ?!.") in HELP | _GREETINGS
