"""Bring the corpus in step with a source: add, revise, and withdraw by the rule of the source.

    lease -> list, page by page -> fetch and ingest what changed -> what is gone -> record, token

A page is remembered once it is worked through, and each policy is published whole or not at all:
whoever is interrupted goes on after the last page. A document that failed is tried again once it
changes. A source that lists nothing any more is more often broken than empty, so an automatic
withdrawal stops at a tenth of its policies.
"""

import dataclasses
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import Protocol

from core.domain.errors import (
    CiteboundError,
    ContractError,
    DocumentError,
    OvertakenError,
    UsageError,
)
from core.ingest.compare import SourceFile
from core.ingest.prepare import key_of
from core.ingest.publish import Ingested, Ingestor
from core.ports import Clock, Published
from core.ports.corpus import SourceAudience
from core.sources.access import AccessSync
from core.sources.connector import (
    ChangePage,
    Connect,
    Connector,
    ListingEnd,
    Readers,
    SourceItem,
    UnreadReaders,
    Withdrawing,
)
from core.sources.store import ItemChange, ItemState, KnownItem, SourceStore, SyncLease, SyncReport

MOST_WITHDRAWN = 0.1
"""Share of a source's policies that one synchronisation may withdraw unasked; one always may be."""

logger = logging.getLogger(__name__)


