"""Whether what an answer quoted still stands in the version of the policy that holds now.

Words are compared, not places: a section that is only moved or numbered anew has not changed.
Where the words stand and something around them changed, that counts too, for it may be an exception
or a condition; "around" is the section, and the sections beside it under the same heading.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from core.language.spans import TextSpan


class ClauseChange(StrEnum):
    """What became of a quoted stretch."""

    CHANGED = "changed"
    """Its words are others."""
    REMOVED = "removed"
    """Its section is gone."""
    AMENDED = "amended"
    """Its words stand, and what is around them changed."""
    WITHDRAWN = "withdrawn"
    """The policy is withdrawn."""
    ENDED = "ended"
    """The policy is out of force."""

    @property
    def quote_stands(self) -> bool:
        """True if the quote still stands word for word."""
        return self is ClauseChange.AMENDED


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedAnswer:
    """A quote of a past answer that changed, as officers see it."""

    record_id: str
    """The record of the answer."""
    answered_at: datetime
    """When it was given, UTC."""
    question: str | None
    """As asked; None once erased."""
    edition: int
    """The edition that brought the change."""
    policy: str
    """Key of the policy."""
    section: str | None
    """Number or title of the section that was quoted."""
    old_version: str
    """The version that was quoted."""
    new_version: str | None
    """The version that holds instead; None: there is none."""
    change: ClauseChange
    """What became of it."""
    still_holds: bool
    """True if the answer was confirmed, or all its quotes stand."""
    decided_at: datetime | None
    """When it was confirmed or superseded, UTC; None: not yet."""
    notified_at: datetime | None
    """When the asker was told, UTC; None: not yet, or there was no need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSection:
    """A section of a stored version."""

    eid: str
    """Its place in the outline; parts are joined by two underscores."""
    number: str | None
    """As printed; None: it has none."""
    title: str
    """Its heading."""
    char_start: int
    """Where it begins, heading included."""
    body_start: int
    """Where its text begins."""
    char_end: int
    """Where the next section begins."""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.number or self.title


@dataclass(frozen=True, kw_only=True)
class StoredText:
    """The text of a stored version with its sections, in text order."""

    text: str
    """All of it."""
    sections: tuple[StoredSection, ...]
    """Without gaps or overlaps."""

    def section_at(self, span: TextSpan) -> StoredSection | None:
        """Return the section in which a stretch begins."""
        return next(
            (one for one in self.sections if one.char_start <= span.char_start < one.char_end), None
        )

    @cached_property
    def bodies(self) -> Mapping[str, str]:
        """The texts of the sections by eid, without their headings, folded."""
        return {one.eid: folded(self.text[one.body_start : one.char_end]) for one in self.sections}

    def around(self, section: StoredSection) -> tuple[str, ...]:
        """Return the texts of a section and of those beside it under the same heading, in order."""
        above, _, _ = section.eid.rpartition("__")
        root = above or section.eid
        return tuple(
            body for eid, body in self.bodies.items() if eid == root or eid.startswith(f"{root}__")
        )

    @cached_property
    def folded_text(self) -> str:
        """The whole text, folded."""
        return folded(self.text)


def folded(text: str) -> str:
    """Return a text with all white space as single blanks."""
    return " ".join(text.split())


def change_of(span: TextSpan, old: StoredText, new: StoredText) -> ClauseChange | None:
    """Return what became of a stretch of an old version in the new one; None: nothing.

    Args:
        span: What was quoted.
        old: The version that it was quoted from.
        new: The version of the same policy that holds now.
    """
    quote, section = folded(span.of(old.text)), old.section_at(span)
    if quote not in new.folded_text:
        known = {one.name.casefold() for one in new.sections}
        is_there = section is not None and section.name.casefold() in known
        return ClauseChange.CHANGED if is_there else ClauseChange.REMOVED
    if section is None:
        return None
    holders = [one for one in new.sections if quote in new.bodies[one.eid]]
    around, body = old.around(section), old.bodies[section.eid]
    is_same = any(new.bodies[one.eid] == body and new.around(one) == around for one in holders)
    return None if is_same else ClauseChange.AMENDED
