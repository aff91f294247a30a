"""What of Slack is handled, and what that needs: the one table that the manifest is made of.

A test reads the code of this package and compares it with the table, both ways: an event, a
command, a shortcut or a method that is missing here, or no longer used, fails it.
"""

from collections.abc import Mapping

from bot.slack.blocks.action_ids import ASK_ABOUT, ASK_GLOBAL

EVENTS: Mapping[str, str] = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "app_home_opened": "",
    "app_context_changed": "assistant:write",
    "agent_session_stopped": "chat:write",
    "app_uninstalled": "",
    "tokens_revoked": "",
}
"""Event that the app subscribes to -> scope without which Slack does not send it; none: always."""

OLDER_EVENTS = frozenset({"assistant_thread_started", "assistant_thread_context_changed"})
"""Sent to apps that were made before there was an agent view; a new one can't subscribe to them."""

COMMAND = "/policy"
"""Asks, lists, helps; answered privately."""

MESSAGE_SHORTCUT, GLOBAL_SHORTCUT = ASK_ABOUT, ASK_GLOBAL

INTERACTIONS = "commands"
"""Scope of the command and of both shortcuts."""

METHODS: Mapping[str, tuple[str, ...]] = {
    "agents.sessions.setStatus": ("chat:write",),
    "assistant.threads.setStatus": ("chat:write",),
    "assistant.threads.setSuggestedPrompts": ("assistant:write",),
    "auth.revoke": (),
    "auth.test": (),
    "bots.info": ("users:read",),
    "chat.appendStream": ("chat:write",),
    "chat.delete": ("chat:write",),
    "chat.getPermalink": (),
    "chat.postEphemeral": ("chat:write",),
    "chat.postMessage": ("chat:write",),
    "chat.startStream": ("chat:write",),
    "chat.stopStream": ("chat:write",),
    "chat.update": ("chat:write",),
    "conversations.history": (
        "channels:history",
        "groups:history",
        "im:history",
        "mpim:history",
    ),
    "conversations.info": ("channels:read", "groups:read", "im:read", "mpim:read"),
    "conversations.members": ("channels:read", "groups:read", "im:read", "mpim:read"),
    "conversations.open": ("im:write",),
    "conversations.replies": (
        "channels:history",
        "groups:history",
        "im:history",
        "mpim:history",
    ),
    "oauth.v2.access": (),
    "reactions.add": ("reactions:write",),
    "users.info": ("users:read",),
    "users.list": ("users:read",),
    "views.open": (),
    "views.publish": (),
    "views.update": (),
}
"""Method of the Web API that is called -> scopes that it needs, each for a kind of place."""

APP_METHODS: Mapping[str, tuple[str, ...]] = {"apps.connections.open": ("connections:write",)}
"""The same with the app-level token, which has scopes of its own."""


def scopes() -> tuple[str, ...]:
    """Return every scope that the app asks for, and none besides."""
    needed = {INTERACTIONS, *EVENTS.values(), *(one for each in METHODS.values() for one in each)}
    return tuple(sorted(needed - {""}))
