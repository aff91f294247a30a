"""Keep the audiences of policies in step with whom their source lets read them.

    lease -> list, page by page -> keep in the source's words -> audiences -> token

What a source says is kept in its own words, and read as groups of this deployment's audiences
(`audience_of`). It narrows what the texts say of their readers and never widens it. Whatever can't
be read, lets nobody read who could not before; what was never read, nobody.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from core.domain.errors import CiteboundError, ConfigError, DocumentError, OvertakenError
from core.domain.policy import EVERYONE
from core.leases import renewed
from core.sources.connector import (
    Connect,
    PolicySource,
    Readers,
    ReadersPage,
    SourceAccess,
    SourceItem,
    UnreadReaders,
)

LEASE_RENEWED_EVERY_S = 45.0
"""A quarter of a lease of three minutes: what was killed is gone on with after these, whatever long
document it was reading."""
UNLISTED = "the source did not say who may read it: it may not be visible to the login any more"


def audience_of(
    groups: frozenset[str] | None,
    *,
    named: Mapping[str, str],
    directory: Mapping[str, frozenset[str]],
) -> frozenset[str]:
    """Return the audience that groups of a source are; empty: nobody.

    Args:
        groups: see `ItemReaders.groups`.
        named: groups of the source with the audience group that an operator said each is.
        directory: audience groups whose members a directory keeps, with all ids of theirs there. It
            is a reader only where all of these may read: else some of its members might not.
    """
    if groups is None:
        return frozenset({EVERYONE})
    return frozenset(
        {named[one] for one in groups if one in named}
        | {name for name, ids in directory.items() if ids and ids <= groups}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessLease:
    """The right to read who may read the documents of a source, for a while."""

    source: PolicySource
    """Which."""
    lease: str
    """Names this right."""
    token: str | None
    """Of the last listing that was worked through."""
    cursor: str | None
    """From where this one goes on; None: from the beginning."""
    known: tuple[str, ...]
    """Identities of documents that are policies, sorted."""
    unread: tuple[SourceItem, ...] = ()
    """Some of those whose readers could not be read so far: they are asked for one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessReport:
    """What reading the readers of a source came to."""

    changed: tuple[str, ...] = ()
    """Keys of policies that others may read now."""
    unread: int = 0
    """Documents whose readers can't be read."""
    unnamed: int = 0
    """Groups of the source that are no audience group."""


class AccessStore(Protocol):
    """Remembers who may read what. Safe from many processes."""

    async def lease(self, name: str, /) -> AccessLease:
        """Take the right to read the readers of a source.

        Raises:
            UsageError: There is no such source.
            OccupiedError: Another process has it.
        """
        ...

    async def renew(self, lease: AccessLease, /) -> None:
        """Keep the right for longer.

        Raises:
            OvertakenError: It has passed to another process.
        """
        ...

    async def now(self) -> datetime:
        """Return the time by the one clock that all processes share."""
        ...

    async def keep(
        self,
        lease: AccessLease,
        /,
        *,
        readers: Sequence[Readers],
        read_at: datetime,
        cursor: str | None,
    ) -> tuple[str, ...]:
        """Remember readers and how far the listing is; return keys of policies that changed hands.

        `read_at` is when they were asked for: what was asked for later stays.

        Raises:
            OvertakenError: The right has passed to another process.
        """
        ...

    async def unlisted(self, lease: AccessLease, /, *, problem: str) -> None:
        """Remember of what this listing has not named that its readers could not be read."""
        ...

    async def finish(self, lease: AccessLease, /, *, token: str | None, says: bool) -> AccessReport:
        """End: apply what groups are called now, remember the token, give the right back.

        `says` is False where the source says nothing of readers: it is not asked again. The report
        has what is changed by this alone.

        Raises:
            OvertakenError: See `keep`.
        """
        ...

    async def fail(self, lease: AccessLease, /, *, error: CiteboundError) -> None:
        """Give the right back, remember the failure, and put the next attempt off."""
        ...

    async def release(self, lease: AccessLease, /) -> None:
        """Give the right back; whoever takes it next goes on."""
        ...


class AccessSync:
    """Reads who may read what. Safe from many processes: each source has a lease."""

    def __init__(self, *, store: AccessStore, connect: Connect) -> None:
        self._store = store
        self._connect = connect

    async def refresh(self, name: str) -> AccessReport:
        """Bring audiences in step with a source.

        Raises:
            UsageError: There is no such source.
            OccupiedError: Another process is at it.
            ConfigError: It can't be read as it is set up.
            TransientError: It or the database fails; what was read holds, and the next one goes on.
        """
        lease = await self._store.lease(name)
        try:
            async with renewed(lambda: self._store.renew(lease), every_s=LEASE_RENEWED_EVERY_S):
                done = await self._read(lease)
            report = await self._store.finish(lease, token=done.token, says=done.says)
            return replace(report, changed=tuple(sorted({*done.changed, *report.changed})))
        except OvertakenError:
            raise
        except CiteboundError as error:
            await self._store.fail(lease, error=error)
            raise
        except BaseException:
            await self._store.release(lease)
            raise

    async def _read(self, lease: AccessLease) -> "_Read":
        async with self._connect(lease.source) as connector:
            if connector.access is None:
                return _Read(token=None, says=False)
            return await self._listed(lease, connector.access)

    async def _listed(self, lease: AccessLease, access: SourceAccess) -> "_Read":
        changed = [*await self._again(lease, access)]
        asked_at = await self._store.now()
        listing = access.changes(known=lease.known, since=lease.token, cursor=lease.cursor)
        async for part in listing:
            if isinstance(part, ReadersPage):
                changed += await self._store.keep(
                    lease, readers=part.readers, read_at=asked_at, cursor=part.cursor
                )
                asked_at = await self._store.now()
                continue
            if part.is_whole:
                await self._store.unlisted(lease, problem=UNLISTED)
            return _Read(token=part.token, says=True, changed=tuple(changed))
        raise ConfigError(f"the source {lease.source.name!r} broke off listing its readers")

    async def _again(self, lease: AccessLease, access: SourceAccess) -> tuple[str, ...]:
        """Ask for readers that could not be read: a listing of changes may not name them again."""
        asked_at = await self._store.now()
        readers: list[Readers] = []
        for item in lease.unread:
            try:
                readers.append(await access.of(item))
            except DocumentError as error:
                readers.append(UnreadReaders(item_id=item.item_id, problem=str(error)))
        if not readers:
            return ()
        return await self._store.keep(lease, readers=readers, read_at=asked_at, cursor=lease.cursor)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A listing of readers that was worked through."""

    token: str | None
    """Where the next one starts."""
    says: bool
    """False: the source says nothing of readers."""
    changed: tuple[str, ...] = ()
    """Keys of policies that others may read now."""
