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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlsplit

from bot.manifests.identity import AppIdentity, AppTexts, read_app_identity
from bot.manifests.starters import starters_for
from bot.replies.safe_text import line
from bot.teams.protocol.action_ids import ASK_ABOUT
from core.config.settings import Settings
from core.domain.errors import UsageError
from core.domain.json_value import Json
from core.ports.starters import Starter

SCOPES = ("personal", "team", "groupChat")
"""Where the bot can be added."""

COMMANDS: Mapping[str, str] = {"ask": "Ask a policy question", "help": "What I can do"}
"""Words that Teams offers after a mention or a slash; they arrive as text before the question."""

EXTENSION = ASK_ABOUT
"""The command of a message's menu."""

CONSENT = ("ChannelMessage.Read.Group", "ChatMessage.Read.Chat")
"""Resource-specific consent: with it Teams sends every message of a team's channels, or of a group
chat. Replies in our threads then need no mention, nor, in a chat, those to what we ask back. It is
optional; what is not addressed to us is dropped unread."""
COPILOT = "copilot"
"""Scope of a bot that is an agent in Microsoft 365 Copilot, too; it must be personal as well."""
MOST_COMMANDS, TITLE, TOLD = 12, 32, 128
"""Commands of a list, and characters of a title and of a description."""
DISCLAIMER = 500


Version = Literal["1.30", "1.25"]
VERSIONS: tuple[Version, ...] = get_args(Version)
APP_VERSION = "1.0.0"
MANIFEST_FILE, COLOUR_FILE, OUTLINE_FILE = "manifest.json", "color.png", "outline.png"
ICON_FILES = (COLOUR_FILE, OUTLINE_FILE)
"""In this package: 192 x 192 pixels in colour, 32 x 32 in white on nothing, as Teams wants them."""
OUR_OWN = AppIdentity()
"""Names, texts, colour and icons of the release."""
_SCHEMA = "https://developer.microsoft.com/en-us/json-schemas/teams/v{}/MicrosoftTeams.schema.json"
_GUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def manifest(
    *,
    app_id: str,
    address: str,
    version: Version = "1.30",
    app: AppIdentity = OUR_OWN,
    starters: Sequence[Starter] = (),
    asks_consent: bool = True,
    is_agent: bool = False,
) -> dict[str, Json]:
    """Return the manifest.

    Args:
        app_id: client id of the bot's registration (`APP_ID`).
        address: where the deployment is reached (`https://host`).
        version: of the schema.
        app: what it is called and looks like.
        starters: questions to begin with.
        asks_consent: False: it hears in channels and group chats what mentions it, and no more.
        is_agent: True: it is an agent in Microsoft 365 Copilot, too.

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
            "name": app.developer.name,
            "websiteUrl": app.developer.website or base,
            "privacyUrl": app.developer.privacy or f"{base}/privacy",
            "termsOfUseUrl": app.developer.terms or f"{base}/terms",
        },
        "name": {"short": app.texts.name, "full": app.texts.full_name},
        "description": {"short": app.texts.description, "full": app.texts.long_description},
        "icons": {"outline": OUTLINE_FILE, "color": COLOUR_FILE},
        "accentColor": app.colour,
        "bots": [
            _bot(
                app_id.lower(),
                is_new=version == "1.30",
                starters=starters,
                scopes=(*SCOPES, *((COPILOT,) if is_agent else ())),
            )
        ],
        "composeExtensions": [_extension(app_id.lower())],
        "validDomains": [host],
        "webApplicationInfo": {
            "id": app_id.lower(),
            "resource": f"api://botid-{app_id.lower()}",
        },
        "supportsChannelFeatures": "tier1",
        "defaultInstallScope": "personal",
        "defaultGroupCapability": {"team": "bot", "groupchat": "bot"},
    }
    if asks_consent:
        asked: list[Json] = [{"name": one, "type": "Application"} for one in CONSENT]
        made["authorization"] = {"permissions": {"resourceSpecific": asked}}
    if is_agent:
        told = line(app.texts.long_description, limit=DISCLAIMER)
        agent: Json = {"type": "bot", "id": app_id.lower(), "disclaimer": {"text": told}}
        made["copilotAgents"] = {"customEngineAgents": [agent]}
    if app.languages or app.language != OUR_OWN.language:
        made["localizationInfo"] = {
            "defaultLanguageTag": app.language,
            "additionalLanguages": [
                {"languageTag": tag, "file": language_file(tag)} for tag in app.languages
            ],
        }
    return made


def language_file(tag: str) -> str:
    """Return the name of the file with the texts in a language."""
    return f"{tag}.json"


def language_texts(texts: AppTexts) -> dict[str, Json]:
    """Return the texts of one language as Teams' localisation has them."""
    return {
        "$schema": _SCHEMA.replace(
            "MicrosoftTeams.schema", "MicrosoftTeams.Localization.schema"
        ).format("1.25"),
        "name.short": texts.name,
        "name.full": texts.full_name,
        "description.short": texts.description,
        "description.full": texts.long_description,
    }


