"""What of Teams is handled, and what that needs: the one table that the manifest is made of.

A test compares it with the manifest and with the names that the code uses, both ways.
"""

from collections.abc import Mapping

from bot.teams.protocol.action_ids import ASK_ABOUT

SCOPES = ("personal", "team", "groupChat")
"""Where the bot can be added."""

COMMANDS: Mapping[str, str] = {"ask": "Ask a policy question", "help": "What I can do"}
"""Words that Teams offers after a mention or a slash; they arrive as text before the question."""

PROMPTS: Mapping[str, tuple[str, str]] = {
    "Gift limits": (
        "Ask about gifts",
        "What is the limit for accepting a gift from a vendor?",
    ),
    "Outside work": ("Ask about side jobs", "Can I take a paid side job?"),
    "Personal trading": (
        "Ask about own trades",
        "Do I need pre-clearance to buy shares?",
    ),
}
"""Prompt starters of a personal chat: title -> description and what is asked."""

EXTENSION = ASK_ABOUT
"""The command of a message's menu."""

CONSENT = ("ChannelMessage.Read.Group",)
"""Resource-specific consent: with it Teams sends every message of a team's channels, and replies in
our threads need no mention. It is optional; what is not addressed to us is dropped unread. None is
asked for in chats, which have no threads of ours: whatever came would be dropped."""
