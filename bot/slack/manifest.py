"""The manifest of the Slack app, for one deployment, and `citebound slack manifest`.

Slack makes the app from it. Scopes, events, methods and shortcuts are the tables below: a test
compares them with what the code of this package handles and calls, both ways. Another checks the
manifest against Slack's schema, major version 2.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from bot.manifests.identity import AppIdentity, read_app_identity
from bot.manifests.starters import starters_for
from bot.replies.safe_text import line
from bot.slack.blocks.action_ids import ASK_ABOUT, ASK_GLOBAL
from core.config.settings import Settings
from core.domain.errors import UsageError
from core.domain.json_value import Json
from core.ports.starters import Starter

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
    "blocks.validate": (),
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
    "usergroups.list": ("usergroups:read",),
    "usergroups.users.list": ("usergroups:read",),
    "users.info": ("users:read",),
    "users.list": ("users:read",),
    "views.open": (),
    "views.publish": (),
    "views.update": (),
}
"""Method of the Web API that is called -> scopes that it needs, each for a kind of place."""

APP_METHODS: Mapping[str, tuple[str, ...]] = {"apps.connections.open": ("connections:write",)}
"""The same with the app-level token, which has scopes of its own."""


OUR_OWN = AppIdentity()
"""Names, texts and colour of the release."""
EVENTS_PATH = "/slack/events"
"""Where Slack sends events, interactions and commands."""
REDIRECT_PATH = "/slack/oauth_redirect"
"""Where Slack sends browsers back to after an installation."""
MOST_PROMPTS, PROMPT_TITLE = 4, 75
"""Suggested prompts, and characters of a title as Slack shows it on a button."""
AGENT_DESCRIPTION, LONG_DESCRIPTION = 300, 175
"""Characters of the agent's description at most, and of the long one of the app at least."""


def scopes() -> tuple[str, ...]:
    """Return every scope that the app asks for, and none besides."""
    needed = {INTERACTIONS, *EVENTS.values(), *(one for each in METHODS.values() for one in each)}
    return tuple(sorted(needed - {""}))


def manifest(
    *,
    address: str | None,
    uses_sockets: bool = False,
    app: AppIdentity = OUR_OWN,
    starters: Sequence[Starter] = (),
) -> dict[str, Json]:
    """Return the manifest.

    Args:
        address: Where Slack reaches the deployment (`https://host`); None only with sockets.
        uses_sockets: True: events come over a socket; an address is for installations alone.
        app: What it is called.
        starters: Questions to begin with.

    Raises:
        UsageError: There is no address, or Slack would not take it.
    """
    base = _checked(address) if address else None
    if base is None and not uses_sockets:
        raise UsageError("Slack needs to know where it reaches you: --url https://..., or --socket")
    at: dict[str, Json] = {} if uses_sockets else {"request_url": f"{base}{EVENTS_PATH}"}
    redirect: dict[str, Json] = {"redirect_urls": [f"{base}{REDIRECT_PATH}"]} if base else {}
    return {
        "_metadata": {"major_version": 2, "minor_version": 1},
        "display_information": _display(app),
        "features": _features(
            None if uses_sockets else f"{base}{EVENTS_PATH}", app=app, starters=starters
        ),
        "oauth_config": {**redirect, "scopes": {"bot": list(scopes())}},
        "settings": {
            "event_subscriptions": {**at, "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **at},
            "org_deploy_enabled": True,
            "socket_mode_enabled": uses_sockets,
            "token_rotation_enabled": False,
        },
    }


def _display(app: AppIdentity) -> dict[str, Json]:
    told = app.texts
    long = {"long_description": told.long_description}
    return {
        "name": told.name,
        "description": told.description,
        "background_color": app.colour.lower(),
        **(long if len(told.long_description) >= LONG_DESCRIPTION else {}),
    }


def suggested_prompts(starters: Sequence[Starter]) -> list[Json]:
    """Return questions to begin with as Slack's suggested prompts: the title is what is asked."""
    return [
        {"title": line(one.question, limit=PROMPT_TITLE), "message": one.question}
        for one in starters[:MOST_PROMPTS]
    ]


def _features(
    command_url: str | None, *, app: AppIdentity, starters: Sequence[Starter]
) -> dict[str, Json]:
    prompts = suggested_prompts(starters)
    command: dict[str, Json] = {
        "command": COMMAND,
        "description": "Ask a policy question (only you see the answer)",
        "usage_hint": "[question | help | mine]",
        "should_escape": True,
    }
    return {
        "app_home": {
            "home_tab_enabled": True,
            "messages_tab_enabled": True,
            "messages_tab_read_only_enabled": False,
        },
        "bot_user": {"display_name": app.texts.name, "always_online": True},
        "agent_view": {
            "agent_description": line(app.texts.long_description, limit=AGENT_DESCRIPTION),
            **({"suggested_prompts": prompts} if prompts else {}),
        },
        "shortcuts": [
            {
                "name": "Ask about this message",
                "type": "message",
                "callback_id": MESSAGE_SHORTCUT,
                "description": "Check this message against policy",
            },
            {
                "name": "Ask Compliance",
                "type": "global",
                "callback_id": GLOBAL_SHORTCUT,
                "description": "Ask a policy question privately",
            },
        ],
        "slash_commands": [command | ({"url": command_url} if command_url else {})],
    }


def _checked(address: str) -> str:
    """Return an address without its last slash."""
    try:
        parts = urlsplit(address)
        is_fine = parts.scheme == "https" and bool(parts.hostname) and not parts.username
        is_bare = parts.path in {"", "/"} and not parts.query and not parts.fragment
    except ValueError:
        is_fine = is_bare = False
    if not (is_fine and is_bare and address.isascii() and address.isprintable()):
        raise UsageError(
            "expected an address without a path, such as https://bot.example.com: Slack takes"
            " https only"
        )
    return address.rstrip("/")


def to_yaml(value: Mapping[str, Json]) -> str:
    """Write a manifest as YAML 1.2: blocks, and strings as JSON has them, which YAML includes."""
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Json) -> list[str]:
    if isinstance(value, Mapping):
        lines: list[str] = []
        for key, inner in value.items():
            is_nested = isinstance(inner, Mapping | list) and bool(inner)
            below = [f"  {line}" for line in _lines(inner)] if is_nested else []
            lines += [f"{key}:", *below] if is_nested else [f"{key}: {json.dumps(inner)}"]
        return lines
    if isinstance(value, list):
        return [line for item in value for line in _item(item)]
    return [json.dumps(value)]


def _item(value: Json) -> list[str]:
    first, *others = _lines(value)
    return [f"- {first}", *(f"  {line}" for line in others)]


def write_manifest(
    *, url: str | None, uses_sockets: bool, has_starters: bool, output: Path | None
) -> int:
    """Print the manifest, or write it to a file."""
    settings = Settings.from_environment()
    if url is None and not uses_sockets:
        url = settings.public_url
    app = read_app_identity(settings)
    manifest(address=url, uses_sockets=uses_sockets)  # refused before anything is asked
    starters = starters_for(settings) if has_starters else ()
    made = to_yaml(manifest(address=url, uses_sockets=uses_sockets, app=app, starters=starters))
    if output is None:
        sys.stdout.write(made)
        return 0
    try:
        output.write_text(made, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{output} can't be written: {error.strerror}; choose another -o"
        ) from error
    return 0
