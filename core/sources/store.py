"""What is remembered of sources: their documents, how far a synchronisation is, what it came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from core.domain.errors import CiteboundError
from core.ingest.changes import NO_CHANGES, CorpusChanges
from core.sources.access import AccessStore
from core.sources.connector import OtherItem, PolicySource, Readers


class ItemState(StrEnum):
    """What became of a document."""

    STORED = "stored"
    """It is a policy."""
    FAILED = "failed"
    """It can't be read as it is; it is tried again once it changes."""
    GONE = "gone"
    """It was deleted, and its policy is still in force."""
    WITHDRAWN = "withdrawn"
    """It was deleted, and so its policy was withdrawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownItem:
    """A document as it was found last."""

    item_id: str
    """See `SourceItem.item_id`."""
    path: str
    """See `SourceItem.path`."""
    version: str
    """See `SourceItem.version`."""
    state: ItemState
    """What became of it."""
    policy: str | None
    """Key of its policy; None: it is none."""
    reason: str | None = None
    """Why it failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncLease:
    """The right to synchronise a source, for a while."""

    source: PolicySource
    """Which."""
    lease: str
    """Names this right."""
    run: int
    """Number of the synchronisation; one that goes on keeps its number."""
    token: str | None
    """Of the last listing that was worked through."""
    cursor: str | None
    """From where this one goes on; None: from the beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What a synchronisation came to."""

    added: int = 0
    """Policies that are new."""
    revised: int = 0
    """Policies with a new version."""
    unchanged: int = 0
    """Documents that say what they said."""
    failed: int = 0
    """Documents that can't be read."""
    others: int = 0
    """Files of the source that are no policies: see `OtherItem`."""
    withdrawn: tuple[str, ...] = ()
    """Keys of policies that were withdrawn."""
    held_back: tuple[str, ...] = ()
    """Keys of policies whose documents are gone, and that somebody has to withdraw."""
    newly_held: tuple[str, ...] = ()
    """Those of them whose documents were there the time before."""
    compared: CorpusChanges = NO_CHANGES
    """What changed, policy by policy; known once it has ended."""

    @property
    def changes(self) -> bool:
        """True if anything of it is news."""
        return bool(self.added or self.revised or self.withdrawn or self.newly_held)

    def as_json(self) -> dict[str, int]:
        """Return the counts, for the record."""
        return {
            "added": self.added,
            "revised": self.revised,
            "unchanged": self.unchanged,
            "failed": self.failed,
            "others": self.others,
            "withdrawn": len(self.withdrawn),
            "held_back": len(self.held_back),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    """A source, and how current it is."""

    source: PolicySource
    """Which."""
    synced_at: datetime | None
    """When it was last worked through; None: never."""
    error: str | None
    """Why it was not since; None: nothing is wrong."""
    error_since: datetime | None
    """Since when."""
    items: Mapping[ItemState, int]
    """Documents by what became of them."""
    others: int = 0
    """Files that are no policies."""
    due_at: datetime | None = None
    """When it is looked at again."""
    access_read_at: datetime | None = None
    """When it was last read who may read what; None: never."""
    access_due_at: datetime | None = None
    """When that is read again; None: the source does not say."""
    access_error: str | None = None
    """Why that was not read since; None: nothing is wrong."""
    access_error_since: datetime | None = None
    """Since when."""
    unread: int = 0
    """Documents whose readers can't be read."""


class SourceStore(Protocol):
    """Remembers sources. Safe from many processes."""

    @property
    def access(self) -> AccessStore:
        """Who may read their documents."""
        ...

    async def lease(self, name: str, /) -> SyncLease:
        """Take the right to synchronise a source.

        Raises:
            UsageError: There is no such source.
            OccupiedError: Another process has it.
        """
        ...

    async def renew(self, lease: SyncLease, /) -> None:
        """Keep the right for longer.

        Raises:
            OvertakenError: It has passed to another process.
        """
        ...

    async def now(self) -> datetime:
        """Return the time by the one clock that all processes share."""
        ...

    async def known(self, lease: SyncLease, /) -> dict[str, KnownItem]:
        """Return the documents that are remembered, by identity."""
        ...

    async def holder(self, policy: str, /) -> tuple[str, str] | None:
        """Return source and identity of the document that a policy is; None: it is none."""
        ...

    async def keep(
        self,
        lease: SyncLease,
        /,
        *,
        items: Sequence[KnownItem],
        seen: Sequence[str] = (),
        cursor: str | None = None,
        readers: Sequence[Readers] = (),
        read_at: datetime | None = None,
        withdrawn: Sequence[str] = (),
    ) -> None:
        """Remember documents and how far the listing is, and renew the right.

        Of policies that were `withdrawn` is told once the synchronisation has ended, whoever ends
        it, as of those that were published.

        `readers` are remembered and applied to their policies at once; `read_at` is when they were
        asked for: what was asked for later stays.

        Raises:
            OvertakenError: The right has passed to another process.
        """
        ...

    async def keep_others(
        self, lease: SyncLease, /, *, others: Sequence[OtherItem], gone: Sequence[str]
    ) -> None:
        """Remember files that are no policies, and forget those that are gone."""
        ...

    async def count_others(self, lease: SyncLease, /, *, is_whole: bool) -> int:
        """Return how many are remembered; if all was listed, forget those that were not."""
        ...

    async def audience(self, lease: SyncLease, readers: Readers, /) -> frozenset[str]:
        """Return the audience that readers are, and see to it that they are read from now on."""
        ...

    async def unseen(self, lease: SyncLease, /) -> list[KnownItem]:
        """Return documents that this synchronisation has not listed, and that are not gone."""
        ...

    async def finish(
        self, lease: SyncLease, /, *, token: str | None, report: SyncReport
    ) -> CorpusChanges:
        """End a synchronisation: remember its token, record what it came to, give the right back.

        Owners and officers are told what changed, policy by policy; return that.

        Raises:
            OvertakenError: See `keep`.
        """
        ...

    async def fail(self, lease: SyncLease, /, *, error: CiteboundError) -> None:
        """Give the right back, remember the failure, and put the next attempt off.

        It is recorded the first time since the source last worked. Officers hear of it once: at
        once where waiting does not help, else after some attempts.
        """
        ...

    async def release(self, lease: SyncLease, /) -> None:
        """Give the right back; whoever takes it next goes on."""
        ...
