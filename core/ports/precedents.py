"""Precedents: an officer's answer, approved by a second officer to be told to others verbatim.

A precedent rests on clauses of policies, and is told while each of them stands as it was bound. The
stores are safe from many processes: whatever happens to a precedent happens in one transaction with
its record and what officers are told of it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol, Self, TypeVar

from core.domain.audit import Tag
from core.domain.json_value import Json
from core.domain.officers import Officer
from core.domain.policy import EVERYONE
from core.domain.question import Scope
from core.language.spans import Span, VersionId

_T = TypeVar("_T")
WORDING_LIMIT = 300
"""Characters of a wording of the question."""
WORDINGS = 20
"""Further wordings at most."""
CLAUSES = 10
"""Clauses that a precedent rests on at most."""
CLAUSE_LIMIT = 2_000
"""Characters of one: a longer section is bound by the words of it that count."""
DEFAULT_DAYS, MOST_DAYS = 365, 730
"""How long it is told, if nothing else is said, and at most: whoever approved it looks again."""


class PrecedentState(StrEnum):
    """How far it has come; only an approved one is told."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    REFUSED = "refused"
    """A second officer was against it."""
    SUSPENDED = "suspended"
    """A clause no longer stands as it was bound, or a text was erased."""
    WITHDRAWN = "withdrawn"
    """An officer took it back."""
    EXPIRED = "expired"
    """Its last day has passed."""


