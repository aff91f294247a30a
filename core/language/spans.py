"""Stretches of a text, and of the text of a stored policy version. Half-open, from 0."""

from dataclasses import dataclass
from typing import NewType

VersionId = NewType("VersionId", int)
"""Identity of a stored policy version."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TextSpan:
    """A stretch of one text, before that text has an identity in the database."""

    char_start: int
    """First character, in code points, from 0."""
    char_end: int
    """One past the last character; greater than `char_start`."""

    def of(self, text: str) -> str:
        """Return the characters of `text` in this span."""
        return text[self.char_start : self.char_end]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Span:
    """A stretch of a stored policy version: what a citation points to."""

    version_id: VersionId
    """The policy version whose full text is meant."""
    char_start: int
    """First character, in Unicode code points of the version's full text, from 0."""
    char_end: int
    """One past the last character; greater than `char_start`."""
