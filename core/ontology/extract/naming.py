"""Names and keys of entities."""

import hashlib
import re

from core.language.content_words import words

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


def name_words(text: str) -> tuple[str, ...]:
    """Return the words of a name in the form in which mentions of it meet."""
    return tuple(_singular(word) for word in words(text))


def find_name(name: str, text: str) -> re.Match[str] | None:
    """Find where `text` names a thing first: case, number and punctuation aside."""
    wanted = name_words(name)
    if not wanted:
        return None
    gap = r"[\W_]+"
    pattern = rf"(?<![^\W_]){gap.join(_inflected(word) for word in wanted)}(?![^\W_])"
    return re.search(pattern, text, re.IGNORECASE)


def _inflected(word: str) -> str:
    """Return a pattern for a word in singular or plural."""
    if word.endswith("y"):
        return rf"{re.escape(word[:-1])}(?:y|ies|ys)"
    return rf"{re.escape(word)}(?:e?s)?"


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