UNDECIDED = frozenset({PrecedentState.PROPOSED, PrecedentState.APPROVED})
"""States that may still change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseName:
    """A clause as an officer names it: `gifts/2.1`, or `gifts/2.1: words of that section`."""

    policy: str
    """Key of the policy."""
    section: str
    """Number of the section, or its title."""
    words: str = ""
    """The words that count; empty: the whole text of the section."""

    @property
    def written(self) -> str:
        """It as it is typed."""
        place = f"{self.policy}/{self.section}"
        return f"{place}: {self.words}" if self.words else place


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundClause:
    """A stretch of a policy in force that a precedent rests on."""

    span: Span
    """Where it stands."""
    quote: str
    """The stored text at the span."""
    policy: str
    """Key of the policy."""
    version: str
    """The version, as its owner calls it, else its number."""
    section: str
    """Number or title of the section."""
    audience: frozenset[str] = frozenset({EVERYONE})
    """Groups that may read the policy."""
    jurisdiction: str | None = None
    """ISO 3166 code of the policy; None: everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecedentScope:
    """Whom a precedent may be told to, among those who may read all its clauses."""

    groups: frozenset[str] = frozenset({EVERYONE})
    """Every reader belongs to one of these."""
    jurisdictions: frozenset[str] = frozenset()
    """ISO 3166 codes, one of which the asker's is known to be; empty: anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Precedent:
    """An officer's answer with all that decides whether it is told."""

    precedent_id: str
    """UUID."""
    number: int
    """By which officers name it."""
    case_number: int
    """The case that the officer answered."""
    state: PrecedentState
    """How far it has come."""
    question: str
    """What it answers; empty once the words of its asker are erased."""
    is_askers: bool
    """True: these are the words of who asked, which are kept with their question alone."""
    wordings: tuple[str, ...]
    """The same question in other words, as officers added them."""
    answer: str
    """The officer's words."""
    answered_by: str
    """Login of the officer who answered."""
    clauses: tuple[BoundClause, ...]
    """What it rests on; at least one."""
    scope: PrecedentScope
    """Whom it may be told to."""
    expires_on: date
    """First day on which it is told no more."""
    proposed_by: str
    """Login."""
    proposed_at: datetime
    """Aware, UTC."""
    record_id: str
    """The record of what became of it last."""
    decided_by: str | None = None
    """Login of who approved or refused it; None: nobody has."""
    approved_at: datetime | None = None
    """Aware, UTC; None: it was never approved."""
    reason: str = ""
    """Why it was refused, suspended or withdrawn."""

    @property
    def forms(self) -> tuple[str, ...]:
        """All its wordings, the question first."""
        return tuple(one for one in (self.question, *self.wordings) if one)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCase:
    """A case with what an officer answered, from which a precedent is made."""

    case_id: str
    """UUID."""
    number: int
    """By which officers name it."""
    question: str
    """The words of who asked."""
    answer: str
    """The officer's last answer; empty: there is none."""
    answered_by: str
    """Login of that officer."""
    is_sensitive: bool
    """True: it tells of somebody, and is never told to others."""
    jurisdiction: str | None
    """ISO 3166 code for which it was asked; None: none was known."""
    record_id: str
    """The record that opened it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What an officer proposes; what is left out is taken from the case and its clauses."""

    case_number: int
    """The case that an officer answered."""
    by: Officer
    """Who proposes."""
    clauses: tuple[ClauseName, ...]
    """What the answer rests on."""
    question: str = ""
    """The question for others; empty: in the words of who asked."""
    wordings: tuple[str, ...] = ()
    """The same question in other words."""
    groups: frozenset[str] = frozenset()
    """Empty: whoever may read the clauses."""
    jurisdictions: frozenset[str] | None = None
    """None: that for which it was asked, else those of the clauses; empty: anywhere."""
    expires_on: date | None = None
    """None: after `DEFAULT_DAYS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionText:
    """A section of a policy in force, as a clause is found in it."""

    version_id: VersionId
    """The version in force."""
    policy: str
    """Key of the policy."""
    version: str
    """The version, as its owner calls it, else its number."""
    section: str
    """Number or title of the section."""
    char_start: int
    """Where its text begins, without its heading."""
    text: str
    """Its text, with that of the sections below it."""
    audience: frozenset[str]
    """Groups that may read the policy."""
    jurisdiction: str | None
    """ISO 3166 code of the policy; None: everywhere."""


class PrecedentUnit(Protocol):
    """One transaction over precedents."""

    async def answered(self, number: int, /) -> AnsweredCase | None:
        """Return a case, locked until the transaction ends; None: there is none."""
        ...

    async def of_case(self, case_id: str, /) -> tuple[Precedent, ...]:
        """Return the precedents of a case."""
        ...

    async def section(self, policy: str, section: str, /, *, on_day: date) -> SectionText | None:
        """Return a section of the newest edition by number or title; None: none is in force."""
        ...

    async def standing(self, clauses: Sequence[BoundClause], /, *, on_day: date) -> bool:
        """Say whether each clause stands, word for word, in the version that is in force."""
        ...

    async def locked(self, number: int, /) -> Precedent | None:
        """Return a precedent, which nobody else changes until the transaction ends."""
        ...

    async def insert(self, precedent: Precedent, /, *, case_id: str) -> Precedent:
        """Store a proposal, and return it with its number."""
        ...

    async def save(self, precedent: Precedent, /) -> None:
        """Store what has become of it."""
        ...

    async def record(
        self,
        tag: Tag,
        precedent: Precedent,
        /,
        *,
        actor: str,
        cause: str,
        says: Mapping[str, Json] | None = None,
        content: Mapping[str, str] | None = None,
    ) -> None:
        """Append what an officer did with it, under its `record_id`; `content` may be erased."""
        ...


class PrecedentStore(Protocol):
    """Precedents, for officers."""

    def seen_by(self, *officers: str) -> Self:
        """Return it as officers may use it; see `CaseStore.seen_by`."""
        ...

    async def run(self, work: Callable[[PrecedentUnit], Awaitable[_T]], /) -> _T:
        """Do work in one transaction; see `CaseStore.run`."""
        ...

    async def find(self, number: int, /) -> Precedent | None:
        """Return a precedent; None: there is none."""
        ...

    async def listed(self) -> tuple[Precedent, ...]:
        """Return all, newest first, at most 500."""
        ...

    async def of_case(self, case_id: str, /) -> tuple[Precedent, ...]:
        """Return those of a case, newest first."""
        ...


class TellsPrecedents(Protocol):
    """Precedents, for those who ask."""

    async def tellable(self, scope: Scope, /) -> tuple[Precedent, ...]:
        """Return those that may be told in a scope, oldest first.

        Approved, not expired, for a group of the scope, and with each clause in a version that the
        scope reads. Nothing in the scope of another day, or of an edition that is not the newest.
        """
        ...