class Withdrawals(Protocol):
    """Takes policies out of force."""

    async def withdraw(
        self, key: str, *, since: date, reason: str, is_file_gone: bool = False
    ) -> object:
        """Withdraw a policy from a day on.

        Raises:
            UsageError: There is no such policy, or it is withdrawn already.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncStep:
    """What became of one document."""

    path: str
    """See `SourceItem.path`."""
    word: str
    """`added`, `revised`, `unchanged` or `failed`."""
    detail: str
    """Its title, or why it failed."""


class SourceSync:
    """Synchronises sources. Safe from many processes: one at a time has the lease of a source."""

    def __init__(
        self,
        *,
        store: SourceStore,
        ingestor: Ingestor,
        withdrawals: Withdrawals,
        connect: Connect,
        clock: Clock,
    ) -> None:
        self._store = store
        self._ingestor = ingestor
        self._withdrawals = withdrawals
        self._connect = connect
        self._clock = clock
        self.access = AccessSync(store=store.access, connect=connect, clock=clock)
        """Who may read their documents, apart from their texts."""

    async def sync(
        self, name: str, *, on_step: Callable[[SyncStep], None] | None = None
    ) -> SyncReport:
        """Bring the corpus in step with a source; tell `on_step` of each document.

        Raises:
            UsageError: There is no such source.
            OccupiedError: Another process synchronises it.
            ConfigError: It can't be reached as it is set up.
            TransientError: It or the database fails; what was done stays, and the next one goes on.
        """
        lease = await self._store.lease(name)
        try:
            return await self._sync(lease, on_step or _untold)
        except OvertakenError:
            raise
        except CiteboundError as error:
            await self._store.fail(lease, error=error)
            raise
        except BaseException:
            await self._store.release(lease)
            raise

    async def _sync(self, lease: SyncLease, tell: Callable[[SyncStep], None]) -> SyncReport:
        known = await self._store.known(lease)
        end = ListingEnd(token=lease.token, is_whole=False)
        async with self._connect(lease.source) as connector:
            run = _Run(lease=lease, connector=connector, known=known, tell=tell)
            async for part in connector.changes(since=lease.token, cursor=lease.cursor):
                if isinstance(part, ListingEnd):
                    end = part
                else:
                    await self._page(run, part)
        if end.is_whole:
            run.gone += await self._store.unseen(lease)
        were_gone = {one.policy for one in known.values() if one.state is ItemState.GONE}
        withdrawn, held_back = await self._settle_gone(run)
        report = SyncReport(
            added=run.counts["added"],
            revised=run.counts["revised"],
            unchanged=run.counts["unchanged"],
            failed=run.counts["failed"],
            withdrawn=withdrawn,
            held_back=held_back,
            newly_held=tuple(one for one in held_back if one not in were_gone),
        )
        compared = await self._store.finish(lease, token=end.token, report=report)
        return dataclasses.replace(report, compared=compared)

    async def _page(self, run: "_Run", page: ChangePage) -> None:
        seen: list[str] = []
        listed = {item.item_id for item in page.items}
        run.gone = [one for one in run.gone if one.item_id not in listed]
        for item in page.items:
            before = run.known.get(item.item_id)
            if before is not None and _is_settled(before, item):
                seen.append(item.item_id)
                run.counts["failed" if before.state is ItemState.FAILED else "unchanged"] += 1
                continue
            asked_at = self._clock.now()
            taken = await self._take(run, item, before)
            run.known[item.item_id] = taken.item
            run.counts[taken.step.word] += 1
            run.tell(taken.step)
            await self._store.keep(
                run.lease,
                items=[taken.item],
                cursor=run.cursor,
                readers=[taken.readers] if taken.readers else (),
                read_at=asked_at,
                changed=[taken.change] if taken.change else (),
            )
        gone = _gone([run.known[one] for one in page.gone if _is_there(run.known.get(one))])
        run.gone += gone
        run.known |= {one.item_id: one for one in gone}
        run.cursor = page.cursor
        await self._store.keep(run.lease, items=gone, seen=seen, cursor=run.cursor)

    async def _take(self, run: "_Run", item: SourceItem, before: KnownItem | None) -> "_Taken":
        """Fetch a document and its readers, and ingest it."""
        policy = before.policy if before else None
        readers = None if item.problem else await _readers(run.connector, item)
        try:
            done = await self._ingested(run, item, policy, readers)
        except ContractError as error:
            reason = str(error)
            return _Taken(
                item=_known(item, ItemState.FAILED, policy, reason=reason),
                step=SyncStep(path=item.path, word="failed", detail=reason),
                readers=readers,
            )
        return _Taken(
            item=_known(item, ItemState.STORED, done.metadata.key),
            step=SyncStep(path=item.path, word=_word(done), detail=done.metadata.title),
            readers=readers,
            change=ItemChange(policy=done.metadata.key, version_id=done.result.version_id)
            if isinstance(done.result, Published)
            else None,
        )

    async def _ingested(
        self, run: "_Run", item: SourceItem, policy: str | None, readers: Readers | None
    ) -> Ingested:
        """Ingest a document; `policy` is the key that it has had so far.

        Raises:
            DocumentError: It can't be had or read.
            TransientError: The source or the database fails.
        """
        if item.problem is not None:
            raise DocumentError(item.problem)
        data = await run.connector.fetch(item)
        source, name = run.lease.source, PurePosixPath(item.path).name
        audience = item.given.audience if item.given.audience is not None else source.audience
        given = dataclasses.replace(
            item.given,
            audience=audience,
            key_prefix=item.given.key_prefix or source.key_prefix,
            key=policy or item.given.key,
        )
        prepared = await self._ingestor.prepare(
            data, source_name=name, given=given, with_chunks=True
        )
        key = given.key or await self._own_key(run, item, prepared.metadata.key)
        if key != prepared.metadata.key:
            given = dataclasses.replace(given, key=key)
            metadata = dataclasses.replace(prepared.metadata, key=key)
            prepared = dataclasses.replace(prepared, metadata=metadata)
        allowed = (
            None
            if readers is None
            else SourceAudience(
                source=source.name, groups=await self._store.audience(run.lease, readers)
            )
        )
        return await self._ingestor.ingest(
            data,
            source_name=name,
            given=given,
            with_chunks=True,
            file=SourceFile(
                path=f"{source.name}:{item.path}",
                place=item.path,
                is_named=False,
                readers=allowed,
            ),
            prepared=prepared,
        )

    async def _own_key(self, run: "_Run", item: SourceItem, key: str) -> str:
        """Return the key of a document: where another one has it, that of its path.

        In a tree of folders many documents have one name; the first that comes keeps it. A document
        that took another one's place, as a file that was moved, keeps that one's key.

        Raises:
            DocumentError: Both are taken.
        """
        name = run.lease.source.name
        by_path = key_of(f"{name}/{PurePosixPath(item.path).with_suffix('')}")
        for one in (key, by_path):
            holder = await self._store.holder(one)
            if holder is None or holder == (name, item.item_id):
                return one
            if holder[0] == name and not await run.connector.is_there(holder[1]):
                return one
        raise DocumentError(
            f"its key {key!r} and that of its path, {by_path!r}, are those of other documents:"
            " rename it"
        )

    async def _settle_gone(self, run: "_Run") -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Withdraw what is gone, or hold it back; return the keys of either.

        Whatever earlier synchronisations held back counts again.
        """
        gone = {one.item_id: one for one in run.gone}
        gone |= {one.item_id: one for one in run.known.values() if one.state is ItemState.GONE}
        held = {
            one.policy for one in run.known.values() if one.item_id not in gone and _is_there(one)
        }
        policies = {
            one.policy: one for one in gone.values() if one.policy and one.policy not in held
        }
        most = max(1, int(MOST_WITHDRAWN * (len(policies) + len(held))))
        source = run.lease.source
        may = source.withdrawing is Withdrawing.AUTOMATIC and len(policies) <= most
        if may:
            for policy, item in policies.items():
                await self.withdraw(policy, source=source.name, path=item.path)
        left = ItemState.WITHDRAWN if may else ItemState.GONE
        settled = [
            dataclasses.replace(one, state=left if one.policy in policies else ItemState.WITHDRAWN)
            for one in gone.values()
        ]
        changed = [ItemChange(policy=one, version_id=None) for one in policies] if may else []
        await self._store.keep(run.lease, items=settled, cursor=run.cursor, changed=changed)
        keys = tuple(sorted(policies))
        return (keys, ()) if may else ((), keys)

    async def withdraw(self, policy: str, *, source: str, path: str) -> None:
        """Withdraw a policy whose document is gone; one that is withdrawn already stays so."""
        try:
            await self._withdrawals.withdraw(
                policy,
                since=self._clock.now().date(),
                reason=f"its document is gone from the source {source}: {path}",
                is_file_gone=True,
            )
        except UsageError as error:
            logger.info("%s", error)


