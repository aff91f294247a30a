"""One document of a source: its text and readers are fetched, and it becomes a policy, or fails."""

import dataclasses
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.domain.errors import ContractError, DocumentError
from core.ingest.compare import SourceFile
from core.ingest.prepare import key_of
from core.ingest.publish import Ingested, Ingestor
from core.ports import Published
from core.ports.corpus import SourceAudience
from core.sources.connector import Connector, Readers, SourceItem, UnreadReaders
from core.sources.store import ItemState, KnownItem, SourceStore, SyncLease


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncStep:
    """What became of one document."""

    path: str
    """See `SourceItem.path`."""
    word: str
    """`added`, `revised`, `unchanged` or `failed`."""
    detail: str
    """Its title, or why it failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenDocument:
    """A document that was worked through."""

    item: KnownItem
    """As it is remembered."""
    step: SyncStep
    """What became of it."""
    readers: Readers | None
    """Who may read it, as its source says; None: it does not, or was not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentIntake:
    """Works through documents of one source, under a lease."""

    lease: SyncLease
    connector: Connector
    store: SourceStore
    ingestor: Ingestor

    async def take(self, item: SourceItem, before: KnownItem | None) -> TakenDocument:
        """Fetch a document and its readers, and ingest it."""
        policy = before.policy if before else None
        readers = None if item.problem else await _readers(self.connector, item)
        try:
            done = await self._ingested(item, policy, readers)
        except ContractError as error:
            reason = str(error)
            return TakenDocument(
                item=_known(item, ItemState.FAILED, policy, reason=reason),
                step=SyncStep(path=item.path, word="failed", detail=reason),
                readers=readers,
            )
        return TakenDocument(
            item=_known(item, ItemState.STORED, done.metadata.key),
            step=SyncStep(path=item.path, word=_word(done), detail=done.metadata.title),
            readers=readers,
        )

    async def _ingested(
        self, item: SourceItem, policy: str | None, readers: Readers | None
    ) -> Ingested:
        """Ingest a document; `policy` is the key that it has had so far.

        Raises:
            DocumentError: It can't be had or read.
            TransientError: The source or the database fails.
        """
        if item.problem is not None:
            raise DocumentError(item.problem)
        data = await self.connector.fetch(item)
        source, name = self.lease.source, PurePosixPath(item.path).name
        audience = item.given.audience if item.given.audience is not None else source.audience
        given = dataclasses.replace(
            item.given,
            audience=audience,
            key_prefix=item.given.key_prefix or source.key_prefix,
            key=policy or item.given.key,
        )
        prepared = await self.ingestor.prepare(
            data, source_name=name, given=given, with_chunks=True
        )
        key = given.key or await self._own_key(item, prepared.metadata.key)
        if key != prepared.metadata.key:
            given = dataclasses.replace(given, key=key)
            metadata = dataclasses.replace(prepared.metadata, key=key)
            prepared = dataclasses.replace(prepared, metadata=metadata)
        allowed = (
            None
            if readers is None
            else SourceAudience(
                source=source.name, groups=await self.store.audience(self.lease, readers)
            )
        )
        return await self.ingestor.ingest(
            data,
            source_name=name,
            given=given,
            with_chunks=True,
            file=SourceFile(
                path=f"{source.name}:{item.path}",
                place=item.path,
                is_named=False,
                readers=allowed,
                source=source.name,
            ),
            prepared=prepared,
        )

    async def _own_key(self, item: SourceItem, key: str) -> str:
        """Return the key of a document: where another one has it, that of its path.

        In a tree of folders many documents have one name; the first that comes keeps it. A document
        that took another one's place, as a file that was moved, keeps that one's key.

        Raises:
            DocumentError: Both are taken.
        """
        name = self.lease.source.name
        by_path = key_of(f"{name}/{PurePosixPath(item.path).with_suffix('')}")
        for one in (key, by_path):
            holder = await self.store.holder(one)
            if holder is None or holder == (name, item.item_id):
                return one
            if holder[0] == name and not await self.connector.is_there(holder[1]):
                return one
        raise DocumentError(
            f"its key {key!r} and that of its path, {by_path!r}, are those of other documents:"
            " rename it"
        )


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


def _word(done: Ingested) -> str:
    if not isinstance(done.result, Published):
        return "unchanged"
    return "added" if done.result.is_first else "revised"
