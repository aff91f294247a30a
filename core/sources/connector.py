"""What a source of policies is, and what has to be known of one to keep the corpus current with it.

A connector lists what changed and fetches documents; it decides nothing. `core.sources.sync` does.
Where a source knows who may read a document, its connector lists that apart from the texts
(`SourceAccess`), and `core.sources.access` makes audiences of it.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from core.ingest.prepare import NOTHING_GIVEN, Overrides


class SourceKind(StrEnum):
    """Kinds of sources."""

    FOLDER = "folder"
    """A folder that this machine reads."""
    GIT = "git"
    """A branch of a Git repository."""
    CONFLUENCE = "confluence"
    """A space of Confluence."""
    SHAREPOINT = "sharepoint"
    """A document library of SharePoint."""
    DRIVE = "drive"
    """A folder of Google Drive, or a shared drive."""


class Withdrawing(StrEnum):
    """What happens to a policy whose document is gone from its source."""

    ASK = "ask"
    """It stays in force until somebody withdraws it."""
    AUTOMATIC = "automatic"
    """It is withdrawn, unless too many are gone at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySource:
    """Where policies come from."""

    name: str
    """Its identity: lower-case letters, digits and hyphens."""
    kind: SourceKind
    """Which connector reads it."""
    location: Mapping[str, str]
    """What the connector needs to find it; never a secret."""
    key_prefix: str | None
    """Before the keys of its policies; None: nothing."""
    audience: frozenset[str] | None
    """Groups that may read what says nothing else itself; None: everyone."""
    withdrawing: Withdrawing
    """What happens to policies whose documents are gone."""
    every_s: int
    """Seconds between two synchronisations."""
    access_every_s: int = 900
    """Seconds between two readings of who may read, where the source says that."""
    groups: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids of groups as the source has them (see `ItemReaders.groups`), each with the group of the
    deployment's audiences that it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceItem:
    """One document of a source."""

    item_id: str
    """Its identity there; the same after it was moved or renamed, where the source knows that."""
    path: str
    """Where it lies within the source, parts joined by slashes."""
    version: str
    """Changes whenever its content or what is known of it may have."""
    given: Overrides = NOTHING_GIVEN
    """What the source says about the policy."""
    problem: str | None = None
    """Why it can't be read, cause and cure in a line; None: it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherItem:
    """A file of a source that is never a policy: see `core.ingest.file_kinds`."""

    item_id: str
    """See `SourceItem.item_id`."""
    path: str
    """See `SourceItem.path`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePage:
    """Part of what a source lists."""

    items: tuple[SourceItem, ...] = ()
    """Documents that are new or may have changed."""
    others: tuple[OtherItem, ...] = ()
    """Files that are new or may have changed, and are no policies."""
    gone: tuple[str, ...] = ()
    """Identities of documents that were deleted."""
    cursor: str | None = None
    """From where the listing goes on after this page; None: only from its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingEnd:
    """The end of a listing."""

    token: str | None
    """What the next listing starts from; None: it lists everything again."""
    is_whole: bool
    """True if everything there is was listed: what was not is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemReaders:
    """Who may read a document, as its source says."""

    item_id: str
    """See `SourceItem.item_id`."""
    groups: frozenset[str] | None
    """Groups by their ids there, each after what keeps it: `entra:6a3f...` (object id, lower case),
    `google:finance@example.com`, `confluence:GROUP-ID`. Any one of them may read. None: everyone of
    the organisation. Empty: nobody whom a group stands for; single people and outsiders count for
    nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadReaders:
    """A document whose readers can't be read: nobody gets to read it who could not before."""

    item_id: str
    """See `SourceItem.item_id`."""
    problem: str
    """Cause and cure in a line."""


Readers = ItemReaders | UnreadReaders
"""Who may read a document, or that nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadersPage:
    """Part of a listing of readers."""

    readers: tuple[Readers, ...] = ()
    """Of documents, known ones or not."""
    cursor: str | None = None
    """From where the listing goes on after this page; None: only from its beginning."""


class SourceAccess(Protocol):
    """Says who may read the documents of a source."""

    def changes(
        self, *, known: Sequence[str], since: str | None, cursor: str | None
    ) -> AsyncIterator[ReadersPage | ListingEnd]:
        """List whose readers may have changed, page by page; the last value is the end.

        An end that is whole says that all of `known` was looked at: the readers of what was not
        listed could not be read.

        Args:
            known: identities of the documents that are policies, sorted.
            since: the token of the last listing that was worked through; None: list all.
            cursor: that of the last page that was worked through; None: begin.

        Raises:
            ConfigError: It can't be read as it is set up; the message says what to do.
            TransientError: It fails at the moment.
        """
        ...

    async def of(self, item: SourceItem, /) -> ItemReaders:
        """Return the readers of a document; asked before its text is stored.

        Raises:
            DocumentError: They can't be read: nobody gets to read it who could not before. It is
                asked again with each listing of readers.
            TransientError: The source fails at the moment.
        """
        ...


class Connector(Protocol):
    """Reads one source."""

    @property
    def access(self) -> SourceAccess | None:
        """Who may read what; None: the source does not say, and the audience of each text holds."""
        ...

    async def check(self) -> str:
        """Try address, credentials and rights, reading as little as possible; say what was found.

        Raises:
            ConfigError: Something is missing or refused; the message says what to do.
            TransientError: It fails at the moment.
        """
        ...

    def changes(
        self, *, since: str | None, cursor: str | None
    ) -> AsyncIterator[ChangePage | ListingEnd]:
        """List what changed, page by page; the last value is the end.

        Args:
            since: the token of the last listing that was worked through; None: there was none.
            cursor: that of the last page that was worked through; None: begin.

        Raises:
            ConfigError: It can't be reached as it is set up; the message says what to do.
            TransientError: It fails at the moment.
        """
        ...

    async def fetch(self, item: SourceItem, /) -> bytes:
        """Return the content of a document.

        Raises:
            DocumentError: This document can't be had.
            TransientError: The source fails at the moment.
        """
        ...

    async def is_there(self, item_id: str, /) -> bool:
        """Say whether a document that was listed once still exists.

        Raises:
            TransientError: The source fails at the moment.
        """
        ...


class Connect(Protocol):
    """Opens the connector of a source."""

    def __call__(self, source: PolicySource, /) -> AbstractAsyncContextManager[Connector]:
        """Connect until the block ends.

        Raises:
            ConfigError: Something that it needs is not set.
        """
        ...