@dataclass(slots=True)
class _Run:
    """One synchronisation on its way."""

    lease: SyncLease
    """The right to it."""
    connector: Connector
    """Reads the source."""
    known: dict[str, KnownItem]
    """Documents by identity, as they are now."""
    tell: Callable[[SyncStep], None]
    """Is told of each document."""
    cursor: str | None = None
    """Of the last page that was worked through."""
    counts: dict[str, int] = field(
        default_factory=lambda: {"added": 0, "revised": 0, "unchanged": 0, "failed": 0}
    )
    """Documents by what became of them."""
    gone: list[KnownItem] = field(default_factory=list[KnownItem])
    """Documents that were deleted."""

    def __post_init__(self) -> None:
        """Begin where an interrupted one ended."""
        self.cursor = self.lease.cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """A document that was worked through."""

    item: KnownItem
    """As it is remembered."""
    step: SyncStep
    """What became of it."""
    readers: Readers | None
    """Who may read it, as its source says; None: it does not, or was not asked."""
    change: ItemChange | None = None
    """The version that it became; None: none."""


async def _readers(connector: Connector, item: SourceItem) -> Readers | None:
    """Return who may read a document, where its source says that."""
    if connector.access is None:
        return None
    try:
        return await connector.access.of(item)
    except DocumentError as error:
        return UnreadReaders(item_id=item.item_id, problem=str(error))


def _known(
    item: SourceItem, state: ItemState, policy: str | None, *, reason: str | None = None
) -> KnownItem:
    return KnownItem(
        item_id=item.item_id,
        path=item.path,
        version=item.version,
        state=state,
        policy=policy,
        reason=reason,
    )


def _gone(items: Sequence[KnownItem]) -> list[KnownItem]:
    """Return deleted documents as they are remembered until their policies are settled."""
    return [dataclasses.replace(one, state=ItemState.GONE) for one in items]


def _is_there(one: KnownItem | None) -> bool:
    """Say whether a document is known, and not as one that is gone."""
    return one is not None and one.state in {ItemState.STORED, ItemState.FAILED}


def _is_settled(before: KnownItem, item: SourceItem) -> bool:
    """Say whether a document was worked through as it is now."""
    is_same = before.version == item.version and before.path == item.path
    return is_same and _is_there(before)


def _word(done: Ingested) -> str:
    if not isinstance(done.result, Published):
        return "unchanged"
    return "added" if done.result.is_first else "revised"


def _untold(_: SyncStep) -> None:
    """Tell nobody."""
