"""The manifest of the Teams app, for one deployment, and `citebound teams package`.

With two icons it is what Teams installs. A test compares what it offers with the names that the
code uses, and the manifest with Microsoft's schemas. Version 1.30 has prompts and slash commands,
1.25 is for older administration tools.
"""

import io
import json
import re
import sys
import zipfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlsplit

from bot.replies.notices import NAME
from bot.teams.protocol.action_ids import ASK_ABOUT
from core.config.settings import Settings
from core.domain.errors import UsageError
from core.domain.json_value import Json

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


Version = Literal["1.30", "1.25"]
VERSIONS: tuple[Version, ...] = get_args(Version)
APP_VERSION = "1.0.0"
MANIFEST_FILE, COLOUR_FILE, OUTLINE_FILE = "manifest.json", "color.png", "outline.png"
ICON_FILES = (COLOUR_FILE, OUTLINE_FILE)
"""In this package: 192 x 192 pixels in colour, 32 x 32 in white on nothing, as Teams wants them."""
SHORT = "Policy answers with quoted evidence"
FULL = (
    "Answers company policy questions with quotes from the policy and hands over to Compliance."
    " Answers are AI-generated."
)
_SCHEMA = "https://developer.microsoft.com/en-us/json-schemas/teams/v{}/MicrosoftTeams.schema.json"
_GUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def manifest(*, app_id: str, address: str, version: Version = "1.30") -> dict[str, Json]:
    """Return the manifest.

    Args:
        app_id: client id of the bot's registration (`APP_ID`).
        address: where the deployment is reached (`https://host`).
        version: of the schema.

    Raises:
        UsageError: Teams would not take the id or the address.
    """
    if not _GUID.fullmatch(app_id):
        raise UsageError(
            "expected --app-id to be the client id of the bot's registration, such as"
            " 22222222-2222-4222-8222-222222222222"
        )
    base, host = _checked(address)
    made: dict[str, Json] = {
        "$schema": _SCHEMA.format(version),
        "manifestVersion": version,
        "version": APP_VERSION,
        "id": app_id.lower(),
        "developer": {
            "name": "Citebound",
            "websiteUrl": base,
            "privacyUrl": f"{base}/privacy",
            "termsOfUseUrl": f"{base}/terms",
        },
        "name": {"short": NAME, "full": "Compliance policy assistant"},
        "description": {"short": SHORT, "full": FULL},
        "icons": {"outline": OUTLINE_FILE, "color": COLOUR_FILE},
        "accentColor": "#1D3557",
        "bots": [_bot(app_id.lower(), is_new=version == "1.30")],
        "composeExtensions": [_extension(app_id.lower())],
        "validDomains": [host],
        "webApplicationInfo": {
            "id": app_id.lower(),
            "resource": f"api://botid-{app_id.lower()}",
        },
        "authorization": {
            "permissions": {
                "resourceSpecific": [{"name": one, "type": "Application"} for one in CONSENT]
            }
        },
        "supportsChannelFeatures": "tier1",
        "defaultInstallScope": "personal",
        "defaultGroupCapability": {"team": "bot", "groupchat": "bot"},
    }
    return made


def package(made: Mapping[str, Json]) -> bytes:
    """Return the zip that Teams installs; the same manifest gives the same bytes."""
    icons = {name: files("bot.teams").joinpath(name).read_bytes() for name in ICON_FILES}
    contents = {MANIFEST_FILE: to_json(made).encode(), **icons}
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return kept.getvalue()


def to_json(made: Mapping[str, Json]) -> str:
    """Write a manifest as people read it."""
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def _bot(app_id: str, *, is_new: bool) -> dict[str, Json]:
    listed: list[Json] = [{"title": title, "description": told} for title, told in COMMANDS.items()]
    prompts: list[Json] = [
        {"title": title, "description": told}
        | ({"type": "prompt", "prompt": asked} if is_new else {})
        for title, (told, asked) in PROMPTS.items()
    ]
    triggers: dict[str, Json] = {"triggers": ["mention", "slash"]} if is_new else {}
    made: dict[str, Json] = {
        "botId": app_id,
        "scopes": list(SCOPES),
        "supportsFiles": False,
        "isNotificationOnly": False,
        "commandLists": [
            {"scopes": ["personal"], "commands": [*prompts, listed[-1]]},
            {"scopes": ["team", "groupChat"], **triggers, "commands": listed},
        ],
    }
    return made | ({"supportsTargetedMessages": True} if is_new else {})


def _extension(app_id: str) -> dict[str, Json]:
    return {
        "botId": app_id,
        "commands": [
            {
                "id": EXTENSION,
                "type": "action",
                "title": "Ask about this message",
                "description": "Check this message against policy",
                "context": ["message"],
                "fetchTask": True,
            }
        ],
    }


def _checked(address: str) -> tuple[str, str]:
    """Return an address without its last slash, and its host."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        is_fine = parts.scheme == "https" and bool(host) and not parts.username
        is_bare = parts.path in {"", "/"} and not parts.query and not parts.fragment
    except ValueError:
        host, is_fine, is_bare = "", False, False
    if not (is_fine and is_bare and address.isascii() and address.isprintable()):
        raise UsageError(
            "expected --url to be an address without a path, such as https://bot.example.com:"
            " Teams takes https only"
        )
    return address.rstrip("/"), host


def write_package(*, app_id: str | None, url: str | None, schema: Version, output: Path) -> int:
    """Write the zip, and say what to do with it."""
    if app_id is None or url is None:
        settings = Settings.from_environment()
        app_id = app_id or settings.app_id
        url = url or settings.public_url
    if app_id is None:
        raise UsageError("Teams needs the bot's client id: --app-id ..., or APP_ID")
    if url is None:
        raise UsageError("Teams needs to know where it reaches you: --url https://...")
    made = package(manifest(app_id=app_id, address=url, version=schema))
    try:
        output.write_bytes(made)
    except OSError as error:
        raise UsageError(
            f"{output} can't be written: {error.strerror}; choose another -o"
        ) from error
    sys.stdout.write(f"{output}: upload it in Teams under Apps > Manage your apps.\n")
    return 0
