"""What a setting is, and what it may say: each check names the variable, of a secret no more."""

import base64
from dataclasses import field
from pathlib import Path
from typing import Any

from core.domain.errors import ConfigError

TOKEN_KEY_BYTES = 32
"""Of AES-256."""


def setting(
    variable: str, default: Any, meaning: str, *, is_secret: bool = False
) -> Any:  # dataclass fields are typed at use
    """Return the field of a setting that this variable of the environment gives."""
    about = {"variable": variable, "meaning": meaning, "is_secret": is_secret}
    return field(default=default, metadata=about)


def redacted(value: str) -> str:
    """Return a value as it may be printed: of an address no credentials and no query, no JSON.

    Whatever stands before an `@` may be a password, wherever a slash in it seems to end the host.
    """
    if value.lstrip().startswith(("{", "[")):
        return f"JSON of {len(value)} characters"
    scheme, mark, rest = value.partition("://")
    if not mark:
        return value
    address = rest.partition("?")[0].partition("#")[0]
    _, has_user, host = address.rpartition("@")
    return f"{scheme}://{'***@' if has_user else ''}{host}"


def parse(variable: str, raw: str, kind: Any) -> Any:
    """Return a setting as its type; a number or a path, else as written.

    Raises:
        ConfigError: The message names the variable.
    """
    try:
        if kind in (float, float | None):
            return float(raw)
        if kind is int:
            return int(raw)
    except ValueError as error:
        raise ConfigError(f"{variable}: expected a number, got {raw!r}") from error
    return Path(raw).expanduser() if kind in (Path, Path | None) else raw


def check(variable: str, value: float, low: float, high: float) -> None:
    """Refuse a number outside of its range.

    Raises:
        ConfigError: The message names the variable.
    """
    if not low <= value <= high:
        raise ConfigError(f"{variable}: expected {low} to {high}, got {value}")


def check_word(variable: str, value: str, *words: str) -> None:
    """Refuse any other word.

    Raises:
        ConfigError: The message names the variable.
    """
    if value not in words:
        raise ConfigError(f"{variable}: expected {' or '.join(words)}, got {value!r}")


def check_secret(variable: str, value: str | None) -> None:
    """Refuse what can be no key; it is not shown.

    Raises:
        ConfigError: The message names the variable.
    """
    if value is not None and not (value.isascii() and value.isprintable() and " " not in value):
        raise ConfigError(f"{variable}: expected a key without spaces, line breaks or accents")


def check_url(variable: str, value: str | None) -> None:
    """Refuse what is no address.

    Raises:
        ConfigError: The message names the variable.
    """
    if value is not None and not value.startswith(("https://", "http://")):
        raise ConfigError(f"{variable}: expected an address that begins with https://")


def check_key(variable: str, value: str | None) -> None:
    """Refuse what is no key of AES-256, or a default; it is not shown.

    Raises:
        ConfigError: The message names the variable.
    """
    if value is None:
        return
    try:
        key = base64.b64decode(value, validate=True)
    except ValueError:
        key = b""
    if len(key) != TOKEN_KEY_BYTES or len(set(key)) == 1:
        raise ConfigError(
            f"{variable}: expected 32 random bytes in base64, as `openssl rand -base64 32` prints"
        )
