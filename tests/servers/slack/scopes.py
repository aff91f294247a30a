"""What each method asks of a token, and how often it may be called.

Tiers are calls a minute of one app in one workspace (docs.slack.dev, "Rate limits").
"""

from dataclasses import dataclass

TIERS = {1: 1, 2: 20, 3: 50, 4: 100, 5: 600}
"""Tier -> calls a minute; 5 stands for methods with generous limits of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What holds for one method."""

    scopes: tuple[str, ...] = ()
    """Any of these is enough; none: every token will do."""
    tier: int = 3
    of: str = "bot"
    """The kind of token: `bot`, `app`, or `none`."""


RULES = {
    "api.test": Rule(tier=4, of="none"),
    "auth.test": Rule(tier=5),
    "auth.revoke": Rule(),
    "apps.connections.open": Rule(scopes=("connections:write",), tier=2, of="app"),
    "oauth.v2.access": Rule(tier=4, of="none"),
    "chat.postMessage": Rule(scopes=("chat:write",), tier=5),
    "chat.update": Rule(scopes=("chat:write",)),
    "chat.delete": Rule(scopes=("chat:write",)),
    "chat.postEphemeral": Rule(scopes=("chat:write",), tier=4),
    "chat.getPermalink": Rule(tier=5),
    "chat.startStream": Rule(scopes=("chat:write",), tier=2),
    "chat.appendStream": Rule(scopes=("chat:write",), tier=4),
    "chat.stopStream": Rule(scopes=("chat:write",), tier=2),
    "assistant.threads.setStatus": Rule(scopes=("chat:write", "assistant:write"), tier=5),
    "assistant.threads.setSuggestedPrompts": Rule(scopes=("assistant:write",), tier=4),
    "assistant.threads.setTitle": Rule(scopes=("assistant:write",), tier=4),
    "agents.sessions.setStatus": Rule(scopes=("chat:write",)),
    "conversations.info": Rule(),
    "conversations.members": Rule(tier=4),
    "conversations.replies": Rule(),
    "conversations.history": Rule(),
    "conversations.open": Rule(scopes=("im:write", "mpim:write")),
    "usergroups.list": Rule(scopes=("usergroups:read",), tier=2),
    "usergroups.users.list": Rule(scopes=("usergroups:read",), tier=2),
    "users.info": Rule(scopes=("users:read",), tier=4),
    "users.list": Rule(scopes=("users:read",), tier=2),
    "bots.info": Rule(scopes=("users:read",)),
    "users.conversations": Rule(),
    "views.open": Rule(tier=4),
    "views.update": Rule(tier=4),
    "views.push": Rule(tier=4),
    "views.publish": Rule(tier=4),
    "reactions.add": Rule(scopes=("reactions:write",)),
    "reactions.remove": Rule(scopes=("reactions:write",), tier=2),
    "blocks.validate": Rule(),
}
