"""The bytes that are hashed.

RFC 8785 JSON, RFC 6962 leaves, salted commitments to personal text.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeGuard

import rfc8785
from pydantic_core import from_json, to_json

from core.domain.errors import ContractError
from core.domain.json_value import Json

SALT_BYTES = 32
"""Enough that a short text ("Germany") can't be guessed from its commitment once salt and body are
gone."""

_BEYOND_BMP = re.compile(rb"[\xf0-\xf4]")
"""First bytes of characters by which UTF-16, whose order keys have, orders in another way."""
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
_EXACT = 2**53
"""Integers below are exact in JSON (RFC 8785, section 3.2.2.3)."""
_FRACTION = 1e-4
"""From here on every writer leaves out the exponent of a fraction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment:
    """Personal text that a record commits to without holding it."""

    field: str
    """Name under the record's `content`."""
    salt: bytes
    """32 random bytes."""
    body: str
    """The text."""

    def digest(self) -> str:
        """Return SHA-256(salt || field || 0x00 || body) in hex."""
        if len(self.salt) != SALT_BYTES:
            raise ContractError(f"expected a salt of {SALT_BYTES} bytes, got {len(self.salt)}")
        return hashlib.sha256(
            self.salt + self.field.encode() + b"\x00" + self.body.encode()
        ).hexdigest()


def canonical(document: Mapping[str, Json]) -> bytes:
    """Return the document as RFC 8785 JSON: one value, one sequence of bytes.

    Floats are rounded to six places first, so that the same measure gives the same bytes.

    Raises:
        ContractError: The document holds what JSON can't (NaN, an integer beyond 2^53, a lone
            surrogate).
    """
    try:
        return rfc8785.dumps(_rounded(document))  # pyright: ignore[reportArgumentType]
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise ContractError(f"the record can't be written as canonical JSON: {error}") from error


def is_canonical(data: bytes) -> bool:
    """Say whether bytes are the one form that RFC 8785 gives a document."""
    return canonical_document(data) is not None


def canonical_document(data: bytes) -> dict[str, Any] | None:
    """Return the document that bytes are the one form of that RFC 8785 gives it; else None.

    Nearly always a parser in C answers: what it writes of what it read is the canonical form where
    keys are in order and no number is one that it writes in another way. Else the rules are gone
    through one by one.
    """
    try:
        value: Json = from_json(data, allow_inf_nan=False)
        if not isinstance(value, dict):
            return None
        in_bmp = data.isascii() or _BEYOND_BMP.search(data) is None
        is_plain = in_bmp and _is_plain(value) and to_json(value) == data
        if is_plain or rfc8785.dumps(value) == data:  # pyright: ignore[reportArgumentType]
            return value
    except (ValueError, rfc8785.CanonicalizationError, RecursionError):
        pass
    return None


def _is_plain(value: dict[str, Any] | list[Any]) -> bool:
    """Say whether the keys of an object or array are in order, and each number has one form."""
    if isinstance(value, dict):
        keys = list(value)
        if keys != sorted(keys):
            return False
        items: Iterable[Any] = value.values()
    else:
        items = value
    for item in items:
        if isinstance(item, str):
            continue
        if isinstance(item, float):
            if item.is_integer() or abs(item) < _FRACTION:
                return False
        elif isinstance(item, int):
            if abs(item) >= _EXACT:
                return False
        elif item is not None and not _is_plain(item):
            return False
    return True


def leaf_hash(data: bytes) -> bytes:
    """Return the RFC 6962 leaf hash, SHA-256(0x00 || data)."""
    return hashlib.sha256(b"\x00" + data).digest()


def instant(at: datetime) -> str:
    """Return an aware instant as RFC 3339 in UTC with microseconds, which is the ledger's form."""
    if at.tzinfo is None:
        raise ContractError("expected an aware instant")
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def is_instant(at: object) -> TypeGuard[str]:
    """Say whether a value has the ledger's form of an instant: later ones are greater as text."""
    return isinstance(at, str) and _INSTANT.fullmatch(at) is not None


def _rounded(value: Json) -> Json:
    if isinstance(value, float):
        return float(round(Decimal(value), 6)) if value == value and abs(value) < 1e15 else value  # noqa: PLR0124, PLR2004  # NaN
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
