"""What the apps are called and look like: the deployment's own file, `CITEBOUND_APP_CONFIG`.

    name = "Policy Desk"                  # 30 characters at most
    full_name = "Policy Desk of Example"  # 100
    description = "Answers questions..."  # 80
    long_description = "..."              # 4000; Slack shows the first 300
    colour = "#1D3557"
    colour_icon = "icons/colour.png"      # PNG, 192 x 192
    outline_icon = "icons/outline.png"    # PNG, 32 x 32, with a transparent background
    language = "en-us"                    # in which all of this is written

    [developer]
    name = "Example Ltd"                  # 32
    website = "https://example.com"
    privacy = "https://example.com/privacy"
    terms = "https://example.com/terms"

    [languages.de]                        # Teams alone shows other languages
    name = "Richtlinien-Auskunft"

Limits are those of Teams' manifest (developer.microsoft.com/json-schemas/teams, 1.25 and 1.30) and
of Slack's (api.slack.com/reference/manifests), of two the lower one. Paths begin where the file is.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from bot.replies.notices import NAME
from core.config.settings import Settings
from core.domain.errors import ConfigError

VARIABLE = "CITEBOUND_APP_CONFIG"
LIMITS: Mapping[str, int] = {
    "name": 30,
    "full_name": 100,
    "description": 80,
    "long_description": 4_000,
}
"""Characters of each text."""
DEVELOPER_NAME, ADDRESS = 32, 2_048
ICON_SIDES: Mapping[str, int] = {"colour_icon": 192, "outline_icon": 32}
"""Pixels of each side."""
MOST_BYTES = 1_048_576
"""Of an icon; Teams says no limit, and takes its package whole."""
MOST_LANGUAGES = 30
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_LANGUAGE = re.compile(r"[a-z]{2}(-[a-z]{2})?", re.IGNORECASE)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_WITH_ALPHA = frozenset({4, 6})
"""Colour types of PNG that have transparency in each pixel; others may have a chunk `tRNS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTexts:
    """What is written in one language."""

    name: str = NAME
    full_name: str = "Compliance policy assistant"
    description: str = "Policy answers with quoted evidence"
    long_description: str = (
        "Answers company policy questions with quotes from the policy, and hands over to Compliance"
        " when the policy does not decide it. AI-generated; check the quoted source."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Developer:
    """Who offers the app."""

    name: str = "Citebound"
    website: str | None = None
    """None: the deployment's own address."""
    privacy: str | None = None
    """None: `/privacy` of that address."""
    terms: str | None = None
    """None: `/terms` of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppIdentity:
    """The apps of both platforms, as people see them."""

    texts: AppTexts = field(default_factory=AppTexts)
    """In the language of `language`."""
    colour: str = "#1D3557"
    """Behind the icon."""
    colour_icon: bytes | None = field(default=None, repr=False)
    """A PNG; None: that of the release."""
    outline_icon: bytes | None = field(default=None, repr=False)
    """A PNG; None: that of the release."""
    language: str = "en-us"
    """Tag of the first language."""
    languages: Mapping[str, AppTexts] = field(default_factory=dict[str, AppTexts])
    """Texts in others, by their tags."""
    developer: Developer = field(default_factory=Developer)
    """Who offers it."""

    def icon(self, name: str) -> bytes:
        """Return an icon by the name of its setting."""
        given = self.colour_icon if name == "colour_icon" else self.outline_icon
        shipped = {"colour_icon": "color.png", "outline_icon": "outline.png"}[name]
        return given or files("bot.teams").joinpath(shipped).read_bytes()


def read_app_identity(settings: Settings) -> AppIdentity:
    """Read the file that the settings name; without one it is that of the release.

    Raises:
        ConfigError: It can't be read, or a platform would not take what it says; the message names
            the setting and the limit.
    """
    path = settings.app_config
    if path is None:
        return AppIdentity()
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{VARIABLE}: {path} can't be read: {error}") from error
    try:
        return _identity(given, path.parent)
    except _FaultError as fault:
        raise ConfigError(f"{VARIABLE}: {fault}") from None


class _FaultError(Exception):
    """What the file says and may not, with its place."""


def _identity(given: Mapping[str, Any], folder: Path) -> AppIdentity:
    own = {*LIMITS, *ICON_SIDES, "colour", "language", "languages", "developer"}
    _known(given, own, "the file")
    texts = _texts(given, "", AppTexts())
    languages = _table(given.get("languages", {}), "languages")
    if len(languages) > MOST_LANGUAGES:
        raise _FaultError(f"languages: expected {MOST_LANGUAGES} at most, got {len(languages)}")
    made = AppIdentity()
    language = _word(given, "language", "language", made.language).lower()
    for tag in (language, *languages):
        if not _LANGUAGE.fullmatch(tag):
            raise _FaultError(f"languages: expected a tag such as de or de-de, got {tag!r}")
    colour = _word(given, "colour", "colour", made.colour)
    if not _COLOUR.fullmatch(colour):
        raise _FaultError(f"colour: expected a hash and 6 hexadecimal digits, got {colour!r}")
    return AppIdentity(
        texts=texts,
        colour=colour,
        colour_icon=_icon(given, "colour_icon", folder),
        outline_icon=_icon(given, "outline_icon", folder),
        language=language,
        languages={
            tag.lower(): _translated(_table(told, f"languages.{tag}"), tag, texts)
            for tag, told in languages.items()
        },
        developer=_developer(_table(given.get("developer", {}), "developer")),
    )


def _translated(told: Mapping[str, Any], tag: str, first: AppTexts) -> AppTexts:
    _known(told, set(LIMITS), f"languages.{tag}")
    return _texts(told, f"languages.{tag}.", first)


def _texts(given: Mapping[str, Any], where: str, default: AppTexts) -> AppTexts:
    told = {
        key: _limited(_word(given, key, f"{where}{key}", ""), f"{where}{key}", most)
        for key, most in LIMITS.items()
        if key in given
    }
    return replace(default, **told)


def _developer(given: Mapping[str, Any]) -> Developer:
    _known(given, {"name", "website", "privacy", "terms"}, "developer")
    name = _word(given, "name", "developer.name", Developer().name)
    return Developer(
        name=_limited(name, "developer.name", DEVELOPER_NAME),
        website=_address(given, "website"),
        privacy=_address(given, "privacy"),
        terms=_address(given, "terms"),
    )


def _address(given: Mapping[str, Any], key: str) -> str | None:
    where = f"developer.{key}"
    if key not in given:
        return None
    address = _limited(_word(given, key, where, ""), where, ADDRESS)
    try:
        parts = urlsplit(address)
        is_fine = parts.scheme == "https" and bool(parts.hostname) and not parts.username
    except ValueError:
        is_fine = False
    if not (is_fine and address.isascii() and address.isprintable() and " " not in address):
        raise _FaultError(f"{where}: expected an address that begins with https://")
    return address


def _icon(given: Mapping[str, Any], key: str, folder: Path) -> bytes | None:
    """Return an icon, whose size and transparency are read from the file itself."""
    if key not in given:
        return None
    path = folder / Path(_word(given, key, key, "")).expanduser()
    try:
        with path.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise _FaultError(f"{key}: {path} can't be read: {error.strerror}") from error
    if len(content) > MOST_BYTES:
        raise _FaultError(f"{key}: expected {MOST_BYTES} bytes at most")
    if content[:8] != _SIGNATURE or content[12:16] != b"IHDR":
        raise _FaultError(f"{key}: expected a PNG, {path} is none")
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
    side = ICON_SIDES[key]
    if (width, height) != (side, side):
        raise _FaultError(f"{key}: expected {side} x {side} pixels, got {width} x {height}")
    is_see_through = content[25] in _WITH_ALPHA or b"tRNS" in content
    if key == "outline_icon" and not is_see_through:
        raise _FaultError(f"{key}: expected a transparent background, {path} has none")
    return content


def _word(given: Mapping[str, Any], key: str, where: str, default: str) -> str:
    word: Any = given.get(key, default)
    if not isinstance(word, str) or (key in given and not word.strip()):
        raise _FaultError(f"{where}: expected a text")
    return word.strip()


def _limited(word: str, where: str, most: int) -> str:
    if len(word) > most:
        raise _FaultError(f"{where}: expected {most} characters at most, got {len(word)}")
    if not word.replace("\n", " ").isprintable():
        raise _FaultError(f"{where}: expected no control characters")
    return word


def _table(given: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise _FaultError(f"{where}: expected a table")
    return cast("dict[str, Any]", given)


def _known(given: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(given) - known)
    if unknown:
        raise _FaultError(f"{where}: unknown {', '.join(unknown)}")
