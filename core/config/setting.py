"""What a setting is, how it is read and shown, and what it may say."""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar

from core.domain.errors import ConfigError

_Json = TypeVar("_Json", list[Any], dict[str, Any])
TOKEN_KEY_BYTES = 32
"""Of AES-256, HMAC-SHA256 and X25519."""


Check = Callable[[str, Any], object]
"""Takes a variable and its value; raises `ConfigError`, which names the variable, of a secret no
more. What it returns is not looked at."""


def setting(
    variable: str,
    default: Any,
    meaning: str,
    *,
    is_secret: bool = False,
    check: Check | None = None,
) -> Any:  # dataclass fields are typed at use
    """Return the field of a setting that this variable of the environment gives.

    `check` is not asked of None.
    """
    about = {"variable": variable, "meaning": meaning, "is_secret": is_secret, "check": check}
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


def raw_secret(variable: str, raw: str, file: str) -> str:
    """Return a secret as the environment has it, or as the file has that it names.

    Raises:
        ConfigError: There are both, or the file can't be read or is empty.
    """
    if not file:
        return raw
    if raw:
        raise ConfigError(f"{variable} and {variable}_FILE are both set: unset one of them")
    try:
        raw = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise ConfigError(f"{variable}_FILE: {file} can't be read: {why}") from error
    if not raw:
        raise ConfigError(f"{variable}_FILE: {file} is empty")
    return raw


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


def json_or_file(variable: str, given: str, kind: type[_Json]) -> _Json:
    """Return JSON of a kind that a setting holds, or the file that it names.

    Raises:
        ConfigError: It can't be read, or is of another kind; the message names the variable.
    """
    mark, expected = ("[", "a list") if kind is list else ("{", "an object")
    try:
        is_json = given.lstrip().startswith(mark)
        text = given if is_json else Path(given).expanduser().read_text(encoding="utf-8")
        loaded: object = json.loads(text)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{variable}: expected {expected} in JSON, or a file that holds it: {error}"
        ) from error
    if not isinstance(loaded, kind):
        raise ConfigError(f"{variable}: expected {expected}")
    return loaded


def within(low: float, high: float) -> Check:
    """Return the check of a number from `low` to `high`."""

    def check(variable: str, value: float) -> None:
        if not low <= value <= high:
            raise ConfigError(f"{variable}: expected {low} to {high}, got {value}")

    return check


def one_of(*words: str) -> Check:
    """Return the check of a word that is one of these."""
    few = 3
    expected = " or ".join(words) if len(words) <= few else f"one of {', '.join(words)}"

    def check(variable: str, value: str) -> None:
        if value not in words:
            raise ConfigError(f"{variable}: expected {expected}, got {value!r}")

    return check


def is_name(variable: str, value: str) -> None:
    """Refuse what can't stand in a name of its own."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,99}", value):
        raise ConfigError(f"{variable}: expected lower-case letters, digits, '.', '_' or '-'")


def are_hosts(variable: str, value: str) -> None:
    """Refuse what is no list of names of hosts."""
    if not re.fullmatch(r"([a-z0-9-]+(\.[a-z0-9-]+)+(,|$))*", value):
        raise ConfigError(
            f"{variable}: expected names of hosts in lower case, as in"
            " policies.example.com,intranet.example.com"
        )


def is_key(variable: str, value: str) -> None:
    """Refuse what can be no key, without showing it."""
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise ConfigError(f"{variable}: expected a key without spaces, line breaks or accents")


def is_address(variable: str, value: str) -> None:
    """Refuse what is no address of HTTP."""
    if not value.startswith(("https://", "http://")):
        raise ConfigError(f"{variable}: expected an address that begins with https://")


def is_token_key(variable: str, value: str) -> None:
    """Refuse what is no key of 32 bytes, or a default, without showing it."""
    if not _are_32_bytes(value):
        raise ConfigError(
            f"{variable}: expected 32 random bytes in base64, as `openssl rand -base64 32` prints"
        )


def is_public_key(variable: str, value: str) -> None:
    """Refuse what is no public key of X25519."""
    if not _are_32_bytes(value):
        raise ConfigError(
            f"{variable}: expected a public key, as `citebound audit identity-key` prints it"
        )


def _are_32_bytes(value: str) -> bool:
    try:
        key = base64.b64decode(value, validate=True)
    except ValueError:
        return False
    return len(key) == TOKEN_KEY_BYTES and len(set(key)) > 1