def package(made: Mapping[str, Json], app: AppIdentity = OUR_OWN) -> bytes:
    """Return the zip that Teams installs; the same manifest gives the same bytes."""
    contents = {
        MANIFEST_FILE: to_json(made).encode(),
        COLOUR_FILE: app.icon("colour_icon"),
        OUTLINE_FILE: app.icon("outline_icon"),
        **{
            language_file(tag): to_json(language_texts(texts)).encode()
            for tag, texts in app.languages.items()
        },
    }
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return kept.getvalue()


def to_json(made: Mapping[str, Json]) -> str:
    """Write a manifest as people read it."""
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def _bot(
    app_id: str, *, is_new: bool, starters: Sequence[Starter], scopes: Sequence[str]
) -> dict[str, Json]:
    listed: list[Json] = [{"title": title, "description": told} for title, told in COMMANDS.items()]
    prompts = list(_prompts(starters) if is_new else _typed(starters))
    triggers: dict[str, Json] = {"triggers": ["mention", "slash"]} if is_new else {}
    own: list[Json] = ["personal", *([COPILOT] if COPILOT in scopes else [])]
    made: dict[str, Json] = {
        "botId": app_id,
        "scopes": list(scopes),
        "supportsFiles": False,
        "isNotificationOnly": False,
        "commandLists": [
            {"scopes": own, "commands": [*prompts, listed[-1]]},
            {"scopes": ["team", "groupChat"], **triggers, "commands": listed},
        ],
    }
    return made | ({"supportsTargetedMessages": True} if is_new else {})


def _prompts(starters: Sequence[Starter]) -> Iterator[Json]:
    """Yield starters as prompts, each of which asks its question; no title comes twice."""
    taken: set[str] = set()
    for number, one in enumerate(starters[: MOST_COMMANDS - 1], start=1):
        title = line(one.topic, limit=TITLE) or f"Question {number}"
        if title.casefold() in taken:
            title = f"{line(one.topic, limit=TITLE - 3)} {number}"
        taken.add(title.casefold())
        told = line(one.question, limit=TOLD)
        yield {"title": title, "description": told, "type": "prompt", "prompt": one.question}


def _typed(starters: Sequence[Starter]) -> Iterator[Json]:
    """Yield starters for a version without prompts, which types the title: what fits into it."""
    for one in starters[: MOST_COMMANDS - 1]:
        if len(one.question) <= TITLE:
            yield {
                "title": one.question,
                "description": f"Ask about {line(one.topic, limit=TITLE)}",
            }


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


def write_package(
    *,
    app_id: str | None,
    url: str | None,
    schema: Version,
    has_starters: bool,
    asks_consent: bool,
    is_agent: bool,
    output: Path,
) -> int:
    """Write the zip, and say what to do with it."""
    settings = Settings.from_environment()
    app_id = app_id or settings.app_id
    url = url or settings.public_url
    if app_id is None:
        raise UsageError("Teams needs the bot's client id: --app-id ..., or APP_ID")
    if url is None:
        raise UsageError("Teams needs to know where it reaches you: --url https://...")
    app = read_app_identity(settings)
    manifest(app_id=app_id, address=url)  # refused before anything is asked
    made = manifest(
        app_id=app_id,
        address=url,
        version=schema,
        app=app,
        starters=starters_for(settings) if has_starters else (),
        asks_consent=asks_consent,
        is_agent=is_agent,
    )
    try:
        output.write_bytes(package(made, app))
    except OSError as error:
        raise UsageError(
            f"{output} can't be written: {error.strerror}; choose another -o"
        ) from error
    sys.stdout.write(f"{output}: upload it in Teams under Apps > Manage your apps.\n")
    return 0
