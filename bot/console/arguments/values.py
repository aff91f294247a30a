"""Words of the command line turned into values; a word that can't be is a usage error.

Used by argparse as `type=`, so that a wrong word is named before anything is opened.
"""

import argparse
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

MAX_REASON = 500
"""Characters of a reason."""
_COUNTRY = re.compile(r"[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """A state of the corpus, by its number."""

    number: int
    """From 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopePart:
    """One `--scope`."""

    tags: frozenset[str] = frozenset()
    """Tags it names."""
    jurisdiction: str | None = None
    """The jurisdiction it names; None if it names none."""


def path(text: str) -> Path:
    """Read a path; nothing at all would be the folder one is in.

    Raises:
        argparse.ArgumentTypeError: It is empty.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a file or a folder, got nothing")
    return Path(text)


def reason(text: str) -> str:
    """Read why something is done.

    Raises:
        argparse.ArgumentTypeError: It is empty, too long or not printable.
    """
    if not text.strip() or len(text) > MAX_REASON or not text.isprintable():
        raise argparse.ArgumentTypeError(
            f"expected one line of at most {MAX_REASON} printable characters"
        )
    return text.strip()


def day(text: str) -> date:
    """Read a date in ISO form.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"expected a date like 2026-01-31, got {text!r}"
        ) from error


def as_of(text: str) -> date | Edition:
    """Read a date, or `edition:N`.

    Raises:
        argparse.ArgumentTypeError: It is neither.
    """
    prefix, colon, number = text.partition(":")
    if colon and prefix == "edition":
        return Edition(number=positive(number))
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"expected a date like 2026-01-31, or edition:3, got {text!r}"
        ) from error


def positive(text: str) -> int:
    """Read a whole number from 1.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:10]) < 2**31):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def names(text: str) -> frozenset[str]:
    """Read names separated by commas.

    Raises:
        argparse.ArgumentTypeError: There is none.
    """
    found = frozenset(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"expected names separated by commas, got {text!r}")
    return found


def jurisdiction(text: str) -> str:
    """Read an ISO 3166 code; it is returned in capitals.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    if not _COUNTRY.fullmatch(text):
        raise argparse.ArgumentTypeError(f"expected an ISO 3166 code like DE, got {text!r}")
    return text.upper()


def scope(text: str) -> ScopePart:
    """Read `tags=a,b`, `jurisdiction=DE`, or bare tags.

    Raises:
        argparse.ArgumentTypeError: The key is another one, or the value is missing.
    """
    key, equals, value = text.partition("=")
    if not equals:
        return ScopePart(tags=names(text))
    if key.strip() == "tags":
        return ScopePart(tags=names(value))
    if key.strip() == "jurisdiction":
        return ScopePart(jurisdiction=jurisdiction(value.strip()))
    raise argparse.ArgumentTypeError(f"expected tags=A,B or jurisdiction=DE, got {text!r}")


def thread(text: str) -> str:
    """Read the id of a conversation.

    Raises:
        argparse.ArgumentTypeError: It is empty, too long or not printable.
    """
    if not text.strip() or len(text) > 200 or not text.isprintable():  # noqa: PLR2004
        raise argparse.ArgumentTypeError("expected a printable id of at most 200 characters")
    return text.strip()
