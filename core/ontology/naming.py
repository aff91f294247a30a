"""Names and keys of entities."""

import hashlib
import re

from core.domain.content_words import words

NAME_CHARACTERS = 160
"""Longest name of an entity, as `ExtractedEntity.name` says."""
_SHORTEST_PLURAL = 4


def slug(text: str, *, singular: bool = False) -> str:
    """Return a name as part of a key ("Compliance Officer": "compliance-officer")."""
    parts = [part.replace("'", "").replace("\u2019", "") for part in words(text)]
    if singular:
        parts = [_singular(part) for part in parts]
    return "-".join(re.sub(r"[^\w]+", "-", part) for part in parts)[:80] or "unnamed"


def _singular(word: str) -> str:
    """Return the singular of a noun, roughly."""
    if len(word) < _SHORTEST_PLURAL or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word.removesuffix("s")


def policy_entity(policy_key: str) -> str:
    """Return the key of a policy's entity."""
    return f"policy:{policy_key}"


def section_entity(policy_key: str, eid: str) -> str:
    """Return the key of a section's entity."""
    return f"section:{policy_key}:{eid}"


def fingerprint(text: str) -> str:
    """Return 12 hex digits of the SHA-256 of a text, white space folded."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]


def shortened(text: str, limit: int = NAME_CHARACTERS) -> str:
    """Return `text` cut at a word so that it has at most `limit` characters."""
    folded = " ".join(text.split())
    if len(folded) <= limit:
        return folded
    return folded[: limit - 1].rsplit(" ", 1)[0].rstrip(",;: ")[: limit - 1] + "\u2026"
