"""Past answers that rest on what a policy no longer says, as officers see them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
    """A quote of a past answer that changed."""

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
    before: str | None
    """What was quoted, cut; None: an earlier release recorded it."""
    after: str | None
    """What stands there now, cut; None: nothing does, or as above."""
    still_holds: bool
    """True if the answer was confirmed, or all its quotes stand."""
    decided_at: datetime | None
    """When it was confirmed or superseded, UTC; None: not yet."""
    notified_at: datetime | None
    """When the asker was told, UTC; None: not yet, or there was no need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedClause:
    """A quoted stretch that changed, for all answers that quote it."""

    title: str
    """Of the policy."""
    section: str | None
    """Number or title of the section."""
    old_version: str
    """The version that was quoted."""
    new_version: str | None
    """The version that holds instead; None: there is none."""
    change: ClauseChange
    """What became of it."""
    before: str | None
    """See `AffectedAnswer.before`."""
    after: str | None
    """See `AffectedAnswer.after`."""
    answers: int
    """How many quote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedEdition:
    """All answers that one edition affects, and how far telling their askers has come."""

    edition: int
    """Its number."""
    waiting: int
    """Answers on which no officer has decided."""
    under_way: int
    """Answers that were approved, and are not given again yet."""
    told: int
    """Answers whose askers were given another one."""
    confirmed: int
    """Answers that are the same today: nobody hears of them."""
    dropped: int
    """Answers of which nobody can be told, or has to be: removed, erased, or asked again since."""
    failed: int
    """Answers that broke again and again."""
    approved_by: tuple[str, ...]
    """Logins of the officers who approved."""
    approved_at: datetime | None
    """When the last one did, UTC; None: nobody yet."""
    clauses: tuple[ChangedClause, ...]
    """What changed, the most quoted first; of many the first ones."""
    clauses_left_out: int
    """How many more changed."""

    @property
    def total(self) -> int:
        """All of them: it only ever grows."""
        parts = (self.waiting, self.under_way, self.told, self.confirmed, self.dropped, self.failed)
        return sum(parts)

    @property
    def approved(self) -> int:
        """Answers that an officer has approved."""
        return self.total - self.waiting
