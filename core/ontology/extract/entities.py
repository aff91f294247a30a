"""Collect the entities and relations of one document: each once, with all its spans.

And the keys and names by which entities are recognised as the same.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.domain.ontology import (
    Attributes,
    EntityKey,
    EntityType,
    ExtractedEntity,
    ExtractedRelation,
    RelationType,
)
from core.domain.policy import Section
from core.language.content_words import words
from core.language.spans import TextSpan

NAME_CHARACTERS = 160
"""Longest name of an entity, as `ExtractedEntity.name` says."""
_SHORTEST_PLURAL = 4
_NO_WORD = re.compile(r"[^\w]+")


class Collector:
    """The entities and relations extracted so far."""

    def __init__(self) -> None:
        self._entities: dict[str, _Entity] = {}
        self._relations: dict[tuple[str, RelationType, str], dict[TextSpan, None]] = {}

    def entity(
        self,
        key: str,
        type_: EntityType,
        name: str,
        spans: Iterable[TextSpan],
        *,
        aliases: Iterable[str] = (),
        description: str = "",
        attributes: Mapping[str, str] | None = None,
    ) -> EntityKey:
        """Add an entity, or another mention of it, and return its key."""
        known = self._entities.get(key)
        if known is None:
            known = _Entity(type_, shortened(name), description, dict(attributes or {}))
            self._entities[key] = known
        known.description = known.description or description
        for alias in aliases:
            if alias != known.name:
                known.aliases[alias] = None
        for span in spans:
            known.spans[span] = None
        return EntityKey(key)

    def relation(
        self, source: str, type_: RelationType, target: str, spans: Sequence[TextSpan]
    ) -> None:
        """Add a relation between two entities, which may be added later."""
        if source != target:
            known = self._relations.setdefault((source, type_, target), {})
            for span in spans:
                known[span] = None

    def entities(self) -> tuple[ExtractedEntity, ...]:
        """Return the entities in the order of their first mention."""
        return tuple(
            ExtractedEntity(
                key=EntityKey(key),
                type=entity.type,
                name=entity.name,
                aliases=tuple(entity.aliases),
                description=entity.description,
                attributes=_filled(entity.attributes),
                spans=tuple(sorted(entity.spans)),
            )
            for key, entity in self._entities.items()
            if entity.spans
        )

    def relations(self) -> tuple[ExtractedRelation, ...]:
        """Return the relations of which both ends exist."""
        return tuple(
            ExtractedRelation(
                source=EntityKey(source), type=type_, target=EntityKey(target), spans=tuple(spans)
            )
            for (source, type_, target), spans in self._relations.items()
            if spans and source in self._entities and target in self._entities
        )


@dataclass(slots=True)
class _Entity:
    type: EntityType
    name: str
    description: str
    attributes: dict[str, str]
    aliases: dict[str, None] = field(default_factory=dict[str, None])
    spans: dict[TextSpan, None] = field(default_factory=dict[TextSpan, None])


def _filled(attributes: Mapping[str, str]) -> Attributes:
    return {name: value for name, value in attributes.items() if value}


def slug(text: str, *, singular: bool = False) -> str:
    """Return a name as part of a key ("Compliance Officer": "compliance-officer")."""
    parts = [part.replace("'", "").replace("\u2019", "") for part in words(text)]
    if singular:
        parts = [_singular(part) for part in parts]
    return "-".join(_NO_WORD.sub("-", part) for part in parts)[:80] or "unnamed"


def _singular(word: str) -> str:
    """Return the singular of a noun, roughly."""
    if len(word) < _SHORTEST_PLURAL or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word.removesuffix("s")


def name_words(text: str) -> tuple[str, ...]:
    """Return the words of a name in comparable form: in lower case, in the singular."""
    return tuple(_singular(word) for word in words(text))


def find_name(name: str, text: str) -> re.Match[str] | None:
    """Find the first mention of a name, ignoring case, number and punctuation."""
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
    """Return 12 hex digits of the SHA-256 of a text with single spaces."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]


def shortened(text: str, limit: int = NAME_CHARACTERS) -> str:
    """Return `text` cut at a word so that it has at most `limit` characters."""
    folded = " ".join(text.split())
    if len(folded) <= limit:
        return folded
    return folded[: limit - 1].rsplit(" ", 1)[0].rstrip(",;: ")[: limit - 1] + "\u2026"


def title_span(text: str, title: str) -> TextSpan:
    """Return the span of the title, else of the first line that is not empty."""
    start = text.find(title) if title else -1
    if start >= 0:
        return TextSpan(char_start=start, char_end=start + len(title))
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return TextSpan(char_start=start, char_end=start + len(text[start:end].rstrip()))


def heading_span(text: str, section: Section) -> TextSpan | None:
    """Return the heading's line, else the section's first line that is not empty."""
    for start, end in (
        (section.char_start, section.body_start),
        (section.char_start, section.char_end),
    ):
        raw = text[start:end]
        lead = len(raw) - len(raw.lstrip())
        line = raw.strip().split("\n", 1)[0].rstrip()
        if line:
            return TextSpan(char_start=start + lead, char_end=start + lead + len(line))
    return None
